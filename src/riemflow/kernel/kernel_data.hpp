#pragma once
// Points as centres of kernels, with what every choice of bandwidths needs of them, computed once: a tree,
// the nearest neighbours of each, and the covariances of those.

#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "riemflow/core/enum_names.hpp"
#include "riemflow/core/weights.hpp"
#include "riemflow/kernel/kernel_mixture.hpp"

namespace riemflow {

enum class KernelShape {
  one,         ///< one bandwidth for all
  local,       ///< h_i ∝ r_i^α, r_i the distance to the k-th neighbour
  anisotropic  ///< and shaped by the covariance of the neighbours
};
constexpr auto names_of(KernelShape) {
  return std::to_array<std::string_view>({"one", "local", "anisotropic"});
}

/// How bandwidths and shapes come from the points:
///   h_i = scale·(r_i/r̄)^α,  r̄ the geometric mean of the r_i, so that `scale` is that of the h_i;
///   S_i ∝ (1 − λ) C_i/(tr C_i/d) + λ I with det S_i = 1, C_i the covariance of the nearest neighbours about
///   the point itself, block by block on a product.
struct KernelRecipe {
  KernelShape shape = KernelShape::one;
  double scale = 1;          ///< a length
  int neighbours = 1;        ///< k
  double adaptivity = 0;     ///< α
  int shape_neighbours = 1;  ///< of C_i
  double shrinkage = 1;      ///< λ, in (0, 1]
  double wide = 0.01;        ///< ε
};

class KernelData {
 public:
  /// Points nearer to each other than 1e-9 of the extent of all are one centre, of their weights together.
  /// The neighbours of `most_neighbours` are kept; these are counted, whatever their weights, as equal points
  /// count once. ask(): now and then while they are looked for, from any thread; may throw to give up.
  KernelData(std::shared_ptr<const Manifold<double>> manifold, const Points<double>& points,
             int most_neighbours, Executor* executor = nullptr, const std::function<void()>& ask = {},
             const Weights& weights = {});

  std::size_t size() const { return centres_.size(); }
  const std::shared_ptr<const Manifold<double>>& manifold() const { return space_->shared_manifold(); }
  const Points<double>& centres() const { return centres_; }
  /// Of sum 1.
  const Weights& weights() const { return weights_; }
  /// A point that each centre stands for.
  const std::vector<std::uint32_t>& origins() const { return origins_; }
  /// Largest number of neighbours that there is: most_neighbours, or all others.
  int most_neighbours() const { return static_cast<int>(kept_); }
  const std::shared_ptr<const KernelSpace>& space() const { return space_; }
  /// Over the centres.
  const MetricTree& tree() const { return *tree_; }
  /// The k-th neighbour of centre i, k from 1 to most_neighbours(): its number, and how far it is.
  std::size_t neighbour(std::size_t i, int k) const {
    return neighbours_[i * kept_ + static_cast<std::size_t>(k) - 1];
  }
  double distance(std::size_t i, int k) const {
    return distances_[i * kept_ + static_cast<std::size_t>(k) - 1];
  }
  /// Geometric mean of the distances to the k-th neighbours; 1 where nobody has one.
  double mean_distance(int k) const;

  KernelParameters parameters(const KernelRecipe& recipe);

 private:
  const std::vector<double>& covariances(int k);

  std::shared_ptr<const KernelSpace> space_;
  Points<double> centres_;
  Weights weights_;
  std::vector<std::uint32_t> origins_;
  std::shared_ptr<const MetricTree> tree_;
  std::size_t kept_ = 0;
  std::vector<double> distances_;                   // to the neighbours of each centre, the nearest first
  std::vector<std::uint32_t> neighbours_;           // their numbers
  std::map<int, std::vector<double>> covariances_;  // Σ_f d_f² numbers a centre, in the frames
};

}  // namespace riemflow
