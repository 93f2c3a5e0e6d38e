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
    switch (factor.geometry) {
      case Geometry::sphere:
      case Geometry::torus:
        // Shares ownership of the whole, points at the factor.
        parts.push_back(
            std::make_shared<Uniform<T>>(std::shared_ptr<const Manifold<T>>(manifold, factor.manifold)));
        break;
      case Geometry::euclidean:
        parts.push_back(std::make_shared<StandardNormal<T>>(d));
        break;
      case Geometry::ball:
        parts.push_back(std::make_shared<WrappedNormal<T>>(WrappedNormal<T>::standard(d, factor.curvature)));
        break;
      case Geometry::covered:
        throw Error(factor.manifold->name() + " has no default base of its own", "take that of its cover",
                    Fault::internal);
    }
  }
  if (parts.size() == 1) return parts.front();
  return std::make_shared<ProductDistribution<T>>(std::move(parts));
}

template std::shared_ptr<const Distribution<float>> default_base(std::shared_ptr<const Manifold<float>>);
template std::shared_ptr<const Distribution<double>> default_base(std::shared_ptr<const Manifold<double>>);

}  // namespace riemflow
