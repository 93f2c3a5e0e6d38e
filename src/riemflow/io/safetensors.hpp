#pragma once
// The safetensors format (https://github.com/huggingface/safetensors): an 8-byte little-endian length, a JSON
// header {"__metadata__": {string: string}, name: {"dtype", "shape", "data_offsets": [begin, end]}, …} of
// that length, then the tensors' bytes, row-major and little-endian, one after the other with no gap. Reading
// is strict: what is not exactly that is Error(Fault::bad_data), never more memory than the file's size asks
// for.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "riemflow/core/error.hpp"

namespace riemflow {

enum class DType { F32, F64, I64, U64, U8 };

std::string_view name_of(DType dtype);
std::size_t item_size(DType dtype);

template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, float>)
    return DType::F32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::F64;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return DType::I64;
  else if constexpr (std::is_same_v<T, std::uint64_t>)
    return DType::U64;
  else {
    static_assert(std::is_same_v<T, std::uint8_t>, "not a type of a tensor");
    return DType::U8;
  }
}

struct Tensor {
  std::string name;
  DType dtype = DType::F32;
  std::vector<std::uint64_t> shape;
  std::vector<std::byte> bytes;  ///< ∏ shape items

  bool operator==(const Tensor&) const = default;
};

template <class T>
Tensor make_tensor(std::string name, std::vector<std::uint64_t> shape, std::span<const T> values) {
  const auto bytes = std::as_bytes(values);
  return {std::move(name), dtype_of<T>(), std::move(shape), {bytes.begin(), bytes.end()}};
}

/// Bit for bit; throws Error if the tensor is of another type.
template <class T>
std::vector<T> values_of(const Tensor& tensor) {
  require(tensor.dtype == dtype_of<T>(),
          "tensor " + tensor.name + " is " + std::string(name_of(tensor.dtype)) + ", not " +
              std::string(name_of(dtype_of<T>())),
          "read it as what it is", Fault::bad_data);
  std::vector<T> values(tensor.bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), values.size() * sizeof(T));
  return values;
}

/// [2, 3]
std::string to_string(std::span<const std::uint64_t> shape);

struct SafeTensors {
  std::map<std::string, std::string> metadata;
  std::vector<Tensor> tensors;  ///< in the order of their bytes

  bool operator==(const SafeTensors&) const = default;
};

/// The file's bytes, the same for the same content. Tensors of wider items come first, so that each is
/// aligned, otherwise the order is kept. Metadata is text: bytes that are not UTF-8 become U+FFFD. Throws
/// Error(Fault::internal) on tensors whose names or sizes cannot be written.
std::vector<std::byte> serialise(const SafeTensors& content);

/// `name` stands for the bytes in messages.
SafeTensors parse_safetensors(std::span<const std::byte> bytes, const std::string& name);

/// Error(Fault::no_input) if the file cannot be read.
SafeTensors read_safetensors(const std::string& path);
/// Atomically (io/atomic_file.hpp).
void write_safetensors(const std::string& path, const SafeTensors& content);

}  // namespace riemflow
