#pragma once

#include <memory>

#include "python/src/bindings.hpp"
#include "riemflow/distribution/distribution.hpp"

namespace riemflow::python {

/// Python has shared pointers to what is const for everybody.
using DistributionHolder = std::shared_ptr<Distribution<double>>;

}  // namespace riemflow::python
