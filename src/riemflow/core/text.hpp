#pragma once
// What the readers of names typed by people share.

#include <cctype>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace riemflow {

inline bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
inline bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
inline bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

inline std::string lower(std::string_view s) {
  std::string r(s);
  for (char& c : r) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return r;
}

inline std::string_view trimmed(std::string_view s) {
  while (!s.empty() && is_space(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_space(s.back())) s.remove_suffix(1);
  return s;
}

/// The parts of s between separators; `separates(i)` says whether s[i] is one.
template <class Separates>
std::vector<std::string_view> split(std::string_view s, Separates separates) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= s.size(); ++i) {
    if (i < s.size() && !separates(i)) continue;
    parts.push_back(trimmed(s.substr(begin, i - begin)));
    begin = i + 1;
  }
  return parts;
}

/// The words of s, with spaces between.
inline std::vector<std::string> words_in(std::string_view s) {
  std::vector<std::string> words;
  for (const std::string_view part : split(s, [&](std::size_t i) { return is_space(s[i]); }))
    if (!part.empty()) words.emplace_back(part);
  return words;
}

/// The whole of s as a number, a leading + allowed.
template <class Number>
std::optional<Number> parse_number(std::string_view s) {
  if (s.size() > 1 && s[0] == '+' && s[1] != '-') s.remove_prefix(1);
  Number value{};
  const auto [end, code] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (code != std::errc() || end != s.data() + s.size()) return std::nullopt;
  return value;
}

/// 12,345
inline std::string counted(std::size_t n) {
  std::string text = std::to_string(n);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

}  // namespace riemflow
