#include "riemflow/io/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <system_error>

#include "riemflow/io/atomic_file.hpp"
#include "riemflow/io/safetensors_header.hpp"

namespace riemflow {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are written as they stand in memory");

/// The public readers' limit.
constexpr std::uint64_t kLongestHeader = 100'000'000;

/// ∏ shape · item size, if it is a number of 64 bits.
std::optional<std::uint64_t> bytes_of(const std::vector<std::uint64_t>& shape, DType dtype) {
  std::uint64_t size = item_size(dtype);
  for (const std::uint64_t n : shape)
    if (__builtin_mul_overflow(size, n, &size)) return std::nullopt;
  return size;
}

/// Throws if these are the first bytes of data, which are easily given in the place of a model: text has no
/// byte of the first eight that a length below kLongestHeader must have.
void refuse_data(std::span<const std::byte> bytes, const std::string& name) {
  const std::string_view start(reinterpret_cast<const char*>(bytes.data()),
                               std::min<std::size_t>(bytes.size(), 8));
  const auto is_text = [](char c) {
    return (static_cast<unsigned char>(c) >= ' ' && static_cast<unsigned char>(c) < 0xfe) || c == '\t' ||
           c == '\n' || c == '\r';
  };
  const bool npy = start.starts_with("\x93NUMPY");
  if (npy || (!start.empty() && std::all_of(start.begin(), start.end(), is_text)))
    throw Error(
        fmt::format("{}: it is {}, not a model", name, npy ? "an NPY file" : "text"),
        "give a file that `riemflow fit` wrote; if these are the data, they come after the model, as in "
        "riemflow score MODEL DATA",
        Fault::bad_data);
}

/// The header's length as announced, if the first 9 bytes can be those of a file.
std::uint64_t check_beginning(std::span<const std::byte> bytes, const std::string& name) {
  refuse_data(bytes, name);
  if (bytes.size() < 9)
    bad_safetensors(name, fmt::format("it has {} bytes, too few for any header", bytes.size()));
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  if (length > kLongestHeader)
    bad_safetensors(name, fmt::format("a header of {} bytes is announced, more than the {} allowed", length,
                                      kLongestHeader));
  if (bytes[8] != std::byte{'{'}) bad_safetensors(name, "the header is not a JSON object");
  return length;
}

/// Indices of the entries in the order of their bytes, which must follow each other without gap to the end.
std::vector<std::size_t> in_file_order(const std::vector<HeaderEntry>& entries, std::size_t data_size,
                                       const std::string& name) {
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(entries[a].begin, entries[a].end) < std::pair(entries[b].begin, entries[b].end);
  });
  std::uint64_t expected = 0;
  for (const std::size_t i : order) {
    const HeaderEntry& entry = entries[i];
    const auto fail = [&](const std::string& problem) {
      bad_safetensors(name, fmt::format("tensor {} at bytes {} to {}: {}", json_quoted(entry.name),
                                        entry.begin, entry.end, problem));
    };
    if (entry.begin > entry.end) fail("it ends before it begins");
    if (entry.end > data_size) fail(fmt::format("the file has only {} bytes of tensors", data_size));
    if (entry.begin != expected) fail(fmt::format("the tensor before it ends at {}", expected));
    const auto size = bytes_of(entry.shape, entry.dtype);
    if (!size) fail(fmt::format("its shape {} is too large for any memory", to_string(entry.shape)));
    if (*size != entry.end - entry.begin)
      fail(fmt::format("{} of shape {} has {} bytes", name_of(entry.dtype), to_string(entry.shape), *size));
    expected = entry.end;
  }
  if (expected != data_size)
    bad_safetensors(name, fmt::format("{} bytes follow the last tensor", data_size - expected));
  return order;
}

}  // namespace

std::string_view name_of(DType dtype) {
  constexpr std::array<std::string_view, 5> kNames = {"F32", "F64", "I64", "U64", "U8"};
  return kNames.at(static_cast<std::size_t>(dtype));
}

std::size_t item_size(DType dtype) {
  constexpr std::array<std::size_t, 5> kSizes = {4, 8, 8, 8, 1};
  return kSizes.at(static_cast<std::size_t>(dtype));
}

