#pragma once
// A mixture of densities of one manifold, p = Σ_k w_k p_k:
//   log p = m + log Σ_k exp(l_k − m),   l_k = log w_k + log p_k,  m = max l_k
//   ∇ log p = Σ_k r_k ∇ log p_k,        r_k = exp(l_k − log p), the share of component k.

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "riemflow/core/error.hpp"
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
  explicit MixtureDistribution(std::vector<Component> components) : components_(std::move(components)) {
    require(!components_.empty(), "mixture without components", "pass at least one");
    double sum = 0;
    for (const Component& component : components_) {
      require(component.density != nullptr, "mixture with a null component", "pass one density a weight");
      require(component.weight > 0 && std::isfinite(component.weight),
              fmt::format("mixture weight {}", component.weight),
              "use weights above 0; leave out what has none");
      require(component.density->ambient() == ambient(),
              fmt::format("mixture of {} ({} numbers per point) and {} ({})", components_[0].density->name(),
                          ambient(), component.density->name(), component.density->ambient()),
              "use densities of one manifold");
      sum += component.weight;
    }
    for (Component& component : components_) component.weight /= sum;
  }

  std::string name() const override {
    std::string joined;
    for (const auto& [weight, density] : components_)
      joined += fmt::format("{}{}*{}", joined.empty() ? "" : " + ", weight, density->name());
    return joined;
  }
  int ambient() const override { return components_.front().density->ambient(); }
  /// −∞ where all components have it; the gradient is NaN there. A component whose share is 0 adds nothing,
  /// whatever its gradient.
  Pack<T> log_density(const Pack<T>* x) const override {
    std::vector<Pack<T>> l;
    for (const auto& [weight, density] : components_)
      l.push_back(Pack<T>(std::log(weight)) + density->log_density(x));
    return log_sum_exp(l);
  }
  Pack<T> log_density_gradient(const Pack<T>* x, Pack<T>* gradient) const override {
    const auto n = static_cast<std::size_t>(ambient());
    std::vector<Pack<T>> l, gradients(n * components_.size());
    for (const auto& [weight, density] : components_)
      l.push_back(Pack<T>(std::log(weight)) + density->log_density_gradient(x, &gradients[n * l.size()]));
    const Pack<T> log_p = log_sum_exp(l);

    for (std::size_t i = 0; i < n; ++i) gradient[i] = 0;
    for (std::size_t k = 0; k < l.size(); ++k) {
      const Pack<T> share = exp(l[k] - log_p);
      // share itself, 0 or NaN, where it is not positive.
      for (std::size_t i = 0; i < n; ++i)
        gradient[i] += select(Pack<T>(0) < share, share * gradients[n * k + i], share);
    }
    return log_p;
  }
  void sample(Random& random, Pack<T>* x, int lane) const override {
    double u = random.uniform();
    std::size_t k = 0;
    while (k + 1 < components_.size() && u >= components_[k].weight) u -= components_[k++].weight;
    components_[k].density->sample(random, x, lane);
  }
  const std::vector<Component>& components() const { return components_; }

 private:
  /// m + log Σ_k exp(l_k − m); m is 0 where all l_k are −∞. NaN if one of them is: max alone would lose it.
  static Pack<T> log_sum_exp(const std::vector<Pack<T>>& l) {
    const Pack<T> nowhere(-std::numeric_limits<T>::infinity());
    Pack<T> m = l[0];
    for (const Pack<T>& l_k : l) m = max(m, l_k);
    m = select(nowhere < m, m, Pack<T>(0));
    Pack<T> sum(0);
    for (const Pack<T>& l_k : l) sum += exp(l_k - m);
    return m + log(sum);
  }

  std::vector<Component> components_;
};

}  // namespace riemflow
