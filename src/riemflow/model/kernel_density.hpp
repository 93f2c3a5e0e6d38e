#pragma once
// A kernel density as a fitted density: in double precision, over all threads.

#include "riemflow/kernel/kernel_mixture.hpp"
#include "riemflow/manifold/space.hpp"
#include "riemflow/model/density.hpp"

namespace riemflow {

class KernelDensity final : public Density {
 public:
  /// The kernels are in standardised coordinates. threads: 0 means one for each core.
  explicit KernelDensity(std::shared_ptr<const KernelMixture> kernels, int threads = 0,
                         Standardisation standardisation = {});
  /// Error as KernelMixture.
  KernelDensity(const Space& manifold, KernelParameters parameters, int threads = 0);

  const KernelMixture& kernels() const { return *kernels_; }
  /// Whether the kernels stand in coordinates of their own.
  bool standardised() const { return !standardisation().identity(); }

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

  std::shared_ptr<const KernelMixture> kernels_;
};

}  // namespace riemflow
