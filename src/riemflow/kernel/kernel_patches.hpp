#pragma once
// Learned kernels (learned_kernels.hpp) of many points. What a network learns from are patches: small parts
// of the data as dense as they are, of which some points are held out and scored by the kernels on the
// others. A step takes a few patches, so that it costs the same whatever the number of points; a sample of
// the points, thinner than all of them, would teach widths that are right for so many. Of the kernels that
// are kept, neighbours are looked up leaf by leaf and forgotten again.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "riemflow/kernel/kernel_data.hpp"
#include "riemflow/kernel/kernel_lesson.hpp"

namespace riemflow {

class KernelPatches {
  struct Patch;

 public:
  struct Options {
    std::size_t patches = 1024;
    std::uint64_t seed = 0;
    /// Of each centre; centres of one group are held out together. None: each is one.
    std::span<const std::size_t> groups = {};
    /// Now and then, from any thread; may throw to give up.
    std::function<void()> ask = [] {};
    /// Kernels of less of their centre's weight are left out. They are four of five, and worth 0.0003 nats.
    double least_weight = 0.05;
  };
  /// data: centres and their tree, which it must outlive; kFewest at least.
  KernelPatches(const KernelData& data, const Options& options, Executor* executor = nullptr);
  ~KernelPatches();
  static constexpr std::size_t kFewest = 1000;

  std::size_t size() const { return patches_.size(); }

  /// Points that are no centres, scored by all of them, by a sample of so many where there are more.
  class Validation {
   public:
    Validation(const KernelPatches& patches, const Points<double>& points, const Weights& weights);
    ~Validation();
    /// Mean −log p, by the weights.
    double nll(const KernelNetwork& network) const;

   private:
    const KernelPatches& patches_;
    std::vector<std::unique_ptr<const Patch>> lessons_;
    std::vector<double> weights_;  ///< of all points of each
  };

  /// Mean −log p of the points held out in `count` patches, which stream `step` of `seed` chooses. gradient
  /// (as network.parameters()) =.
  double loss(const KernelNetwork& network, std::size_t count, std::uint64_t seed, std::uint64_t step,
              std::span<double> gradient) const;

  /// Of the centres whose share is above 0, with that much of their weight; unless given, of all.
  KernelParameters parameters(const KernelNetwork& network,
                              const std::function<double(std::size_t centre)>& share = nullptr) const;

 private:
  class Reader;
  class Assembled;

  const KernelData& data_;
  const KernelSpace& space_;
  Executor* executor_;
  std::function<void()> ask_;
  double least_weight_;
  Looker looker_;
  KernelTeacher teacher_;
  std::size_t d_, D_, width_;
  std::shared_ptr<const Distribution<double>> wide_;
  double mean_log_unit_ = 0;  ///< of all centres, by the sample
  std::unique_ptr<const Patch> sample_;
  std::vector<std::unique_ptr<const Patch>> patches_;
};

}  // namespace riemflow
