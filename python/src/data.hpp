#pragma once

#include <string>

#include "riemflow/io/point_source.hpp"

namespace riemflow::python {

/// A file's points, or those of columns in memory.
struct ReadData {
  std::string name;
  ReadPoints read;
  std::size_t duplicates = 0;  ///< points that repeat an earlier one
};

}  // namespace riemflow::python
