#pragma once
// The contract of a density on a manifold, with respect to the Riemannian volume: a flow's base, or a target.

#include <optional>
#include <string>

#include "riemflow/core/pack.hpp"
#include "riemflow/core/random.hpp"

namespace riemflow {

template <class T>
class Distribution {
 public:
  virtual ~Distribution() = default;

  virtual std::string name() const = 0;
  /// Numbers a point, as on its manifold.
  virtual int ambient() const = 0;
  /// log p(x) in nats, for the tile x.
  virtual Pack<T> log_density(const Pack<T>* x) const = 0;
  /// The same, and gradient[i] = ∂ log p/∂x_i in ambient coordinates (any smooth extension off the manifold:
  /// only the tangential part is used).
  virtual Pack<T> log_density_gradient(const Pack<T>* x, Pack<T>* gradient) const = 0;
  /// The same where the flow has carried the training points `data` to x, for bases that are made of training
  /// points themselves: each as though it had not been among them.
  virtual Pack<T> log_density_gradient_without(const Pack<T>* x, const Pack<T>* data,
                                               Pack<T>* gradient) const {
    static_cast<void>(data);
    return log_density_gradient(x, gradient);
  }
  /// One lane of x = a draw.
  virtual void sample(Random& random, Pack<T>* x, int lane) const = 0;
  /// False where sample() throws: of a target that is known by its density alone.
  virtual bool can_sample() const { return true; }
  /// −E log p in nats, where a closed form is known.
  virtual std::optional<double> entropy() const { return std::nullopt; }
};

}  // namespace riemflow
