#include "apps/riemflow/fit/layers.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "apps/riemflow/support/toml.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/core/suggest.hpp"
#include "riemflow/io/number.hpp"

namespace riemflow::app {
namespace {

/// Options that say where settings come from and results go, and are none themselves.
constexpr const char* kNoSettings[] = {"help",  "output", "config", "print-config",
                                       "force", "preset", "resume", "runs"};

/// Its long name; empty if it is no setting.
std::string setting_name(const CLI::Option& option) {
  if (option.get_lnames().empty()) return "";
  const std::string& name = option.get_lnames().front();
  for (const char* other : kNoSettings)
    if (name == other) return "";
  return name;
}

bool is_flag(const CLI::Option& option) {
  return option.get_expected_max() == 0 || option.get_type_size() == 0;
}

/// 0.001 for 1e-3, 1000 for 1e3: equal numbers are equal texts, and whole ones have digits only.
std::string canonical(const std::string& value) {
  double number = 0;
  if (io::read_number(value, '.', number) != io::NumberKind::finite || std::abs(number) > 1e15) return value;
  if (number == std::floor(number)) return fmt::format("{:.0f}", number);
  std::string text;
  append_number(text, number);
  return text;
}

/// A flag that was given counts as true unless it was given a value.
std::string given(const CLI::Option& option) {
  const std::string& value = option.results().back();
  return is_flag(option) && value != "false" ? "true" : canonical(value);
}

struct Preset {
  const char* name;
  Values values;
};

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = {
      {"auto", {{"model", "pool"}, {"time-limit", "60s"}}},
      {"default", {}},
      // Mathieu & Nickel 2020, appendix: density estimation of spherical data.
      {"paper",
       {{"width", "64"},
        {"depth", "3"},
        {"activation", "tanh"},
        {"input", "linear"},
        {"divergence", "exact"},
        {"solver", "dopri5"},
        {"tolerance", "1e-5"},
        {"train-tolerance", "1e-3"},
        {"batch", "400"},
        {"rate", "1e-3"},
        {"schedule", "annealed"},
        {"average", "0"},
        {"clip", "0"},
        {"bound", "0"},
        {"kinetic", "0"},
        {"frobenius", "0"},
        {"epochs", "1000"},
        {"patience", "0"}}},
      // The same, hyperbolic experiments.
      {"paper-ball",
       {{"width", "64"},
        {"depth", "3"},
        {"activation", "tanh"},
        {"input", "geodesic"},
        {"scaling", "paper"},
        {"divergence", "hutchinson"},
        {"solver", "dopri5"},
        {"tolerance", "1e-5"},
        {"train-tolerance", "1e-5"},
        {"batch", "400"},
        {"rate", "1e-3"},
        {"schedule", "constant"},
        {"average", "0"},
        {"clip", "0"},
        {"bound", "0"},
        {"kinetic", "0"},
        {"frobenius", "0"},
        {"iterations", "1500"},
        {"patience", "0"}}}};
  return all;
}

}  // namespace

void refuse_contradictions(const Values& values, const std::string& where) {
  require(!values.contains("epochs") || !values.contains("iterations"),
          where + "both epochs and iterations are set", "set one of them");
}

Values given_values(const CLI::App& app) {
  Values values;
  for (const CLI::Option* option : app.get_options())
    if (const std::string name = setting_name(*option); !name.empty() && option->count() > 0)
      values[name] = given(*option);
  return values;
}

Values effective_values(const CLI::App& app) {
  Values values = given_values(app);
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = setting_name(*option);
    if (name.empty() || values.contains(name)) continue;
    if (is_flag(*option))
      values[name] = "false";
    else if (!option->get_default_str().empty())
      values[name] = canonical(option->get_default_str());
  }
  // Only one of the two is in force.
  const auto epochs = values.find("epochs");
  if (epochs != values.end()) values.erase(epochs->second == "0" ? "epochs" : "iterations");
  return values;
}

