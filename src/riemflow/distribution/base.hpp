#pragma once
// The distribution a flow starts from.

#include <memory>

#include "riemflow/distribution/distribution.hpp"
#include "riemflow/manifold/manifold.hpp"

namespace riemflow {

/// Uniform on spheres and tori, standard normal on R^d, standard wrapped normal on the ball; products of
/// these.
template <class T>
std::shared_ptr<const Distribution<T>> default_base(std::shared_ptr<const Manifold<T>> manifold);

}  // namespace riemflow
