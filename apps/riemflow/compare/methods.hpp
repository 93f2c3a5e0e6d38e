#pragma once
// The rows of `riemflow compare`: densities that a user could take, each as `riemflow fit` with options makes
// it.

#include <string>
#include <vector>

#include "riemflow/fit/fit_options.hpp"
#include "riemflow/fit/option_values.hpp"
#include "riemflow/manifold/manifold.hpp"

namespace riemflow::app {

struct Method {
  std::string name;         ///< of --methods
  std::string description;  ///< in the table
  std::string preset;       ///< of fit
  Values options;           ///< of fit, beside those of the preset
  bool kernel = false;      ///< a kernel density: what the others are measured against
  double seconds = 10;      ///< a run, roughly, where no limit ends it
};

/// All there are, in the order of the table; the uniform density, which needs no fit, has no preset.
const std::vector<Method>& all_methods();
std::vector<std::string> method_names();

/// A row of the user's own, from NAME=OPTIONS, where OPTIONS are those of `riemflow fit` that describe one
/// model. Throws Error(Fault::usage).
Method row_of(const std::string& text);

/// Why there is no such density on the manifold; empty where there is.
std::string why_not(const Method& method, const Manifold<double>& manifold);

/// The method with the preset that it has there: the paper has settings of its own for the ball.
Method on(const Method& method, const Manifold<double>& manifold);
/// Whether --device is of any use to it: kernel densities and mixtures are the CPU's.
bool has_device(const Method& method);

/// The settings of `riemflow fit` for the method, with `extra` over its own.
FitOptions options_for(const Method& method, const Values& extra);
/// "fit --preset paper --model stereographic"
std::string command_of(const Method& method, const Manifold<double>& manifold);

}  // namespace riemflow::app
