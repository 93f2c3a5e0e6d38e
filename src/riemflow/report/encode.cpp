#include "riemflow/report/encode.hpp"

namespace riemflow::report {

std::string html(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else if (c == '\'')
      result += "&#39;";
    else if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t')
      result += "\xEF\xBF\xBD";
    else
      result += c;
  }
  return result;
}

std::string script_json(const nlohmann::ordered_json& value) {
  const std::string text = value.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
  std::string result;
  result.reserve(text.size());
  for (const char c : text)
    if (c == '<')
      result += "\\u003c";
    else
      result += c;
  return result;
}

std::string base64(std::string_view bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string result;
  result.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      result += k <= bytes.size() - i ? kDigits[three >> (18 - 6 * k) & 63] : '=';
  }
  return result;
}

std::string base64(std::span<const std::int16_t> numbers) {
  std::string bytes;
  bytes.reserve(2 * numbers.size());
  for (const std::int16_t number : numbers) {
    const auto bits = static_cast<std::uint16_t>(number);
    bytes += static_cast<char>(bits & 255);
    bytes += static_cast<char>(bits >> 8);
  }
  return base64(bytes);
}

}  // namespace riemflow::report
