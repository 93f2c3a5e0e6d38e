#pragma once
// How a flow is trained, step by step.

#include <cstdint>

#include "riemflow/fit/adam.hpp"
#include "riemflow/fit/schedule.hpp"

namespace riemflow {

/// The defaults are the paper's.
struct TrainConfig {
  std::size_t batch = 400;
  AdamConfig adam;
  Schedule schedule;
  double clip = 0;     ///< largest norm of a gradient; 0: no limit
  double average = 0;  ///< decay of the moving average of the parameters; 0: none
  std::uint64_t seed = 0;
};

/// Throws Error on a configuration that cannot be meant.
void validate(const TrainConfig& config);

}  // namespace riemflow
