#pragma once
// R^d with the flat metric: geodesics are straight lines.

#include "riemflow/manifold/chart.hpp"

namespace riemflow {

template <class T>
class Euclidean final : public Chart<T> {
 public:
  explicit Euclidean(int d);

  std::string name() const override;
  bool compact() const override { return false; }
  double log_volume() const override;

  void project(Pack<T>*) const override {}
  void exp(const Pack<T>* x, const Pack<T>* v, Pack<T>* y) const override;
  void log(const Pack<T>* x, const Pack<T>* y, Pack<T>* v) const override;
  Pack<T> distance(const Pack<T>* x, const Pack<T>* y) const override;
  /// Throws Error: there is no uniform distribution on R^d.
  void random_uniform(Random& random, Pack<T>* x, int lane) const override;

 private:
  using Chart<T>::d_;
};

extern template class Euclidean<float>;
extern template class Euclidean<double>;

}  // namespace riemflow
