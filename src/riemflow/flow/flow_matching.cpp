#include "riemflow/flow/flow_matching.hpp"

#include <algorithm>
#include <cmath>

namespace riemflow {

template <class T>
PathEnds<T>::PathEnds(const Manifold<T>& manifold, bool uniform_base, const Points<T>& data,
                      const Weights& weights) {
  // The formula is that of great circles.
  const KernelForm form = manifold.kernel_form();
  const bool sphere = form.family == KernelForm::Family::chord;
  if (!uniform_base || data.size() == 0 || !sphere || manifold.dimension() < 2) return;
  ambient_ = manifold.ambient();
  n_ = static_cast<int>(data.tiles()) * kLanes;
  radius_ = static_cast<T>(1 / std::sqrt(form.curvature));
  ends_.assign(static_cast<std::size_t>(ambient_) * static_cast<std::size_t>(n_), T(4));
  std::vector<Pack<T>> tile(static_cast<std::size_t>(ambient_));
  for (std::size_t t = 0; t < data.tiles(); ++t) {
    data.load_tile(t, tile.data());
    manifold.project(tile.data());
    for (std::size_t k = 0; k < tile.size(); ++k)
      for (int l = 0; l < data.lanes(t); ++l)
        ends_[k * static_cast<std::size_t>(n_) + t * kLanes + static_cast<std::size_t>(l)] =
            tile[k][l] / radius_;
  }
  if (weights.empty()) return;
  const double most = *std::max_element(weights.begin(), weights.end());
  shares_.assign(static_cast<std::size_t>(n_), T(0));
  for (std::size_t i = 0; i < weights.size(); ++i) shares_[i] = static_cast<T>(weights[i] / most);
}

template <class T>
void PathEnds<T>::mean_velocity(const Pack<T>* x, T t, int lane, Pack<T>* velocity) const {
  const auto D = static_cast<std::size_t>(ambient_);
  std::vector<T> unit(D);
  std::vector<double> sums(D);
  for (std::size_t k = 0; k < D; ++k) unit[k] = x[k][lane] / radius_;
  const double total =
      simd::kernels<T>().path_sums(ambient_, n_, unit.data(), ends_.data(),
                                   shares_.empty() ? nullptr : shares_.data(), 1 - t, sums.data());
  if (!(total > 0)) return;
  double normal = 0, square = 0;
  for (std::size_t k = 0; k < D; ++k) {
    normal += sums[k] * static_cast<double>(unit[k]);
    square += static_cast<double>(unit[k]) * static_cast<double>(unit[k]);
  }
  for (std::size_t k = 0; k < D; ++k)
    velocity[k][lane] = static_cast<T>(static_cast<double>(radius_) *
                                       (sums[k] - normal / square * static_cast<double>(unit[k])) / total);
}

template <class T>
PathDraws<T>::PathDraws(const Manifold<T>& manifold, const Distribution<T>& base, int given)
    : manifold_(manifold),
      base_(base),
      given_(given),
      from_(static_cast<std::size_t>(manifold.ambient())),
      to_(from_) {}

template <class T>
void PathDraws<T>::tile(const Points<T>& data, std::size_t number, const NoiseKey& key, Pack<T>* x,
                        Pack<T>& t, Pack<T>* velocity) {
  const auto share = 1 / static_cast<double>(data.size());
  const int lanes = data.lanes(number);
  data.load_tile(number, to_.data());
  manifold_.project(to_.data());  // a point may be off the manifold within the tolerance of contains()
  for (int l = 0; l < kLanes; ++l) {
    const std::size_t point = number * kLanes + static_cast<std::size_t>(std::min(l, lanes - 1));
    Random draw(key.seed, Purpose::base_sample, key.iteration, point);
    base_.sample(draw, from_.data(), l);
    Random time(key.seed, Purpose::matching_time, key.iteration, point);
    t[l] = static_cast<T>((static_cast<double>(point) + time.uniform()) * share);
  }
  std::copy_n(to_.begin(), given_, from_.begin());  // what is given stands still
  manifold_.path(from_.data(), to_.data(), t, x, velocity);
}

template <class T>
FlowMatching<T>::FlowMatching(const VectorField<T>& field, const Distribution<T>& base)
    : field_(field),
      draws_(field.manifold(), base, field.config().given),
      pass_(field, kTiles),
      at_(static_cast<std::size_t>(field.manifold().ambient())),
      velocity_(at_),
      lowered_(at_),
      x_(at_.size() * kTiles),
      t_(kTiles),
      target_(x_),
      f_(x_),
      f_bar_(x_) {}

template <class T>
double FlowMatching<T>::add_gradient(const Points<T>& data, const PathEnds<T>& ends, std::size_t first,
                                     int tiles, const NoiseKey& key, const T* working, T* working_bar) {
  const Manifold<T>& manifold = field_.manifold();
  const std::size_t ambient = at_.size(), columns = static_cast<std::size_t>(tiles);
  const auto share = 1 / static_cast<double>(data.size());
  for (std::size_t b = 0; b < columns; ++b) {
    draws_.tile(data, first + b, key, at_.data(), t_[b], velocity_.data());
    for (int l = 0; l < data.lanes(first + b) && !ends.empty(); ++l)
      ends.mean_velocity(at_.data(), t_[b][l], l, velocity_.data());
    for (std::size_t i = 0; i < ambient; ++i) {
      x_[i * columns + b] = at_[i];
      target_[i * columns + b] = velocity_[i];
    }
  }
  pass_.evaluate(working, tiles, x_.data(), t_.data(), f_.data());

  double loss = 0;
  std::vector<Pack<T>>&error = velocity_, &error_bar = lowered_;
  for (std::size_t b = 0; b < columns; ++b) {
    for (std::size_t i = 0; i < ambient; ++i) {
      at_[i] = x_[i * columns + b];
      error[i] = error_bar[i] = f_[i * columns + b] - target_[i * columns + b];
    }
    manifold.lower(at_.data(), error_bar.data());
    const int lanes = data.lanes(first + b);
    const Pack<T> square = dot(static_cast<int>(ambient), error.data(), error_bar.data());
    Pack<T> weight = 0;
    for (int l = 0; l < lanes; ++l) {
      loss += share * static_cast<double>(square[l]);
      weight[l] = static_cast<T>(2 * share);
    }
    for (std::size_t i = 0; i < ambient; ++i) f_bar_[i * columns + b] = weight * error_bar[i];
  }
  pass_.backward(working, f_bar_.data(), working_bar);
  return loss;
}

template class PathDraws<float>;
template class PathDraws<double>;
template class PathEnds<float>;
template class PathEnds<double>;
template class FlowMatching<float>;
template class FlowMatching<double>;

}  // namespace riemflow
