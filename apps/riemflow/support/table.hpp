#pragma once
// Rows of numbers on their way to a file: CSV, TSV or NPY by its extension. A file is complete or not there
// (io/atomic_file.hpp), and any number of rows needs the memory of one.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace riemflow {
class Sink;
}

namespace riemflow::app {

enum class TableFormat { csv, tsv, npy };

/// "" and "-" are standard output, CSV; what is no regular file is CSV unless its name says otherwise. Throws
/// Error(Fault::usage) for an extension that is none of .csv, .txt, .tsv, .npy.
TableFormat table_format(const std::string& path);

struct Column {
  std::string name;
  bool whole = false;  ///< whole numbers below 2^53, written without a point or an exponent
};

class TableWriter {
 public:
  /// digits: significant ones of a number that is not whole; 0: the fewest that read back as the same.
  TableWriter(Sink& sink, TableFormat format, std::vector<Column> columns, int digits);

  /// Whole rows, one after the other: numbers in the order of the columns.
  void rows(std::span<const double> values);
  /// After the last row.
  void finish();

 private:
  void write_text(std::span<const double> values);

  Sink& sink_;
  TableFormat format_;
  std::vector<Column> columns_;
  int digits_;
  std::uint64_t numbers_ = 0;
  std::string text_;
};

/// fill(table) hands over the rows. NPY: float64 of shape (rows, columns), or (rows,) for one column, without
/// names. Throws Error(Fault::cannot_write), with the file that was there as it was.
void write_table(const std::string& path, const std::vector<Column>& columns, int digits,
                 const std::function<void(TableWriter&)>& fill);

/// Digits of numbers that were computed in `precision`, "float" or "double".
inline int digits_of(const std::string& precision) { return precision == "float" ? 9 : 0; }

}  // namespace riemflow::app
