#include "riemflow/manifold/drawn_coordinates.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <utility>

#include "riemflow/manifold/earth.hpp"

namespace riemflow {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

/// `at` of x, and of −x where an axis has both ends.
template <std::size_t D, class At>
std::vector<double> at_ends(const double* x, bool both_ends, At at) {
  std::vector<double> all = at(x);
  if (!both_ends) return all;
  double opposite[D];
  for (std::size_t i = 0; i < D; ++i) opposite[i] = -x[i];
  const std::vector<double> other = at(opposite);
  all.insert(all.end(), other.begin(), other.end());
  return all;
}

}  // namespace

DrawnCoordinates own_coordinates(std::vector<DrawnAxis> axes) {
  const std::size_t d = axes.size();
  return {axes,
          [d](const double* u, double* x) {
            std::copy_n(u, d, x);
            return 1.0;
          },
          [axes](const double* x) {
            std::vector<double> at(x, x + axes.size());
            for (std::size_t i = 0; i < at.size(); ++i) {
              const auto& [name, unit, low, high, periodic] = axes[i];
              if (periodic) at[i] -= (high - low) * std::floor((at[i] - low) / (high - low));
            }
            return at;
          }};
}

DrawnCoordinates circle_coordinates(double radius, bool both_ends) {
  return {{{"angle", "radians", -std::numbers::pi, std::numbers::pi, true}},
          [radius](const double* u, double* x) {
            x[0] = radius * std::cos(u[0]);
            x[1] = radius * std::sin(u[0]);
            return radius;
          },
          [both_ends](const double* x) {
            return at_ends<2>(x, both_ends,
                              [](const double* y) { return std::vector<double>{std::atan2(y[1], y[0])}; });
          }};
}

DrawnCoordinates globe_coordinates(double radius, bool both_ends) {
  return {{{"longitude", "degrees", -180, 180, true}, {"latitude", "degrees", -90, 90}},
          [radius](const double* u, double* x) {
            unit_vector<double>(u[1], u[0], {x, 3});
            for (int i = 0; i < 3; ++i) x[i] *= radius;
            return radius * radius * kDegree * kDegree * std::cos(u[1] * kDegree);
          },
          [both_ends](const double* x) {
            return at_ends<3>(x, both_ends, [](const double* y) {
              return std::vector<double>{std::atan2(y[1], y[0]) / kDegree,
                                         std::atan2(y[2], std::hypot(y[0], y[1])) / kDegree};
            });
          }};
}

DrawnCoordinates product_coordinates(std::vector<DrawnCoordinates> factors, std::vector<int> ambient) {
  DrawnCoordinates all;
  for (const DrawnCoordinates& factor : factors)
    all.axes.insert(all.axes.end(), factor.axes.begin(), factor.axes.end());
  all.place = [factors, ambient](const double* u, double* x) {
    double volume = 1;
    for (std::size_t f = 0; f < factors.size(); ++f) {
      volume *= factors[f].place(u, x);
      u += factors[f].axes.size();
      x += ambient[f];
    }
    return volume;
  };
  all.places = [factors = std::move(factors), ambient = std::move(ambient)](const double* x) {
    std::vector<std::vector<double>> places(1);
    for (std::size_t f = 0; f < factors.size(); ++f) {
      const std::vector<double> own = factors[f].places(x);
      const std::size_t d = factors[f].axes.size();
      std::vector<std::vector<double>> longer;
      for (const std::vector<double>& before : places)
        for (std::size_t at = 0; at < own.size(); at += d) {
          longer.push_back(before);
          longer.back().insert(longer.back().end(), own.begin() + static_cast<std::ptrdiff_t>(at),
                               own.begin() + static_cast<std::ptrdiff_t>(at + d));
        }
      places = std::move(longer);
      x += ambient[f];
    }
    std::vector<double> flat;
    for (const std::vector<double>& place : places) flat.insert(flat.end(), place.begin(), place.end());
    return flat;
  };
  return all;
}

}  // namespace riemflow
