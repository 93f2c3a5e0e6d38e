#pragma once
// T^d, the flat torus of d angles in [−π, π): geodesics are straight lines that wrap.

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "riemflow/manifold/chart.hpp"

namespace riemflow {

template <class T>
class Torus final : public Chart<T> {
 public:
  explicit Torus(int d) : Chart<T>(Geometry::torus, d, 0) { require_dimension("torus", d); }

  std::string name() const override { return fmt::format("torus:{}", d_); }
  Picture picture() const override { return {d_ == 2 ? Picture::Kind::torus : Picture::Kind::pairs}; }
  bool compact() const override { return true; }
  /// d log 2π
  double log_volume() const override { return d_ * std::log(2 * std::numbers::pi); }

  void project(Pack<T>* x) const override {
    for (int i = 0; i < d_; ++i) x[i] = wrapped(x[i]);
  }
  // exp_x(v) = x + v, wrapped
  void exp(const Pack<T>* x, const Pack<T>* v, Pack<T>* y) const override {
    for (int i = 0; i < d_; ++i) y[i] = wrapped(x[i] + v[i]);
  }
  // log_x(y) = y − x, wrapped
  void log(const Pack<T>* x, const Pack<T>* y, Pack<T>* v) const override {
    for (int i = 0; i < d_; ++i) v[i] = wrapped(y[i] - x[i]);
  }
  // |log_x(y)|
  Pack<T> distance(const Pack<T>* x, const Pack<T>* y) const override {
    Pack<T> square = 0;
    for (int i = 0; i < d_; ++i) {
      const Pack<T> a = wrapped(y[i] - x[i]);
      square += a * a;
    }
    return sqrt(square);
  }
  // The rounding to T may reach +π, hence the wrapping.
  void random_uniform(Random& random, Pack<T>* x, int lane) const override {
    for (int i = 0; i < d_; ++i)
      x[i][lane] = wrapped(static_cast<T>(std::numbers::pi * (2 * random.uniform() - 1)));
  }

 private:
  using Chart<T>::d_;

  /// The angle a modulo 2π in [−π, π), π as rounded to T; bits are kept inside, and +π becomes −π.
  static T wrapped(T a) {
    constexpr T pi = std::numbers::pi_v<T>;
    if (-pi <= a && a < pi) return a;
    const T r = std::remainder(a, 2 * pi);
    return r < pi ? r : -r;
  }
  static Pack<T> wrapped(const Pack<T>& a) {
    Pack<T> r;
    for (int l = 0; l < kLanes; ++l) r[l] = wrapped(a[l]);
    return r;
  }
};

}  // namespace riemflow
