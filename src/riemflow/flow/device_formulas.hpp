#pragma once
// Whether a space is what the formulas that it declares for a GPU are of.

#include <string>

#include "riemflow/manifold/manifold.hpp"

namespace riemflow {

/// Why a GPU cannot compute flows there, as "it has no formulas for X"; empty if it can. A GPU has the bases
/// and the features of the library's spaces, whatever a space of the caller's own says of itself.
std::string why_no_device_formulas(const Manifold<float>& factor);

}  // namespace riemflow
