#include "riemflow/distribution/product_distribution.hpp"

#include <utility>

#include "riemflow/core/error.hpp"

namespace riemflow {

template <class T>
ProductDistribution<T>::ProductDistribution(std::vector<std::shared_ptr<const Distribution<T>>> factors)
    : factors_(std::move(factors)) {
  require(!factors_.empty(), "product distribution without factors", "pass one distribution a factor");
  for (const auto& factor : factors_) {
    require(factor != nullptr, "product distribution with a null factor", "pass one distribution a factor");
    ambient_ += factor->ambient();
  }
}

template <class T>
std::string ProductDistribution<T>::name() const {
  std::string joined;
  for (const auto& factor : factors_) joined += (joined.empty() ? "" : " x ") + factor->name();
  return joined;
}

template <class T>
Pack<T> ProductDistribution<T>::log_density(const Pack<T>* x) const {
  Pack<T> sum(0);
  for (const auto& factor : factors_) {
    sum += factor->log_density(x);
    x += factor->ambient();
  }
  return sum;
}

template <class T>
Pack<T> ProductDistribution<T>::log_density_gradient(const Pack<T>* x, Pack<T>* gradient) const {
  Pack<T> sum(0);
  for (const auto& factor : factors_) {
    sum += factor->log_density_gradient(x, gradient);
    x += factor->ambient();
    gradient += factor->ambient();
  }
  return sum;
}

template <class T>
void ProductDistribution<T>::sample(Random& random, Pack<T>* x, int lane) const {
  for (const auto& factor : factors_) {
    factor->sample(random, x, lane);
    x += factor->ambient();
  }
}

template <class T>
std::optional<double> ProductDistribution<T>::entropy() const {
  double sum = 0;
  for (const auto& factor : factors_) {
    const std::optional<double> part = factor->entropy();
    if (!part) return std::nullopt;
    sum += *part;
  }
  return sum;
}

template class ProductDistribution<float>;
template class ProductDistribution<double>;

}  // namespace riemflow
