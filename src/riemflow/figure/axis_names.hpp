#pragma once
// What the coordinates of a model are called on its axes.

#include <array>
#include <string>
#include <vector>

#include "riemflow/model/model_file.hpp"

namespace riemflow::figure {

/// The names of the columns that the model was fitted to, one a coordinate, in Greek where they spell a
/// letter: phi_deg is φ. Empty where the model does not tell, or where there are not `n`.
std::vector<std::string> column_names(const Model& model, std::size_t n);

/// The same of a manifold of two dimensions, or angle 1 and angle 2, or x and y.
std::array<std::string, 2> sheet_names(const Model& model);

/// The columns that `riemflow sample` writes, for axes: angle 1, x₁.
std::vector<std::string> axis_names(const std::vector<std::string>& columns);

}  // namespace riemflow::figure
