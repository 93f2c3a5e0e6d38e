#include "apps/riemflow/support/signals.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>

namespace riemflow::app {
namespace {

std::atomic<int> requests = 0;  // read by all threads
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void on_interrupt(int) {
  if (requests.exchange(1) != 0) _exit(kInterrupted);
}

extern "C" void on_end(int) { _exit(kInterrupted); }

void handle_by(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // nohup asked for that
}

}  // namespace

void watch_interrupts() { handle_by(on_interrupt); }
void end_on_interrupts() { handle_by(on_end); }

bool interrupted() { return requests != 0; }

}  // namespace riemflow::app
