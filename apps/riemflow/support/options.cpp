#include "apps/riemflow/support/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <thread>

#include "riemflow/core/error.hpp"
#include "riemflow/core/suggest.hpp"
#include "riemflow/core/text.hpp"
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
  return command.add_option(flag, value, help)
      ->capture_default_str()
      ->type_name(fmt::format("{}", fmt::join(names, "|")))
      ->check(CLI::Validator(check, ""));
}

CLI::Option* add_json(CLI::App& command, bool& json) {
  return command.add_flag("--json", json, "Print the result as JSON");
}

CLI::Option* add_device(CLI::App& command, std::string& name) {
  return add_choice(
      command, "--device", name, {kDevices.begin(), kDevices.end()},
      "Where it is computed; cuda: an NVIDIA GPU, in a build that has it; auto: there if it can be");
}

CLI::Option* add_threads(CLI::App& command, int& threads) {
  const auto check = [](const std::string& typed) -> std::string {
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    const long most = std::max(16L, 4L * static_cast<long>(cores));
    long value = 0;
    if (!CLI::detail::lexical_cast(typed, value)) return "";  // the conversion complains
    if (value >= 0 && value <= most) return "";
    return fmt::format("{} threads make no sense on {} core{}; give 0 for one a core, at most {}", value,
                       cores, cores == 1 ? "" : "s", most);
  };
  return command.add_option("--threads", threads, "Threads; 0 means one for each core")
      ->capture_default_str()
      ->check(CLI::Validator(check, ""));
}

ReadOptions ReadingChoice::options(const std::string& manifold) const {
  ReadOptions result;
  result.columns = columns;
  result.units = units == "degrees" ? Units::degrees : units == "radians" ? Units::radians : Units::automatic;
  result.skip_invalid = skip_invalid;
  result.manifold = manifold;
  result.format = format;
  return result;
}

void add_reading(CLI::App& command, ReadingChoice& choice) {
  command
      .add_option(
          "--columns", choice.columns,
          "Columns that make a point, by name or number from 1: lat,lon or 4,5 or 3-9. Of a place the "
          "first is the latitude, unless names that are known (lon,lat; x,y; ra,dec) say otherwise")
      ->group("Reading");
  add_choice(command, "--units", choice.units, {"auto", "degrees", "radians"},
             "Of latitudes, longitudes and angles; auto: degrees, unless a column's name says otherwise")
      ->group("Reading");
  command
      .add_flag("--skip-invalid", choice.skip_invalid,
                "Leave out rows that are no point, and count them, instead of stopping at the first")
      ->group("Reading");
  add_choice(command, "--format", choice.format, {"csv", "tsv", "npy", "geojson"},
             "Of the data file; found by its content unless given")
      ->group("Reading");
}

void add_model(CLI::App& command, ModelChoice& choice) {
  command.add_option("MODEL", choice.path, "Model file that `riemflow fit` wrote")
      ->required()
      ->type_name("FILE");
  add_evaluation(command, choice);
}

void add_evaluation(CLI::App& command, ModelChoice& choice) {
  command
      .add_option("--tolerance", choice.tolerance,
                  "Of the solver, relative and absolute; the model's own unless given")
      ->check(CLI::Range(1e-12, 0.1));
  add_threads(command, choice.threads);
  add_device(command, choice.device_name);
}

}  // namespace riemflow::app
