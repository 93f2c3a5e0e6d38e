// Points from NPY files, and from columns in memory, such as those of a data frame.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "riemflow/io/layout.hpp"
#include "riemflow/io/message.hpp"
#include "riemflow/io/npy_array.hpp"
#include "riemflow/io/number.hpp"
#include "riemflow/io/open_format.hpp"
#include "riemflow/io/row_source.hpp"

namespace riemflow::io {
namespace {

constexpr std::size_t kNpyTableRows = 1000;

class NumberRows final : public RowReader {
 public:
  NumberRows(NpyArray array, Table table, Layout layout, bool skip_invalid, std::size_t longest_row)
      : array_(array),
        table_(std::move(table)),
        layout_(std::move(layout)),
        skip_invalid_(skip_invalid),
        dimension_(layout_.recipe.coordinates()),
        longest_row_(longest_row) {}

  int dimension() const override { return dimension_; }
  std::size_t longest_row() const override { return longest_row_; }

  const char* likely_row(const char* begin, const char* from, const char* end) const override {
    const std::size_t size = array_.row_bytes();
    const std::size_t place = (static_cast<std::size_t>(from - begin) + size - 1) / size * size;
    return place <= static_cast<std::size_t>(end - begin) ? begin + place : nullptr;
  }

  void make(const Piece& piece, Rows& rows) const override {
    std::vector<double> numbers(layout_.columns.size());
    const auto width = static_cast<std::size_t>(dimension_);
    const std::size_t size = array_.row_bytes();
    const std::uint64_t before = piece.offset / size;
    const char* at = piece.begin;
    std::uint64_t line = 0;
    for (; at < piece.limit; ++line, at += size) {
      if (before + line >= array_.rows) return rows.stop_at(at, line, Stop::bad);
      if (static_cast<std::size_t>(piece.end - at) < size)
        return rows.stop_at(at, line, piece.last ? Stop::bad : Stop::incomplete);
      rows.points.resize(rows.points.size() + width);
      double weight = 1;
      if (read({at, 0}, numbers, &*(rows.points.end() - static_cast<std::ptrdiff_t>(width)), weight,
               [](const auto&) {})) {
        rows.point_lines.push_back(line);
        if (table_.weight) rows.weights.push_back(weight);
        continue;
      }
      rows.points.resize(rows.points.size() - width);
      if (!skip_invalid_) return rows.stop_at(at, line, Stop::bad);
      rows.left_out.push_back({rows.size(), at, line});
    }
    rows.stop_at(at, line, Stop::limit);
  }

  Error error_of(const Piece& piece, std::uint64_t line) const override {
    if (line > array_.rows)
      return npy_error(table_.path, "more bytes follow the array than its header says",
                       "give a file with one array");
    if (static_cast<std::size_t>(piece.end - piece.begin) < array_.row_bytes()) return missing(line);
    std::optional<Error> found;
    std::vector<double> numbers(layout_.columns.size()), point(static_cast<std::size_t>(dimension_));
    double weight = 1;
    read({piece.begin, line}, numbers, point.data(), weight, [&](const auto& error) { found = error(); });
    return *found;
  }

  void check_end(std::uint64_t line) const override {
    if (line <= array_.rows) throw missing(line);
  }

 private:
  struct Row {
    const char* begin;
    std::uint64_t number;  ///< from 1
  };

  Error missing(std::uint64_t row) const {
    return npy_error(table_.path, fmt::format("the file ends inside row {} of {}", row, array_.rows),
                     "copy or save it again");
  }

  double number(const Row& row, std::size_t column) const {
    return array_.number(row.begin + column * array_.bytes);
  }

  /// The point and the weight of a row. If it is none: false, and wrong(error) is called, where error() is
  /// what is wrong.
  template <class Wrong>
  bool read(const Row& row, std::vector<double>& numbers, double* point, double& weight,
            Wrong&& wrong) const {
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = number(row, layout_.columns[i]);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (std::isfinite(numbers[i])) continue;
      wrong([&] { return no_number(row, i, "where a finite number is expected", "correct it"); });
      return false;
    }
    if (table_.weight && !is_weight(weight = number(row, *table_.weight))) {
      wrong([&] {
        return not_good(row, *table_.weight, Layout::weight_name(table_), Layout::kWeightExpected,
                        Layout::kWeightAdvice);
      });
      return false;
    }
    const auto complaint = layout_.recipe.make(numbers.data(), point);
    if (complaint)
      wrong([&] {
        if (complaint->number)
          return no_number(row, *complaint->number, complaint->problem, complaint->advice);
        return invalid_row({table_.path, row.number, table_.binary ? std::uint64_t{1} : 0},
                           "the point " + complaint->problem, complaint->advice);
      });
    return !complaint;
  }

