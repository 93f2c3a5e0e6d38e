#include "riemflow/io/table_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <utility>

#include "riemflow/core/error.hpp"
#include "riemflow/io/atomic_file.hpp"
#include "riemflow/io/message.hpp"
#include "riemflow/io/npy.hpp"

namespace riemflow {
namespace {

/// Room for any number of rows and columns.
constexpr std::size_t kNpyHeader = 128;

/// Enough for any double, and for any number of digits that is asked for here.
constexpr std::size_t kLongest = 32;

constexpr std::size_t kRowsAPiece = 1024;                    ///< of text, made by one thread
constexpr std::size_t kMostGathered = std::size_t{1} << 18;  ///< numbers, while others are written

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

TableWriter::TableWriter(Sink& sink, TableFormat format, std::vector<TableColumn> columns, int digits,
                         int threads)
    : sink_(sink), format_(format), columns_(std::move(columns)), digits_(digits), executor_(threads) {
  if (format_ == TableFormat::npy) {
    const std::string placeholder = header_of_npy(0, columns_.size());
    sink_.write(placeholder);
    sink_.overwrite(0, placeholder);  // a sink that cannot go back says so now, not after an hour
    return;
  }
  std::string names;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (i > 0) names += format_ == TableFormat::tsv ? '\t' : ',';
    names += columns_[i].name;
  }
  sink_.write(names + '\n');
}

void TableWriter::rows(std::span<const double> values) {
  require(values.size() % columns_.size() == 0,
          fmt::format("a table of {} columns was given {} numbers", columns_.size(), values.size()),
          "give whole rows", Fault::internal);
  numbers_ += values.size();
  gathered_.insert(gathered_.end(), values.begin(), values.end());
  const bool idle =
      !writing_.valid() || writing_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  if (idle || gathered_.size() >= kMostGathered) begin_writing();
}

void TableWriter::begin_writing() {
  if (writing_.valid()) writing_.get();
  std::swap(gathered_, written_);
  gathered_.clear();
  writing_ = std::async(std::launch::async, [this] { write(); });
}

/// Writes written_.
void TableWriter::write() {
  if (format_ == TableFormat::npy) return sink_.write(std::as_bytes(std::span(written_)));
  const std::size_t rows = written_.size() / columns_.size();
  texts_.resize((rows + kRowsAPiece - 1) / kRowsAPiece);
  in_pieces(&executor_, rows, kRowsAPiece,
            [&](std::size_t first, std::size_t last) { texts_[first / kRowsAPiece] = text_of(first, last); });
  for (const std::string& text : texts_) sink_.write(text);
}

/// Of the rows from `first` to before `last`.
std::string TableWriter::text_of(std::size_t first, std::size_t last) const {
  const char delimiter = format_ == TableFormat::tsv ? '\t' : ',';
  const std::size_t width = columns_.size();
  std::string text((last - first) * width * (kLongest + 1), '\0');
  char* end = text.data();
  for (std::size_t row = first * width; row < last * width; row += width)
    for (std::size_t i = 0; i < width; ++i) {
      end = put(end, written_[row + i], columns_[i].whole, digits_);
      *end++ = i + 1 < width ? delimiter : '\n';
    }
  text.resize(static_cast<std::size_t>(end - text.data()));
  return text;
}

void TableWriter::finish() {
  begin_writing();
  writing_.get();
  if (format_ == TableFormat::npy)
    sink_.overwrite(0, header_of_npy(numbers_ / columns_.size(), columns_.size()));
}

void write_table(const std::string& path, const std::vector<TableColumn>& columns, int digits, int threads,
                 const std::function<void(TableWriter&)>& fill) {
  const TableFormat format = table_format(path);
  const bool to_stdout = path.empty() || path == "-";
  write_file_atomically(to_stdout ? "/dev/stdout" : path, [&](Sink& sink) {
    TableWriter table(sink, format, columns, digits, threads);
    fill(table);
    table.finish();
  });
}

}  // namespace riemflow
