#pragma once
// A mixture of von Mises–Fisher distributions as a fitted density: on the sphere of any radius R = 1/√K, in
// double precision, over all threads.
//   p_R(x) = p(x/R)/R^d

#include "riemflow/distribution/von_mises_fisher_mixture.hpp"
#include "riemflow/manifold/space.hpp"
#include "riemflow/model/density.hpp"

namespace riemflow {

/// Whether there is such a mixture on it.
bool is_one_sphere(const Manifold<double>& manifold);
/// Throws Error(Fault::configuration) unless the manifold of that name is one sphere.
void require_sphere(const Manifold<double>& manifold);

class MixtureDensity final : public Density {
 public:
  /// Error unless the manifold is a sphere S^d with means in R^{d+1}, and as VonMisesFisherMixture says.
  /// threads: 0 means one for each core.
  MixtureDensity(const Space& manifold, MixtureParameters parameters, int threads = 0);

  const VonMisesFisherMixture<double>& mixture() const { return mixture_; }

  Mass mass(const MassOptions& options) const override;
  void add_parts(double weight, std::vector<DensityPart>& parts) const override {
    parts.push_back({weight, this});
  }

 private:
  /// No solve is made, none fails, and there are no base points.
  LogProb<double> evaluate(const Points<double>& points, const NoiseKey& key) const override;
  LogProbGradient evaluate_gradient(const Points<double>& points) const override;
  /// The same bits in pieces of any size.
  Carried<double> draw(std::size_t n, std::uint64_t seed, std::uint64_t first) const override;

  VonMisesFisherMixture<double> mixture_;
  double radius_;
};

}  // namespace riemflow
