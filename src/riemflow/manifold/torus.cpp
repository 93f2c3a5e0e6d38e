#include "riemflow/manifold/torus.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace riemflow {
namespace {

/// The angle a modulo 2π in [−π, π), π as rounded to T; bits are kept inside, and +π becomes −π.
template <class T>
T wrapped(T a) {
  constexpr T pi = std::numbers::pi_v<T>;
  if (-pi <= a && a < pi) return a;
  const T r = std::remainder(a, 2 * pi);
  return r < pi ? r : -r;
}

template <class T>
Pack<T> wrapped(const Pack<T>& a) {
  Pack<T> r;
  for (int l = 0; l < kLanes; ++l) r[l] = wrapped(a[l]);
  return r;
}

}  // namespace

template <class T>
Torus<T>::Torus(int d) : Chart<T>(Geometry::torus, d, 0) {
  require_dimension("torus", d);
}

template <class T>
std::string Torus<T>::name() const {
  return fmt::format("torus:{}", d_);
}

template <class T>
double Torus<T>::log_volume() const {
  return d_ * std::log(2 * std::numbers::pi);
}

template <class T>
void Torus<T>::project(Pack<T>* x) const {
  for (int i = 0; i < d_; ++i) x[i] = wrapped(x[i]);
}

// exp_x(v) = x + v, wrapped
template <class T>
void Torus<T>::exp(const Pack<T>* x, const Pack<T>* v, Pack<T>* y) const {
  for (int i = 0; i < d_; ++i) y[i] = wrapped(x[i] + v[i]);
}

// log_x(y) = y − x, wrapped
template <class T>
void Torus<T>::log(const Pack<T>* x, const Pack<T>* y, Pack<T>* v) const {
  for (int i = 0; i < d_; ++i) v[i] = wrapped(y[i] - x[i]);
}

// |log_x(y)|
template <class T>
Pack<T> Torus<T>::distance(const Pack<T>* x, const Pack<T>* y) const {
  Pack<T> square = 0;
  for (int i = 0; i < d_; ++i) {
    const Pack<T> a = wrapped(y[i] - x[i]);
    square += a * a;
  }
  return sqrt(square);
}

// The rounding to T may reach +π, hence the wrapping.
template <class T>
void Torus<T>::random_uniform(Random& random, Pack<T>* x, int lane) const {
  for (int i = 0; i < d_; ++i)
    x[i][lane] = wrapped(static_cast<T>(std::numbers::pi * (2 * random.uniform() - 1)));
}

template class Torus<float>;
template class Torus<double>;

}  // namespace riemflow
