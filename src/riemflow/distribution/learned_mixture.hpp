#pragma once
// A mixture of von Mises–Fisher distributions as a flow's base whose parameters are trained with the flow's:
//   log p(x) = log Σ_k w_k C_d(κ_k) exp(κ_k⟨μ_k, x⟩),   w = softmax(ℓ),   μ_k = m_k/|m_k|,   κ_k = exp(c_k),
// the parameters ℓ, m, c without constraints; κ stays within [kLeast, kMost], beyond which c has no effect.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "riemflow/core/parameters.hpp"
#include "riemflow/distribution/von_mises_fisher_mixture.hpp"

namespace riemflow {

/// base.logit [K], base.mean [K × ambient], base.log_concentration [K], behind what is there.
void add_mixture_blocks(ParameterLayout& layout, int components, int ambient);

template <class T>
class LearnedMixture final : public Distribution<T> {
 public:
  static constexpr double kLeast = 1e-3, kMost = 1e6;

  LearnedMixture(int components, int ambient);

  /// Means spread at random, equal weights, κ such that K of them cover the sphere about once.
  static std::vector<T> spread(int components, int ambient, std::uint64_t seed);
  /// The parameters of a mixture of as many components.
  static std::vector<T> parameters_of(const MixtureParameters& mixture);

  void set(std::span<const T> parameters);
  const MixtureParameters& mixture() const { return mixture_->parameters(); }

  /// bar += Σ_l weight_l ∂log p(x_l)/∂(ℓ, m, c):  ∂ℓ_k = r_k − w_k,  ∂m_k = r_k κ_k(x − ⟨x, μ_k⟩μ_k)/|m_k|,
  /// ∂c_k = r_k κ_k(E_k(1 − ⟨μ_k, y⟩) − |x − μ_k|²/2), r_k the share of component k in p(x).
  void add_gradient(const Pack<T>* x, const Pack<T>& weight, T* bar) const;

  std::string name() const override { return mixture_->name(); }
  int ambient() const override { return ambient_; }
  Pack<T> log_density(const Pack<T>* x) const override { return mixture_->log_density(x); }
  Pack<T> log_density_gradient(const Pack<T>* x, Pack<T>* gradient) const override {
    return mixture_->log_density_gradient(x, gradient);
  }
  void sample(Random& random, Pack<T>* x, int lane) const override { mixture_->sample(random, x, lane); }

 private:
  int components_, ambient_;
  std::vector<T> parameters_;  // those that are set
  std::unique_ptr<const VonMisesFisherMixture<T>> mixture_;
  std::vector<double> peak_, drop_, length_;  // log w + log C + κ, 1 − A_d(κ), |m|
};

}  // namespace riemflow
