// Any bytes are a model, or Error. What is taken survives a round trip.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "riemflow/core/error.hpp"
#include "riemflow/model/model_file.hpp"

namespace {

void read_and_write_back(std::span<const std::byte> input) {
  using namespace riemflow;
  std::optional<SafeTensors> content;
  std::optional<Model> model;
  try {
    content = parse_safetensors(input, "input");
    model = model_from_tensors(*content, "input");
  } catch (const Error&) {
  }
  if (content && parse_safetensors(serialise(*content), "again").tensors.size() != content->tensors.size())
    std::abort();
  if (!model) return;
  const auto bytes = serialise(model_to_tensors(*model));
  if (serialise(model_to_tensors(model_from_tensors(parse_safetensors(bytes, "again"), "again"))) != bytes)
    std::abort();
  // Scratch memory grows with the square of the dimension and with the number of probes.
  if (input.size() > 8000 || model->config.divergence.probes > 16) return;
  try {
    if (precision_of(*model) == "float")
      make_flow<float>(*model, 1);
    else
      make_flow<double>(*model, 1);
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = std::as_bytes(std::span(data, size));
  read_and_write_back(input);
  // Again with a length that fits: few changes of the header keep its length.
  if (size < 9) return 0;
  std::vector<std::byte> fitted(input.begin(), input.end());
  const auto end = std::find(fitted.rbegin(), fitted.rend() - 8, std::byte{'}'});
  const auto length = static_cast<std::uint64_t>(fitted.rend() - 8 - end);
  std::memcpy(fitted.data(), &length, sizeof length);
  read_and_write_back(fitted);
  return 0;
}
