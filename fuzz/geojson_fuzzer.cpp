#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "fuzz/reading.hpp"
#include "riemflow/io/json_tokens.hpp"

namespace {

bool accepts(std::string_view bytes) {
  using riemflow::io::JsonTokens;
  try {
    JsonTokens tokens(riemflow::io::Window(riemflow::io::memory_bytes(bytes), riemflow::fuzz::kWindow), "f");
    while (tokens.next() != JsonTokens::Token::end) {
    }
  } catch (const riemflow::Error&) {
    return false;
  }
  return true;
}

/// Where both must agree: text without letters outside ASCII, which nlohmann checks and JsonTokens does not,
/// without large exponents, and too short for the limits of JsonTokens.
bool is_comparable(std::string_view bytes) {
  return bytes.size() < 128 && std::all_of(bytes.begin(), bytes.end(), [](char c) {
           return static_cast<unsigned char>(c) < 0x80 && c != 0 && c != 'e' && c != 'E';
         });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  riemflow::fuzz::check_geojson(bytes);
  riemflow::fuzz::check(bytes, riemflow::ReadOptions());
  if (is_comparable(bytes) && accepts(bytes) != nlohmann::json::accept(bytes))
    riemflow::fuzz::broken("JSON is what nlohmann takes for it");
  return 0;
}
