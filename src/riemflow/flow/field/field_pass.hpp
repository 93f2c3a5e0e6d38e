#pragma once
// Evaluates a vector field on one tile, forward and backward. Owns the scratch memory: one a thread.

#include <algorithm>

#include "riemflow/core/aligned.hpp"
#include "riemflow/core/random.hpp"
#include "riemflow/flow/field/vector_field.hpp"

namespace riemflow {

template <class T>
class FieldPass {
 public:
  /// frobenius: whether the rates include ‖∇f‖²_F. differentiate: whether they include the divergence at all;
  /// without, the jets shrink to values and an evaluation costs 1/(1 + k).
  FieldPass(const VectorField<T>& field, const DivergenceConfig& divergence, bool frobenius,
            bool differentiate);

  /// Derivatives carried: the dimensions that move (exact), the number of probes, or 0.
  int seeds() const { return k_; }
  /// Numbers one evaluation keeps for its backward pass.
  std::size_t tape_size() const { return tape_size_; }

  /// Draws the probes of lane l from `random`; fixed until drawn again, i.e. during a solve. Exact: nothing
  /// to do.
  void draw_noise(Random& random, int lane);

  /// f =, rates =, tape = (cache-line aligned). Returns false, with f and rates unset, if a lane of z is
  /// outside the domain of the coordinates.
  bool evaluate(const T* working, T t, const Pack<T>* z, Pack<T>* f, Rates<T>& rates, T* tape);

  /// z_bar += and working_bar += the cotangents, given f_bar (scratch afterwards) and rates_bar. tape: that
  /// of the evaluation at the same t. working_bar: kOverhang numbers longer than working_size(); null: z_bar
  /// alone.
  void backward(const T* working, T t, const T* tape, Pack<T>* f_bar, const Rates<T>& rates_bar,
                Pack<T>* z_bar, T* working_bar);

 private:
  PackMatrix<T> jet(T* at) const { return {as_packs(at), 1 + k_}; }
  /// A jet that is only read; PackMatrix has one constness.
  PackMatrix<T> jet(const T* at) const { return jet(const_cast<T*>(at)); }
  std::size_t jet_size(int rows) const {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(n_);
  }
  void seed(const Pack<T>* x, PackMatrix<T> in);
  /// x_bar += what the seeds' dependence on x contributes.
  void seed_backward(const Pack<T>* x, PackMatrix<T> in, PackMatrix<T> in_bar, Pack<T>* x_bar);
  /// What is given does not move: its rows of a jet = 0.
  void clear_given(T* jet_at) { std::fill_n(jet_at, jet_size(field_.config().given), T(0)); }
  void set_bias(const DenseLayer& layer, const T* working, T t);
  void add_bias_gradient(const DenseLayer& layer, const T* bar, T t, T* working_bar);
  void input_forward(const T* working, T* tape);
  void input_backward(const T* working, const T* tape, const T* pre_bar, T* in_bar, T* working_bar);

  const VectorField<T>& field_;
  const simd::Kernels<T>& kernels_;
  bool exact_, frobenius_;
  Noise noise_kind_;
  int ambient_, width_;
  int fixed_;  // dimensions that do not move
  int k_;      // seeds
  int n_;      // columns of a jet matrix, (1 + k)·kLanes
  T share_;    // weight of a seed's share in the trace

  // Where things stand on the tape.
  std::size_t at_z_, at_x_, at_in_, at_features_, at_distances_, at_hidden_, at_bounded_, at_output_,
      tape_size_;

  AlignedVector<T> noise_, bias_, sums_, wide_, wide_bar_, narrow_bar_, in_bar_, x_bar_, feature_bar_,
      transposed_, basis_, basis_bar_;
};

}  // namespace riemflow
