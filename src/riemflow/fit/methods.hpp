#pragma once
// What a comparison compares: densities that a user could take, each as fit() with options makes it.

#include <string>
#include <vector>

#include "riemflow/fit/option_values.hpp"
#include "riemflow/manifold/manifold.hpp"

namespace riemflow {

struct Method {
  std::string name;
  std::string description;  ///< in the table
  std::string preset = "default";
  Values options = {};  ///< beside those of the preset
  bool kernel = false;  ///< a kernel density: what the others are measured against
  double seconds = 60;  ///< a run, roughly, where no limit ends it
  /// Of a row of the caller's own: how it is made, in the caller's words. Kept beside its runs, which are not
  /// mixed with those of another.
  std::string made_by = "";
};

/// All there are, in the order of the table; the uniform density, which needs no fit, has no preset.
const std::vector<Method>& all_methods();

/// A row of the caller's own. Throws Error unless its name is plain and new, and its options describe one
/// model.
Method own_method(const std::string& name, const std::string& preset, const Values& options);

/// What the method is for where there is no such density on the manifold, as in "for spheres"; empty where
/// there is.
std::string why_not(const Method& method, const Manifold<double>& manifold);

/// The method with the preset that it has there: the paper has settings of its own for the ball.
Method on(const Method& method, const Manifold<double>& manifold);

/// The options of fit() for the method, with `extra` over its own.
FitOptions options_for(const Method& method, const Values& extra);

}  // namespace riemflow
