#pragma once
// Values of a vector field on several tiles at once, each point at a time of its own, and the gradient in the
// parameters: what a regression on the field needs. No derivatives are carried, and every matrix product runs
// over all the tiles, so that the weights are read once for all of them. One a thread.
//
// Matrices are [rows][tiles] packs. Time and bias of a layer stand beside each other in the working vector, a
// matrix [2][rows], and multiply the clock, the rows t and 1.

#include "riemflow/core/aligned.hpp"
#include "riemflow/flow/field/vector_field.hpp"

namespace riemflow {

template <class T>
class ValuePass {
 public:
  ValuePass(const VectorField<T>& field, int most_tiles);

  /// f [ambient][tiles] = the field at the points x [ambient][tiles] of the manifold and the times t[tiles].
  void evaluate(const T* working, int tiles, const Pack<T>* x, const Pack<T>* t, Pack<T>* f);

  /// working_bar += the gradient, given f_bar, of what was evaluated last. working_bar: kOverhang numbers
  /// longer than working_size().
  void backward(const T* working, const Pack<T>* f_bar, T* working_bar);

 private:
  std::size_t size(int rows) const {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(tiles_) * kLanes;
  }
  PackMatrix<T> matrix(T* at) const { return {as_packs(at), tiles_}; }
  /// The network's output at tile b, without derivatives.
  OutputJet<T> output_jet(int b) {
    return {matrix(x_.data()).from(0, b), matrix(u_.data()).from(0, b), 0, T(1), false,
            field_.config().scaling};
  }
  /// out = σ of the arguments [rows][tiles] in `kept`, which become what the backward pass needs.
  void activate(simd::Function function, int rows, T* kept, T* out);
  void activate_backward(simd::Function function, int rows, const T* kept, T* bar);
  /// pre = time·t + bias
  void start_layer(const DenseLayer& layer, const T* working, T* pre);
  /// The gradients of time and bias.
  void finish_layer(const DenseLayer& layer, const T* bar, T* working_bar);
  void input_forward(const T* working);
  void input_backward(const T* working, const T* pre_bar, T* working_bar);
  T* pre(std::size_t layer) { return pre_.data() + layer * size(width_); }
  T* hidden(std::size_t layer) { return hidden_.data() + layer * size(width_); }

  const VectorField<T>& field_;
  const simd::Kernels<T>& kernels_;
  int tiles_, n_;  // n: columns
  int ambient_, width_;

  AlignedVector<T> x_, clock_, features_, distances_, pre_, hidden_, bounded_, u_, zeros_, wide_, wide_bar_,
      u_bar_, x_bar_, transposed_;
};

}  // namespace riemflow
