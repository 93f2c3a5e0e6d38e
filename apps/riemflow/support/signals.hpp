#pragma once
// SIGINT and SIGTERM as a request to stop at the next good moment; the second one ends the program at once,
// with 130.

namespace riemflow::app {

inline constexpr int kInterrupted = 130;  ///< the exit code

void watch_interrupts();
bool interrupted();

}  // namespace riemflow::app
