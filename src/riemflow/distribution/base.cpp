#include "riemflow/distribution/base.hpp"

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/normal.hpp"
#include "riemflow/distribution/product_distribution.hpp"
#include "riemflow/distribution/uniform.hpp"
#include "riemflow/distribution/wrapped_normal.hpp"

namespace riemflow {

template <class T>
std::shared_ptr<const Distribution<T>> default_base(std::shared_ptr<const Manifold<T>> manifold) {
  std::vector<std::shared_ptr<const Distribution<T>>> parts;
  for (const Factor<T>& factor : manifold->factors()) {
    const int d = factor.manifold->dimension();
    switch (factor.manifold->default_base()) {
      case DefaultBase::uniform:
        // Shares ownership of the whole, points at the factor.
        parts.push_back(
            std::make_shared<Uniform<T>>(std::shared_ptr<const Manifold<T>>(manifold, factor.manifold)));
        break;
      case DefaultBase::normal:
        parts.push_back(std::make_shared<StandardNormal<T>>(d));
        break;
      case DefaultBase::wrapped_normal:
        parts.push_back(
            std::make_shared<WrappedNormal<T>>(WrappedNormal<T>::standard(d, factor.manifold->curvature())));
        break;
      case DefaultBase::none:
        throw Error(factor.manifold->name() + " has no default base", "name one, or take another manifold");
    }
  }
  if (parts.size() == 1) return parts.front();
  return std::make_shared<ProductDistribution<T>>(std::move(parts));
}

template std::shared_ptr<const Distribution<float>> default_base(std::shared_ptr<const Manifold<float>>);
template std::shared_ptr<const Distribution<double>> default_base(std::shared_ptr<const Manifold<double>>);

}  // namespace riemflow
