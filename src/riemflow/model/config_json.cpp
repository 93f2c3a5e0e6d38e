#include "riemflow/model/config_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "riemflow/core/error.hpp"
#include "riemflow/core/suggest.hpp"
#include "riemflow/flow/transport.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow {
namespace {

using nlohmann::json, nlohmann::ordered_json;
using Names = std::vector<std::string_view>;

/// Files of riemflow 0.1.0 may lack them: their models were what the defaults say.
constexpr std::string_view kLater[] = {"model", "field.frequency", "base"};

// --- the fields, named once; a struct with one more does not compile ------------------------------

template <class Visit>
void each_field(FieldConfig& config, Visit&& visit) {
  auto& [width, depth, activation, input, scaling, frequency, bound, given] = config;
  static_cast<void>(given);  // an autoregressive flow's own business
  visit("width", width);
  visit("depth", depth);
  visit("activation", activation);
  visit("input", input);
  visit("scaling", scaling);
  visit("frequency", frequency);
  visit("bound", bound);
}

template <class Visit>
void each_field(DivergenceConfig& config, Visit&& visit) {
  auto& [estimator, noise, probes] = config;
  visit("estimator", estimator);
  visit("noise", noise);
  visit("probes", probes);
}

template <class Visit>
void each_field(SolverOptions& options, Visit&& visit) {
  // longest_step follows from the field (flow/tile_flow) and is in no file.
  auto& [method, rtol, atol, max_evaluations, longest_step, fixed_steps, tape_bytes] = options;
  visit("method", method);
  visit("rtol", rtol);
  visit("atol", atol);
  visit("max_evaluations", max_evaluations);
  visit("fixed_steps", fixed_steps);
  visit("tape_bytes", tape_bytes);
}

template <class Visit>
void each_field(Regularisation& regularisation, Visit&& visit) {
  auto& [kinetic, frobenius] = regularisation;
  visit("kinetic", kinetic);
  visit("frobenius", frobenius);
}

template <class Visit>
void each_field(BaseConfig& config, Visit&& visit) {
  auto& [kind, components] = config;
  visit("kind", kind);
  visit("components", components);
}

template <class Visit>
void each_field(FlowConfig& config, Visit&& visit) {
  auto& [model, manifold, field, divergence, solver, regularisation, base] = config;
  visit("model", model);
  visit("manifold", manifold);
  visit("field", field);
  visit("divergence", divergence);
  visit("solver", solver);
  visit("regularisation", regularisation);
  visit("base", base);
}

// --- to JSON ----------------------------------------------------------------------------------------

template <class X>
ordered_json written(X& value) {
  if constexpr (std::is_enum_v<X>) {
    return name_of(value);
  } else if constexpr (std::is_same_v<X, Space>) {
    return value.name();
  } else if constexpr (requires { each_field(value, [](std::string_view, auto&) {}); }) {
    ordered_json object = ordered_json::object();
    each_field(value,
               [&](std::string_view name, auto& field) { object[std::string(name)] = written(field); });
    return object;
  } else {
    return value;
  }
}

// --- from JSON --------------------------------------------------------------------------------------

std::string listed(const Names& names) { return fmt::format("{}", fmt::join(names, ", ")); }

/// Empty, too, if it is too long to have been typed.
std::string suggestion(std::string_view typed, const Names& known) {
  const std::string_view nearest = typed.size() < 64 ? nearest_name(typed, known) : std::string_view{};
  return nearest.empty() ? "" : fmt::format("perhaps you meant {}? ", nearest);
}

std::string shown(const json& value) {
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

[[noreturn]] void wrong(const std::string& where, const json& value, const std::string& expected) {
  throw Error(fmt::format("{} is {}", where, shown(value)), "give " + expected);
}

class Reader {
 public:
  explicit Reader(std::span<const Space> own) : own_(own) {}

  template <class Int>
  requires std::is_integral_v<Int>
  void read(const json& value, const std::string& where, Int& field) {
    const bool fits = value.is_number_unsigned()  ? std::in_range<Int>(value.get<std::uint64_t>())
                      : value.is_number_integer() ? std::in_range<Int>(value.get<std::int64_t>())
                                                  : false;
    if (!fits) wrong(where, value, fmt::format("a whole number up to {}", std::numeric_limits<Int>::max()));
    field = value.get<Int>();
  }

  void read(const json& value, const std::string& where, double& field) {
    if (!value.is_number()) wrong(where, value, "a number");
    field = value.get<double>();
  }

  void read(const json& value, const std::string& where, std::string& field) {
    if (!value.is_string()) wrong(where, value, "a string");
    field = value.get<std::string>();
  }

  /// The name of a space is the one place where a space of the caller's own may stand.
  void read(const json& value, const std::string& where, Space& field) {
    std::string name;
    read(value, where, name);
    // Far more factors than any use, and so few that no dimension overflows.
    require(name.size() <= 65536, "the manifold's name is too long", "give fewer factors");
    try {
      field = Space::named(name, own_);
    } catch (const Error& error) {
      if (!error.problem().starts_with("unknown manifold")) throw;
      throw Error(error.problem(), error.advice() + "; a space of your own is handed to load_model");
    }
  }

  template <class Enum>
  requires std::is_enum_v<Enum>
  void read(const json& value, const std::string& where, Enum& field) {
    const auto all = names_of(field);
    const Names names(all.begin(), all.end());
    if (!value.is_string()) wrong(where, value, "one of " + listed(names));
    const auto& name = value.get_ref<const std::string&>();
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] != name) continue;
      field = static_cast<Enum>(i);
      return;
    }
    throw Error(fmt::format("{} is {}", where, shown(value)),
                fmt::format("{}give one of {}", suggestion(name, names), listed(names)));
  }

  template <class Struct>
  requires requires(Struct& s) {
    each_field(s, [](std::string_view, auto&) {});
  }
  void read(const json& value, const std::string& where, Struct& fields) {
    if (!value.is_object()) wrong(where.empty() ? "the configuration" : where, value, "an object");
    Names known;
    each_field(fields, [&](std::string_view name, auto&) { known.push_back(name); });
    for (const auto& [key, ignored] : value.items()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      throw Error(
          fmt::format("{} has no setting {}", where.empty() ? "the configuration" : where, shown(key)),
          fmt::format("{}the settings are {}", suggestion(key, known), listed(known)));
    }
    each_field(fields, [&](std::string_view name, auto& field) {
      const std::string here = where.empty() ? std::string(name) : fmt::format("{}.{}", where, name);
      const auto at = value.find(std::string(name));
      if (at == value.end() && std::find(std::begin(kLater), std::end(kLater), here) != std::end(kLater))
        return;  // keeps its default
      require(at != value.end(), here + " is missing", "give every setting");
      read(*at, here, field);
    });
  }

 private:
  std::span<const Space> own_;
};

