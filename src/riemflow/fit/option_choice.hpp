#pragma once
// The options of a fit from what a caller asks for: what it leaves out is chosen here, and what cannot be
// meant is refused. A fit of nothing but data is the default, a pool in 60 seconds.

#include <optional>

#include "riemflow/fit/option_values.hpp"

namespace riemflow {

struct OptionSources {
  std::optional<std::string> preset;  ///< as asked for; none: by what else is asked for
  Values file, user;                  ///< each overrides what is before it
  bool one_flow = false;              ///< what is fitted is a flow, as for several runs

  /// That of a preset which was not asked for is "auto", the default pool, or "default", a flow, where a
  /// setting of one is given.
  std::string preset_in_force() const;
};

/// Throws Error.
Values chosen_values(const OptionSources& sources);
/// Throws Error for what was asked for and has no meaning for this kind of model: settings of one model for a
/// pool, a preset of flows for kernels.
void refuse_unmeant(ModelKind model, const OptionSources& sources);
/// Both. Throws Error as well where a target and its objective do not go together.
FitOptions chosen_options(const OptionSources& sources);
/// The last of these alone.
void require_target_with_objective(const FitOptions& options);

}  // namespace riemflow
