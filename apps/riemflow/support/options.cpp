#include "apps/riemflow/support/options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "apps/riemflow/support/console.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/core/suggest.hpp"
#include "riemflow/core/text.hpp"
#include "riemflow/fit/option_field.hpp"
#include "riemflow/io/message.hpp"
#include "riemflow/io/number.hpp"

namespace riemflow::app {
namespace {

/// What is wrong with a number of CLI11's type INT, UINT or FLOAT; empty: nothing.
std::string odd_number(const std::string& type, const std::string& typed) {
  if (type == "FLOAT") {
    double value = 0;
    if (io::read_number(typed, '.', value) == io::NumberKind::finite) return "";
    return fmt::format("{} is no finite number; give one such as 0.5 or 1e-3", io::in_quotes(typed));
  }
  const bool whole = type == "UINT" ? parse_number<std::uint64_t>(typed).has_value()
                                    : parse_number<std::int64_t>(typed).has_value();
  if (whole) return "";
  return fmt::format("{} is no whole number{}; give its digits", io::in_quotes(typed),
                     type == "UINT" ? " from 0 to 18446744073709551615" : "");
}

}  // namespace

void refuse_odd_numbers(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    const std::string name = option->get_type_name();  // "FLOAT:POSITIVE": type, then what a check says
    const std::string type = name.substr(0, name.find(':'));
    if (option->get_items_expected_max() == 0 || (type != "INT" && type != "UINT" && type != "FLOAT"))
      continue;
    option->check(CLI::Validator([type](const std::string& typed) { return odd_number(type, typed); }, ""));
  }
  for (CLI::App* command : app.get_subcommands({})) refuse_odd_numbers(*command);
}

CLI::Option* check_by(CLI::Option* option, std::function<void(const std::string&)> parse) {
  const auto problem = [parse = std::move(parse)](const std::string& typed) -> std::string {
    try {
      parse(typed);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  return option->check(CLI::Validator(problem, ""));
}

CLI::Option* add_choice(CLI::App& command, const std::string& flag, std::string& value,
                        const std::vector<std::string>& names, const std::string& help) {
  const auto check = [names](const std::string& typed) -> std::string {
    if (std::find(names.begin(), names.end(), typed) != names.end()) return "";
    const std::vector<std::string_view> known(names.begin(), names.end());
    const std::string_view nearest = nearest_name(typed, known);
    return fmt::format("there is no '{}'{}; give one of {}", typed,
                       nearest.empty() ? "" : fmt::format(", perhaps you meant '{}'", nearest),
                       fmt::join(names, ", "));
  };
  return add_text(command, flag, value, fmt::format("{}", fmt::join(names, "|")), help)
      ->capture_default_str()
      ->check(CLI::Validator(check, ""));
}

CLI::Option* add_count(CLI::App& command, const std::string& flag, std::uint64_t& value, std::uint64_t least,
                       std::uint64_t most, const std::string& help) {
  const auto store = [=, &value](const std::string& typed) {
    double number = 0;
    const char* const end = typed.data() + typed.size();
    const auto [stop, code] = std::from_chars(typed.data(), end, number);
    const bool whole = code == std::errc() && stop == end && number == std::floor(number);
    if (!whole || number < static_cast<double>(least) || number > static_cast<double>(most))
      throw CLI::ValidationError(
          flag.substr(0, flag.find(',')),
          fmt::format("{} is no whole number from {} to {}", io::in_quotes(typed), least, most));
    value = static_cast<std::uint64_t>(number);
  };
  return command.add_option_function<std::string>(flag, store, help)->type_name("N");
}

CLI::Option* add_json(CLI::App& command, bool& json) {
  return command.add_flag("--json", json, "Print the result as JSON");
}

namespace {

/// The option of a fit with that name (riemflow/fit/option_field.hpp), for a command that has its own place
/// for it.
CLI::Option* add_as_of_fit(CLI::App& command, const char* name, std::function<void(const FitOptions&)> take) {
  const OptionField& field = *option_field(name);
  const auto set = [&field, take = std::move(take)](const std::string& typed) {
    FitOptions scratch;
    field.set(scratch, typed);
    take(scratch);
  };
  CLI::Option* option =
      field.kind == OptionKind::flag
          ? command.add_flag_callback(
                "--" + field.name, [set] { set("true"); }, with_flags(field.help))
          : check_by(command.add_option_function<std::string>("--" + field.name, set, with_flags(field.help))
                         ->type_name(field.type),
                     [&field](const std::string& typed) {
                       FitOptions scratch;
                       field.set(scratch, typed);
                     });
  if (field.kind != OptionKind::flag && !field.initial.empty()) option->default_str(field.initial);
  return option->group(field.group);
}

}  // namespace

CLI::Option* add_device(CLI::App& command, Device& device) {
  return add_as_of_fit(command, "device", [&device](const FitOptions& given) { device = given.device; })
      ->group("Options");
}

CLI::Option* add_threads(CLI::App& command, int& threads) {
  return add_as_of_fit(command, "threads", [&threads](const FitOptions& given) { threads = given.threads; })
      ->group("Options");
}

void add_reading(CLI::App& command, ReadOptions& reading) {
  for (const char* name : {"columns", "units", "skip-invalid", "format"})
    add_as_of_fit(command, name, [&reading, name](const FitOptions& given) {
      const ReadOptions all = given.reading("");
      const std::string_view which(name);
      if (which == "columns") reading.columns = all.columns;
      if (which == "units") reading.units = all.units;
      if (which == "skip-invalid") reading.skip_invalid = all.skip_invalid;
      if (which == "format") reading.format = all.format;
    });
}

void add_weights(CLI::App& command, ReadOptions& reading) {
  add_as_of_fit(command, "weights", [&reading](const FitOptions& given) { reading.weights = given.weights; });
}

void add_model(CLI::App& command, ModelChoice& choice) {
  add_text(command, "MODEL", choice.path, "FILE", "Model file that `riemflow fit` wrote")->required();
  add_evaluation(command, choice);
}

void add_evaluation(CLI::App& command, ModelChoice& choice) {
  command
      .add_option("--tolerance", choice.tolerance,
                  "Tolerance of the solver, relative and absolute; the model's own unless given")
      ->check(CLI::Range(1e-12, 0.1));
  add_threads(command, choice.threads);
  add_device(command, choice.device);
}

}  // namespace riemflow::app
