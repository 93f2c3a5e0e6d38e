#pragma once
// Weighted kernels in the order of a tree, laid out so that those beside each other are computed at once
// (core/simd/densities.hpp). A leaf of the tree is a few whole blocks.

#include <cstdint>
#include <span>
#include <vector>

#include "riemflow/core/aligned.hpp"
#include "riemflow/core/simd/densities.hpp"
#include "riemflow/kernel/kernels.hpp"

namespace riemflow {

class KernelBlocks {
 public:
  static constexpr std::size_t kBlock = simd::kBlock;
  static constexpr std::size_t whole(std::size_t n) { return (n + kBlock - 1) / kBlock * kBlock; }

  /// Kernel order[j] is the j-th; the last block is filled up with kernels of weight 0. log_weights: one a
  /// kernel of `kernels`; log_share: log of what the weights add up to.
  KernelBlocks(const Kernels& kernels, std::span<const std::uint32_t> order,
               std::span<const double> log_weights, double log_share);

  /// out[j − begin] = log w_j K_j(x), begin ≤ j < whole(end), aligned to 64 bytes; begin: a multiple of
  /// kBlock. −∞ for some of those whose K_j(x), times what all weights add up to, is below e^log_floor.
  void log_values(const KernelQuery& query, std::size_t begin, std::size_t end, double log_floor,
                  double* out) const;

 private:
  std::vector<simd::DensityFactor> factors_;
  int rows_ = 0, scratch_ = 0;
  AlignedVector<double> numbers_;
};

}  // namespace riemflow