  Error no_number(const Row& row, std::size_t i, const std::string& problem,
                  const std::string& advice) const {
    return not_good(row, layout_.columns[i], layout_.column_name(i, table_), problem, advice);
  }
  Error not_good(const Row& row, std::size_t column, const std::string& name, const std::string& problem,
                 const std::string& advice) const {
    std::string text;
    const double value = number(row, column);
    if (array_.bytes == 4)
      append_number(text, static_cast<float>(value));
    else
      append_number(text, value);
    return invalid_row({table_.path, row.number, column + 1},
                       fmt::format("{} is {} {}", name, in_quotes(text), problem), advice)
        .of_value(text);
  }

  NpyArray array_;
  Table table_;
  Layout layout_;
  bool skip_invalid_;
  int dimension_;
  std::size_t longest_row_;
};

/// Looks at the first rows, which stay in the window.
Table first_rows(Window& window, const NpyArray& array, const std::string& path) {
  Table table;
  table.path = path;
  table.width = array.columns;
  table.numeric.assign(table.width, true);
  window.fill(std::min(window.capacity(), kNpyTableRows * array.row_bytes()));
  const std::size_t rows = std::min<std::size_t>(window.size() / array.row_bytes(),
                                                 std::min<std::uint64_t>(kNpyTableRows, array.rows));
  for (std::size_t r = 0; r < rows; ++r) {
    table.row_lines.push_back(r + 1);
    for (std::size_t c = 0; c < array.columns; ++c)
      table.values.push_back(array.number(window.begin() + (r * array.columns + c) * array.bytes));
  }
  return table;
}

std::unique_ptr<PointSource> open_array(Window window, const NpyArray& array, Table table,
                                        Assumptions assumptions, const ReadOptions& options) {
  Layout layout = lay_out(table, options, assumptions);
  table.values = {};
  auto rows = std::make_unique<NumberRows>(array, std::move(table), std::move(layout), options.skip_invalid,
                                           std::max(window.capacity(), array.row_bytes()));
  return open_rows(std::move(window), std::move(rows), 1, std::move(assumptions), options);
}

}  // namespace

std::unique_ptr<PointSource> open_npy(Window window, const std::string& path, const ReadOptions& options) {
  const NpyArray array = open_npy_array(window, path);
  Table table = first_rows(window, array, path);
  table.binary = true;
  Assumptions assumptions;
  assumptions.path = path;
  assumptions.format = "npy";
  assumptions.row = "row";
  assumptions.layout =
      fmt::format("an NPY array of {} row{} of {} float{} number{}", array.rows, array.rows == 1 ? "" : "s",
                  array.columns, array.bytes * 8, array.columns == 1 ? "" : "s");
  return open_array(std::move(window), array, std::move(table), std::move(assumptions), options);
}

}  // namespace riemflow::io

namespace riemflow {

std::unique_ptr<PointSource> open_columns(std::vector<std::string> names, const Points<double>& numbers,
                                          const std::string& name, const ReadOptions& options) {
  const io::NpyArray array{numbers.size(), static_cast<std::size_t>(numbers.dimension), sizeof(double)};
  io::Window window(io::memory_bytes({reinterpret_cast<const char*>(numbers.values.data()), array.total()}),
                    std::max(io::Window::kCapacity, io::kNpyTableRows * array.row_bytes()));
  require(names.size() == array.columns,
          fmt::format("{}: {} names for {} columns", name, names.size(), array.columns),
          "give one name a column", Fault::bad_data);
  io::Table table = io::first_rows(window, array, name);
  table.names = std::move(names);
  Assumptions assumptions;
  assumptions.path = name;
  assumptions.format = "columns";
  assumptions.row = "row";
  assumptions.layout = fmt::format("{} rows of {} columns", numbers.size(), array.columns);
  const auto bytes = window.source();
  auto source = io::open_array(std::move(window), array, std::move(table), std::move(assumptions), options);
  source->bytes_ = bytes;
  return source;
}

}  // namespace riemflow
