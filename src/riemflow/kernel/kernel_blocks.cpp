#include "riemflow/kernel/kernel_blocks.hpp"

#include <algorithm>
#include <cmath>

namespace riemflow {

KernelBlocks::KernelBlocks(const Kernels& kernels, std::span<const std::uint32_t> order,
                           std::span<const double> log_weights, double log_share)
    : factors_(kernels.factors()) {
  rows_ = 2;
  for (simd::DensityFactor& factor : factors_) {
    factor.row = rows_;
    rows_ += factor.rows();
    scratch_ = std::max(scratch_, factor.ambient * simd::kBlock);
  }
  const auto rows = static_cast<std::size_t>(rows_);
  numbers_.resize(whole(order.size()) * rows);
  std::vector<double> column(rows);
  for (std::size_t j = 0; j < whole(order.size()); ++j) {
    if (j < order.size()) {
      const std::size_t i = order[j];
      kernels.numbers(i, column.data() + 2);
      column[0] = log_weights[i] + kernels.log_constant(i);
      column[1] = std::isfinite(log_weights[i]) ? log_share + kernels.log_bound(i) : -INFINITY;
    } else {
      column[0] = column[1] = -INFINITY;
    }
    double* to = &numbers_[j / kBlock * kBlock * rows + j % kBlock];
    for (std::size_t r = 0; r < rows; ++r) to[r * kBlock] = column[r];
  }
}

void KernelBlocks::log_values(const KernelQuery& query, std::size_t begin, std::size_t end, double log_floor,
                              double* out) const {
  static const simd::Densities& densities = simd::densities();
  alignas(64) double few[8 * kBlock];
  static thread_local AlignedVector<double> many;
  double* scratch = few;
  if (static_cast<std::size_t>(scratch_) > std::size(few)) {
    many.resize(std::max(many.size(), static_cast<std::size_t>(scratch_)));
    scratch = many.data();
  }
  const simd::DensityLayout layout{factors_.data(), static_cast<int>(factors_.size()), rows_, scratch_};
  densities.log_values(layout, &numbers_[begin * static_cast<std::size_t>(rows_)],
                       whole(end - begin) / kBlock, query.x, query.embedded, log_floor, scratch, out);
}

}  // namespace riemflow
