#pragma once
// How a solve ended. A numerical failure is a value, never an exception and never a made-up answer.

#include <string_view>

namespace riemflow {

enum class Status {
  ok,
  too_many_evaluations,
  step_underflow,
  non_finite,
  outside_domain,
  off_chart,
  unresolved
};

/// What happened and what to try.
std::string_view explain(Status status);

/// What a solve cost.
struct SolveReport {
  Status status = Status::ok;
  int evaluations = 0;
  int accepted = 0;
  int rejected = 0;
  double first_step = 0;  ///< what the first step could have been: a good start for a solve like this one
};

}  // namespace riemflow
