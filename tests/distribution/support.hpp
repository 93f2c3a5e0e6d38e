#pragma once
// What the tests of densities share: one point through a tile, draws, and means with their standard errors.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "riemflow/distribution/distribution.hpp"

namespace riemflow::density_test {

using Point = std::vector<double>;

template <class T>
std::vector<Pack<T>> tile_of(const Point& x) {
  return {x.begin(), x.end()};
}

template <class T>
double log_density_at(const Distribution<T>& p, const Point& x) {
  return static_cast<double>(p.log_density(tile_of<T>(x).data())[kLanes - 1]);
}

/// The gradient; that the value beside it is log_density, to the bit, is checked in passing.
template <class T>
Point gradient_at(const Distribution<T>& p, const Point& x) {
  std::vector<Pack<T>> gradient(x.size());
  const Pack<T> value = p.log_density_gradient(tile_of<T>(x).data(), gradient.data());
  EXPECT_EQ(static_cast<double>(value[0]), log_density_at(p, x)) << p.name();
  Point g;
  for (const Pack<T>& g_i : gradient) g.push_back(static_cast<double>(g_i[0]));
  return g;
}

/// n draws, each from its own stream; lanes are filled in turn, as a sampler does.
template <class T>
std::vector<Point> draw(const Distribution<T>& p, std::uint64_t seed, int n) {
  std::vector<Pack<T>> tile(static_cast<std::size_t>(p.ambient()));
  std::vector<Point> points;
  for (int i = 0; i < n; ++i) {
    Random random(seed, Purpose::test, 0, static_cast<std::uint64_t>(i));
    p.sample(random, tile.data(), i % kLanes);
    Point x;
    for (const Pack<T>& x_i : tile) x.push_back(static_cast<double>(x_i[i % kLanes]));
    points.push_back(x);
  }
  return points;
}

struct Estimate {
  double mean;
  double standard_error;

  /// How many standard errors `truth` is away. `slack`: rounding, for estimates that hardly vary.
  double sigmas(double truth, double slack = 0) const {
    const double off = std::max(0.0, std::abs(mean - truth) - slack);
    return off == 0 ? 0 : off / standard_error;
  }
};

inline Estimate estimate(const std::vector<Point>& points, const std::function<double(const Point&)>& f) {
  double sum = 0, square = 0;
  const double n = static_cast<double>(points.size());
  const double shift = f(points[0]);
  for (const Point& x : points) {
    const double y = f(x) - shift;
    sum += y;
    square += y * y;
  }
  const double mean = sum / n;
  return {shift + mean, std::sqrt(std::max(0.0, square / n - mean * mean) / (n - 1))};
}

inline double dot(const Point& a, const Point& b) {
  double s = 0;
  for (std::size_t i = 0; i < a.size(); ++i) s += a[i] * b[i];
  return s;
}

}  // namespace riemflow::density_test
