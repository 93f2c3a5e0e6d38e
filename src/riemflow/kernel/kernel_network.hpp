#pragma once
// The network of learned kernels (learned_kernels.hpp): from what a centre's neighbourhood looks like to
// numbers that say which kernels stand there,
//   out = W₃ silu(W₂ silu(W₁ features + b₁) + b₂) + b₃,
// row by row, in double. Its parameters are one vector: W₁, b₁, W₂, b₂, W₃, b₃, then what goes with no row.

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

namespace riemflow {

class KernelNetwork {
 public:
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  struct Sizes {
    int features = 0, width = 32, outputs = 0;
    int extra = 0;  ///< numbers that go with no row

    bool operator==(const Sizes&) const = default;
  };

  /// Random W₁ and W₂, all else 0: whatever the features, the outputs are 0.
  KernelNetwork(const Sizes& sizes, std::uint64_t seed);

  const Sizes& sizes() const { return sizes_; }
  std::vector<double>& parameters() { return parameters_; }
  const std::vector<double>& parameters() const { return parameters_; }
  std::span<double> extra() { return std::span(parameters_).last(static_cast<std::size_t>(sizes_.extra)); }
  std::span<const double> extra() const {
    return std::span(parameters_).last(static_cast<std::size_t>(sizes_.extra));
  }

  /// What the way back needs of the way there.
  struct Pass {
    Rows features, before1, before2, out;  ///< arguments of the silus
  };
  /// out of `features` [rows, sizes().features].
  Pass forward(Rows features) const;
  /// gradient (as parameters(), but for `extra`) += that of Σ slopes · out.
  void backward(const Pass& pass, const Rows& slopes, std::span<double> gradient) const;

 private:
  Sizes sizes_;
  std::vector<double> parameters_;
};

}  // namespace riemflow
