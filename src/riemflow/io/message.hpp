#pragma once
// What error messages about files are made of.

#include <cstddef>
#include <string>
#include <string_view>

namespace riemflow::io {

/// 'text', at most `longest` characters of it, with what would disturb a terminal (control characters, bytes
/// that are not UTF-8) escaped.
std::string in_quotes(std::string_view text, std::size_t longest = 40);

/// The text with the same escaped; ends of lines and tabs stay.
std::string printable(std::string_view text);

/// The same letters without A–Z.
std::string lower(std::string_view text);

}  // namespace riemflow::io
