// Points from columns in memory, such as those of a data frame.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "riemflow/io/layout.hpp"
#include "riemflow/io/message.hpp"
#include "riemflow/io/number.hpp"
#include "riemflow/io/point_source.hpp"
#include "riemflow/io/sha256.hpp"

namespace riemflow {
namespace {

constexpr std::size_t kRowsSeen = 1000;

class ColumnSource final : public PointSource {
 public:
  ColumnSource(const Points<double>& numbers, io::Table table, io::Layout layout, Assumptions assumptions,
               bool skip_invalid)
      : PointSource(std::move(assumptions), layout.recipe.coordinates(), skip_invalid),
        numbers_(numbers),
        table_(std::move(table)),
        layout_(std::move(layout)),
        row_numbers_(layout_.columns.size()) {}

  std::string sha256() override {
    return sha256_hex(
        {reinterpret_cast<const char*>(numbers_.values.data()), numbers_.values.size() * sizeof(double)});
  }

 protected:
  bool next_point(double* point, std::uint64_t& line, double& weight) override {
    while (row_ < numbers_.size()) {
      const auto row = numbers_[row_++];
      for (std::size_t i = 0; i < row_numbers_.size(); ++i) row_numbers_[i] = row[layout_.columns[i]];
      const auto odd = std::find_if_not(row_numbers_.begin(), row_numbers_.end(),
                                        [](double number) { return std::isfinite(number); });
      if (odd != row_numbers_.end()) {
        reject([&] {
          return wrong(static_cast<std::size_t>(odd - row_numbers_.begin()),
                       "where a finite number is expected", "correct it");
        });
        continue;
      }
      if (table_.weight && !is_weight(weight = row[*table_.weight])) {
        reject([&] {
          return wrong_at(*table_.weight, io::Layout::weight_name(table_), weight,
                          io::Layout::kWeightExpected, io::Layout::kWeightAdvice);
        });
        continue;
      }
      if (const auto complaint = layout_.recipe.make(row_numbers_.data(), point)) {
        reject([&] {
          return complaint->number
                     ? wrong(*complaint->number, complaint->problem, complaint->advice)
                     : invalid({table_.path, row_}, "the point " + complaint->problem, complaint->advice);
        });
        continue;
      }
      line = row_;
      return true;
    }
    return false;
  }

 private:
  Error wrong(std::size_t i, const std::string& problem, const std::string& advice) const {
    return wrong_at(layout_.columns[i], layout_.column_name(i, table_), row_numbers_[i], problem, advice);
  }
  Error wrong_at(std::size_t column, const std::string& name, double value, const std::string& problem,
                 const std::string& advice) const {
    std::string text;
    append_number(text, value);
    return invalid({table_.path, row_, column + 1},
                   fmt::format("{} is {} {}", name, io::in_quotes(text), problem), advice)
        .of_value(text);
  }

  const Points<double>& numbers_;
  io::Table table_;
  io::Layout layout_;
  std::size_t row_ = 0;
  std::vector<double> row_numbers_;
};

}  // namespace

std::unique_ptr<PointSource> open_columns(std::vector<std::string> names, const Points<double>& numbers,
                                          const std::string& name, const ReadOptions& options) {
  io::Table table;
  table.path = name;
  table.names = std::move(names);
  table.width = static_cast<std::size_t>(numbers.dimension);
  require(table.names.size() == table.width,
          fmt::format("{}: {} names for {} columns", name, table.names.size(), table.width),
          "give one name a column", Fault::bad_data);
  table.numeric.assign(table.width, true);
  const std::size_t seen = std::min(kRowsSeen, numbers.size());
  table.values.assign(numbers.values.begin(),
                      numbers.values.begin() + static_cast<std::ptrdiff_t>(seen * table.width));
  for (std::size_t row = 1; row <= seen; ++row) table.row_lines.push_back(row);
  Assumptions assumptions;
  assumptions.path = name;
  assumptions.format = "columns";
  assumptions.row = "row";
  assumptions.layout = fmt::format("{} rows of {} columns", numbers.size(), table.width);
  io::Layout layout = io::lay_out(table, options, assumptions);
  table.values = {};
  return std::make_unique<ColumnSource>(numbers, std::move(table), std::move(layout), std::move(assumptions),
                                        options.skip_invalid);
}

}  // namespace riemflow
