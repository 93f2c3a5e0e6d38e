#include "riemflow/fit/option_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "riemflow/core/error.hpp"
#include "riemflow/fit/fit_model.hpp"

namespace riemflow {
namespace {

/// Whether these settings are of one model: with any of them, and without a preset, that is what is fitted.
bool describe_one_model(const Values& values) {
  const auto model = values.find("model");
  if (model != values.end()) return model->second != name_of(ModelKind::pool);
  return std::any_of(values.begin(), values.end(),
                     [](const auto& value) { return is_of_one_model(value.first); });
}

void refuse_options_of_one_model(ModelKind model, const Values& user) {
  if (model != ModelKind::pool) return;
  for (const auto& [name, value] : user)
    if (is_of_one_model(name))
      throw Error(fmt::format("‹{}› with ‹model› pool", name),
                  "it is of one model: leave it out, or name that with ‹model›, such as riemannian",
                  Fault::usage)
          .of_setting(name, value);
}

/// A preset whose settings the model has none of was not meant.
void refuse_foreign_preset(ModelKind model, const std::string& preset) {
  const Values values = preset_values(preset);
  try {
    refuse_foreign_options(model, values);
    if (!values.contains("model")) refuse_options_of_one_model(model, values);
  } catch (const Error&) {
    throw Error(fmt::format("‹preset› {} with ‹model› {}", preset, name_of(model)),
                "the preset holds the settings of a flow: leave it out, or give a flow, such as ‹model› "
                "riemannian",
                Fault::usage)
        .of_setting("preset", preset);
  }
}

}  // namespace

std::string OptionSources::preset_in_force() const {
  if (preset) return *preset;
  return one_flow || describe_one_model(overridden(file, user)) ? "default" : "auto";
}

Values chosen_values(const OptionSources& sources) {
  const Values values =
      overridden(overridden(preset_values(sources.preset_in_force()), sources.file), sources.user);
  const auto objective = values.find("objective");
  return objective == values.end() ? values : overridden(objective_values(objective->second), values);
}

void refuse_unmeant(ModelKind model, const OptionSources& sources) {
  refuse_foreign_options(model, sources.user);
  refuse_options_of_one_model(model, sources.user);
  if (sources.preset) refuse_foreign_preset(model, *sources.preset);
}

FitOptions chosen_options(const OptionSources& sources) {
  refuse_contradictions(sources.user, "");
  const FitOptions options = options_of(chosen_values(sources));
  refuse_unmeant(options.model, sources);
  require_target_with_objective(options);
  return options;
}

void require_target_with_objective(const FitOptions& options) {
  const bool to_target = !options.target.empty();
  require(to_target == (options.objective == "reverse-kl"),
          to_target ? fmt::format("‹target› beside ‹objective› {}", options.objective)
                    : std::string("‹objective› reverse-kl without a target"),
          "reverse KL learns from a density: give both ‹target› and ‹objective› reverse-kl, or neither");
  require(!to_target || options.epochs == 0, "‹epochs› beside ‹target›",
          "a target has no points to go through: give ‹iterations›");
}

}  // namespace riemflow
