#include "riemflow/manifold/euclidean.hpp"

#include <fmt/format.h>

#include <limits>

#include "riemflow/core/error.hpp"

namespace riemflow {

template <class T>
Euclidean<T>::Euclidean(int d) : Chart<T>(Geometry::euclidean, d, 0) {
  require_dimension("euclidean", d);
}

template <class T>
std::string Euclidean<T>::name() const {
  return fmt::format("euclidean:{}", d_);
}

template <class T>
double Euclidean<T>::log_volume() const {
  return std::numeric_limits<double>::infinity();
}

// exp_x(v) = x + v
template <class T>
void Euclidean<T>::exp(const Pack<T>* x, const Pack<T>* v, Pack<T>* y) const {
  for (int i = 0; i < d_; ++i) y[i] = x[i] + v[i];
}

// log_x(y) = y − x
template <class T>
void Euclidean<T>::log(const Pack<T>* x, const Pack<T>* y, Pack<T>* v) const {
  for (int i = 0; i < d_; ++i) v[i] = y[i] - x[i];
}

template <class T>
Pack<T> Euclidean<T>::distance(const Pack<T>* x, const Pack<T>* y) const {
  Pack<T> square = 0;
  for (int i = 0; i < d_; ++i) square += (y[i] - x[i]) * (y[i] - x[i]);
  return sqrt(square);
}

template <class T>
void Euclidean<T>::random_uniform(Random&, Pack<T>*, int) const {
  throw Error(name() + " has no uniform distribution", "use a normal distribution instead");
}

template class Euclidean<float>;
template class Euclidean<double>;

}  // namespace riemflow
