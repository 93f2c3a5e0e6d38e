#pragma once
// A kernel density as a fitted density: in double precision whatever T, over all threads.

#include <memory>

#include "riemflow/flow/density.hpp"
#include "riemflow/kernel/kernel_density.hpp"

namespace riemflow {

template <class T>
class KernelModel final : public Density<T> {
 public:
  /// Error as KernelDensity. threads: 0 means one for each core.
  KernelModel(const std::string& manifold, KernelParameters parameters, int threads = 0);

  const Manifold<T>& manifold() const override { return *manifold_; }
  int threads() const override { return pool_.size(); }
  const KernelDensity& kernels() const { return density_; }

  using Density<T>::log_prob;
  using Density<T>::sample;
  /// No solve is made, none fails, and there are no base points.
  LogProb<T> log_prob(const Points<T>& points, const NoiseKey& key) override;
  /// The same bits in pieces of any size.
  Carried<T> sample(std::size_t n, std::uint64_t seed, std::uint64_t first) override;

 private:
  std::shared_ptr<const Manifold<T>> manifold_;
  KernelDensity density_;
  ThreadPool pool_;
};

extern template class KernelModel<float>;
extern template class KernelModel<double>;

}  // namespace riemflow
