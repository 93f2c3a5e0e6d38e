#pragma once
// The uniform distribution of a compact manifold: p = 1/volume.

#include <memory>

#include "riemflow/distribution/distribution.hpp"
#include "riemflow/manifold/manifold.hpp"

namespace riemflow {

template <class T>
class Uniform final : public Distribution<T> {
 public:
  /// Throws Error where the volume is infinite.
  explicit Uniform(std::shared_ptr<const Manifold<T>> manifold);

  std::string name() const override;
  int ambient() const override;
  Pack<T> log_density(const Pack<T>* x) const override;
  Pack<T> log_density_gradient(const Pack<T>* x, Pack<T>* gradient) const override;
  void sample(Random& random, Pack<T>* x, int lane) const override;
  std::optional<double> entropy() const override;

 private:
  std::shared_ptr<const Manifold<T>> manifold_;
};

extern template class Uniform<float>;
extern template class Uniform<double>;

}  // namespace riemflow
