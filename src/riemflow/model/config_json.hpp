#pragma once
// A flow's configuration as JSON text: every field by its name in the structs, enums by their names.

#include <span>
#include <string>
#include <string_view>

#include "riemflow/flow/flow_config.hpp"

namespace riemflow {

/// One line, fields in the structs' order; numbers come back bit for bit.
std::string config_to_json(const FlowConfig& config);

/// Throws Error(Fault::configuration) unless every field is there once, of its type and in range, and nothing
/// else. own: spaces of the caller's that may stand in the manifold's name.
FlowConfig config_from_json(std::string_view text, std::span<const Space> own = {});

}  // namespace riemflow