bool is_of_one_model(const CLI::App& app, const std::string& name) {
  for (const CLI::Option* option : app.get_options())
    if (setting_name(*option) == name) {
      const std::string group = option->get_group();
      return name != "model" && (group == "Model" || group == "Training" || group == "Solver");
    }
  return false;
}

Values preset_values(const std::string& name) {
  for (const Preset& preset : presets())
    if (name == preset.name) return preset.values;
  throw Error(fmt::format("there is no preset '{}'", name),
              fmt::format("the presets are {}", fmt::join(preset_names(), ", ")));
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) names.emplace_back(preset.name);
  return names;
}

Values objective_values(const std::string& objective) {
  if (objective != "flow-matching") return {};
  return {{"activation", "swish"},
          {"input", "fourier"},
          {"frequency", "6"},
          {"width", "128"},
          {"depth", "4"},
          {"batch", "256"},
          {"rate", "5e-3"},
          {"average", "0.999"},
          {"iterations", "4000"},
          {"finetune", "400"},
          {"finetune-rate", "5e-3"},
          {"validate-every", "200"},
          {"validation-points", "1000"},
          {"kinetic", "0"}};
}

Values values_of_file(const std::string& path, const CLI::App& app,
                      const std::function<void(const std::string&, const std::string&)>& check) {
  require(!std::filesystem::is_directory(path), fmt::format("cannot read {}: it is a directory", path),
          "give a configuration file; riemflow fit --print-config writes one", Fault::no_input);
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  require(file.is_open() && !file.bad(), fmt::format("cannot read {}: {}", path, std::strerror(errno)),
          "give a configuration file; riemflow fit --print-config writes one", Fault::no_input);
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    if (const std::string name = setting_name(*option); !name.empty()) names.push_back(name);
  names.emplace_back("preset");
  const std::vector<std::string_view> known(names.begin(), names.end());

  Values values;
  for (const TomlEntry& entry : parse_toml(text, path)) {
    if (std::find(names.begin(), names.end(), entry.key) == names.end()) {
      const std::string_view nearest = nearest_name(entry.key, known);
      throw Error(fmt::format("{}:{}: there is no setting '{}'{}", path, entry.line, entry.key,
                              nearest.empty() ? "" : fmt::format(", perhaps you meant '{}'", nearest)),
                  "riemflow fit --print-config lists the settings");
    }
    const CLI::Option* option = app.get_option_no_throw("--" + entry.key);
    require(option == nullptr || !is_flag(*option) || entry.value == "true" || entry.value == "false",
            fmt::format("{}:{}: {} is '{}'", path, entry.line, entry.key, entry.value), "give true or false");
    values[entry.key] = canonical(entry.value);
    try {
      check(entry.key, values[entry.key]);
    } catch (const Error& error) {
      throw Error(fmt::format("{}:{}: {}", path, entry.line, error.what()), "mend the file");
    }
  }
  refuse_contradictions(values, path + ": ");
  return values;
}

Values overridden(Values lower, const Values& upper) {
  for (const auto& [one, other] : {std::pair("epochs", "iterations"), std::pair("iterations", "epochs")})
    if (upper.contains(one) && !upper.contains(other)) lower.erase(other);
  for (const auto& [name, value] : upper) lower[name] = value;
  return lower;
}

void set_values(CLI::App& app, const Values& values) {
  std::vector<std::string> arguments;
  for (const auto& [name, value] : values) arguments.push_back(fmt::format("--{}={}", name, value));
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants a vector
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    throw Error(error.what(), "riemflow fit --help lists what a setting may be");
  }
}

std::string to_toml(const CLI::App& app, const Values& values) {
  std::string text = "# riemflow fit --config FILE\n", group;
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = setting_name(*option);
    if (name.empty()) continue;
    if (option->get_group() != group) {
      group = option->get_group();
      text += fmt::format("\n# --- {} ---\n", group);
    }
    text += fmt::format("# {}\n", option->get_description());
    const auto value = values.find(name);
    text += value == values.end() ? fmt::format("# {} =\n", name)
                                  : fmt::format("{} = {}\n", name, toml_value(value->second));
  }
  return text;
}

}  // namespace riemflow::app
