#include "riemflow/distribution/uniform.hpp"

#include <fmt/format.h>

#include <utility>

#include "riemflow/core/error.hpp"

namespace riemflow {

template <class T>
Uniform<T>::Uniform(std::shared_ptr<const Manifold<T>> manifold) : manifold_(std::move(manifold)) {
  require(manifold_ != nullptr, "uniform distribution without a manifold", "pass the manifold it lives on");
  require(manifold_->compact(),
          fmt::format("{} has infinite volume and so no uniform distribution", manifold_->name()),
          "use a wrapped normal on the ball or a normal on R^d");
}

template <class T>
std::string Uniform<T>::name() const {
  return fmt::format("uniform({})", manifold_->name());
}

template <class T>
int Uniform<T>::ambient() const {
  return manifold_->ambient();
}

template <class T>
Pack<T> Uniform<T>::log_density(const Pack<T>*) const {
  return Pack<T>(-manifold_->log_volume());
}

template <class T>
Pack<T> Uniform<T>::log_density_gradient(const Pack<T>* x, Pack<T>* gradient) const {
  for (int i = 0; i < ambient(); ++i) gradient[i] = Pack<T>(0);
  return log_density(x);
}

template <class T>
void Uniform<T>::sample(Random& random, Pack<T>* x, int lane) const {
  manifold_->random_uniform(random, x, lane);
}

template <class T>
std::optional<double> Uniform<T>::entropy() const {
  return manifold_->log_volume();
}

template class Uniform<float>;
template class Uniform<double>;

}  // namespace riemflow
