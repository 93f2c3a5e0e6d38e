#include "riemflow/density/flow_config.hpp"

#include <cmath>

#include "riemflow/core/error.hpp"

namespace riemflow {

void validate(const FlowConfig& config) {
  validate(config.solver);
  require(config.divergence.probes >= 1 && config.divergence.probes <= 4096,
          "the number of Hutchinson probes is " + std::to_string(config.divergence.probes), "give 1 to 4096");
  for (const double weight : {config.regularisation.kinetic, config.regularisation.frobenius})
    require(std::isfinite(weight) && weight >= 0, "a regulariser's weight is " + std::to_string(weight),
            "give a positive number, or 0 for none");
}

}  // namespace riemflow
