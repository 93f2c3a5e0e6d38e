#pragma once
// The total mass of a flow (model/mass.hpp), in the coordinates of its field.

#include "riemflow/flow/transport.hpp"
#include "riemflow/model/mass.hpp"

namespace riemflow {

/// log p of points in double, which are rounded to T; NaN where the solve fails.
template <class T>
std::vector<double> log_density_at(Transport<T>& flow, const Points<double>& points);

/// The divergence must be exact: Error otherwise.
template <class T>
Mass flow_mass(Transport<T>& flow, const MassOptions& options);

}  // namespace riemflow
