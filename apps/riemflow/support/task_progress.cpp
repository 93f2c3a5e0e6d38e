#include "apps/riemflow/support/task_progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/terminal.hpp"

namespace riemflow::app {
namespace {

constexpr double kPieceSeconds = 0.5;
constexpr std::size_t kLeastPiece = 512, kMostPiece = 16384;
constexpr double kSilentFor = 2;  // seconds; plain lines begin when the first of them is due

}  // namespace

TaskProgress::TaskProgress(std::string task, double total, bool quiet)
    : task_(std::move(task)), total_(total), quiet_(quiet), terminal_(errors_on_terminal()) {}

TaskProgress::~TaskProgress() {
  if (terminal_ && shown_ >= 0) end_line();
}

void TaskProgress::advance(double units) {
  const std::lock_guard lock(mutex_);
  done_ += units;
  show();
}

void TaskProgress::reach(double done, double total) {
  const std::lock_guard lock(mutex_);
  done_ = done;
  total_ = total;
  show();
}

void TaskProgress::note(std::string text) {
  const std::lock_guard lock(mutex_);
  note_ = std::move(text);
  show();
}

std::size_t Pieces::next() {
  const double seconds = seconds_since(begun_);
  if (n_ == 0)
    n_ = kLeastPiece;
  else if (seconds < kPieceSeconds / 2)
    n_ = std::min(2 * n_, kMostPiece);
  begun_ = Clock::now();
  return n_;
}

void TaskProgress::show() {
  if (quiet_) return;
  const double now = seconds_since(start_);
  const double due = shown_ < 0 ? (terminal_ ? kSilentFor : kPlainEvery)
                                : shown_ + (terminal_ ? kTerminalEvery : kPlainEvery);
  if (now < due) return;
  shown_ = now;
  const double share = total_ > 0 ? std::clamp(done_ / total_, 0.0, 1.0) : 0;
  // Rounded down: 100 % is said of nothing that still runs.
  std::string line = total_ > 0 ? fmt::format("{}: {} %", task_, std::min(99, static_cast<int>(100 * share)))
                                : fmt::format("{}: {:.0f} so far", task_, done_);
  if (share > 0) line += fmt::format(", {} left", clock_text(now * (1 - share) / share));
  if (!note_.empty()) line += fmt::format(" ({})", note_);
  terminal_ ? rewrite_line(line) : say_text(line);
}

}  // namespace riemflow::app
