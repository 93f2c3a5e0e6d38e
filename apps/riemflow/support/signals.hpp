#pragma once
// SIGINT, SIGTERM and SIGHUP (a terminal that was closed; not under nohup) as a request to stop at the next
// good moment; the second one ends the program at once, with 130.

namespace riemflow::app {

inline constexpr int kInterrupted = 130;  ///< the exit code

void watch_interrupts();
/// For work that has nothing to save: from here on the first one ends the program at once.
void end_on_interrupts();
bool interrupted();

}  // namespace riemflow::app
