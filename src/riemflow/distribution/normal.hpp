#pragma once
// The standard normal distribution of R^d:
//   log p(x) = −|x|²/2 − d/2·log 2π,    entropy d/2·log 2πe.

#include "riemflow/distribution/differentiable.hpp"

namespace riemflow {

template <class T>
class StandardNormal final : public DifferentiableDensity<StandardNormal<T>, T> {
 public:
  /// d ≥ 1, else Error.
  explicit StandardNormal(int d);

  template <class N>
  N log_density_of(const N* x) const {
    return N(log_peak_) - N(0.5) * dot(d_, x, x);
  }

  std::string name() const override;
  int ambient() const override { return d_; }
  void sample(Random& random, Pack<T>* x, int lane) const override;
  std::optional<double> entropy() const override;

 private:
  int d_;
  double log_peak_;  // −d/2·log 2π
};

extern template class DifferentiableDensity<StandardNormal<float>, float>;
extern template class DifferentiableDensity<StandardNormal<double>, double>;
extern template class StandardNormal<float>;
extern template class StandardNormal<double>;

}  // namespace riemflow
