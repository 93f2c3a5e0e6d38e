#pragma once
// R^d with the flat metric: geodesics are straight lines.

#include <fmt/format.h>

#include <limits>

#include "riemflow/core/error.hpp"
#include "riemflow/manifold/chart.hpp"

namespace riemflow {

template <class T>
class Euclidean final : public Chart<T> {
 public:
  explicit Euclidean(int d) : Chart<T>(Geometry::euclidean, d, 0) { require_dimension("euclidean", d); }

  std::string name() const override { return fmt::format("euclidean:{}", d_); }
  Picture picture() const override { return {d_ == 2 ? Picture::Kind::plane : Picture::Kind::pairs}; }
  bool compact() const override { return false; }
  double log_volume() const override { return std::numeric_limits<double>::infinity(); }

  void project(Pack<T>*) const override {}
  // exp_x(v) = x + v
  void exp(const Pack<T>* x, const Pack<T>* v, Pack<T>* y) const override {
    for (int i = 0; i < d_; ++i) y[i] = x[i] + v[i];
  }
  // log_x(y) = y − x
  void log(const Pack<T>* x, const Pack<T>* y, Pack<T>* v) const override {
    for (int i = 0; i < d_; ++i) v[i] = y[i] - x[i];
  }
  Pack<T> distance(const Pack<T>* x, const Pack<T>* y) const override {
    Pack<T> square = 0;
    for (int i = 0; i < d_; ++i) square += (y[i] - x[i]) * (y[i] - x[i]);
    return sqrt(square);
  }
  /// Throws Error: there is no uniform distribution on R^d.
  void random_uniform(Random&, Pack<T>*, int) const override {
    throw Error(name() + " has no uniform distribution", "use a normal distribution instead");
  }

 private:
  using Chart<T>::d_;
};

}  // namespace riemflow
