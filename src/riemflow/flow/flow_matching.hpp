#pragma once
// Riemannian flow matching (Chen & Lipman 2024): the field is regressed on the velocities of geodesics from
// draws x₀ of the base to data points x₁,
//   x_t = exp_{x₀}(t·log_{x₀}(x₁)),   loss E‖f(x_t, t) − ẋ_t‖²_g,   t uniform in (0, 1),
// whose minimiser carries the base to the data. No solve, no divergence.
//
// The target may be any velocity whose mean, given x_t, is that of ẋ_t: the minimiser is the same. On a
// sphere with the uniform base the mean over all data points that x₁ may be is known in closed form,
//   E(ẋ_t | x_t) = Σ_i v_i w_i ẋ_i / Σ_i v_i w_i   (Kernels::path_sums; v_i: the weights of the points),
// and takes out most of the noise: at batches of 256 it is worth more than eight times as many points.
//
// Where geodesics are dear another path from x₀ to x₁ does (Manifold::path): what the minimiser carries the
// base to is the same.
//
// Where x₁ is antipodal to x₀ the shortest path is one of many, log's choice; where they coincide it stands
// still.

#include <span>

#include "riemflow/core/points.hpp"
#include "riemflow/core/weights.hpp"
#include "riemflow/distribution/distribution.hpp"
#include "riemflow/flow/field/value_pass.hpp"
#include "riemflow/flow/tile_flow.hpp"

namespace riemflow {

/// The data points of a batch's group, laid out for path_sums; shared by threads.
template <class T>
class PathEnds {
 public:
  /// Empty where the mean velocity has no closed form.
  PathEnds(const Manifold<T>& manifold, bool uniform_base, const Points<T>& data,
           const Weights& weights = {});

  bool empty() const { return n_ == 0; }
  /// [ambient][size] unit vectors, those behind the last point too far away to count.
  std::span<const T> values() const { return ends_; }
  int size() const { return n_; }
  T radius() const { return radius_; }
  /// velocity = E(ẋ_t | x_t = x) of lane `lane` of x; unchanged where no path comes by.
  void mean_velocity(const Pack<T>* x, T t, int lane, Pack<T>* velocity) const;

 private:
  int ambient_ = 0, n_ = 0;  // n: points, rounded up to tiles
  T radius_ = 1;
  AlignedVector<T> ends_;    // [ambient][n] of length 1, then some too far away to count
  AlignedVector<T> shares_;  // [n], the largest 1; empty: all are
};

/// Where paths to data points are at times drawn at random, and how they move there; by one thread.
template <class T>
class PathDraws {
 public:
  /// given: coordinates that stand still (FieldConfig::given).
  PathDraws(const Manifold<T>& manifold, const Distribution<T>& base, int given);

  /// x, velocity: [ambient]. Point i of the data, counted from 0, has draws of its own, and its time in
  /// (i, i + 1)/n: stratified over the data. Lanes behind the last point are as that.
  void tile(const Points<T>& data, std::size_t number, const NoiseKey& key, Pack<T>* x, Pack<T>& t,
            Pack<T>* velocity);

 private:
  const Manifold<T>& manifold_;
  const Distribution<T>& base_;
  int given_;
  std::vector<Pack<T>> from_, to_;
};

/// On a few tiles at once, by one thread.
template <class T>
class FlowMatching {
 public:
  FlowMatching(const VectorField<T>& field, const Distribution<T>& base);

  /// Tiles that are best taken together.
  static constexpr int kTiles = 6;

  /// ends: of the data points among which these were drawn; may be empty. Returns the part that `tiles` ≤
  /// kTiles tiles of the data, from `first` on, have in the mean loss over all of them; working_bar += its
  /// gradient.
  double add_gradient(const Points<T>& data, const PathEnds<T>& ends, std::size_t first, int tiles,
                      const NoiseKey& key, const T* working, T* working_bar);

 private:
  const VectorField<T>& field_;
  PathDraws<T> draws_;
  ValuePass<T> pass_;
  std::vector<Pack<T>> at_, velocity_, lowered_;     // a tile
  std::vector<Pack<T>> x_, t_, target_, f_, f_bar_;  // all of them, [ambient][tiles]
};

}  // namespace riemflow
