#include "apps/riemflow/support/signals.hpp"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

namespace riemflow::app {
namespace {

std::atomic<double> asked_at = 0;  // seconds by now(), 0: never; read by all threads
static_assert(std::atomic<double>::is_always_lock_free);

/// As a handler may ask; never 0.
double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1 + static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

extern "C" void on_interrupt(int) {
  if (asked_at.exchange(now()) != 0) _exit(kInterrupted);
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

bool interrupted() { return asked_at != 0; }
bool interrupted_for(double seconds) { return interrupted() && now() - asked_at >= seconds; }

}  // namespace riemflow::app