/// Refuses what the parser would take: keys that stand twice, and any depth.
json parsed(std::string_view text) {
  constexpr int kDeepest = 8;
  require(text.find('\0') == text.npos, "the configuration holds a NUL", "give JSON text");
  std::vector<std::set<std::string>> keys;
  const auto strict = [&](int depth, json::parse_event_t event, json& value) {
    require(depth <= kDeepest, "the configuration is nested too deeply", "give a flat one");
    if (event == json::parse_event_t::object_start)
      keys.emplace_back();
    else if (event == json::parse_event_t::object_end)
      keys.pop_back();
    else if (event == json::parse_event_t::key)
      require(keys.back().insert(value.get<std::string>()).second,
              fmt::format("{} stands twice in the configuration", shown(value)), "give it once");
    return true;
  };
  try {
    return json::parse(text.begin(), text.end(), strict);
  } catch (const json::exception&) {
    throw Error("the configuration is not JSON", "give an object of settings");
  }
}

}  // namespace

std::string config_to_json(const FlowConfig& config) {
  FlowConfig copy = config;
  return written(copy).dump(-1, ' ', false, json::error_handler_t::replace);
}

FlowConfig config_from_json(std::string_view text, std::span<const Space> own) {
  FlowConfig config;
  Reader(own).read(parsed(text), "", config);
  validate(config);
  if (is_flow(config.model)) transport_layout<double>(config);  // says what does not fit together
  return config;
}

}  // namespace riemflow
