#pragma once
// Mean and standard error of numbers as they come, each with a weight (core/weights.hpp has the formulas).

#include <cmath>
#include <cstdint>
#include <limits>

#include "riemflow/core/weights.hpp"

namespace riemflow {

/// Mean and variance by Welford's recurrence: no large sums that cancel. The log-density of a point without
/// density is −∞, and so is then the mean.
class RunningMean {
 public:
  /// weight: > 0.
  void add(double value, double weight = 1) {
    ++n_;
    if (std::isinf(value)) ++infinite_;
    if (infinite_ > 0) return;
    const double square = weight * weight;
    weights_.add(weight);
    mean_ += weight * (value - mean_) / weights_.total();
    const double from_centre = value - centre_;
    centre_ += square * from_centre / weights_.squares();
    squares_ += square * from_centre * (value - centre_);
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
    const double off = centre_ - mean_;
    return n_ > 1 && infinite_ == 0 ? weights_.standard_error(squares_ + weights_.squares() * off * off)
                                    : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  std::uint64_t n_ = 0, infinite_ = 0;
  WeightSums weights_;
  double mean_ = 0;
  double centre_ = 0, squares_ = 0;  // the mean by weights w², and Σ w²(x − centre)²
};

}  // namespace riemflow
