#pragma once
// What every fitted density can do, whatever it is made of: tell log p(x), and draw.

#include "riemflow/core/points.hpp"
#include "riemflow/flow/results.hpp"
#include "riemflow/flow/tile_flow.hpp"

namespace riemflow {

template <class T>
class Density {
 public:
  virtual ~Density() = default;

  virtual const Manifold<T>& manifold() const = 0;
  virtual int threads() const = 0;
  /// False where log_prob is an estimate (Hutchinson's): right on average, but its exponential is not.
  virtual bool exact() const { return true; }

  /// log p(x) a point, with respect to the Riemannian volume. The key names the noise of a Hutchinson
  /// estimate; exact densities need none.
  virtual LogProb<T> log_prob(const Points<T>& points, const NoiseKey& key) = 0;
  LogProb<T> log_prob(const Points<T>& points) { return log_prob(points, {}); }

  /// n draws from the model, those numbered `first` on, as the one frame. A long sample drawn in pieces is
  /// the same bit for bit if the pieces but the last are multiples of kLanes: the points of a tile share
  /// their steps.
  virtual Carried<T> sample(std::size_t n, std::uint64_t seed, std::uint64_t first) = 0;
  Carried<T> sample(std::size_t n, std::uint64_t seed) { return sample(n, seed, 0); }

  /// Throws Error(Fault::bad_data) naming the first point, counted from 0, that is not on the manifold.
  void check(const Points<T>& points) const;
};

extern template class Density<float>;
extern template class Density<double>;

}  // namespace riemflow
