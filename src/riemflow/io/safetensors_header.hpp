#pragma once
// The JSON header of a safetensors file, read as a stream of events: nothing is built for what is not
// expected, however deep or long.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "riemflow/io/safetensors.hpp"

namespace riemflow {

struct HeaderEntry {
  std::string name;
  DType dtype = DType::F32;
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0, end = 0;  ///< bytes behind the header
};

struct SafeTensorsHeader {
  std::map<std::string, std::string> metadata;
  std::vector<HeaderEntry> entries;  ///< as they stand in the header; names differ
};

/// Throws Error(Fault::bad_data) on anything but one object of the format; offsets and shapes are any
/// numbers. `name` is the file's, for messages.
SafeTensorsHeader parse_safetensors_header(std::string_view json, const std::string& name);

/// The same backwards, with no spaces. Metadata that is not UTF-8 gets U+FFFD for the bytes that are not.
/// Throws Error(Fault::internal) on names that are not UTF-8, stand twice or mean something else.
std::string write_safetensors_header(const SafeTensorsHeader& header);

/// s as a JSON string in ASCII, cut if long: safe to print whatever a file held.
std::string json_quoted(std::string_view s);

/// Throws Error(Fault::bad_data): "FILE: PROBLEM; the file is damaged …".
[[noreturn]] void bad_safetensors(const std::string& file, const std::string& problem);

}  // namespace riemflow
