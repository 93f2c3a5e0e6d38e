#pragma once
// The beginning of delimited text: which delimiter, whether there is a header, what the first rows hold.

#include "riemflow/core/error.hpp"
#include "riemflow/io/bytes.hpp"
#include "riemflow/io/csv_record.hpp"
#include "riemflow/io/read_options.hpp"
#include "riemflow/io/table.hpp"

namespace riemflow::io {

struct CsvHead {
  Dialect dialect;
  Table table;
  std::uint64_t header_line = 0;  ///< 0: none
  std::uint64_t data_line = 1;    ///< of the first row
  std::size_t data_offset = 0;    ///< of the first row, in the window
};

/// Reads ahead in `window`, which keeps all it has. Throws Error if there is no row.
CsvHead read_csv_head(Window& window, const std::string& path, const ReadOptions& options);

/// What is wrong with a record that `scan_record` could not read, which starts on `line`.
Error scan_error(Scan scan, const Record& record, const std::string& path, std::uint64_t line);

}  // namespace riemflow::io
