#pragma once
// T^d, the flat torus of d angles in [−π, π): geodesics are straight lines that wrap.

#include "riemflow/manifold/chart.hpp"

namespace riemflow {

template <class T>
class Torus final : public Chart<T> {
 public:
  explicit Torus(int d);

  std::string name() const override;
  bool compact() const override { return true; }
  /// d log 2π
  double log_volume() const override;

  void project(Pack<T>* x) const override;
  void exp(const Pack<T>* x, const Pack<T>* v, Pack<T>* y) const override;
  void log(const Pack<T>* x, const Pack<T>* y, Pack<T>* v) const override;
  Pack<T> distance(const Pack<T>* x, const Pack<T>* y) const override;
  void random_uniform(Random& random, Pack<T>* x, int lane) const override;

 private:
  using Chart<T>::d_;
};

extern template class Torus<float>;
extern template class Torus<double>;

}  // namespace riemflow
