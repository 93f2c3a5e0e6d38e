#include <cstddef>
#include <cstdint>

#include "fuzz/reading.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  riemflow::fuzz::check_npy(bytes);
  riemflow::fuzz::check(bytes, riemflow::ReadOptions());
  return 0;
}
