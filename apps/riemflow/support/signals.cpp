#include "apps/riemflow/support/signals.hpp"

#include <signal.h>
#include <unistd.h>

namespace riemflow::app {
namespace {

volatile sig_atomic_t requests = 0;

extern "C" void on_interrupt(int) {
  if (requests != 0) _exit(kInterrupted);
  requests = 1;
}

}  // namespace

void watch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return requests != 0; }

}  // namespace riemflow::app
