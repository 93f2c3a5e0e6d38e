#pragma once
// Mean and standard error of numbers as they come.

#include <cmath>
#include <cstdint>
#include <limits>

namespace riemflow {

/// Mean and variance by Welford's recurrence: no large sums that cancel. The log-density of a point without
/// density is −∞, and so is then the mean.
class RunningMean {
 public:
  void add(double value) {
    ++n_;
    if (std::isinf(value)) ++infinite_;
    if (infinite_ > 0) return;
    const double from_mean = value - mean_;
    mean_ += from_mean / static_cast<double>(n_);
    squares_ += from_mean * (value - mean_);
  }
  std::uint64_t size() const { return n_; }
  /// NaN of nothing.
  double mean() const {
    if (infinite_ > 0) return -std::numeric_limits<double>::infinity();
    return n_ > 0 ? mean_ : std::numeric_limits<double>::quiet_NaN();
  }
  std::uint64_t infinite() const { return infinite_; }
  /// Of the mean; NaN of less than two values, and of an infinite mean.
  double standard_error() const {
    const auto n = static_cast<double>(n_);
    return n_ > 1 && infinite_ == 0 ? std::sqrt(squares_ / (n - 1) / n)
                                    : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  std::uint64_t n_ = 0, infinite_ = 0;
  double mean_ = 0, squares_ = 0;
};

}  // namespace riemflow
