#pragma once
// A mixture of von Mises–Fisher distributions as a fitted density: on the sphere of any radius R = 1/√K, in
// double precision whatever T, over all threads.
//   p_R(x) = p(x/R)/R^d

#include <memory>

#include "riemflow/distribution/von_mises_fisher_mixture.hpp"
#include "riemflow/flow/density.hpp"

namespace riemflow {

/// Whether there is such a mixture on it.
bool is_one_sphere(const Manifold<double>& manifold);
/// Throws Error(Fault::configuration) unless the manifold of that name is one sphere.
void require_sphere(const std::string& manifold);

template <class T>
class MixtureDensity final : public Density<T> {
 public:
  /// Error unless the manifold is a sphere S^d with means in R^{d+1}, and as VonMisesFisherMixture says.
  /// threads: 0 means one for each core.
  MixtureDensity(const std::string& manifold, MixtureParameters parameters, int threads = 0);

  const Manifold<T>& manifold() const override { return *manifold_; }
  int threads() const override { return pool_.size(); }
  const VonMisesFisherMixture<double>& mixture() const { return mixture_; }

  using Density<T>::log_prob;
  using Density<T>::sample;
  /// No solve is made, none fails, and there are no base points.
  LogProb<T> log_prob(const Points<T>& points, const NoiseKey& key) override;
  /// The same bits in pieces of any size.
  Carried<T> sample(std::size_t n, std::uint64_t seed, std::uint64_t first) override;

 private:
  std::shared_ptr<const Manifold<T>> manifold_;
  VonMisesFisherMixture<double> mixture_;
  double radius_;
  ThreadPool pool_;
};

extern template class MixtureDensity<float>;
extern template class MixtureDensity<double>;

}  // namespace riemflow
