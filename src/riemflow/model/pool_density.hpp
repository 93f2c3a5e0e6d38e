#pragma once
// A pool: a mixture of fitted densities on one manifold,
//   p(x) = Σ_m w_m p_m(x),  w_m > 0, Σ w_m = 1,
// a density with everything that its members have: exact likelihood, draws, mass. Members that err in
// different places are better together than the best of them.

#include <memory>
#include <vector>

#include "riemflow/flow/transport.hpp"

namespace riemflow {

template <class T>
class PoolDensity final : public Density<T> {
 public:
  /// At least one member, all on one manifold; a weight each, > 0, of sum 1 ± 1e-9. Error otherwise.
  PoolDensity(std::vector<std::unique_ptr<Density<T>>> members, std::vector<double> weights);

  const Manifold<T>& manifold() const override { return members_.front()->manifold(); }
  int threads() const override { return members_.front()->threads(); }
  bool exact() const override;

  std::size_t size() const { return members_.size(); }
  Density<T>& member(std::size_t m) { return *members_[m]; }
  double weight(std::size_t m) const { return weights_[m]; }
  /// Of the members that solve differential equations.
  void set_tolerance(double rtol, double atol);

  using Density<T>::log_prob;
  using Density<T>::sample;
  /// log Σ_m exp(log w_m + log p_m(x)), in double. A point that fails in one member has failed: what that
  /// member holds there is not known. No base points. The summary adds up the members' solves.
  LogProb<T> log_prob(const Points<T>& points, const NoiseKey& key) override;
  /// Draw i is the i-th draw of the member that a stream named by i chooses. Each member draws the whole
  /// piece, so that pieces fit together as its own do.
  Carried<T> sample(std::size_t n, std::uint64_t seed, std::uint64_t first) override;

 private:
  std::vector<std::unique_ptr<Density<T>>> members_;
  std::vector<double> weights_;
};

extern template class PoolDensity<float>;
extern template class PoolDensity<double>;

}  // namespace riemflow
