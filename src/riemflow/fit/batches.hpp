#pragma once
// Which points make the batch of an iteration: the data are read in a fresh random order each epoch, and
// batches are consecutive stretches of that endless sequence. A function of (seed, iteration) alone.
//
// Points of weights w, in a random order, are in an epoch of n places ⌊W_i + u⌋ − ⌊W_{i−1} + u⌋ times, W_i =
// n Σ_{j ≤ i} w_j/Σ w, with u uniform in [0, 1) (systematic resampling): n w_i/Σ w times in the mean,
// whatever the weights, and never off by one or more. In the order of the data, weights that come and go with
// a period would have all points of one kind in an epoch, or none.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "riemflow/core/points.hpp"
#include "riemflow/core/random.hpp"
#include "riemflow/core/weights.hpp"

namespace riemflow {

class Batches {
 public:
  Batches(std::size_t points, std::size_t batch, std::uint64_t seed, const Weights& weights = {})
      : points_(points), batch_(batch), seed_(seed), weights_(weights) {}

  /// Indices of the batch of iteration t = 0, 1, ….
  std::vector<std::size_t> indices(std::uint64_t t) {
    std::vector<std::size_t> chosen(batch_);
    for (std::size_t i = 0; i < batch_; ++i) {
      const std::uint64_t position = t * batch_ + i;
      shuffle(position / points_);
      chosen[i] = order_[position % points_];
    }
    return chosen;
  }

  /// rows: of `data` that a point has, one after the other.
  template <class T>
  Points<T> take(const Points<T>& data, std::uint64_t t, std::size_t rows = 1) {
    Points<T> batch(batch_ * rows, data.dimension);
    const std::vector<std::size_t> chosen = indices(t);
    for (std::size_t i = 0; i < batch_ * rows; ++i) {
      const auto from = data[chosen[i / rows] * rows + i % rows];
      std::copy(from.begin(), from.end(), batch[i].begin());
    }
    return batch;
  }

 private:
  /// order_ = the order of that epoch (Fisher–Yates).
  void shuffle(std::uint64_t epoch) {
    if (epoch == epoch_) return;
    epoch_ = epoch;
    order_.resize(points_);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    Random random(seed_, Purpose::batch, epoch, 0);
    mix(random);
    if (weights_.empty()) return;
    resample(random.uniform());
    mix(random);
  }
  void mix(Random& random) {
    for (std::size_t i = points_; i > 1; --i) std::swap(order_[i - 1], order_[random.below(i)]);
  }

  /// Place k is the first point with ⌊W_i + u⌋ > k, i.e. W_i + u ≥ k + 1.
  void resample(double u) {
    const double scale = static_cast<double>(points_) / total_weight(weights_, points_);
    std::vector<std::size_t> chosen(points_);
    std::size_t i = 0;
    double sum = weights_[order_[0]];
    for (std::size_t k = 0; k < points_; ++k) {
      while (i + 1 < points_ && sum * scale + u < static_cast<double>(k + 1)) sum += weights_[order_[++i]];
      chosen[k] = order_[i];
    }
    order_ = std::move(chosen);
  }

  std::size_t points_, batch_;
  std::uint64_t seed_;
  Weights weights_;
  std::uint64_t epoch_ = ~std::uint64_t{0};
  std::vector<std::size_t> order_;
};

}  // namespace riemflow
