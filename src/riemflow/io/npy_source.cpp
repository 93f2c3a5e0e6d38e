// Points from NPY files.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "riemflow/io/layout.hpp"
#include "riemflow/io/message.hpp"
#include "riemflow/io/npy_array.hpp"
#include "riemflow/io/number.hpp"
#include "riemflow/io/open_format.hpp"

namespace riemflow::io {
namespace {

constexpr std::size_t kNpyTableRows = 1000;

class NpySource : public PointSource {
 public:
  NpySource(Window window, NpyArray array, Table table, Layout layout, Assumptions assumptions,
            bool skip_invalid)
      : PointSource(std::move(assumptions), layout.recipe.coordinates(), skip_invalid),
        window_(std::move(window)),
        array_(array),
        table_(std::move(table)),
        layout_(std::move(layout)),
        numbers_(layout_.columns.size()) {}

 protected:
  bool next_point(double* point, std::uint64_t& line, double& weight) override {
    while (row_ < array_.rows) {
      ++row_;
      if (!read_numbers(weight)) continue;
      if (const auto complaint = layout_.recipe.make(numbers_.data(), point)) {
        reject_point(*complaint);
        continue;
      }
      line = row_;
      return true;
    }
    if (window_.size() > 0 || window_.more())
      fail_npy(table_.path, "more bytes follow the array than its header says", "give a file with one array");
    return false;
  }

 private:
  /// numbers_ and weight = the chosen columns of row row_, counted from 1.
  bool read_numbers(double& weight) {
    window_.fill(array_.row_bytes());
    if (window_.size() < array_.row_bytes())
      fail_npy(table_.path, fmt::format("the file ends inside row {} of {}", row_, array_.rows),
               "copy or save it again");
    const char* const row = window_.begin();
    window_.advance(row + array_.row_bytes());
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      numbers_[i] = array_.number(row + layout_.columns[i] * array_.bytes);
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      if (std::isfinite(numbers_[i])) continue;
      reject([&] { return not_good(i, "where a finite number is expected", "correct it"); });
      return false;
    }
    if (!table_.weight || is_weight(weight = array_.number(row + *table_.weight * array_.bytes))) return true;
    reject([&] {
      return not_good(*table_.weight, Layout::weight_name(table_), weight, Layout::kWeightExpected,
                      Layout::kWeightAdvice);
    });
    return false;
  }

  Error not_good(std::size_t i, const std::string& problem, const std::string& advice) const {
    return not_good(layout_.columns[i], layout_.column_name(i, table_), numbers_[i], problem, advice);
  }
  Error not_good(std::size_t column, const std::string& name, double value, const std::string& problem,
                 const std::string& advice) const {
    std::string text;
    if (array_.bytes == 4)
      append_number(text, static_cast<float>(value));
    else
      append_number(text, value);
    return invalid({table_.path, row_, column + 1},
                   fmt::format("{} is {} {}", name, in_quotes(text), problem), advice)
        .of_value(text);
  }

  void reject_point(const Complaint& complaint) {
    reject([&] {
      return complaint.number
                 ? not_good(*complaint.number, complaint.problem, complaint.advice)
                 : invalid({table_.path, row_, 1}, "the point " + complaint.problem, complaint.advice);
    });
  }

  Window window_;
  NpyArray array_;
  Table table_;
  Layout layout_;
  std::uint64_t row_ = 0;
  std::vector<double> numbers_;
};

/// Looks at the first rows, which stay in the window.
Table first_rows(Window& window, const NpyArray& array, const std::string& path) {
  Table table;
  table.path = path;
  table.binary = true;
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

}  // namespace

std::unique_ptr<PointSource> open_npy(Window window, const std::string& path, const ReadOptions& options) {
  const NpyArray array = open_npy_array(window, path);
  Table table = first_rows(window, array, path);
  Assumptions assumptions;
  assumptions.path = path;
  assumptions.format = "npy";
  assumptions.row = "row";
  assumptions.layout =
      fmt::format("an NPY array of {} row{} of {} float{} number{}", array.rows, array.rows == 1 ? "" : "s",
                  array.columns, array.bytes * 8, array.columns == 1 ? "" : "s");
  Layout layout = lay_out(table, options, assumptions);
  table.values = {};
  return std::make_unique<NpySource>(std::move(window), array, std::move(table), std::move(layout),
                                     std::move(assumptions), options.skip_invalid);
}

}  // namespace riemflow::io
