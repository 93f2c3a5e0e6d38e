#pragma once
// Settings named in messages. The library does not know how its caller writes them, so it puts them in ‹ ›:
// "give a smaller ‹rate›". The tool shows --rate, Python rate=.

#include <functional>
#include <string>
#include <string_view>

namespace riemflow {

inline constexpr std::string_view kSettingBegin = "‹", kSettingEnd = "›";

/// The text with each ‹name› as shown(name).
inline std::string with_settings(std::string_view text,
                                 const std::function<std::string(std::string_view)>& shown) {
  std::string result;
  for (;;) {
    const std::size_t begin = text.find(kSettingBegin);
    const std::size_t end = begin == text.npos ? text.npos : text.find(kSettingEnd, begin);
    if (end == text.npos) return result += text;
    const std::size_t name = begin + kSettingBegin.size();
    result += text.substr(0, begin);
    result += shown(text.substr(name, end - name));
    text.remove_prefix(end + kSettingEnd.size());
  }
}

}  // namespace riemflow
