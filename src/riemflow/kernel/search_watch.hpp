#pragma once
// The time of a search for a kernel density as its parts ask for it.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>

#include "riemflow/kernel/kernel_choice.hpp"

namespace riemflow {

class SearchWatch {
 public:
  /// Ends an evaluation that would take longer than there is.
  struct OutOfTime {};

  explicit SearchWatch(const SearchTime& time) : time_(time) {}

  double elapsed() const { return time_.elapsed ? time_.elapsed() : seconds_since_start(); }
  double left() const { return time_.seconds - elapsed(); }
  bool limited() const { return std::isfinite(time_.seconds); }
  /// In the midst of work, from any thread: throws where there is no time left.
  std::function<void()> ask = [this] {
    if (!(elapsed() < time_.seconds) && begun_) throw OutOfTime{};
  };
  /// From here on `ask` may end what goes on: there is something to end with.
  void begin() { begun_ = true; }
  void tell() {
    ++evaluations_;
    if (time_.progress)
      time_.progress(std::min(0.99, limited() ? elapsed() / time_.seconds : evaluations_ / kUsualSearch));
  }

 private:
  /// Recipes of three shapes.
  static constexpr double kUsualSearch = 200;
  using Clock = std::chrono::steady_clock;
  double seconds_since_start() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  const SearchTime& time_;
  Clock::time_point start_ = Clock::now();
  std::atomic<bool> begun_ = false;
  int evaluations_ = 0;
};

}  // namespace riemflow
