#pragma once
// The standardisation of a model's Euclidean coordinates in its file: metadata
//   standardisation    JSON text: {"shift": […], "scale": […]}, a number for each of a point; none: identity
// Of a pool each member has its own.

#include "riemflow/model/model_file.hpp"
#include "riemflow/model/standardisation.hpp"

namespace riemflow {

void keep_standardisation(Model& model, const Standardisation& standardisation);
/// The inverse. Throws Error(fault) unless it is as above, with scales > 0, and Euclidean coordinates alone
/// are changed.
Standardisation standardisation_of(const Model& model, Fault fault = Fault::bad_data);

}  // namespace riemflow
