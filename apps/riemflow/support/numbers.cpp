#include "apps/riemflow/support/numbers.hpp"

#include <fmt/format.h>

#include "riemflow/core/error.hpp"
#include "riemflow/io/columns.hpp"
#include "riemflow/io/message.hpp"
#include "riemflow/io/number.hpp"

namespace riemflow::app {

std::vector<double> numbers_of(const std::string& text, std::size_t n, const std::string& option,
                               const std::string& form) {
  std::vector<double> numbers;
  for (const std::string& field : io::split_columns(text))
    require(io::read_number(field, '.', numbers.emplace_back()) == io::NumberKind::finite,
            fmt::format("{} {}: {} is no number", option, io::in_quotes(text), io::in_quotes(field)),
            "give " + form + " with commas between", Fault::usage);
  require(n == 0 || numbers.size() == n,
          fmt::format("{} {} has {} numbers", option, io::in_quotes(text), numbers.size()),
          fmt::format("give {}, {} numbers with commas between", form, n), Fault::usage);
  return numbers;
}

}  // namespace riemflow::app
