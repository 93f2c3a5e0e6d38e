#include "riemflow/fit/methods.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "riemflow/core/error.hpp"
#include "riemflow/kernel/kernel_space.hpp"
#include "riemflow/manifold/covering.hpp"
#include "riemflow/model/mixture_density.hpp"

namespace riemflow {
namespace {

bool is_row_name(const std::string& name) {
  const auto plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-'; };
  return !name.empty() && std::all_of(name.begin(), name.end(), plain);
}

/// By itself, or by the base of its flow.
bool is_of_kernels(const Method& method) {
  const auto value = [&](const char* name) {
    const auto found = method.options.find(name);
    return found == method.options.end() ? std::string() : found->second;
  };
  const std::optional<ModelKind> kind = value_named<ModelKind>(value("model"));
  return (kind && has_kernels(*kind)) || value("base") == "kde";
}

/// Where its flows are: on the cover, which belongs to the manifold.
const Manifold<double>& computed_on(const Manifold<double>& manifold) {
  const std::shared_ptr<const Covering> covering = manifold.covering();
  return covering == nullptr ? manifold : *covering->cover();
}

}  // namespace

const std::vector<Method>& all_methods() {
  const auto made = [](const char* name, const char* description, const char* preset, const char* options,
                       double seconds) {
    const std::string model = options;
    return Method{name, description, preset, values_in(model), model.starts_with("model=kde"), seconds};
  };
  static const std::vector<Method> all = {
      made("uniform", "uniform density, or the base where there is none", "", "", 0.1),
      made("kernel-one", "kernel density, one bandwidth", "default", "model=kde kernel=one", 10),
      made("kernel-local", "kernel density, local bandwidths", "default", "model=kde kernel=local", 20),
      made("kernel-anisotropic", "kernel density, local shapes", "default", "model=kde kernel=anisotropic",
           30),
      made("kernels", "kernels that a network says", "default", "model=kernels", 20),
      made("normal-mixture", "mixture of normals with covariances of their own, by EM", "default",
           "model=normal-mixture", 10),
      made("vmf-mixture", "mixture of von Mises–Fisher distributions, by EM", "default",
           "model=vmf-mixture optimizer=em", 30),
      made("stereographic", "flow in the stereographic chart, as in the paper", "paper",
           "model=stereographic", 300),
      made("wrapped", "flow in the tangent space, as in the paper", "paper", "model=wrapped", 300),
      made("paper", "Riemannian flow, as in the paper", "paper", "", 400),
      made("flow-matching", "Riemannian flow matching", "default", "objective=flow-matching", 100),
      made("auto", "the default of fit: a pool of learned kernels and what adds to them", "auto", "", 60),
  };
  return all;
}

Method own_method(const std::string& name, const std::string& preset, const Values& options) {
  const std::string where = fmt::format("‹row› '{}': ", name);
  require(is_row_name(name), fmt::format("‹row› '{}' has no name", name),
          "give it one of letters, digits, '.', '_' and '-'", Fault::usage);
  for (const Method& method : all_methods())
    require(method.name != name, where + "a method has this name", "take another", Fault::usage);
  refuse_contradictions(options, where);
  for (const auto& [option, value] : options)
    require(option == "model" || is_of_one_model(option),
            fmt::format("{}‹{}› is no setting of one model", where, option),
            "what all rows share is given to compare itself", Fault::usage);
  Method own{name, "", preset, options};
  options_for(own, {});  // throws where values or preset cannot be
  return own;
}

std::string why_not(const Method& method, const Manifold<double>& space) {
  const Manifold<double>& manifold = computed_on(space);
  const bool product = manifold.factors().size() > 1;
  if (method.name == "vmf-mixture" && !is_one_sphere(manifold)) return "for spheres";
  if (method.name == "stereographic" && (product || manifold.refuse_chart(ChartKind::stereographic)))
    return "for spheres";
  if (method.name == "wrapped" && (product || manifold.refuse_chart(ChartKind::wrapped)))
    return "for the ball";
  if (is_of_kernels(method) && !has_kernels(manifold)) return "for spaces that have kernels";
  return "";
}

Method on(const Method& method, const Manifold<double>& manifold) {
  Method own = method;
  if (own.preset == "paper" && computed_on(manifold).curvature() < 0) own.preset = "paper-ball";
  return own;
}

FitOptions options_for(const Method& method, const Values& extra) {
  Values values = overridden(overridden(preset_values(method.preset), method.options), extra);
  if (const auto objective = values.find("objective"); objective != values.end())
    values = overridden(objective_values(objective->second), values);
  return options_of(values);
}

}  // namespace riemflow
