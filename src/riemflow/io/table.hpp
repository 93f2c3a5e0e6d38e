#pragma once
// What is known of a table once its first rows have been seen.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace riemflow::io {

struct Table {
  std::string path;
  bool binary = false;             ///< NPY: numbers as a program left them, not as a person wrote them
  std::vector<std::string> names;  ///< of all columns; empty without a header
  bool named_by_option = false;    ///< the names are those of ReadOptions::columns, in place of a header
  std::size_t width = 0;
  std::optional<std::size_t>
      weight;                  ///< the column of weights, from 0, which is no coordinate; none: there is none
  std::vector<bool> numeric;   ///< columns that hold nothing but numbers, and at least one
  std::vector<double> values;  ///< first rows, row-major, NaN where there is no number
  std::vector<std::uint64_t> row_lines;  ///< line of each of them; NPY: row, from 1

  std::size_t rows() const { return row_lines.size(); }
  double value(std::size_t row, std::size_t column) const { return values[row * width + column]; }
  std::string name(std::size_t column) const { return names.empty() ? std::string() : names[column]; }
  /// Columns that may be coordinates.
  std::size_t free_width() const { return width - (weight ? 1 : 0); }
};

}  // namespace riemflow::io
