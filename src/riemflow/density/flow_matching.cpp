#include "riemflow/density/flow_matching.hpp"

#include <algorithm>

namespace riemflow {

template <class T>
void along_geodesic(const Manifold<T>& manifold, const Pack<T>* from, const Pack<T>* to, const Pack<T>& t,
                    Pack<T>* x, Pack<T>* velocity) {
  const auto n = static_cast<std::size_t>(manifold.ambient());
  std::vector<Pack<T>> whole(n), part(n);
  manifold.log(from, to, whole.data());
  for (std::size_t i = 0; i < n; ++i) part[i] = t * whole[i];
  manifold.exp(from, part.data(), x);
  manifold.transport(from, x, whole.data(), velocity);
}

template <class T>
FlowMatching<T>::FlowMatching(const VectorField<T>& field, const Distribution<T>& base)
    : field_(field),
      base_(base),
      pass_(field, kTiles),
      from_(static_cast<std::size_t>(field.manifold().ambient())),
      to_(from_),
      at_(from_),
      velocity_(from_),
      x_(from_.size() * kTiles),
      t_(kTiles),
      target_(x_),
      f_(x_),
      f_bar_(x_) {}

template <class T>
double FlowMatching<T>::add_gradient(const Points<T>& data, std::size_t first, int tiles, const NoiseKey& key,
                                     const T* working, T* working_bar) {
  const Manifold<T>& manifold = field_.manifold();
  const std::size_t ambient = from_.size(), columns = static_cast<std::size_t>(tiles);
  const auto share = 1 / static_cast<double>(data.size());
  for (std::size_t b = 0; b < columns; ++b) {
    const int lanes = data.lanes(first + b);
    data.load_tile(first + b, to_.data());
    manifold.project(to_.data());  // a point may be off the manifold within the tolerance of contains()
    for (int l = 0; l < kLanes; ++l) {
      const std::size_t point = (first + b) * kLanes + static_cast<std::size_t>(std::min(l, lanes - 1));
      Random draw(key.seed, Purpose::base_sample, key.iteration, point);
      base_.sample(draw, from_.data(), l);
      Random time(key.seed, Purpose::matching_time, key.iteration, point);
      t_[b][l] = static_cast<T>((static_cast<double>(point) + time.uniform()) * share);
    }
    std::copy_n(to_.begin(), field_.config().given, from_.begin());  // what is given stands still
    along_geodesic(manifold, from_.data(), to_.data(), t_[b], at_.data(), velocity_.data());
    for (std::size_t i = 0; i < ambient; ++i) {
      x_[i * columns + b] = at_[i];
      target_[i * columns + b] = velocity_[i];
    }
  }
  pass_.evaluate(working, tiles, x_.data(), t_.data(), f_.data());

  double loss = 0;
  std::vector<Pack<T>>&error = velocity_, &error_bar = to_;
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

template void along_geodesic(const Manifold<float>&, const Pack<float>*, const Pack<float>*,
                             const Pack<float>&, Pack<float>*, Pack<float>*);
template void along_geodesic(const Manifold<double>&, const Pack<double>*, const Pack<double>*,
                             const Pack<double>&, Pack<double>*, Pack<double>*);
template class FlowMatching<float>;
template class FlowMatching<double>;

}  // namespace riemflow
