#include "riemflow/kernel/neighbourhoods.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace riemflow {
namespace {

/// Centres of a piece of work.
constexpr std::size_t kCentresAPiece = 128;

}  // namespace

Neighbourhoods::Neighbourhoods(const KernelData& data, Executor* executor)
    : data_(data),
      executor_(executor),
      space_(*data.space()),
      looker_(space_),
      d_(static_cast<std::size_t>(space_.manifold().dimension())),
      width_(static_cast<std::size_t>(space_.width())),
      kept_(static_cast<std::size_t>(data.most_neighbours())),
      placed_(std::min(Looker::kPlaced, kept_)) {
  const std::size_t stride = looker_.stride();
  embedded_.resize(size() * width_);
  frames_.resize(size() * stride);
  in_pieces(executor, size(), kCentresAPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      space_.embed(data.centres()[i], &embedded_[i * width_]);
      looker_.frame(data.centres()[i].data(), &frames_[i * stride]);
    }
  });
  log_distances_.resize(size() * kept_);
  places_.resize(size() * placed_ * d_);
  in_pieces(executor, size(), kCentresAPiece, [&](std::size_t begin, std::size_t end) {
    std::vector<double> v(static_cast<std::size_t>(space_.manifold().ambient()));
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t k = 0; k < kept_; ++k) {
        const int neighbour = static_cast<int>(k) + 1;
        log_distances_[i * kept_ + k] = std::log(data.distance(i, neighbour));
        if (k < placed_)
          looker_.place(&frames_[i * stride], centre(i), centre(data.neighbour(i, neighbour)), v.data(),
                        &places_[(i * placed_ + k) * d_]);
      }
  });
}

Looks Neighbourhoods::look(const std::vector<bool>& out, std::vector<std::uint32_t>& rows) const {
  rows.assign(size(), MetricTree::kNone);
  std::vector<std::uint32_t> centres;
  for (std::size_t i = 0; i < size(); ++i) {
    if (out[i]) continue;
    rows[i] = static_cast<std::uint32_t>(centres.size());
    centres.push_back(static_cast<std::uint32_t>(i));
  }
  const std::size_t n = centres.size();
  Looks looks = looker_.room_for(n);
  looks.centres = std::move(centres);
  in_pieces(executor_, n, kCentresAPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const std::size_t i = looks.centres[row];
      looker_.write(
          {&log_distances_[i * kept_], kept_, &places_[i * placed_ * d_], placed_},
          [&](std::size_t k) { return !out[data_.neighbour(i, static_cast<int>(k) + 1)]; },
          &frames_[i * looker_.stride()], row, looks);
    }
  });
  const double mean =
      std::accumulate(looks.log_units.begin(), looks.log_units.end(), 0.0) / static_cast<double>(n);
  looker_.complete(mean, n, looks);
  return looks;
}

}  // namespace riemflow
