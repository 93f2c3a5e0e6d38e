#include "riemflow/core/dual.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace riemflow {
namespace {

using D = Dual<double>;
using DD = Dual<D>;

/// One function of one number at the points where it is to be differentiated; every instance of the template.
struct DualFunction {
  std::string name;
  std::vector<double> points;
  std::function<double(double)> plain;
  std::function<D(D)> dual;
  std::function<DD(DD)> second;
  std::function<Dual<Pack<float>>(Dual<Pack<float>>)> pack;
};

#define FUNCTION(name, ...)                                                                                \
  DualFunction {                                                                                           \
#name, {__VA_ARGS__}, [](double x) { return std::name(x); }, [](D x) { return name(x); },                \
        [](DD x) { return name(x); }, [](Dual<Pack<float>> x) { return name(x); } \
  }

const std::vector<DualFunction>& functions() {
  static const std::vector<DualFunction> all = {
      FUNCTION(sqrt, 0.01, 1, 7),      FUNCTION(exp, -3, 0, 2),       FUNCTION(log, 0.1, 1, 50),
      FUNCTION(log1p, -0.5, 0.01, 3),  FUNCTION(sin, -2, 0, 1, 4),    FUNCTION(cos, -2, 0.3, 1, 4),
      FUNCTION(asin, -0.9, 0.01, 0.5), FUNCTION(sinh, -2, 0, 1.5),    FUNCTION(cosh, -2, 0.1, 1.5),
      FUNCTION(tanh, -2, 0, 1.5),      FUNCTION(asinh, -3, 0.01, 20), FUNCTION(atanh, -0.9, 0.01, 0.5),
  };
  return all;
}

TEST(Dual, SlopesAreCentralDifferences) {
  for (const DualFunction& f : functions()) {
    for (const double x : f.points) {
      const double h = 1e-3 * std::min(1.0, 0.1 + std::abs(x)) * 0.1;
      // Fourth order, with a slope of 2.5 coming in.
      const double slope =
          2.5 * (8 * (f.plain(x + h) - f.plain(x - h)) - (f.plain(x + 2 * h) - f.plain(x - 2 * h))) /
          (12 * h);
      const D y = f.dual(D(x, 2.5));
      EXPECT_EQ(y.value, f.plain(x)) << f.name << ' ' << x;
      EXPECT_NEAR(y.slope, slope, 1e-9 * (1 + std::abs(slope))) << f.name << ' ' << x;
    }
  }
}

TEST(Dual, SlopesOfSlopesAreCentralDifferences) {
  for (const DualFunction& f : functions()) {
    for (const double x : f.points) {
      const double h = 1e-5 * (0.1 + std::abs(x));
      const double curvature = (f.dual(D(x + h, 1)).slope - f.dual(D(x - h, 1)).slope) / (2 * h);
      const DD y = f.second(DD(D(x, 1), D(1)));
      EXPECT_EQ(y.value.value, f.plain(x)) << f.name << ' ' << x;
      EXPECT_NEAR(y.slope.slope, curvature, 1e-6 * (1 + std::abs(curvature))) << f.name << ' ' << x;
      EXPECT_EQ(y.value.slope, y.slope.value) << f.name << ' ' << x;
    }
  }
}

TEST(Dual, LanesDoNotMix) {
  for (const DualFunction& f : functions()) {
    Dual<Pack<float>> x;
    const std::size_t n = f.points.size();
    const auto at = [&](int lane) { return f.points[static_cast<std::size_t>(lane) % n]; };
    for (int l = 0; l < kLanes; ++l) {
      x.value[l] = static_cast<float>(at(l));
      x.slope[l] = static_cast<float>(l + 1);
    }
    const Dual<Pack<float>> y = f.pack(x);
    for (int l = 0; l < kLanes; ++l) {
      const D exact = f.dual(D(static_cast<double>(x.value[l]), l + 1));
      EXPECT_NEAR(y.value[l], exact.value, 1e-6 * (1 + std::abs(exact.value))) << f.name;
      EXPECT_NEAR(y.slope[l], exact.slope, 2e-6 * (1 + std::abs(exact.slope))) << f.name;
    }
  }
}

TEST(Dual, KnownDerivatives) {
  EXPECT_DOUBLE_EQ(sqrt(D(4, 1)).slope, 0.25);
  EXPECT_DOUBLE_EQ(exp(D(0, 3)).slope, 3);
  EXPECT_DOUBLE_EQ(log(D(5, 1)).slope, 0.2);
  EXPECT_DOUBLE_EQ(log1p(D(4, 1)).slope, 0.2);
  EXPECT_DOUBLE_EQ(asin(D(0.6, 1)).slope, 1.25);
  EXPECT_DOUBLE_EQ(asinh(D(0.75, 1)).slope, 0.8);
  EXPECT_DOUBLE_EQ(atanh(D(0.5, 1)).slope, 4.0 / 3);
  EXPECT_DOUBLE_EQ(tanh(D(0, 1)).slope, 1);
  EXPECT_DOUBLE_EQ(sin(D(0, 1)).slope, 1);
  EXPECT_EQ(cos(D(0, 1)).slope, 0);
  EXPECT_DOUBLE_EQ(sinh(D(0, 1)).slope, 1);
  EXPECT_EQ(cosh(D(0, 1)).slope, 0);
}

TEST(Dual, ArithmeticFollowsTheProductAndQuotientRules) {
  const D a(3, 5), b(-2, 7);
  const auto expect = [](const D& got, double value, double slope) {
    EXPECT_DOUBLE_EQ(got.value, value);
    EXPECT_DOUBLE_EQ(got.slope, slope);
  };
  expect(a + b, 1, 12);
  expect(a - b, 5, -2);
  expect(-a, -3, -5);
  expect(a * b, -6, 3 * 7 - 2 * 5);
  expect(a / b, -1.5, (5 * -2 - 3 * 7) / 4.0);
  expect(2 * a + 1, 7, 10);
  expect(1 / a, 1.0 / 3, -5.0 / 9);
  D c = a;
  c += b;
  c *= a;
  c -= 1;
  c /= b;
  // ((a + b)a − 1)/b = 2/−2; slope ((2a + b)a′ + a b′)/b − 2 b′/b²
  expect(c, -1, ((2 * 3 - 2) * 5 + 3 * 7) / -2.0 - 2 * 7 / 4.0);
}

TEST(Dual, ConstantsHaveNoSlope) {
  EXPECT_EQ(D(3.0).slope, 0);
  EXPECT_EQ(D(3).value, 3);
  const DD nested(2);
  EXPECT_EQ(nested.value.value, 2);
  EXPECT_EQ(nested.slope.value, 0);
  const Dual<Pack<double>> pack(1.5);
  EXPECT_EQ(pack.value[kLanes - 1], 1.5);
  EXPECT_EQ(pack.slope[0], 0);
}

TEST(Dual, SelectsValueAndSlopeTogether) {
  const D small(1, 10), large(2, 20);
  EXPECT_TRUE(small < large);
  EXPECT_EQ(select(small < large, small, large).slope, 10);
  EXPECT_EQ(select(large < small, small, large).slope, 20);

  Dual<Pack<double>> x(Pack<double>(0), Pack<double>(1));
  for (int l = 0; l < kLanes; ++l) x.value[l] = l;
  // The branch not taken has an infinite slope at 0.
  const Dual<Pack<double>> y = select(x < Dual<Pack<double>>(4), 3 * x, sqrt(x));
  for (int l = 0; l < kLanes; ++l) EXPECT_DOUBLE_EQ(y.slope[l], l < 4 ? 3 : 0.5 / std::sqrt(l));
}

TEST(Dual, GradientOfAComposition) {
  // f(x, y) = exp(x sin y)/(1 + y²); f_x = f sin y, f_y = f (x cos y − 2y/(1 + y²))
  const auto f = [](const auto& x, const auto& y) { return exp(x * sin(y)) / (1 + y * y); };
  const double x = 0.7, y = -1.3, value = std::exp(x * std::sin(y)) / (1 + y * y);
  EXPECT_DOUBLE_EQ(f(D(x, 1), D(y)).slope, value * std::sin(y));
  EXPECT_DOUBLE_EQ(f(D(x), D(y, 1)).slope, value * (x * std::cos(y) - 2 * y / (1 + y * y)));
}

}  // namespace
}  // namespace riemflow
