#include "riemflow/io/message.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace riemflow::io {
namespace {

/// Bytes of the UTF-8 character that `text` begins with; 0 if it is none, or a control character.
std::size_t printable_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x20 || first == 0x7f) return 0;
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xc2 && first <= 0xdf   ? 2
                             : first >= 0xe0 && first <= 0xef ? 3
                             : first >= 0xf0 && first <= 0xf4 ? 4
                                                              : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  // U+0080..9F are control characters; overlong forms, surrogates and numbers past U+10FFFF are no
  // characters.
  const unsigned char second = byte(1);
  const bool bad = (first == 0xc2 && second < 0xa0) || (first == 0xe0 && second < 0xa0) ||
                   (first == 0xed && second >= 0xa0) || (first == 0xf0 && second < 0x90) ||
                   (first == 0xf4 && second >= 0x90);
  return bad ? 0 : length;
}

}  // namespace

std::string in_quotes(std::string_view text, std::size_t longest) {
  std::string shown = "'";
  for (std::size_t characters = 0; !text.empty(); ++characters) {
    if (characters == longest) return shown + "…'";
    const std::size_t length = printable_character(text);
    constexpr std::string_view kBlanks = "\t\n\r", kLetters = "tnr";
    if (length > 0)
      shown += text.substr(0, length);
    else if (const std::size_t i = kBlanks.find(text[0]); i != kBlanks.npos)
      shown += {'\\', kLetters[i]};
    else
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return shown + "'";
}

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = text[0] == '\n' || text[0] == '\t' ? 1 : printable_character(text);
    if (length > 0)
      shown += text.substr(0, length);
    else
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return shown;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if ('A' <= c && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

}  // namespace riemflow::io
