#include "riemflow/fit/methods.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "riemflow/core/error.hpp"
#include "riemflow/model/mixture_density.hpp"

namespace riemflow {
namespace {

bool is_ball(const Manifold<double>& manifold) {
  const auto factors = manifold.factors();
  return factors.size() == 1 && factors.front().geometry == Geometry::ball;
}

bool is_row_name(const std::string& name) {
  const auto plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-'; };
  return !name.empty() && std::all_of(name.begin(), name.end(), plain);
}

}  // namespace

const std::vector<Method>& all_methods() {
  static const std::vector<Method> all = {
      {"uniform", "uniform density, or the base where there is none", "", {}, false, 0.1},
      {"kernel-one",
       "kernel density, one bandwidth",
       "default",
       {{"model", "kde"}, {"kernel", "one"}},
       true,
       10},
      {"kernel-local",
       "kernel density, local bandwidths",
       "default",
       {{"model", "kde"}, {"kernel", "local"}},
       true,
       20},
      {"kernel-anisotropic",
       "kernel density, local shapes",
       "default",
       {{"model", "kde"}, {"kernel", "anisotropic"}},
       true,
       30},
      {"vmf-mixture",
       "mixture of von Mises–Fisher distributions, by EM",
       "default",
       {{"model", "vmf-mixture"}, {"optimizer", "em"}},
       false,
       30},
      {"stereographic",
       "flow in the stereographic chart, as in the paper",
       "paper",
       {{"model", "stereographic"}},
       false,
       300},
      {"wrapped", "flow in the tangent space, as in the paper", "paper", {{"model", "wrapped"}}, false, 300},
      {"paper", "Riemannian flow, as in the paper", "paper", {}, false, 400},
      {"flow-matching", "Riemannian flow matching", "default", {{"objective", "flow-matching"}}, false, 100},
      {"auto", "the default of fit: a pool of kernel densities and flows", "auto", {}, false, 60},
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

std::string why_not(const Method& method, const Manifold<double>& manifold) {
  if ((method.name == "vmf-mixture" || method.name == "stereographic") && !is_one_sphere(manifold))
    return "it is for spheres";
  if (method.name == "wrapped" && !is_ball(manifold)) return "it is for the ball";
  return "";
}

Method on(const Method& method, const Manifold<double>& manifold) {
  Method own = method;
  if (own.preset == "paper" && is_ball(manifold)) own.preset = "paper-ball";
  return own;
}

FitOptions options_for(const Method& method, const Values& extra) {
  Values values = overridden(overridden(preset_values(method.preset), method.options), extra);
  if (const auto objective = values.find("objective"); objective != values.end())
    values = overridden(objective_values(objective->second), values);
  return options_of(values);
}

}  // namespace riemflow
