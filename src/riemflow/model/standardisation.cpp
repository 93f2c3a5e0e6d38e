#include "riemflow/model/standardisation.hpp"

#include <cmath>

namespace riemflow {
namespace {

/// Of the mean: a smaller deviation is rounding.
constexpr double kNoDeviation = 1e-12;

}  // namespace

double Standardisation::log_scale() const {
  double sum = 0;
  for (const double s : scale) sum += std::log(s);
  return sum;
}

template <class To, class From>
Points<To> Standardisation::standardised(const Points<From>& points) const {
  if (identity()) return converted<To>(points);
  Points<To> result(points.size(), points.dimension);
  for (std::size_t i = 0; i < points.values.size(); ++i) {
    const std::size_t c = i % scale.size();
    result.values[i] = static_cast<To>((static_cast<double>(points.values[i]) - shift[c]) / scale[c]);
  }
  return result;
}

template <class To, class From>
Points<To> Standardisation::in_units(const Points<From>& points) const {
  if (identity()) return converted<To>(points);
  Points<To> result(points.size(), points.dimension);
  for (std::size_t i = 0; i < points.values.size(); ++i) {
    const std::size_t c = i % scale.size();
    result.values[i] = static_cast<To>(shift[c] + scale[c] * static_cast<double>(points.values[i]));
  }
  return result;
}

std::vector<bool> euclidean_numbers(const Manifold<double>& manifold) {
  std::vector<bool> euclidean(static_cast<std::size_t>(manifold.ambient()));
  for (const Factor<double>& factor : manifold.factors())
    for (int c = 0; c < factor.manifold->ambient(); ++c)
      euclidean[static_cast<std::size_t>(factor.row + c)] = factor.geometry == Geometry::euclidean;
  return euclidean;
}

Standardisation standardisation_of(const Manifold<double>& manifold, const Points<double>& points,
                                   std::vector<std::size_t>* constant) {
  const std::vector<bool> euclidean = euclidean_numbers(manifold);
  Standardisation result;
  for (std::size_t c = 0; c < euclidean.size(); ++c) {
    if (!euclidean[c]) continue;
    if (result.identity()) {
      result.shift.assign(euclidean.size(), 0);
      result.scale.assign(euclidean.size(), 1);
    }
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double off = points[i][c] - mean;
      mean += off / static_cast<double>(i + 1);
      square += off * (points[i][c] - mean);
    }
    const double deviation = std::sqrt(square / static_cast<double>(points.size()));
    result.shift[c] = mean;
    if (deviation > kNoDeviation * std::abs(mean) && std::isfinite(deviation))
      result.scale[c] = deviation;
    else if (constant != nullptr)
      constant->push_back(c);
  }
  return result;
}

template Points<float> Standardisation::standardised(const Points<float>&) const;
template Points<float> Standardisation::standardised(const Points<double>&) const;
template Points<double> Standardisation::standardised(const Points<float>&) const;
template Points<double> Standardisation::standardised(const Points<double>&) const;
template Points<float> Standardisation::in_units(const Points<float>&) const;
template Points<float> Standardisation::in_units(const Points<double>&) const;
template Points<double> Standardisation::in_units(const Points<float>&) const;
template Points<double> Standardisation::in_units(const Points<double>&) const;

}  // namespace riemflow
