#pragma once
// The covering of a product: that of each factor that has one, the identity of the others.

#include <memory>
#include <vector>

#include "riemflow/manifold/covering.hpp"

namespace riemflow {

using FullFactors = std::vector<std::shared_ptr<const Manifold<double>>>;

/// Of the product of these, one of which has a covering at least.
std::shared_ptr<const Covering> product_covering(FullFactors factors);

}  // namespace riemflow
