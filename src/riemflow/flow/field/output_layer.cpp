#include "riemflow/flow/field/output_layer.hpp"

namespace riemflow {
namespace {

template <class T>
Pack<T> column_dot(int n, PackMatrix<T> a, int i, PackMatrix<T> b, int j) {
  return dot(n, a.data + i, b.data + j, a.stride, b.stride);
}

/// λ^−p = ((1 + K|x|²)/2)^p by repeated multiplication.
template <class T>
Pack<T> inverse_power(const Pack<T>& lambda, int p) {
  const Pack<T> base = Pack<T>(1) / lambda;
  Pack<T> s = 1;
  for (int i = 0; i < p; ++i) s *= base;
  return s;
}

}  // namespace

template <class T>
OutputLayer<T>::OutputLayer(const Factor<T>& factor, BallScaling scaling)
    : geometry_(factor.geometry),
      curvature_(static_cast<T>(factor.curvature)),
      dimension_(factor.manifold->dimension()),
      ambient_(factor.manifold->ambient()),
      power_(scaling == BallScaling::none   ? 0
             : scaling == BallScaling::unit ? 1
                                            : dimension_) {}

template <class T>
void OutputLayer<T>::forward(PackMatrix<T> in, PackMatrix<T> u, int k, T share, bool frobenius, Pack<T>* f,
                             Rates<T>& rates) const {
  const int n = ambient_;
  const Pack<T> K = curvature_;
  Pack<T> trace = 0;
  for (int j = 1; j <= k; ++j) trace += column_dot(n, in, j, u, j);
  trace *= Pack<T>(share);
  Pack<T> squares = 0;

  if (geometry_ == Geometry::sphere) {
    const Pack<T> ux = K * column_dot(n, u, 0, in, 0);
    for (int i = 0; i < n; ++i) f[i] = u(i, 0) - ux * in(i, 0);
    rates.divergence += trace - Pack<T>(dimension_) * ux;
    rates.kinetic += dot(n, f, f);
    for (int j = 1; frobenius && j <= k; ++j) {
      const Pack<T> normal = K * column_dot(n, in, 0, u, j);
      for (int i = 0; i < n; ++i) {
        const Pack<T> c = u(i, j) - normal * in(i, 0) - ux * in(i, j);
        squares += c * c;
      }
    }
  } else if (geometry_ == Geometry::ball) {
    const Pack<T> lambda = Pack<T>(2) / (Pack<T>(1) + K * column_dot(n, in, 0, in, 0));
    const Pack<T> s = inverse_power(lambda, power_);
    const Pack<T> ux = column_dot(n, u, 0, in, 0);
    for (int i = 0; i < n; ++i) f[i] = s * u(i, 0);
    rates.divergence += s * (trace + Pack<T>(power_ - dimension_) * K * lambda * ux);
    rates.kinetic += lambda * lambda * dot(n, f, f);
    const Pack<T> g = -K * lambda;  // times x
    for (int j = 1; frobenius && j <= k; ++j) {
      const Pack<T> gv = g * column_dot(n, in, 0, in, j), vu = column_dot(n, in, j, u, 0);
      for (int i = 0; i < n; ++i) {
        const Pack<T> w =
            u(i, j) + Pack<T>(1 - power_) * gv * u(i, 0) + g * ux * in(i, j) - vu * g * in(i, 0);
        squares += s * s * w * w;
      }
    }
  } else {
    for (int i = 0; i < n; ++i) f[i] = u(i, 0);
    rates.divergence += trace;
    rates.kinetic += dot(n, f, f);
    for (int j = 1; frobenius && j <= k; ++j) squares += column_dot(n, u, j, u, j);
  }
  if (frobenius) rates.frobenius += Pack<T>(share) * squares;
}

template <class T>
void OutputLayer<T>::backward(PackMatrix<T> in, PackMatrix<T> u, int k, T share, bool frobenius,
                              Pack<T>* f_bar, const Rates<T>& rates_bar, PackMatrix<T> u_bar,
                              PackMatrix<T> in_bar) const {
  const int n = ambient_;
  const Pack<T> K = curvature_;
  const Pack<T>& div_bar = rates_bar.divergence;
  const Pack<T> square_bar = Pack<T>(2 * share) * rates_bar.frobenius;  // of c_v: 2·share·frobenius_bar·c_v

  if (geometry_ == Geometry::sphere) {
    const Pack<T> ux = K * column_dot(n, u, 0, in, 0);
    for (int i = 0; i < n; ++i) f_bar[i] += Pack<T>(2) * rates_bar.kinetic * (u(i, 0) - ux * in(i, 0));
    Pack<T> ux_bar = -dot(n, f_bar, in.data, 1, in.stride) - Pack<T>(dimension_) * div_bar;
    for (int j = 1; j <= k; ++j) {
      const Pack<T> trace_bar = Pack<T>(share) * div_bar;
      for (int i = 0; i < n; ++i) {
        u_bar(i, j) = trace_bar * in(i, j);
        in_bar(i, j) += trace_bar * u(i, j);
      }
      if (!frobenius) continue;
      const Pack<T> normal = K * column_dot(n, in, 0, u, j);
      Pack<T> normal_bar = 0;
      for (int i = 0; i < n; ++i) {
        const Pack<T> c_bar = square_bar * (u(i, j) - normal * in(i, 0) - ux * in(i, j));
        u_bar(i, j) += c_bar;
        normal_bar -= c_bar * in(i, 0);
        in_bar(i, 0) -= normal * c_bar;
        ux_bar -= c_bar * in(i, j);
        in_bar(i, j) -= ux * c_bar;
      }
      for (int i = 0; i < n; ++i) {
        u_bar(i, j) += normal_bar * K * in(i, 0);
        in_bar(i, 0) += normal_bar * K * u(i, j);
      }
    }
    for (int i = 0; i < n; ++i) {
      u_bar(i, 0) = f_bar[i] + ux_bar * K * in(i, 0);
      in_bar(i, 0) += ux_bar * K * u(i, 0) - ux * f_bar[i];
    }
  } else if (geometry_ == Geometry::ball) {
    const Pack<T> p = power_, lambda = Pack<T>(2) / (Pack<T>(1) + K * column_dot(n, in, 0, in, 0));
    const Pack<T> s = inverse_power(lambda, power_);
    const Pack<T> ux = column_dot(n, u, 0, in, 0);
    const Pack<T> uu = column_dot(n, u, 0, u, 0);
    Pack<T> trace = 0;
    for (int j = 1; j <= k; ++j) trace += column_dot(n, in, j, u, j);
    trace *= Pack<T>(share);
    // kinetic = λ²s²|u|², λs = λ^{1−p}: as a function of f and λ.
    for (int i = 0; i < n; ++i) f_bar[i] += Pack<T>(2) * rates_bar.kinetic * lambda * lambda * s * u(i, 0);
    Pack<T> lambda_bar = Pack<T>(2) * rates_bar.kinetic * lambda * s * s * uu;

    const Pack<T> rest = Pack<T>(power_ - dimension_) * K;  // div = s(trace + rest·λ·ux)
    Pack<T> s_bar = dot(n, f_bar, u.data, 1, u.stride) + div_bar * (trace + rest * lambda * ux);
    lambda_bar += div_bar * s * rest * ux;
    Pack<T> ux_bar = div_bar * s * rest * lambda;
    for (int i = 0; i < n; ++i) u_bar(i, 0) = s * f_bar[i];
    const Pack<T> trace_bar = Pack<T>(share) * s * div_bar;
    const Pack<T> g = -K * lambda;  // ∇log λ = g·x
    Pack<T> g_bar = 0;
    for (int j = 1; j <= k; ++j) {
      for (int i = 0; i < n; ++i) u_bar(i, j) = trace_bar * in(i, j);
      if (!frobenius) continue;
      const Pack<T> xv = column_dot(n, in, 0, in, j), vu = column_dot(n, in, j, u, 0);
      Pack<T> wu = 0, wv = 0, wx = 0;
      for (int i = 0; i < n; ++i) {
        const Pack<T> w =
            u(i, j) + (Pack<T>(1) - p) * g * xv * u(i, 0) + g * ux * in(i, j) - vu * g * in(i, 0);
        s_bar += square_bar * s * w * w;
        const Pack<T> w_bar = square_bar * s * s * w;
        u_bar(i, j) += w_bar;
        u_bar(i, 0) += (Pack<T>(1) - p) * g * xv * w_bar;
        in_bar(i, 0) -= vu * g * w_bar;
        wu += w_bar * u(i, 0);
        wv += w_bar * in(i, j);
        wx += w_bar * in(i, 0);
      }
      g_bar += (Pack<T>(1) - p) * xv * wu + ux * wv - vu * wx;
      ux_bar += g * wv;
      for (int i = 0; i < n; ++i) {
        in_bar(i, 0) += (Pack<T>(1) - p) * g * wu * in(i, j);  // through ⟨x, v⟩
        u_bar(i, 0) -= g * wx * in(i, j);                      // through ⟨v, u⟩
      }
    }
    lambda_bar -= K * g_bar;
    // s = λ^−p, ∇λ = −K·λ²·x
    lambda_bar -= s_bar * p * s / lambda;
    for (int i = 0; i < n; ++i) {
      u_bar(i, 0) += ux_bar * in(i, 0);
      in_bar(i, 0) += ux_bar * u(i, 0) - lambda_bar * K * lambda * lambda * in(i, 0);
    }
  } else {
    for (int i = 0; i < n; ++i) u_bar(i, 0) = f_bar[i] + Pack<T>(2) * rates_bar.kinetic * u(i, 0);
    for (int j = 1; j <= k; ++j) {
      for (int i = 0; i < n; ++i) {
        u_bar(i, j) = Pack<T>(share) * div_bar * in(i, j);
        if (frobenius) u_bar(i, j) += square_bar * u(i, j);
      }
    }
  }
}

template class OutputLayer<float>;
template class OutputLayer<double>;

}  // namespace riemflow
