#include "riemflow/flow/field/embedding.hpp"

namespace riemflow {
namespace {

template <class T>
void scale(T factor, int n, int k, PackMatrix<T> in, PackMatrix<T> out) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= k; ++j) out(i, j) = Pack<T>(factor) * in(i, j);
  }
}

template <class T>
void scale_backward(T factor, int n, int k, PackMatrix<T> out_bar, PackMatrix<T> in_bar) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= k; ++j) in_bar(i, j) += Pack<T>(factor) * out_bar(i, j);
  }
}

/// S = sin x, Ṡ = cos x·v;  C = cos x, Ċ = −sin x·v
template <class T>
void circles(int n, int k, PackMatrix<T> in, PackMatrix<T> out) {
  for (int i = 0; i < n; ++i) {
    const Pack<T> s = sin(in(i, 0)), c = cos(in(i, 0));
    out(i, 0) = s;
    out(n + i, 0) = c;
    for (int j = 1; j <= k; ++j) {
      out(i, j) = c * in(i, j);
      out(n + i, j) = -s * in(i, j);
    }
  }
}

template <class T>
void circles_backward(int n, int k, PackMatrix<T> in, PackMatrix<T> out_bar, PackMatrix<T> in_bar) {
  for (int i = 0; i < n; ++i) {
    const Pack<T> s = sin(in(i, 0)), c = cos(in(i, 0));
    Pack<T> angle_bar = c * out_bar(i, 0) - s * out_bar(n + i, 0);
    for (int j = 1; j <= k; ++j) {
      angle_bar -= in(i, j) * (s * out_bar(i, j) + c * out_bar(n + i, j));
      in_bar(i, j) += c * out_bar(i, j) - s * out_bar(n + i, j);
    }
    in_bar(i, 0) += angle_bar;
  }
}

/// With r = 1/q and ṙ_j = 2c⟨x, v_j⟩r²:  X = 2√c·x·r, Ẋ_j = 2√c(v_j r + x ṙ_j);  X₀ = 2r − 1, Ẋ₀_j = 2ṙ_j
template <class T>
void hyperboloid(T c, int n, int k, PackMatrix<T> in, PackMatrix<T> out) {
  const Pack<T> root = T(2) * std::sqrt(c);
  const Pack<T> r = Pack<T>(1) / (Pack<T>(1) - Pack<T>(c) * dot(n, in.data, in.data, in.stride, in.stride));
  for (int i = 0; i < n; ++i) out(i, 0) = root * in(i, 0) * r;
  out(n, 0) = Pack<T>(2) * r - Pack<T>(1);
  for (int j = 1; j <= k; ++j) {
    const Pack<T> slope = Pack<T>(2 * c) * dot(n, in.data, in.data + j, in.stride, in.stride) * r * r;
    for (int i = 0; i < n; ++i) out(i, j) = root * (in(i, j) * r + in(i, 0) * slope);
    out(n, j) = Pack<T>(2) * slope;
  }
}

template <class T>
void hyperboloid_backward(T c, int n, int k, PackMatrix<T> in, PackMatrix<T> out_bar, PackMatrix<T> in_bar) {
  const Pack<T> root = T(2) * std::sqrt(c);
  const Pack<T> two_c = 2 * c;
  const Pack<T> r = Pack<T>(1) / (Pack<T>(1) - Pack<T>(c) * dot(n, in.data, in.data, in.stride, in.stride));
  Pack<T> r_bar =
      root * dot(n, in.data, out_bar.data, in.stride, out_bar.stride) + Pack<T>(2) * out_bar(n, 0);
  for (int i = 0; i < n; ++i) in_bar(i, 0) += root * r * out_bar(i, 0);
  for (int j = 1; j <= k; ++j) {
    const Pack<T> along = dot(n, in.data, in.data + j, in.stride, in.stride);
    const Pack<T> slope = two_c * along * r * r;
    const Pack<T> slope_bar =
        root * dot(n, in.data, out_bar.data + j, in.stride, out_bar.stride) + Pack<T>(2) * out_bar(n, j);
    r_bar += root * dot(n, in.data + j, out_bar.data + j, in.stride, out_bar.stride) +
             Pack<T>(2) * two_c * along * r * slope_bar;
    for (int i = 0; i < n; ++i) {
      in_bar(i, 0) += root * slope * out_bar(i, j) + two_c * r * r * slope_bar * in(i, j);
      in_bar(i, j) += root * r * out_bar(i, j) + two_c * r * r * slope_bar * in(i, 0);
    }
  }
  for (int i = 0; i < n; ++i) in_bar(i, 0) += r_bar * r * r * two_c * in(i, 0);
}

}  // namespace

int embedding_size(Embedding embedding, int n) {
  switch (embedding) {
    case Embedding::circles:
      return 2 * n;
    case Embedding::hyperboloid:
      return n + 1;
    default:
      return n;
  }
}

template <class T>
void embed(Embedding embedding, double curvature, int n, int k, PackMatrix<T> in, PackMatrix<T> out) {
  switch (embedding) {
    case Embedding::coordinates:
      return scale(T(1), n, k, in, out);
    case Embedding::unit_vector:
      return scale(static_cast<T>(std::sqrt(curvature)), n, k, in, out);
    case Embedding::circles:
      return circles(n, k, in, out);
    case Embedding::hyperboloid:
      return hyperboloid(static_cast<T>(-curvature), n, k, in, out);
  }
}

template <class T>
void embed_backward(Embedding embedding, double curvature, int n, int k, PackMatrix<T> in,
                    PackMatrix<T> out_bar, PackMatrix<T> in_bar) {
  switch (embedding) {
    case Embedding::coordinates:
      return scale_backward(T(1), n, k, out_bar, in_bar);
    case Embedding::unit_vector:
      return scale_backward(static_cast<T>(std::sqrt(curvature)), n, k, out_bar, in_bar);
    case Embedding::circles:
      return circles_backward(n, k, in, out_bar, in_bar);
    case Embedding::hyperboloid:
      return hyperboloid_backward(static_cast<T>(-curvature), n, k, in, out_bar, in_bar);
  }
}

template void embed(Embedding, double, int, int, PackMatrix<float>, PackMatrix<float>);
template void embed(Embedding, double, int, int, PackMatrix<double>, PackMatrix<double>);
template void embed_backward(Embedding, double, int, int, PackMatrix<float>, PackMatrix<float>,
                             PackMatrix<float>);
template void embed_backward(Embedding, double, int, int, PackMatrix<double>, PackMatrix<double>,
                             PackMatrix<double>);

}  // namespace riemflow
