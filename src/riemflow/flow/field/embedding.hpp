#pragma once
// From a factor's coordinates to the features its input weights multiply, on jets.

#include "riemflow/core/pack.hpp"

namespace riemflow {

/// With x the factor's n coordinates and c = −K on the ball:
enum class Embedding {
  coordinates,  ///< x
  unit_vector,  ///< √K·x on the sphere of radius 1/√K
  circles,      ///< (sin x_1 … sin x_n, cos x_1 … cos x_n)
  hyperboloid  ///< (2√c·x/q, 2/q − 1), q = 1 − c|x|²: the point on the upper sheet of |X|² − X₀² = −1
};

int embedding_size(Embedding embedding, int n);

/// out (embedding_size rows) = the jet of the embedding, in = the jet of x (n rows), k derivatives each.
template <class T>
void embed(Embedding embedding, double curvature, int n, int k, PackMatrix<T> in, PackMatrix<T> out);

/// in_bar += the cotangent of `in`, given out_bar.
template <class T>
void embed_backward(Embedding embedding, double curvature, int n, int k, PackMatrix<T> in,
                    PackMatrix<T> out_bar, PackMatrix<T> in_bar);

}  // namespace riemflow
