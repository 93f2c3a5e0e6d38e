#pragma once
// Rows of numbers on their way to a file: CSV, TSV or NPY by its extension. A file is complete or not there
// (io/atomic_file.hpp), and any number of rows needs the memory of a few thousand: they are made into text by
// all threads and written while the caller computes the next.

#include <cstdint>
#include <functional>
#include <future>
#include <span>
#include <string>
#include <vector>

#include "riemflow/core/executor.hpp"

namespace riemflow {

class Sink;

enum class TableFormat { csv, tsv, npy };

/// "" and "-" are standard output, CSV; what is no regular file is CSV unless its name says otherwise. Throws
/// Error(Fault::usage) for an extension that is none of .csv, .txt, .tsv, .npy.
TableFormat table_format(const std::string& path);

struct TableColumn {
  std::string name;
  bool whole = false;  ///< whole numbers below 2^53, written without a point or an exponent
};

class TableWriter {
 public:
  /// digits: significant ones of a number that is not whole; 0: the fewest that read back as the same.
  /// threads: 0: one for each core. Nobody else writes to the sink until finish().
  TableWriter(Sink& sink, TableFormat format, std::vector<TableColumn> columns, int digits, int threads);
  TableWriter(const TableWriter&) = delete;
  TableWriter& operator=(const TableWriter&) = delete;

  /// Whole rows, one after the other: numbers in the order of the columns. Throws what writing those before
  /// came to.
  void rows(std::span<const double> values);
  /// After the last row.
  void finish();

 private:
  void begin_writing();
  void write();
  std::string text_of(std::size_t first, std::size_t last) const;

  Sink& sink_;
  TableFormat format_;
  std::vector<TableColumn> columns_;
  int digits_;
  Executor executor_;
  std::uint64_t numbers_ = 0;
  std::vector<double> gathered_, written_;  // written_: by the thread of writing_
  std::vector<std::string> texts_;
  std::future<void> writing_;  // last: it is over before the rest is gone
};

/// fill(table) hands over the rows. NPY: float64 of shape (rows, columns), or (rows,) for one column, without
/// names. Throws Error(Fault::cannot_write), with the file that was there as it was.
void write_table(const std::string& path, const std::vector<TableColumn>& columns, int digits, int threads,
                 const std::function<void(TableWriter&)>& fill);

/// Digits of numbers that were computed in `precision`, "float" or "double".
inline int digits_of(const std::string& precision) { return precision == "float" ? 9 : 0; }

}  // namespace riemflow
