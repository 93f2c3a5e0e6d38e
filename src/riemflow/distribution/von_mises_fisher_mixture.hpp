#pragma once
// A mixture of von Mises–Fisher distributions on the unit sphere S^d ⊂ R^{d+1}, d ≥ 1:
//   p(x) = Σ_k w_k C_d(κ_k) exp(κ_k⟨μ_k, x⟩),   computed as   Σ_k exp(log w_k + log C + κ_k − κ_k|x −
//   μ_k|²/2)
// (distribution/von_mises_fisher.hpp says why), by the logarithm of a sum shifted by its largest exponent.

#include <vector>

#include "riemflow/distribution/distribution.hpp"
#include "riemflow/distribution/mixture_sums.hpp"
#include "riemflow/distribution/von_mises_fisher.hpp"

namespace riemflow {

template <class T>
class VonMisesFisherMixture final : public Distribution<T> {
 public:
  /// One component or more. Means of any positive length are normalised, weights ≥ 0 of any positive sum
  /// too; 0 ≤ κ < ∞. Error otherwise.
  explicit VonMisesFisherMixture(MixtureParameters parameters);

  std::string name() const override;
  int ambient() const override { return parameters_.means.dimension; }
  Pack<T> log_density(const Pack<T>* x) const override { return evaluate(x, nullptr); }
  /// gradient = Σ_k r_k κ_k (μ_k − x), r_k the share of component k in p(x).
  Pack<T> log_density_gradient(const Pack<T>* x, Pack<T>* gradient) const override {
    return evaluate(x, gradient);
  }
  void sample(Random& random, Pack<T>* x, int lane) const override;

  /// log p a point in nats, in double whatever T; Error where the points have another dimension. The same
  /// bits with or without an executor.
  std::vector<double> log_prob(const Points<double>& points, Executor* executor = nullptr) const;
  /// As normalised.
  const MixtureParameters& parameters() const { return parameters_; }

 private:
  Pack<T> evaluate(const Pack<T>* x, Pack<T>* gradient) const;

  MixtureParameters parameters_;
  std::vector<VonMisesFisher<T>> components_;
  std::vector<double> log_weights_;
  std::vector<double> cumulative_;  // Σ_{j ≤ k} w_j
};

extern template class VonMisesFisherMixture<float>;
extern template class VonMisesFisherMixture<double>;

}  // namespace riemflow
