#include "apps/riemflow/support/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "riemflow/core/error.hpp"
#include "riemflow/io/message.hpp"
#include "riemflow/io/number.hpp"

namespace riemflow::app {

std::vector<double> numbers_of(const std::string& text, std::size_t n, const std::string& option,
                               const std::string& form) {
  std::vector<double> numbers;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string field = text.substr(begin, end - begin);
    field.erase(0, field.find_first_not_of(' '));
    field.erase(field.find_last_not_of(' ') + 1);
    double value = 0;
    require(io::read_number(field, '.', value) == io::NumberKind::finite,
            fmt::format("{} {}: {} is no number", option, io::in_quotes(text), io::in_quotes(field)),
            "give " + form + " with commas between", Fault::usage);
    numbers.push_back(value);
    begin = end + 1;
  }
  require(n == 0 || numbers.size() == n,
          fmt::format("{} {} has {} numbers", option, io::in_quotes(text), numbers.size()),
          fmt::format("give {}, {} numbers with commas between", form, n), Fault::usage);
  return numbers;
}

}  // namespace riemflow::app
