#pragma once
// The base of a conditional flow: coordinates that are given, which add nothing, then those that move, with
// their own base.

#include <algorithm>
#include <memory>

#include "riemflow/distribution/distribution.hpp"

namespace riemflow {

template <class T>
class ConditionalBase final : public Distribution<T> {
 public:
  /// given: only to make points that are on the manifold.
  ConditionalBase(std::shared_ptr<const Distribution<T>> given, std::shared_ptr<const Distribution<T>> moving)
      : given_(std::move(given)), moving_(std::move(moving)) {}

  std::string name() const override { return moving_->name() + " given " + given_->name(); }
  int ambient() const override { return given_->ambient() + moving_->ambient(); }
  Pack<T> log_density(const Pack<T>* x) const override { return moving_->log_density(x + given_->ambient()); }
  Pack<T> log_density_gradient(const Pack<T>* x, Pack<T>* gradient) const override {
    std::fill_n(gradient, given_->ambient(), Pack<T>(0));
    return moving_->log_density_gradient(x + given_->ambient(), gradient + given_->ambient());
  }
  void sample(Random& random, Pack<T>* x, int lane) const override {
    given_->sample(random, x, lane);
    moving_->sample(random, x + given_->ambient(), lane);
  }

 private:
  std::shared_ptr<const Distribution<T>> given_, moving_;
};

}  // namespace riemflow
