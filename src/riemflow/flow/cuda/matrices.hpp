#pragma once
// What geometry.cuh needs of spaces of matrices, for one point: the formulas of manifold/embedded.hpp,
// stiefel.hpp and grassmann.hpp. For the host as well, where tests hold them to those in double. All numbers
// are row by row.

#ifdef __CUDACC__
#define RIEMFLOW_DEVICE __host__ __device__
#else
#define RIEMFLOW_DEVICE
#endif

namespace riemflow::cuda {

constexpr int kMostEntries = 16;  // of a matrix

/// Of one space.
struct Matrices {
  int rows, columns;  ///< of X; of projectors equal
  bool projectors;    ///< P² = P = Pᵀ of trace `rank`; else XᵀX = I
  int rank;
  float metric, bend, shift;  ///< the metric is metric·tr(UᵀV); H = bend·x + shift·I

  RIEMFLOW_DEVICE int entries() const { return rows * columns; }

  /// w = Π_x u; w is not u.
  RIEMFLOW_DEVICE void tangent(const float* x, const float* u, float* w) const {
    float a[kMostEntries], b[kMostEntries];
    if (projectors) {  // (U − RUR)/2
      mirror(x, a);
      symmetric_part(u, w);
      times(a, w, b);
      float c[kMostEntries];
      times(b, a, c);
      for (int i = 0; i < entries(); ++i) w[i] = 0.5f * (w[i] - c[i]);
    } else {  // U − X sym(XᵀU)
      symmetric_product(x, u, a);
      for (int i = 0; i < entries(); ++i) w[i] = u[i];
      subtract_times(x, a, w);
    }
  }
  /// x_bar += the derivative of ⟨c, Π_x u⟩ by x.
  RIEMFLOW_DEVICE void tangent_backward(const float* x, const float* u, const float* c, float* x_bar) const {
    float a[kMostEntries], b[kMostEntries];
    if (projectors) {  // CRU + URC
      float r[kMostEntries], s[kMostEntries];
      mirror(x, r);
      symmetric_part(c, a);
      times(a, r, b);
      symmetric_part(u, a);
      times(b, a, s);
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < rows; ++j) x_bar[i * rows + j] += s[i * rows + j] + s[j * rows + i];
    } else {  // −C sym(XᵀU) − U sym(XᵀC)
      symmetric_product(x, u, a);
      subtract_times(c, a, x_bar);
      symmetric_product(x, c, b);
      subtract_times(u, b, x_bar);
    }
  }
  /// Entry i of the mean curvature vector.
  RIEMFLOW_DEVICE float mean_curvature(float x, int i) const {
    return bend * x + (i % (columns + 1) == 0 ? shift : 0.0f);
  }

  /// Whether project() comes to the nearest point from x.
  RIEMFLOW_DEVICE bool near(const float* x) const {
    float s[kMostEntries], off = 0;
    if (projectors) {
      float p[kMostEntries], trace = 0;
      symmetric_part(x, p);
      times(p, p, s);
      for (int i = 0; i < entries(); ++i) off += (s[i] - p[i]) * (s[i] - p[i]);
      for (int i = 0; i < rows; ++i) trace += p[i * (rows + 1)];
      return off < 0.15f * 0.15f && trace - static_cast<float>(rank) < 0.5f &&
             trace - static_cast<float>(rank) > -0.5f;
    }
    symmetric_product(x, x, s);
    for (int i = 0; i < columns * columns; ++i) {
      const float d = s[i] - (i % (columns + 1) == 0 ? 1.0f : 0.0f);
      off += d * d;
    }
    return off < 0.8f * 0.8f;  // singular values from 0.45 to 1.34: the iteration comes from (0, √3)
  }
  /// The nearest point, in place, for near(x): X ↦ X(3I − XᵀX)/2, and of projectors P ↦ 3P² − 2P³.
  RIEMFLOW_DEVICE void project(float* x) const {
    float next[kMostEntries];
    begin(x);
    for (int k = 0; k < kIterations; ++k) {
      iterate(x, next);
      for (int i = 0; i < entries(); ++i) x[i] = next[i];
    }
  }
  /// bar, of the projected point, becomes that of x: back through the iteration, whose limit's derivative is
  /// that of its steps.
  RIEMFLOW_DEVICE void project_backward(const float* x, float* bar) const {
    float at[kIterations][kMostEntries], sent[kMostEntries];
    for (int i = 0; i < entries(); ++i) at[0][i] = x[i];
    begin(at[0]);
    for (int k = 0; k + 1 < kIterations; ++k) iterate(at[k], at[k + 1]);
    begin(bar);
    for (int k = kIterations; k-- > 0;) {
      iterate_backward(at[k], bar, sent);
      for (int i = 0; i < entries(); ++i) bar[i] = sent[i];
    }
  }

