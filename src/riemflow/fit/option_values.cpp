#include "riemflow/fit/option_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include "riemflow/core/error.hpp"
#include "riemflow/core/suggest.hpp"
#include "riemflow/core/text.hpp"
#include "riemflow/fit/option_field.hpp"

namespace riemflow {
namespace {

struct Preset {
  const char* name;
  Values values;
};

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = {
      {"auto", values_in("model=pool time-limit=60s")},
      {"default", {}},
      // Mathieu & Nickel 2020, appendix: density estimation of spherical data.
      {"paper",
       values_in(
           "width=64 depth=3 activation=tanh input=linear divergence=exact solver=dopri5 tolerance=1e-5 "
           "train-tolerance=1e-3 batch=400 rate=1e-3 schedule=annealed average=0 clip=0 bound=0 kinetic=0 "
           "frobenius=0 epochs=1000 patience=0")},
      // The same, hyperbolic experiments.
      {"paper-ball",
       values_in("width=64 depth=3 activation=tanh input=geodesic scaling=paper divergence=hutchinson "
                 "solver=dopri5 tolerance=1e-5 train-tolerance=1e-5 batch=400 rate=1e-3 schedule=constant "
                 "average=0 clip=0 bound=0 kinetic=0 frobenius=0 iterations=1500 patience=0")}};
  return all;
}

}  // namespace

Values values_in(std::string_view words) {
  Values values;
  for (const std::string& word : words_in(words)) {
    const std::size_t equals = word.find('=');
    values[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return values;
}

void refuse_contradictions(const Values& values, const std::string& where) {
  require(!values.contains("epochs") || !values.contains("iterations"),
          where + "both epochs and iterations are set", "set one of them");
}

Values values_of(const FitOptions& options) {
  Values values;
  for (const OptionField& field : option_fields())
    if (std::string text = field.text(options); !text.empty()) values[field.name] = std::move(text);
  values.erase(values.at("epochs") == "0" ? "epochs" : "iterations");  // one of the two is in force
  return values;
}

void set_value(FitOptions& options, const std::string& name, const std::string& value) {
  const OptionField* field = option_field(name);
  require(field != nullptr, fmt::format("there is no setting '{}'", name), "leave it out");
  try {
    field->set(options, value);
  } catch (const Error& error) {
    throw Error(fmt::format("‹{}›: {}", name, error.problem()), error.advice()).of_setting(name, value);
  }
}

FitOptions options_of(const Values& values) {
  FitOptions options;
  for (const auto& [name, value] : values) set_value(options, name, value);
  return options;
}

std::string canonical(const std::string& name, const std::string& value) {
  FitOptions options;
  set_value(options, name, value);
  return option_field(name)->text(options);
}

bool is_recorded(std::string_view name) {
  for (const char* other : {"data-dir", "time-limit", "checkpoint-every", "log", "threads", "quiet", "json"})
    if (name == other) return false;
  return true;
}

bool may_change(std::string_view name) {
  for (const char* other : {"iterations", "epochs", "patience", "device", "finetune", "finetune-rate"})
    if (name == other) return true;
  return false;
}

bool is_of_one_model(std::string_view name) {
  const OptionField* field = option_field(name);
  return field != nullptr && name != "model" &&
         (field->group == "Model" || field->group == "Training" || field->group == "Solver");
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
  return values_in(
      "activation=swish input=fourier frequency=6 width=128 depth=4 batch=256 rate=5e-3 average=0.999 "
      "iterations=4000 finetune=400 finetune-rate=5e-3 validate-every=200 validation-points=1000 kinetic=0");
}

namespace {

std::string text_of(const toml::node& node, const FilePlace& where) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  if (const auto* whole = node.as_integer()) return fmt::format("{}", whole->get());
  if (const auto* real = node.as_floating_point()) return fmt::format("{}", real->get());
  throw Error(where, "a value that is no text, number, true or false",
              "a configuration has lines such as width = 64, and no tables or lists", Fault::configuration);
}

FilePlace place_in(const std::string& file, const toml::source_region& source) {
  return {file, source.begin.line, source.begin.column};
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n' || c == '\t')
      result += c == '\n' ? "\\n" : "\\t";
    else
      result += c;
  }
  return result + '"';
}

}  // namespace

Values values_of_toml(std::string_view text, const std::string& name) {
  std::vector<std::string_view> known{"preset"};
  for (const OptionField& field : option_fields()) known.push_back(field.name);
  toml::table table;
  try {
    table = toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    throw Error(place_in(name, error.source()), std::string(error.description()),
                "mend the file: a configuration has lines such as width = 64 or model = \"kde\"",
                Fault::configuration);
  }
  Values values;
  for (const auto& [key, node] : table) {
    const FilePlace where = place_in(name, key.source());
    const std::string setting(key.str());
    if (std::find(known.begin(), known.end(), setting) == known.end()) {
      const std::string_view nearest = nearest_name(setting, known);
      throw Error(where,
                  fmt::format("there is no setting '{}'{}", setting,
                              nearest.empty() ? "" : fmt::format(", perhaps you meant '{}'", nearest)),
                  "riemflow fit ‹print-config› lists the settings", Fault::configuration);
    }
    const std::string value = text_of(node, where);
    try {
      if (setting == "preset") preset_values(value);
      values[setting] = setting == "preset" ? value : canonical(setting, value);
    } catch (const Error& error) {
      throw Error(where, error.problem(), error.advice(), Fault::configuration).of_setting(setting, value);
    }
  }
  refuse_contradictions(values, name + ": ");
  return values;
}

Values values_of_file(const std::string& path) {
  constexpr const char* kAdvice = "give a configuration file; riemflow fit ‹print-config› writes one";
  require(!std::filesystem::is_directory(path), fmt::format("cannot read {}: it is a directory", path),
          kAdvice, Fault::no_input);
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  require(file.is_open() && !file.bad(), fmt::format("cannot read {}: {}", path, std::strerror(errno)),
          kAdvice, Fault::no_input);
  return values_of_toml(text, path);
}

Values overridden(Values lower, const Values& upper) {
  for (const auto& [one, other] : {std::pair("epochs", "iterations"), std::pair("iterations", "epochs")})
    if (upper.contains(one) && !upper.contains(other)) lower.erase(other);
  for (const auto& [name, value] : upper) lower[name] = value;
  return lower;
}

std::string to_toml(const Values& values) {
  std::string text = "# riemflow fit ‹config› FILE\n", group;
  for (const OptionField& field : option_fields()) {
    if (field.group != group) text += fmt::format("\n# --- {} ---\n", group = field.group);
    text += fmt::format("# {}\n", field.help);
    const auto value = values.find(field.name);
    const bool words = field.kind == OptionKind::text || field.kind == OptionKind::choice;
    text += value == values.end()
                ? fmt::format("# {} =\n", field.name)
                : fmt::format("{} = {}\n", field.name, words ? quoted(value->second) : value->second);
  }
  return text;
}

}  // namespace riemflow
