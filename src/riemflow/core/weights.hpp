#pragma once
// Weights of points: one a point, ≥ 0 and not all 0, used in proportion alone; empty: all alike. What is
// computed with weights that are all 1 has the bits of what is computed with none.

#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace riemflow {

using Weights = std::vector<double>;

/// Of what a model learns from, and of what chooses it.
struct SplitWeights {
  Weights training, validation;
};

/// Whether it can be one.
inline bool is_weight(double w) { return std::isfinite(w) && w >= 0; }

/// Of point i.
inline double weight_of(const Weights& weights, std::size_t i) { return weights.empty() ? 1 : weights[i]; }

/// Of all n points.
inline double total_weight(const Weights& weights, std::size_t n) {
  return weights.empty() ? static_cast<double>(n) : std::accumulate(weights.begin(), weights.end(), 0.0);
}

/// Σ w v/Σ w
inline double weighted_mean(std::span<const double> values, const Weights& weights) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += weight_of(weights, i) * values[i];
  return sum / total_weight(weights, values.size());
}

/// Of the mean m = Σ w x/Σ w of independent values x of one variance, from S = Σ w²(x − m)²:
///   error² = S/(c Σ w²),   c = N + 1 − 2 Σ w Σ w³/(Σ w²)²,   N = (Σ w)²/Σ w²,
/// whose expectation is the variance of m. Of n equal weights c is n − 1, without rounding where they are 1.
class WeightSums {
 public:
  void add(double w) {
    ones_ += w;
    squares_ += w * w;
    cubes_ += w * w * w;
  }
  double total() const { return ones_; }
  double squares() const { return squares_; }
  /// N, what the values count for together: n of equal weights.
  double effective() const { return ones_ * ones_ / squares_; }
  /// N/c, which makes error² of Σ (w/Σ w)²(x − m)²: n/(n − 1) of equal weights.
  double correction() const { return effective() / c(); }
  double standard_error(double S) const { return std::sqrt(S / c() / squares_); }

 private:
  double c() const { return effective() + 1 - 2 * (ones_ / squares_) * (cubes_ / squares_); }

  double ones_ = 0, squares_ = 0, cubes_ = 0;
};

}  // namespace riemflow
