#pragma once
// Where a learned base begins: at the mixture that fits the data best, with a field that stands still, so
// that the flow begins as that mixture.

#include <cstdint>

#include "riemflow/flow/transport.hpp"

namespace riemflow {

/// By EM from mixture_start, the best on the validation points taken. Nothing is done where the base is not
/// learned. Throws Error where there are fewer distinct points than components.
template <class T>
void start_base(Transport<T>& flow, const Points<double>& training, const Points<double>& validation,
                std::uint64_t seed);

}  // namespace riemflow
