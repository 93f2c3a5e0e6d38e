#pragma once
// How a fit is going: one line that rewrites itself on a terminal, plain lines elsewhere.

#include <string>

#include "riemflow/core/stopwatch.hpp"
#include "riemflow/fit/fit.hpp"

namespace riemflow::app {

class ProgressLine {
 public:
  /// seconds: when training will be stopped at the latest.
  ProgressLine(long iterations, double seconds, bool quiet);
  ~ProgressLine();

  /// Call after every iteration; it decides what is shown.
  void update(const FitProgress& progress);
  /// Shown in place of the solver's evaluations.
  void note(std::string text) { note_ = std::move(text); }

 private:
  std::string text(const FitProgress& progress, double now) const;

  long iterations_;
  double seconds_;
  bool quiet_, terminal_;
  std::string note_;
  Clock::time_point start_ = Clock::now();
  double shown_ = -1;  // seconds after the start
  // Where the speed is measured from: a few seconds ago, because solves grow longer as training goes on.
  double mark_time_ = 0, speed_ = 0;
  long mark_iteration_ = -1;
};

}  // namespace riemflow::app
