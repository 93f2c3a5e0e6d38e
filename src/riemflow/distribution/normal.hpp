#pragma once
// The standard normal distribution of R^d:
//   log p(x) = −|x|²/2 − d/2·log 2π,    entropy d/2·log 2πe.

#include <cmath>
#include <numbers>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/differentiable.hpp"

namespace riemflow {

template <class T>
class StandardNormal final : public DifferentiableDensity<StandardNormal<T>, T> {
 public:
  /// d ≥ 1, else Error.
  explicit StandardNormal(int d) : d_(d), log_peak_(-0.5 * d * std::log(2 * std::numbers::pi)) {
    require(d >= 1, "normal distribution of dimension " + std::to_string(d), "use a dimension of 1 or more");
  }

  template <class N>
  N log_density_of(const N* x) const {
    return N(log_peak_) - N(0.5) * dot(d_, x, x);
  }

  std::string name() const override { return "normal:" + std::to_string(d_); }
  int ambient() const override { return d_; }
  void sample(Random& random, Pack<T>* x, int lane) const override {
    for (int i = 0; i < d_; ++i) x[i][lane] = static_cast<T>(random.normal());
  }
  std::optional<double> entropy() const override { return 0.5 * d_ - log_peak_; }

 private:
  int d_;
  double log_peak_;  // −d/2·log 2π
};

}  // namespace riemflow
