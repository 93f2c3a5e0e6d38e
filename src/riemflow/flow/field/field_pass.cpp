#include "riemflow/flow/field/field_pass.hpp"

#include <algorithm>
#include <utility>

namespace riemflow {

template <class T>
FieldPass<T>::FieldPass(const VectorField<T>& field, const DivergenceConfig& divergence, bool frobenius,
                        bool differentiate)
    : field_(field),
      kernels_(simd::kernels<T>()),
      exact_(divergence.estimator == DivergenceEstimator::exact),
      frobenius_(frobenius),
      noise_kind_(divergence.noise),
      ambient_(field.manifold().ambient()),
      width_(field.config().width),
      fixed_(field.given_dimension()),
      k_(!differentiate ? 0
         : exact_       ? field.manifold().dimension() - fixed_
                        : divergence.probes),
      n_((1 + k_) * kLanes),
      share_(exact_ ? T(1) : T(1) / static_cast<T>(divergence.probes)) {
  std::size_t at = 0;
  const auto reserve = [&at](std::size_t size) { return std::exchange(at, at + size); };
  const std::size_t tile = static_cast<std::size_t>(ambient_) * kLanes;
  at_z_ = reserve(tile);
  at_x_ = reserve(tile);
  at_in_ = reserve(jet_size(ambient_));
  at_features_ = reserve(jet_size(field.features()));
  at_distances_ = at;
  for (const InputBlock<T>& block : field.input_blocks()) {
    if (block.distance) reserve(jet_size(width_));
  }
  at_hidden_ = reserve(jet_size(width_) * static_cast<std::size_t>(field.config().depth));
  at_bounded_ = reserve(field.config().bound > 0 ? jet_size(ambient_) : 0);
  at_output_ = reserve(jet_size(ambient_));
  tape_size_ = at;

  const int widest = std::max({width_, ambient_, field.features()});
  noise_.resize(exact_ ? 0 : static_cast<std::size_t>(ambient_) * static_cast<std::size_t>(k_) * kLanes);
  bias_.resize(static_cast<std::size_t>(widest));
  sums_.resize(static_cast<std::size_t>(widest));
  wide_.resize(jet_size(width_));
  wide_bar_.resize(2 * jet_size(width_));
  narrow_bar_.resize(jet_size(ambient_));
  in_bar_.resize(jet_size(ambient_));
  x_bar_.resize(tile);
  feature_bar_.resize(jet_size(field.features()));
  transposed_.resize(simd::outer_scratch(widest, n_, widest));
  if (exact_ && fixed_ > 0) {
    basis_.resize(tile * static_cast<std::size_t>(field.manifold().dimension()));
    basis_bar_.resize(basis_.size());
  }
}

template <class T>
void FieldPass<T>::draw_noise(Random& random, int lane) {
  for (std::size_t i = 0; i < noise_.size() / kLanes; ++i)
    as_packs(noise_.data())[i][lane] =
        static_cast<T>(noise_kind_ == Noise::rademacher ? random.rademacher() : random.normal());
}

/// Columns 1..k of the jet of the point = the seeds.
template <class T>
void FieldPass<T>::seed(const Pack<T>* x, PackMatrix<T> in) {
  const Manifold<T>& manifold = field_.manifold();
  if (!exact_) {
    manifold.seed_probe(x, {as_packs(noise_.data()), k_}, k_, in.from(0, 1));
    for (int i = 0; i < field_.config().given; ++i)
      for (int j = 1; j <= k_; ++j) in(i, j) = Pack<T>(0);
  } else if (fixed_ == 0) {
    manifold.seed_basis(x, in.from(0, 1));
  } else {
    // Seeds of what is given come first, and are left out.
    const PackMatrix<T> basis{as_packs(basis_.data()), fixed_ + k_};
    manifold.seed_basis(x, basis);
    for (int i = 0; i < ambient_; ++i)
      for (int j = 1; j <= k_; ++j) in(i, j) = basis(i, fixed_ + j - 1);
  }
}

template <class T>
void FieldPass<T>::seed_backward(const Pack<T>* x, PackMatrix<T> in, PackMatrix<T> in_bar, Pack<T>* x_bar) {
  const Manifold<T>& manifold = field_.manifold();
  if (!exact_) {
    for (int i = 0; i < field_.config().given; ++i)
      for (int j = 1; j <= k_; ++j) in_bar(i, j) = Pack<T>(0);
    manifold.seed_probe_backward(x, {as_packs(noise_.data()), k_}, k_, in_bar.from(0, 1), x_bar);
  } else if (fixed_ == 0) {
    manifold.seed_basis_backward(x, in.from(0, 1), in_bar.from(0, 1), x_bar);
  } else {
    const PackMatrix<T> basis{as_packs(basis_.data()), fixed_ + k_},
        bar{as_packs(basis_bar_.data()), fixed_ + k_};
    manifold.seed_basis(x, basis);
    for (int i = 0; i < ambient_; ++i)
      for (int j = 0; j < fixed_ + k_; ++j) bar(i, j) = j < fixed_ ? Pack<T>(0) : in_bar(i, j - fixed_ + 1);
    manifold.seed_basis_backward(x, basis, bar, x_bar);
  }
}

/// bias_[i] = bias_i + time_i·t
template <class T>
void FieldPass<T>::set_bias(const DenseLayer& layer, const T* working, T t) {
  for (int i = 0; i < layer.rows; ++i)
    bias_[static_cast<std::size_t>(i)] = working[layer.bias + static_cast<std::size_t>(i)] +
                                         t * working[layer.time + static_cast<std::size_t>(i)];
}

template <class T>
void FieldPass<T>::add_bias_gradient(const DenseLayer& layer, const T* bar, T t, T* working_bar) {
  std::fill(sums_.begin(), sums_.end(), T(0));
  kernels_.add_value_sums(layer.rows, n_, bar, sums_.data());
  for (std::size_t i = 0; i < static_cast<std::size_t>(layer.rows); ++i) {
    working_bar[layer.bias + i] += sums_[i];
    working_bar[layer.time + i] += t * sums_[i];
  }
}

/// The first hidden jet on the tape = the input layer's pre-activation, without time and bias.
template <class T>
void FieldPass<T>::input_forward(const T* working, T* tape) {
  T* pre = tape + at_hidden_;
  T* distance = tape + at_distances_;
  bool first = true;
  for (const InputBlock<T>& block : field_.input_blocks()) {
    T* features = tape + at_features_ + jet_size(block.feature);
    block.embedding->embed(k_, jet(tape + at_in_).from(block.row, 0), jet(features));
    const T* weights = working + block.weights;
    if (!block.distance) {
      kernels_.multiply(width_, n_, block.features, weights, block.features, features, pre, !first);
    } else {
      kernels_.multiply(width_, n_, block.features, weights, block.features, features, distance, false);
      std::fill(bias_.begin(), bias_.end(), T(0));
      kernels_.activate(*block.distance, width_, n_, bias_.data(), distance, wide_.data());
      for (int i = 0; i < width_; ++i) {
        const Pack<T> scale = working[block.scales + static_cast<std::size_t>(i)];
        for (int j = 0; j <= k_; ++j) {
          const Pack<T> term = scale * jet(wide_.data())(i, j);
          jet(pre)(i, j) = first ? term : jet(pre)(i, j) + term;
        }
      }
      distance += jet_size(width_);
    }
    first = false;
  }
}

template <class T>
bool FieldPass<T>::evaluate(const T* working, T t, const Pack<T>* z, Pack<T>* f, Rates<T>& rates, T* tape) {
  const Manifold<T>& manifold = field_.manifold();
  if (!manifold.in_domain(z).all()) return false;
  Pack<T>* x = as_packs(tape + at_x_);
  const PackMatrix<T> in = jet(tape + at_in_);
  for (int i = 0; i < ambient_; ++i) as_packs(tape + at_z_)[i] = x[i] = z[i];
  manifold.project(x);
  for (int i = 0; i < ambient_; ++i) in(i, 0) = x[i];
  if (k_ > 0) seed(x, in);

  input_forward(working, tape);
  set_bias(field_.input_dense(), working, t);
  T* kept = tape + at_hidden_;
  kernels_.activate(field_.activation(0), width_, n_, bias_.data(), kept, wide_.data());
  for (const DenseLayer& layer : field_.hidden()) {
    kept += jet_size(width_);
    kernels_.multiply(layer.rows, n_, layer.columns, working + layer.weight, layer.columns, wide_.data(),
                      kept, false);
    set_bias(layer, working, t);
    kernels_.activate(field_.activation(1), width_, n_, bias_.data(), kept, wide_.data());
  }

  const DenseLayer& output = field_.output();
  T* u = tape + at_output_;
  kernels_.multiply(output.rows, n_, output.columns, working + output.weight, output.columns, wide_.data(), u,
                    false);
  set_bias(output, working, t);
  for (int i = 0; i < ambient_; ++i) jet(u)(i, 0) += Pack<T>(bias_[static_cast<std::size_t>(i)]);
  if (const T bound = static_cast<T>(field_.config().bound); bound > 0) {
    // u = B·tanh(raw/B)
    T* bounded = tape + at_bounded_;
    for (std::size_t i = 0; i < jet_size(ambient_); ++i) bounded[i] = u[i] / bound;
    std::fill(bias_.begin(), bias_.end(), T(0));
    kernels_.activate(simd::Function::tanh, ambient_, n_, bias_.data(), bounded, u);
    for (std::size_t i = 0; i < jet_size(ambient_); ++i) u[i] *= bound;
  }
  clear_given(u);

  rates = {Pack<T>(0), Pack<T>(0), Pack<T>(0)};
  manifold.velocity({in, jet(u), k_, share_, frobenius_, field_.config().scaling}, f, rates);
  return true;
}

template <class T>
void FieldPass<T>::backward(const T* working, T t, const T* tape, Pack<T>* f_bar, const Rates<T>& rates_bar,
                            Pack<T>* z_bar, T* working_bar) {
  const Manifold<T>& manifold = field_.manifold();
  const PackMatrix<T> in = jet(tape + at_in_), in_bar = jet(in_bar_.data()), u = jet(tape + at_output_);
  std::fill(in_bar_.begin(), in_bar_.end(), T(0));
  T* u_bar = narrow_bar_.data();
  manifold.velocity_backward({in, u, k_, share_, frobenius_, field_.config().scaling}, f_bar, rates_bar,
                             jet(u_bar), in_bar);
  clear_given(u_bar);
  // The bound's factors B and 1/B cancel in the cotangent.
  if (field_.config().bound > 0)
    kernels_.activate_backward(simd::Function::tanh, ambient_, n_, tape + at_bounded_, u_bar);

  // From the last layer to the first: `bar` is the cotangent of the layer's pre-activation.
  const T* bar = u_bar;
  const DenseLayer* layer = &field_.output();
  const T* kept = tape + at_hidden_ + jet_size(width_) * field_.hidden().size();
  for (std::size_t l = field_.hidden().size() + 1; l-- > 0; kept -= jet_size(width_)) {
    T* next = wide_bar_.data() + (l % 2) * jet_size(width_);
    if (working_bar != nullptr) {
      add_bias_gradient(*layer, bar, t, working_bar);
      kernels_.reactivate(field_.activation(l), width_, n_, kept, wide_.data());
      kernels_.add_outer(layer->rows, n_, layer->columns, bar, wide_.data(), working_bar + layer->weight,
                         layer->columns, transposed_.data());
    }
    kernels_.multiply_transposed(layer->rows, n_, layer->columns, working + layer->weight, layer->columns,
                                 bar, next, false);
    kernels_.activate_backward(field_.activation(l), width_, n_, kept, next);
    bar = next;
    if (l > 0) layer = &field_.hidden()[l - 1];
  }
  if (working_bar != nullptr) add_bias_gradient(field_.input_dense(), bar, t, working_bar);
  input_backward(working, tape, bar, in_bar_.data(), working_bar);

  const Pack<T>* x = as_packs(tape + at_x_);
  Pack<T>* x_bar = as_packs(x_bar_.data());
  for (int i = 0; i < ambient_; ++i) x_bar[i] = in_bar(i, 0);
  if (k_ > 0) seed_backward(x, in, in_bar, x_bar);
  manifold.project_backward(as_packs(tape + at_z_), x_bar);
  for (int i = 0; i < ambient_; ++i) z_bar[i] += x_bar[i];
}

template <class T>
void FieldPass<T>::input_backward(const T* working, const T* tape, const T* pre_bar, T* in_bar,
                                  T* working_bar) {
  const T* distance = tape + at_distances_;
  // The second half of wide_bar_ or the first, whichever pre_bar does not occupy.
  T* spare = pre_bar == wide_bar_.data() ? wide_bar_.data() + jet_size(width_) : wide_bar_.data();
  for (const InputBlock<T>& block : field_.input_blocks()) {
    const T* bar = pre_bar;
    if (block.distance) {
      kernels_.reactivate(*block.distance, width_, n_, distance, wide_.data());
      for (int i = 0; i < width_; ++i) {
        const std::size_t at_scale = block.scales + static_cast<std::size_t>(i);
        Pack<T> scale_bar = 0;
        for (int j = 0; j <= k_; ++j) {
          scale_bar += jet(pre_bar)(i, j) * jet(wide_.data())(i, j);
          jet(spare)(i, j) = Pack<T>(working[at_scale]) * jet(pre_bar)(i, j);
        }
        if (working_bar != nullptr) working_bar[at_scale] += lane_sum(scale_bar);
      }
      kernels_.activate_backward(*block.distance, width_, n_, distance, spare);
      distance += jet_size(width_);
      bar = spare;
    }
    const T* features = tape + at_features_ + jet_size(block.feature);
    if (working_bar != nullptr)
      kernels_.add_outer(width_, n_, block.features, bar, features, working_bar + block.weights,
                         block.features, transposed_.data());
    kernels_.multiply_transposed(width_, n_, block.features, working + block.weights, block.features, bar,
                                 feature_bar_.data(), false);
    block.embedding->embed_backward(k_, jet(tape + at_in_).from(block.row, 0), jet(feature_bar_.data()),
                                    jet(in_bar).from(block.row, 0));
  }
}

template class FieldPass<float>;
template class FieldPass<double>;

}  // namespace riemflow
