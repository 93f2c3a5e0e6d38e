#pragma once
// Riemannian flow matching (Chen & Lipman 2024): the field is regressed on the velocities of geodesics from
// draws x₀ of the base to data points x₁,
//   x_t = exp_{x₀}(t·log_{x₀}(x₁)),   loss E‖f(x_t, t) − ẋ_t‖²_g,   t uniform in (0, 1),
// whose minimiser carries the base to the data. No solve, no divergence.
//
// Where x₁ is antipodal to x₀ the shortest path is one of many, log's choice; where they coincide it stands
// still.

#include "riemflow/core/points.hpp"
#include "riemflow/density/distribution.hpp"
#include "riemflow/density/tile_flow.hpp"
#include "riemflow/field/value_pass.hpp"

namespace riemflow {

/// x = the point at time t of the shortest geodesic, velocity = its derivative there: `from` at 0, `to` at 1.
template <class T>
void along_geodesic(const Manifold<T>& manifold, const Pack<T>* from, const Pack<T>* to, const Pack<T>& t,
                    Pack<T>* x, Pack<T>* velocity);

/// On a few tiles at once, by one thread.
template <class T>
class FlowMatching {
 public:
  FlowMatching(const VectorField<T>& field, const Distribution<T>& base);

  /// Tiles that are best taken together.
  static constexpr int kTiles = 6;

  /// Returns the part that `tiles` ≤ kTiles tiles of the data, from `first` on, have in the mean loss over
  /// all of them; working_bar += its gradient. Point i, counted from 0, has draws of its own, and its time in
  /// ((i, i + 1))/n: stratified over the data.
  double add_gradient(const Points<T>& data, std::size_t first, int tiles, const NoiseKey& key,
                      const T* working, T* working_bar);

 private:
  const VectorField<T>& field_;
  const Distribution<T>& base_;
  ValuePass<T> pass_;
  std::vector<Pack<T>> from_, to_, at_, velocity_;   // a tile
  std::vector<Pack<T>> x_, t_, target_, f_, f_bar_;  // all of them, [ambient][tiles]
};

}  // namespace riemflow