 private:
  static constexpr int kIterations = 6;

  RIEMFLOW_DEVICE void begin(float* x) const {
    if (!projectors) return;
    float s[kMostEntries];
    symmetric_part(x, s);
    for (int i = 0; i < entries(); ++i) x[i] = s[i];
  }
  RIEMFLOW_DEVICE void iterate(const float* x, float* y) const {
    float s[kMostEntries];
    if (projectors) {
      float c[kMostEntries];
      times(x, x, s);
      times(s, x, c);
      for (int i = 0; i < entries(); ++i) c[i] = 3 * s[i] - 2 * c[i];
      symmetric_part(c, y);
    } else {
      symmetric_product(x, x, s);
      for (int i = 0; i < entries(); ++i) y[i] = 3 * x[i];
      subtract_times(x, s, y);
      for (int i = 0; i < entries(); ++i) y[i] *= 0.5f;
    }
  }
  /// x_bar =; of symmetric x and y_bar where they are projectors.
  RIEMFLOW_DEVICE void iterate_backward(const float* x, const float* y_bar, float* x_bar) const {
    float a[kMostEntries], b[kMostEntries];
    if (projectors) {  // 3(ȲP + PȲ) − 2(ȲP² + PȲP + P²Ȳ)
      float c[kMostEntries], d[kMostEntries];
      times(y_bar, x, a);
      times(a, x, b);
      times(x, a, c);
      for (int i = 0; i < entries(); ++i) d[i] = 3 * a[i] - 2 * b[i];
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < rows; ++j)
          x_bar[i * rows + j] = d[i * rows + j] + d[j * rows + i] - 2 * c[i * rows + j];
    } else {  // (Ȳ(3I − XᵀX) − 2X sym(XᵀȲ))/2
      symmetric_product(x, x, a);
      symmetric_product(x, y_bar, b);
      for (int i = 0; i < columns * columns; ++i) b[i] *= 2;
      for (int i = 0; i < entries(); ++i) x_bar[i] = 3 * y_bar[i];
      subtract_times(y_bar, a, x_bar);
      subtract_times(x, b, x_bar);
      for (int i = 0; i < entries(); ++i) x_bar[i] *= 0.5f;
    }
  }

  /// c = a·b of square matrices.
  RIEMFLOW_DEVICE void times(const float* a, const float* b, float* c) const {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < rows; ++j) {
        float sum = 0;
        for (int k = 0; k < rows; ++k) sum += a[i * rows + k] * b[k * rows + j];
        c[i * rows + j] = sum;
      }
  }
  RIEMFLOW_DEVICE void symmetric_part(const float* u, float* s) const {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < rows; ++j) s[i * rows + j] = 0.5f * (u[i * rows + j] + u[j * rows + i]);
  }
  /// R = I − 2P
  RIEMFLOW_DEVICE void mirror(const float* x, float* r) const {
    symmetric_part(x, r);
    for (int i = 0; i < entries(); ++i) r[i] = (i % (rows + 1) == 0 ? 1.0f : 0.0f) - 2 * r[i];
  }
  /// s = sym(AᵀB), columns × columns
  RIEMFLOW_DEVICE void symmetric_product(const float* a, const float* b, float* s) const {
    for (int i = 0; i < columns; ++i)
      for (int j = 0; j < columns; ++j) {
        float sum = 0;
        for (int r = 0; r < rows; ++r)
          sum += a[r * columns + i] * b[r * columns + j] + a[r * columns + j] * b[r * columns + i];
        s[i * columns + j] = 0.5f * sum;
      }
  }
  /// w −= A S
  RIEMFLOW_DEVICE void subtract_times(const float* a, const float* s, float* w) const {
    for (int r = 0; r < rows; ++r)
      for (int j = 0; j < columns; ++j) {
        float sum = 0;
        for (int i = 0; i < columns; ++i) sum += a[r * columns + i] * s[i * columns + j];
        w[r * columns + j] -= sum;
      }
  }
};

}  // namespace riemflow::cuda
