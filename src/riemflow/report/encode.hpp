#pragma once
// Text and bytes as an HTML page holds them.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace riemflow::report {

/// As text of an element or of a quoted attribute, whatever is in it; control characters are shown as U+FFFD.
std::string html(std::string_view text);

/// As the content of a script element: ASCII, without a `<`, so that nothing in it ends the element.
std::string script_json(const nlohmann::ordered_json& value);

std::string base64(std::string_view bytes);
/// Least significant byte first.
std::string base64(std::span<const std::int16_t> numbers);

}  // namespace riemflow::report
