#include "apps/riemflow/support/count.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "riemflow/io/message.hpp"

namespace riemflow::app {

CLI::Option* add_count(CLI::App& command, const std::string& flag, std::uint64_t& value, std::uint64_t least,
                       std::uint64_t most, const std::string& help) {
  const auto read = [=](const std::string& typed, std::uint64_t& number) -> std::string {
    double read_value = 0;
    const char* const end = typed.data() + typed.size();
    const auto [stop, code] = std::from_chars(typed.data(), end, read_value);
    const bool whole = code == std::errc() && stop == end && read_value == std::floor(read_value);
    if (!whole || read_value < static_cast<double>(least) || read_value > static_cast<double>(most))
      return fmt::format("{} is no whole number from {} to {}", io::in_quotes(typed), least, most);
    number = static_cast<std::uint64_t>(read_value);
    return "";
  };
  const auto store = [=, &value](const std::string& typed) {
    if (const std::string problem = read(typed, value); !problem.empty())
      throw CLI::ValidationError(flag.substr(0, flag.find(',')), problem);
  };
  return command.add_option_function<std::string>(flag, store, help)->type_name("N");
}

}  // namespace riemflow::app
