#pragma once
// Where progress is shown, and how often.

#include <cstddef>

namespace riemflow::app {

/// Whether standard error is a terminal.
bool errors_on_terminal();
/// Its characters a line; 80 where that is not known.
std::size_t terminal_width();

/// Seconds between two showings there and elsewhere.
inline constexpr double kTerminalEvery = 0.1, kPlainEvery = 10;

}  // namespace riemflow::app
