#pragma once
// A mixture of normals on a manifold, fitted by EM:
//
//   p(x) = (1 − ε) Σ_m w_m K(x; μ_m, Σ_m) + ε p₀(x)
//
// with the elliptic kernels of kernels.hpp: full covariances, block by block on a product. What it makes is
// a kernel density (KernelParameters) of a few kernels, with its exact mass, samples and gradients. Kernels
// on the data know fine structure and err everywhere a little; a few dozen normals know smooth shapes from
// far fewer numbers, and the two err in different places.
//
// The step to means and covariances is that of the logarithms y of the points in the tangent space at μ:
//   μ ← exp_μ(Σ r y / Σ r),   Σ_f ← (Σ r y_f y_fᵀ + d σ_f² I)/(Σ r + d),  σ_f² = mean variance of the
//   factor,
// with y about the new μ and shares r of the points. That is EM on R^d and, but for what d imagined round
// points of each normal's own size add, which keep a normal of few points from collapsing; elsewhere it is
// EM up to the curvature over a normal's width. Whether a step has helped is known from the exact density.
//
// Of points of a covered manifold (manifold/covering.hpp), one lift of each, a normal stands for all its
// images under the symmetries of the lifts: the shares of a point are those of all its lifts and all normals
// together. The kernels that come out are all images, so that p is as symmetric as the lifts are.

#include <cstdint>
#include <vector>

#include "riemflow/kernel/elliptic_terms.hpp"
#include "riemflow/kernel/kernel_data.hpp"
#include "riemflow/manifold/covering.hpp"

namespace riemflow {

class NormalMixture {
 public:
  /// Starts with round normals on `components` of the points of `data`, which it must outlive: far from each
  /// other, drawn by the squares of distances (stream `seed`). No more than there are points; one at least.
  /// covering: of which the points are lifts, where a point has several.
  NormalMixture(const KernelData& data, int components, std::uint64_t seed, Executor* executor = nullptr,
                std::shared_ptr<const Covering> covering = nullptr);

  /// One step of EM. Mean log p of the points by their weights, before it. Same bits for any number of
  /// threads.
  double step();

  /// Of sheets·components kernels.
  KernelParameters parameters() const;

 private:
  struct Normal {
    double weight = 0;
    std::vector<double> at, embedded;     ///< μ
    std::vector<TangentMatrix> frames;    ///< E at μ, a factor: ambient × d
    std::vector<Eigen::MatrixXd> spread;  ///< Σ, a factor: d × d in the frame
  };
  struct Share;
  struct Piece;
  void move_to(Normal& normal, std::vector<double> at) const;
  KernelParameters own_parameters() const;
  void see(const Normal& normal, std::size_t lift, double* scratch, double* y) const;
  void share_out(std::vector<Piece>& pieces) const;
  std::vector<double> sums_of(const std::vector<Piece>& pieces) const;
  void move(const std::vector<Piece>& pieces);
  Eigen::MatrixXd step_along(Normal& normal, const Eigen::VectorXd& step) const;
  void give_spread(Normal& normal, double count, const Eigen::MatrixXd& sum) const;

  const KernelData& data_;
  Executor* executor_;
  const KernelSpace& space_;
  std::size_t d_, width_;
  std::shared_ptr<const Covering> covering_;
  std::size_t sheets_ = 1;
  Points<double> lifts_;          // of each point, one after the other
  std::vector<double> embedded_;  // [lift][width]
  std::vector<double> log_wide_;  // log p₀ of each point
  std::vector<Normal> normals_;
  double wide_, least_variance_ = 0;
};

}  // namespace riemflow
