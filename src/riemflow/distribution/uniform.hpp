#pragma once
// The uniform distribution of a compact manifold: p = 1/volume.

#include <memory>
#include <utility>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/distribution.hpp"
#include "riemflow/manifold/manifold.hpp"

namespace riemflow {

template <class T>
class Uniform final : public Distribution<T> {
 public:
  /// Throws Error where the volume is infinite.
  explicit Uniform(std::shared_ptr<const Manifold<T>> manifold) : manifold_(std::move(manifold)) {
    require(manifold_ != nullptr, "uniform distribution without a manifold", "pass the manifold it lives on");
    require(manifold_->compact(), manifold_->name() + " has infinite volume and so no uniform distribution",
            "use a wrapped normal on the ball or a normal on R^d");
  }

  std::string name() const override { return "uniform(" + manifold_->name() + ")"; }
  int ambient() const override { return manifold_->ambient(); }
  Pack<T> log_density(const Pack<T>*) const override { return Pack<T>(-manifold_->log_volume()); }
  Pack<T> log_density_gradient(const Pack<T>* x, Pack<T>* gradient) const override {
    for (int i = 0; i < ambient(); ++i) gradient[i] = Pack<T>(0);
    return log_density(x);
  }
  void sample(Random& random, Pack<T>* x, int lane) const override {
    manifold_->random_uniform(random, x, lane);
  }
  std::optional<double> entropy() const override { return manifold_->log_volume(); }

 private:
  std::shared_ptr<const Manifold<T>> manifold_;
};

}  // namespace riemflow
