#include "riemflow/io/assumptions.hpp"

#include <fmt/format.h>

#include "riemflow/io/message.hpp"

namespace riemflow {

std::vector<std::string> Assumptions::sentences() const {
  std::vector<std::string> all;
  std::string first = fmt::format("{} is {}", path, layout);
  if (decimal_comma) first += ", with decimal commas";
  if (delimiter != 0)
    first += header_line == 0 ? ", without a header" : fmt::format(", with a header on line {}", header_line);
  all.push_back(first + ".");

  std::string second = fmt::format("Columns {}: ", columns_how);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    second += fmt::format("{}{} = {}", i == 0 ? "" : ", ", columns[i].meaning, columns[i].number);
    if (!columns[i].name.empty()) second += fmt::format(" {}", io::in_quotes(columns[i].name));
  }
  if (units != Units::automatic) second += fmt::format("; in {}", name_of(units));
  if (!columns.empty()) all.push_back(second + ".");
  if (weight)
    all.push_back(fmt::format("Weights of the points: {}{}{}.",
                              weight->number == 0 ? "property" : fmt::format("column {}", weight->number),
                              weight->name.empty() ? "" : " ",
                              weight->name.empty() ? "" : io::in_quotes(weight->name)));

  all.push_back(fmt::format("Points on {}{}: {}.", manifold,
                            manifold_inferred ? " (inferred; another can be given with ‹manifold›)" : "",
                            coordinates));
  for (const std::string& warning : warnings) all.push_back("Warning: " + warning);
  return all;
}

std::string setting_of(const Assumptions::Column& column) {
  return column.name.empty() ? std::to_string(column.number) : column.name;
}

std::string place_of(const Assumptions& assumptions, std::uint64_t line) {
  return assumptions.row == "line" ? fmt::format("{}:{}", assumptions.path, line)
                                   : fmt::format("{}: {} {}", assumptions.path, assumptions.row, line);
}

}  // namespace riemflow
