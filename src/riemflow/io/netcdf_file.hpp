#pragma once
// NetCDF files of numbers on a grid, in the classic format with 64-bit offsets, which every reader knows. The
// same content is the same bytes: no time, no name of a machine.

#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace riemflow {

struct NetcdfAttribute {
  std::string name;
  std::variant<std::string, double> value;
};

struct NetcdfDimension {
  std::string name;
  std::size_t length;
};

/// Doubles, row-major in the order of its dimensions.
struct NetcdfVariable {
  std::string name;
  std::vector<std::string> dimensions;
  std::vector<NetcdfAttribute> attributes;
  std::vector<double> values;
};

struct NetcdfContent {
  std::vector<NetcdfDimension> dimensions;
  std::vector<NetcdfAttribute> attributes;
  std::vector<NetcdfVariable> variables;
};

/// The file as bytes. Throws Error: internal for content that contradicts itself, cannot_write if the library
/// refuses.
std::vector<std::byte> netcdf_bytes(const NetcdfContent& content);

}  // namespace riemflow
