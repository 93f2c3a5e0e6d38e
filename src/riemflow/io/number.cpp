#include "riemflow/io/number.hpp"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "riemflow/io/message.hpp"

namespace riemflow {
namespace {

template <class T>
void append(std::string& line, T value) {
  if (std::isnan(value)) {
    line += "nan";
    return;
  }
  char digits[32];  // the longest is -2.2250738585072014e-308
  const auto result = std::to_chars(digits, digits + sizeof digits, value);
  line.append(digits, result.ptr);
}

}  // namespace

void append_number(std::string& line, double value) { append(line, value); }
void append_number(std::string& line, float value) { append(line, value); }

namespace io {

NumberKind read_number(std::string_view field, char decimal, double& value) {
  const char *first = field.data(), *last = first + field.size();
  if (field.size() > 1 && *first == '+' && first[1] != '-') ++first;
  const auto [end, code] = fast_float::from_chars_advanced(
      first, last, value, fast_float::parse_options(fast_float::chars_format::general, decimal));
  if (code == std::errc() && end == last && std::isfinite(value)) return NumberKind::finite;

  const bool whole = code == std::errc() && end == last;
  const NumberKind kind = whole && std::isinf(value) ? NumberKind::infinite : NumberKind::text;
  value = std::numeric_limits<double>::quiet_NaN();
  if (kind == NumberKind::infinite) return kind;
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  if (!field.empty() && (is_blank(field.front()) || is_blank(field.back()))) {
    while (!field.empty() && is_blank(field.front())) field.remove_prefix(1);
    while (!field.empty() && is_blank(field.back())) field.remove_suffix(1);
    return read_number(field, decimal, value);
  }
  if (field.size() > 4) return NumberKind::text;
  const std::string word = lower(field);
  for (std::string_view missing : {"", "na", "n/a", "nan", "null", "none"})
    if (word == missing) return NumberKind::missing;
  return NumberKind::text;
}

}  // namespace io
}  // namespace riemflow
