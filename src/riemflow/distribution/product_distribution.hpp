#pragma once
// Independent factors on a product manifold: coordinates concatenated in order, log-densities added.

#include <memory>
#include <utility>
#include <vector>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/distribution.hpp"

namespace riemflow {

template <class T>
class ProductDistribution final : public Distribution<T> {
 public:
  /// At least one factor, none of them null, else Error.
  explicit ProductDistribution(std::vector<std::shared_ptr<const Distribution<T>>> factors)
      : factors_(std::move(factors)) {
    require(!factors_.empty(), "product distribution without factors", "pass one distribution a factor");
    for (const auto& factor : factors_) {
      require(factor != nullptr, "product distribution with a null factor", "pass one distribution a factor");
      ambient_ += factor->ambient();
    }
  }

  std::string name() const override {
    std::string joined;
    for (const auto& factor : factors_) joined += (joined.empty() ? "" : " x ") + factor->name();
    return joined;
  }
  int ambient() const override { return ambient_; }
  Pack<T> log_density(const Pack<T>* x) const override {
    Pack<T> sum(0);
    for (const auto& factor : factors_) {
      sum += factor->log_density(x);
      x += factor->ambient();
    }
    return sum;
  }
  Pack<T> log_density_gradient(const Pack<T>* x, Pack<T>* gradient) const override {
    Pack<T> sum(0);
    for (const auto& factor : factors_) {
      sum += factor->log_density_gradient(x, gradient);
      x += factor->ambient();
      gradient += factor->ambient();
    }
    return sum;
  }
  void sample(Random& random, Pack<T>* x, int lane) const override {
    for (const auto& factor : factors_) {
      factor->sample(random, x, lane);
      x += factor->ambient();
    }
  }
  /// The sum; nothing if one of the factors' is not known.
  std::optional<double> entropy() const override {
    double sum = 0;
    for (const auto& factor : factors_) {
      const std::optional<double> part = factor->entropy();
      if (!part) return std::nullopt;
      sum += *part;
    }
    return sum;
  }

 private:
  std::vector<std::shared_ptr<const Distribution<T>>> factors_;
  int ambient_ = 0;
};

}  // namespace riemflow
