#pragma once
// Points that are to be on a manifold.

#include "riemflow/core/points.hpp"
#include "riemflow/manifold/manifold.hpp"

namespace riemflow {

/// Throws Error(Fault::bad_data) naming the first point, counted from 0, that is not.
template <class T>
void check_on_manifold(const Manifold<T>& manifold, const Points<T>& points);

/// Rounded to T; those that rounding takes off the manifold (near the rim of a ball) are projected.
template <class T>
Points<T> rounded_onto(const Manifold<T>& manifold, const Points<double>& points);

}  // namespace riemflow
