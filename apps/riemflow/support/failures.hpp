#pragma once
// What a command does about points whose computation failed.

#include <CLI/CLI.hpp>
#include <cstdint>

#include "riemflow/model/failures.hpp"

namespace riemflow::app {

/// --allow-failures
void add_allow_failures(CLI::App& command, bool& allowed);

/// Ends the command with Fault::numerical, after saying so, if there is a failure and it is not allowed.
/// what: "points", "draws".
void end_on_failures(const Failures& failures, std::uint64_t of, const char* what, bool nan_in_output,
                     bool allowed);

}  // namespace riemflow::app
