#pragma once
// A mixture of densities of one manifold, p = Σ_k w_k p_k:
//   log p = m + log Σ_k exp(l_k − m),   l_k = log w_k + log p_k,  m = max l_k
//   ∇ log p = Σ_k r_k ∇ log p_k,        r_k = exp(l_k − log p), the share of component k.

#include <memory>
#include <vector>

#include "riemflow/distribution/distribution.hpp"

namespace riemflow {

template <class T>
class MixtureDistribution final : public Distribution<T> {
 public:
  struct Component {
    double weight;
    std::shared_ptr<const Distribution<T>> density;
  };

  /// Weights > 0 of any sum, divided by it here; densities of the same manifold (as many numbers a point). At
  /// least one. Error otherwise.
  explicit MixtureDistribution(std::vector<Component> components);

  std::string name() const override;
  int ambient() const override { return components_.front().density->ambient(); }
  /// −∞ where all components have it; the gradient is NaN there. A component whose share is 0 adds nothing,
  /// whatever its gradient.
  Pack<T> log_density(const Pack<T>* x) const override;
  Pack<T> log_density_gradient(const Pack<T>* x, Pack<T>* gradient) const override;
  void sample(Random& random, Pack<T>* x, int lane) const override;
  const std::vector<Component>& components() const { return components_; }

 private:
  std::vector<Component> components_;
};

extern template class MixtureDistribution<float>;
extern template class MixtureDistribution<double>;

}  // namespace riemflow
