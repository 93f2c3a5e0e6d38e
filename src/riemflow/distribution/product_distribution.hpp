#pragma once
// Independent factors on a product manifold: coordinates concatenated in order, log-densities added.

#include <memory>
#include <vector>

#include "riemflow/distribution/distribution.hpp"

namespace riemflow {

template <class T>
class ProductDistribution final : public Distribution<T> {
 public:
  /// At least one factor, none of them null, else Error.
  explicit ProductDistribution(std::vector<std::shared_ptr<const Distribution<T>>> factors);

  std::string name() const override;
  int ambient() const override { return ambient_; }
  Pack<T> log_density(const Pack<T>* x) const override;
  Pack<T> log_density_gradient(const Pack<T>* x, Pack<T>* gradient) const override;
  void sample(Random& random, Pack<T>* x, int lane) const override;
  /// The sum; nothing if one of the factors' is not known.
  std::optional<double> entropy() const override;

 private:
  std::vector<std::shared_ptr<const Distribution<T>>> factors_;
  int ambient_ = 0;
};

extern template class ProductDistribution<float>;
extern template class ProductDistribution<double>;

}  // namespace riemflow
