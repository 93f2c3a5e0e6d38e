#pragma once
// A flow's configuration as JSON text: every field by its name in the structs, enums by their names.

#include <string>
#include <string_view>

#include "riemflow/flow/flow_config.hpp"

namespace riemflow {

/// One line, fields in the structs' order; numbers come back bit for bit.
std::string config_to_json(const FlowConfig& config);

/// Throws Error(Fault::configuration) unless every field is there once, of its type and in range, and nothing
/// else.
FlowConfig config_from_json(std::string_view text);

}  // namespace riemflow
