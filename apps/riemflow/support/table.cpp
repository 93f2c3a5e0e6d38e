#include "apps/riemflow/support/table.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>

#include "riemflow/core/error.hpp"
#include "riemflow/io/atomic_file.hpp"
#include "riemflow/io/message.hpp"
#include "riemflow/io/npy.hpp"

namespace riemflow::app {
namespace {

/// Room for any number of rows and columns.
constexpr std::size_t kNpyHeader = 128;

/// Enough for any double, and for any number of digits that is asked for here.
constexpr std::size_t kLongest = 32;

std::string header_of_npy(std::size_t rows, std::size_t columns) {
  return columns == 1 ? npy_header<double>({rows}, kNpyHeader)
                      : npy_header<double>({rows, columns}, kNpyHeader);
}

char* put(char* to, double value, bool whole, int digits) {
  if (std::isnan(value)) return std::copy_n("nan", 3, to);
  value += 0.0;  // 0 of −0
  char* const end = to + kLongest;
  if (whole) return std::to_chars(to, end, static_cast<std::int64_t>(value)).ptr;
  if (digits == 0) return std::to_chars(to, end, value).ptr;
  return std::to_chars(to, end, value, std::chars_format::general, digits).ptr;
}

}  // namespace

TableFormat table_format(const std::string& path) {
  namespace fs = std::filesystem;
  if (path.empty() || path == "-") return TableFormat::csv;
  const std::string extension = io::lower(fs::path(path).extension().string());
  if (extension == ".csv" || extension == ".txt") return TableFormat::csv;
  if (extension == ".tsv") return TableFormat::tsv;
  if (extension == ".npy") return TableFormat::npy;
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (fs::exists(status) && !fs::is_regular_file(status)) return TableFormat::csv;
  throw Error(fmt::format("cannot write {}: its name does not say which format", io::in_quotes(path)),
              "end it with .csv, .tsv or .npy, or give - for CSV on standard output", Fault::usage);
}

TableWriter::TableWriter(Sink& sink, TableFormat format, std::vector<Column> columns, int digits)
    : sink_(sink), format_(format), columns_(std::move(columns)), digits_(digits) {
  if (format_ == TableFormat::npy) {
    const std::string placeholder = header_of_npy(0, columns_.size());
    sink_.write(placeholder);
    sink_.overwrite(0, placeholder);  // a sink that cannot go back says so now, not after an hour
    return;
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (i > 0) text_ += format_ == TableFormat::tsv ? '\t' : ',';
    text_ += columns_[i].name;
  }
  text_ += '\n';
  sink_.write(text_);
}

void TableWriter::rows(std::span<const double> values) {
  require(values.size() % columns_.size() == 0,
          fmt::format("a table of {} columns was given {} numbers", columns_.size(), values.size()),
          "give whole rows", Fault::internal);
  numbers_ += values.size();
  if (format_ == TableFormat::npy)
    sink_.write(std::as_bytes(values));
  else
    write_text(values);
}

void TableWriter::write_text(std::span<const double> values) {
  const char delimiter = format_ == TableFormat::tsv ? '\t' : ',';
  const std::size_t width = columns_.size();
  text_.resize(width * (kLongest + 1));
  for (std::size_t row = 0; row < values.size(); row += width) {
    char* end = text_.data();
    for (std::size_t i = 0; i < width; ++i) {
      end = put(end, values[row + i], columns_[i].whole, digits_);
      *end++ = i + 1 < width ? delimiter : '\n';
    }
    sink_.write(std::string_view(text_.data(), static_cast<std::size_t>(end - text_.data())));
  }
}

void TableWriter::finish() {
  if (format_ == TableFormat::npy)
    sink_.overwrite(0, header_of_npy(numbers_ / columns_.size(), columns_.size()));
}

void write_table(const std::string& path, const std::vector<Column>& columns, int digits,
                 const std::function<void(TableWriter&)>& fill) {
  const TableFormat format = table_format(path);
  const bool to_stdout = path.empty() || path == "-";
  write_file_atomically(to_stdout ? "/dev/stdout" : path, [&](Sink& sink) {
    TableWriter table(sink, format, columns, digits);
    fill(table);
    table.finish();
  });
}

}  // namespace riemflow::app