std::string to_string(std::span<const std::uint64_t> shape) {
  constexpr std::size_t kMost = 16;
  return fmt::format("[{}{}]", fmt::join(shape.first(std::min(kMost, shape.size())), ", "),
                     shape.size() > kMost ? ", …" : "");
}

std::vector<std::byte> serialise(const SafeTensors& content) {
  std::vector<const Tensor*> tensors;
  for (const Tensor& tensor : content.tensors) tensors.push_back(&tensor);
  std::stable_sort(tensors.begin(), tensors.end(), [](const Tensor* a, const Tensor* b) {
    return item_size(a->dtype) > item_size(b->dtype);
  });
  SafeTensorsHeader header{content.metadata, {}};
  std::uint64_t end = 0;
  for (const Tensor* tensor : tensors) {
    require(bytes_of(tensor->shape, tensor->dtype) == tensor->bytes.size(),
            fmt::format("tensor {} of shape {} has {} bytes", json_quoted(tensor->name),
                        to_string(tensor->shape), tensor->bytes.size()),
            "report this", Fault::internal);
    const std::uint64_t begin = std::exchange(end, end + tensor->bytes.size());
    header.entries.push_back({tensor->name, tensor->dtype, tensor->shape, begin, end});
  }
  std::string text = write_safetensors_header(header);
  text.append((8 - text.size() % 8) % 8, ' ');
  require(text.size() <= kLongestHeader, fmt::format("the header of a file has {} bytes", text.size()),
          fmt::format("keep names and metadata below {} bytes", kLongestHeader));

  const std::uint64_t length = text.size();
  std::vector<std::byte> bytes;
  bytes.reserve(8 + text.size() + end);
  const auto append = [&](std::span<const std::byte> part) {
    bytes.insert(bytes.end(), part.begin(), part.end());
  };
  append(std::as_bytes(std::span(&length, 1)));
  append(std::as_bytes(std::span(text)));
  for (const Tensor* tensor : tensors) append(tensor->bytes);
  return bytes;
}

SafeTensors parse_safetensors(std::span<const std::byte> bytes, const std::string& name) {
  const std::uint64_t length = check_beginning(bytes, name);
  if (length > bytes.size() - 8)
    bad_safetensors(name, fmt::format("the header should have {} bytes, but the file ends after {}", length,
                                      bytes.size() - 8));
  const auto text = bytes.subspan(8, length), data = bytes.subspan(8 + length);
  SafeTensorsHeader header =
      parse_safetensors_header({reinterpret_cast<const char*>(text.data()), text.size()}, name);
  SafeTensors content{std::move(header.metadata), {}};
  const std::vector<std::size_t> order = in_file_order(header.entries, data.size(), name);
  content.tensors.reserve(order.size());
  for (const std::size_t i : order) {
    HeaderEntry& entry = header.entries[i];
    const auto part = data.subspan(entry.begin, entry.end - entry.begin);
    content.tensors.push_back(
        {std::move(entry.name), entry.dtype, std::move(entry.shape), {part.begin(), part.end()}});
  }
  return content;
}

SafeTensors read_safetensors(const std::string& path) {
  const auto cannot_read = [&](const std::string& why, const char* advice) {
    throw Error("cannot read " + path + ": " + why, advice, Fault::no_input);
  };
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) cannot_read("it is a directory", "name a file in it");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) cannot_read(std::generic_category().message(errno), "check the name and the permissions");
  // In pieces: the size of a pipe or a device is not known, and that of a file may change. Of an endless one
  // the first piece tells.
  std::vector<std::byte> bytes;
  try {
    for (std::size_t piece = 1 << 16;; piece = std::max(piece, bytes.size() / 2)) {
      const std::size_t before = bytes.size();
      bytes.resize(before + piece);
      const std::size_t got = std::fread(bytes.data() + before, 1, piece, file.get());
      bytes.resize(before + got);
      if (std::ferror(file.get())) cannot_read(std::generic_category().message(errno), "check the disk");
      if (before == 0) check_beginning(bytes, path);
      if (got < piece) break;
    }
    return parse_safetensors(bytes, path);
  } catch (const std::bad_alloc&) {
    throw Error("cannot read " + path + ": it is larger than the memory", "use a smaller file",
                Fault::no_input);
  }
}

void write_safetensors(const std::string& path, const SafeTensors& content) {
  write_file_atomically(path, serialise(content));
}

}  // namespace riemflow
