#include "riemflow/distribution/normal.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "riemflow/core/error.hpp"

namespace riemflow {

template <class T>
StandardNormal<T>::StandardNormal(int d) : d_(d), log_peak_(-0.5 * d * std::log(2 * std::numbers::pi)) {
  require(d >= 1, fmt::format("normal distribution of dimension {}", d), "use a dimension of 1 or more");
}

template <class T>
std::string StandardNormal<T>::name() const {
  return fmt::format("normal:{}", d_);
}

template <class T>
void StandardNormal<T>::sample(Random& random, Pack<T>* x, int lane) const {
  for (int i = 0; i < d_; ++i) x[i][lane] = static_cast<T>(random.normal());
}

template <class T>
std::optional<double> StandardNormal<T>::entropy() const {
  return 0.5 * d_ - log_peak_;
}

template class DifferentiableDensity<StandardNormal<float>, float>;
template class DifferentiableDensity<StandardNormal<double>, double>;
template class StandardNormal<float>;
template class StandardNormal<double>;

}  // namespace riemflow
