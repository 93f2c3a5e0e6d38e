#pragma once
// Which points make the batch of an iteration: the data are read in a fresh random order each epoch, and
// batches are consecutive stretches of that endless sequence. A function of (seed, iteration) alone.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "riemflow/core/points.hpp"
#include "riemflow/core/random.hpp"

namespace riemflow {

class Batches {
 public:
  Batches(std::size_t points, std::size_t batch, std::uint64_t seed)
      : points_(points), batch_(batch), seed_(seed) {}

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

  template <class T>
  Points<T> take(const Points<T>& data, std::uint64_t t) {
    Points<T> batch(batch_, data.dimension);
    const std::vector<std::size_t> chosen = indices(t);
    for (std::size_t i = 0; i < batch_; ++i)
      std::copy(data[chosen[i]].begin(), data[chosen[i]].end(), batch[i].begin());
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
    for (std::size_t i = points_; i > 1; --i) std::swap(order_[i - 1], order_[random.below(i)]);
  }

  std::size_t points_, batch_;
  std::uint64_t seed_;
  std::uint64_t epoch_ = ~std::uint64_t{0};
  std::vector<std::size_t> order_;
};

}  // namespace riemflow
