#include "apps/riemflow/support/task_progress.hpp"

#include <algorithm>
#include <utility>

#include "apps/riemflow/support/console.hpp"

namespace riemflow::app {
namespace {

constexpr double kSilentFor = 2;  // seconds; plain lines begin when the first of them is due

}  // namespace

TaskProgress::TaskProgress(std::string task, double total, bool quiet)
    : task_(std::move(task)), total_(total), terminal_(errors_on_terminal()) {
  if (!quiet) shower_ = std::thread([this] { show_now_and_then(); });
}

TaskProgress::~TaskProgress() {
  if (!shower_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  over_.notify_all();
  shower_.join();
  if (terminal_ && shown_) end_line();
}

void TaskProgress::advance(double units) {
  const std::lock_guard lock(mutex_);
  update(done_ + units, total_);
}

void TaskProgress::reach(double done, double total) {
  const std::lock_guard lock(mutex_);
  update(done, total);
}

void TaskProgress::note(std::string text) {
  const std::lock_guard lock(mutex_);
  note_ = std::move(text);
}

void TaskProgress::update(double done, double total) {
  done_ = done;
  total_ = total;
  left_at_ = seconds_since(start_);
  left_ = done > 0 && total > 0 ? left_at_ * std::max(0.0, total / done - 1) : -1;
}

std::string TaskProgress::line() {
  // Rounded down: 100 % is said of nothing that still runs.
  const double share = total_ > 0 ? std::clamp(done_ / total_, 0.0, 1.0) : 0;
  std::string text = total_ > 0  ? fmt::format("{}: {} %", task_, std::min(99, static_cast<int>(100 * share)))
                     : done_ > 0 ? fmt::format("{}: {:.0f} so far", task_, done_)
                                 : fmt::format("{}: {} so far", task_, clock_text(seconds_since(start_)));
  if (left_ >= 0)
    text += fmt::format(", {} left", clock_text(std::max(1.0, left_ - (seconds_since(start_) - left_at_))));
  if (!note_.empty()) text += fmt::format(" ({})", note_);
  return text;
}

void TaskProgress::show_now_and_then() {
  const auto seconds = [](double s) { return std::chrono::duration<double>(s); };
  std::unique_lock lock(mutex_);
  for (double pause = terminal_ ? kSilentFor : kPlainEvery;
       !over_.wait_for(lock, seconds(pause), [this] { return stopped_; });
       pause = terminal_ ? kTerminalEvery : kPlainEvery) {
    shown_ = true;
    const std::string text = line();
    terminal_ ? rewrite_line(text) : say_text(text);
  }
}

}  // namespace riemflow::app
