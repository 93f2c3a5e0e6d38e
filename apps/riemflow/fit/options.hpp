#pragma once
// The options of a fit (riemflow/fit/option_field.hpp) as flags.

#include <CLI/CLI.hpp>

#include "riemflow/fit/option_values.hpp"

namespace riemflow::app {

/// A flag for each, in groups, the later of two values winning.
void declare(CLI::App& app);

/// What the user gave on the command line.
Values given_values(const CLI::App& app);

}  // namespace riemflow::app
