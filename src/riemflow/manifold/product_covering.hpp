#pragma once
// The covering of a product: lifts, sheets and log J of its factors together. A factor without a covering is
// its own cover, of one sheet.

#include <memory>
#include <string_view>

#include "riemflow/manifold/covering.hpp"

namespace riemflow {

/// Of the product of this name, as parse_manifold takes it.
std::shared_ptr<const Covering> product_covering(std::string_view name);

}  // namespace riemflow
