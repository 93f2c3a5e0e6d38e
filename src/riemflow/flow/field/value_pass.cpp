#include "riemflow/flow/field/value_pass.hpp"

#include <algorithm>

namespace riemflow {

template <class T>
ValuePass<T>::ValuePass(const VectorField<T>& field, int most_tiles)
    : field_(field),
      kernels_(simd::kernels<T>()),
      tiles_(most_tiles),
      n_(most_tiles * kLanes),
      ambient_(field.manifold().ambient()),
      width_(field.config().width) {
  const auto depth = static_cast<std::size_t>(field.config().depth);
  const auto distances = static_cast<std::size_t>(
      std::count_if(field.input_blocks().begin(), field.input_blocks().end(),
                    [](const InputBlock<T>& block) { return block.distance.has_value(); }));
  const int widest = std::max({width_, ambient_, field.features()});
  x_.resize(size(ambient_));
  clock_.resize(size(2));
  features_.resize(size(field.features()));
  distances_.resize(distances * size(width_));
  pre_.resize(depth * size(width_));
  hidden_.resize(depth * size(width_));
  bounded_.resize(field.config().bound > 0 ? size(ambient_) : 0);
  u_.resize(size(ambient_));
  zeros_.resize(static_cast<std::size_t>(widest) * static_cast<std::size_t>(most_tiles));
  wide_.resize(size(width_));
  wide_bar_.resize(2 * size(width_));
  u_bar_.resize(size(ambient_));
  x_bar_.resize(size(ambient_));
  transposed_.resize(simd::outer_scratch(widest, n_, widest));
}

/// A matrix of values is rows·tiles jets without derivatives.
template <class T>
void ValuePass<T>::activate(simd::Function function, int rows, T* kept, T* out) {
  kernels_.activate(function, rows * tiles_, kLanes, zeros_.data(), kept, out);
}

template <class T>
void ValuePass<T>::activate_backward(simd::Function function, int rows, const T* kept, T* bar) {
  kernels_.activate_backward(function, rows * tiles_, kLanes, kept, bar);
}

template <class T>
void ValuePass<T>::start_layer(const DenseLayer& layer, const T* working, T* pre) {
  kernels_.multiply_transposed(2, n_, layer.rows, working + layer.time, layer.rows, clock_.data(), pre,
                               false);
}

template <class T>
void ValuePass<T>::finish_layer(const DenseLayer& layer, const T* bar, T* working_bar) {
  kernels_.add_outer(2, n_, layer.rows, clock_.data(), bar, working_bar + layer.time, layer.rows,
                     transposed_.data());
}

template <class T>
void ValuePass<T>::input_forward(const T* working) {
  start_layer(field_.input_dense(), working, pre(0));
  T* distance = distances_.data();
  for (const InputBlock<T>& block : field_.input_blocks()) {
    T* features = features_.data() + size(block.feature);
    for (int b = 0; b < tiles_; ++b)
      block.embedding->embed(0, matrix(x_.data()).from(block.row, b), matrix(features).from(0, b));
    const T* weights = working + block.weights;
    if (!block.distance) {
      kernels_.multiply(width_, n_, block.features, weights, block.features, features, pre(0), true);
      continue;
    }
    kernels_.multiply(width_, n_, block.features, weights, block.features, features, distance, false);
    activate(*block.distance, width_, distance, wide_.data());
    for (int i = 0; i < width_; ++i) {
      const Pack<T> scale = working[block.scales + static_cast<std::size_t>(i)];
      for (int b = 0; b < tiles_; ++b) matrix(pre(0))(i, b) += scale * matrix(wide_.data())(i, b);
    }
    distance += size(width_);
  }
}

template <class T>
void ValuePass<T>::evaluate(const T* working, int tiles, const Pack<T>* x, const Pack<T>* t, Pack<T>* f) {
  tiles_ = tiles;
  n_ = tiles * kLanes;
  std::copy(x, x + ambient_ * tiles, as_packs(x_.data()));
  std::copy(t, t + tiles, as_packs(clock_.data()));
  std::fill_n(clock_.data() + n_, n_, T(1));

  input_forward(working);
  activate(field_.activation(0), width_, pre(0), hidden(0));
  for (std::size_t l = 0; l < field_.hidden().size(); ++l) {
    const DenseLayer& layer = field_.hidden()[l];
    start_layer(layer, working, pre(l + 1));
    kernels_.multiply(layer.rows, n_, layer.columns, working + layer.weight, layer.columns, hidden(l),
                      pre(l + 1), true);
    activate(field_.activation(l + 1), width_, pre(l + 1), hidden(l + 1));
  }
  const DenseLayer& output = field_.output();
  start_layer(output, working, u_.data());
  kernels_.multiply(output.rows, n_, output.columns, working + output.weight, output.columns,
                    hidden(field_.hidden().size()), u_.data(), true);
  if (const T bound = static_cast<T>(field_.config().bound); bound > 0) {
    // u = B·tanh(raw/B)
    for (std::size_t i = 0; i < size(ambient_); ++i) bounded_[i] = u_[i] / bound;
    activate(simd::Function::tanh, ambient_, bounded_.data(), u_.data());
    for (std::size_t i = 0; i < size(ambient_); ++i) u_[i] *= bound;
  }
  std::fill_n(u_.data(), size(field_.config().given), T(0));

  std::vector<Pack<T>> own(static_cast<std::size_t>(ambient_));
  Rates<T> unused{};
  for (int b = 0; b < tiles_; ++b) {
    field_.manifold().velocity(output_jet(b), own.data(), unused);
    for (int i = 0; i < ambient_; ++i) f[i * tiles + b] = own[static_cast<std::size_t>(i)];
  }
}

template <class T>
void ValuePass<T>::backward(const T* working, const Pack<T>* f_bar, T* working_bar) {
  std::vector<Pack<T>> own(static_cast<std::size_t>(ambient_));
  const Rates<T> none{Pack<T>(0), Pack<T>(0), Pack<T>(0)};
  std::fill(x_bar_.begin(), x_bar_.end(), T(0));  // of no use here, but added to
  for (int b = 0; b < tiles_; ++b) {
    for (int i = 0; i < ambient_; ++i) own[static_cast<std::size_t>(i)] = f_bar[i * tiles_ + b];
    field_.manifold().velocity_backward(output_jet(b), own.data(), none, matrix(u_bar_.data()).from(0, b),
                                        matrix(x_bar_.data()).from(0, b));
  }
  std::fill_n(u_bar_.data(), size(field_.config().given), T(0));
  // The bound's factors B and 1/B cancel in the cotangent.
  if (field_.config().bound > 0)
    activate_backward(simd::Function::tanh, ambient_, bounded_.data(), u_bar_.data());

  // From the last layer to the first: `bar` is the cotangent of the layer's pre-activation.
  const T* bar = u_bar_.data();
  const DenseLayer* layer = &field_.output();
  for (std::size_t l = field_.hidden().size() + 1; l-- > 0;) {
    T* next = wide_bar_.data() + (l % 2) * size(width_);
    finish_layer(*layer, bar, working_bar);
    kernels_.add_outer(layer->rows, n_, layer->columns, bar, hidden(l), working_bar + layer->weight,
                       layer->columns, transposed_.data());
    kernels_.multiply_transposed(layer->rows, n_, layer->columns, working + layer->weight, layer->columns,
                                 bar, next, false);
    activate_backward(field_.activation(l), width_, pre(l), next);
    bar = next;
    if (l > 0) layer = &field_.hidden()[l - 1];
  }
  finish_layer(field_.input_dense(), bar, working_bar);
  input_backward(working, bar, working_bar);
}

template <class T>
void ValuePass<T>::input_backward(const T* working, const T* pre_bar, T* working_bar) {
  const T* distance = distances_.data();
  // The half of wide_bar_ that pre_bar does not occupy.
  T* spare = pre_bar == wide_bar_.data() ? wide_bar_.data() + size(width_) : wide_bar_.data();
  for (const InputBlock<T>& block : field_.input_blocks()) {
    const T* bar = pre_bar;
    if (block.distance) {
      kernels_.reactivate(*block.distance, width_ * tiles_, kLanes, distance, wide_.data());
      for (int i = 0; i < width_; ++i) {
        const std::size_t at_scale = block.scales + static_cast<std::size_t>(i);
        Pack<T> scale_bar = 0;
        for (int b = 0; b < tiles_; ++b) {
          const Pack<T>& cotangent = as_packs(pre_bar)[i * tiles_ + b];
          scale_bar += cotangent * matrix(wide_.data())(i, b);
          matrix(spare)(i, b) = Pack<T>(working[at_scale]) * cotangent;
        }
        working_bar[at_scale] += lane_sum(scale_bar);
      }
      activate_backward(*block.distance, width_, distance, spare);
      distance += size(width_);
      bar = spare;
    }
    kernels_.add_outer(width_, n_, block.features, bar, features_.data() + size(block.feature),
                       working_bar + block.weights, block.features, transposed_.data());
  }
}

template class ValuePass<float>;
template class ValuePass<double>;

}  // namespace riemflow
