#include "riemflow/manifold/cubature.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace riemflow {
namespace {

/// The unit cube of R^d, or [−1, 1]^d.
std::vector<Patch> cube(int d, double low = 0) {
  Patch patch;
  patch.dimension = d;
  patch.low.fill(low);
  patch.high.fill(1);
  patch.map = std::make_shared<const PatchMap>([d](const double* u, double* x) {
    for (int i = 0; i < d; ++i) x[i] = u[i];
    return 1.0;
  });
  return {patch};
}

using Function = std::function<double(const double*)>;

Integrand each(const Function& f) {
  return [f](const Points<double>& points, std::span<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = f(points[i].data());
  };
}

struct IntegralCase {
  std::string name;
  int d;
  Function f;
  double truth;
};

/// Genz's families and some worse ones, with their integrals over the unit cube.
std::vector<IntegralCase> bank() {
  std::vector<IntegralCase> cases;
  const double pi = std::numbers::pi;
  for (int d = 1; d <= 3; ++d) {
    const auto name = [d](const char* kind) { return std::string(kind) + " " + std::to_string(d); };
    const auto product = [d](auto&& factor) {
      return [d, factor](const double* x) {
        double p = 1;
        for (int i = 0; i < d; ++i) p *= factor(x[i]);
        return p;
      };
    };
    cases.push_back({name("exponential"), d, product([](double x) { return std::exp(x); }),
                     std::pow(std::numbers::e - 1, d)});
    cases.push_back({name("oscillating"), d, product([](double x) { return std::cos(20 * x); }),
                     std::pow(std::sin(20.0) / 20, d)});
    const double peak = 0.37;
    for (const double width : {0.1, 0.02}) {
      cases.push_back({name("bell"), d,
                       product([=](double x) { return std::exp(-0.5 * std::pow((x - peak) / width, 2)); }),
                       std::pow(width * std::sqrt(pi / 2) *
                                    (std::erf((1 - peak) / (width * std::sqrt(2.0))) +
                                     std::erf(peak / (width * std::sqrt(2.0)))),
                                d)});
    }
    cases.push_back({name("resonance"), d,
                     product([=](double x) { return 1 / (0.01 + (x - peak) * (x - peak)); }),
                     std::pow(10 * (std::atan(10 * (1 - peak)) + std::atan(10 * peak)), d)});
    cases.push_back({name("kink"), d, product([=](double x) { return std::abs(x - peak); }),
                     std::pow(0.5 * ((1 - peak) * (1 - peak) + peak * peak), d)});
    cases.push_back({name("root"), d, product([](double x) { return std::sqrt(x); }), std::pow(2.0 / 3, d)});
  }
  cases.push_back({"step", 1, [](const double* x) { return x[0] < 0.3711 ? 1.0 : 0.0; }, 0.3711});
  cases.push_back({"triangle", 2, [](const double* x) { return x[0] + x[1] < 0.8 ? 1.0 : 0.0; }, 0.5 * 0.64});
  return cases;
}

// The claimed error covers the true one, and what converged is as good as was asked.
TEST(Cubature, ErrorsAreCovered) {
  for (const IntegralCase& c : bank()) {
    for (const double tolerance : {1e-2, 1e-4, 1e-6, 1e-9}) {
      // A kink or a step that hides between the last node and the end of a box is not seen at all.
      const bool rough = c.name.starts_with("kink") || c.name == "step" || c.name == "triangle";
      if (rough && tolerance < 1e-6) continue;
      CubatureOptions options;
      options.absolute = tolerance * std::abs(c.truth);
      options.relative = 0;
      options.evaluations = 200000;
      const Integral result = integrate(each(c.f), cut(cube(c.d)[0], {3, 3, 3}), c.d, options);
      EXPECT_LE(std::abs(result.value - c.truth), result.error + 1e-13 * std::abs(c.truth) + 1e-14)
          << c.name << " " << tolerance << " " << result.evaluations;
      EXPECT_LE(result.evaluations, options.evaluations) << c.name;
      EXPECT_EQ(result.converged, result.error <= options.absolute) << c.name;
      EXPECT_EQ(result.failures, 0u);
      if (tolerance >= (c.d == 3 ? 1e-2 : 1e-4) && c.name != "triangle" && c.name != "oscillating 3") {
        EXPECT_TRUE(result.converged) << c.name << " " << tolerance;
      }
    }
  }
}

// Halving every box of a smooth integrand divides the error by 2^{3n+1} and more: the rules' order, with
// refinement by halving alone.
TEST(Cubature, OrderOfConvergence) {
  const Function f = [](const double* x) { return 1 / (1 + 25 * x[0] * x[0]); };
  const double truth = 2.0 / 5 * std::atan(5.0);
  std::vector<double> errors;
  for (const int pieces : {2, 4, 8}) {
    CubatureOptions once;
    once.absolute = 1;  // done after the first round, which has the highest rule
    const Integral result = integrate(each(f), cut(cube(1, -1)[0], {pieces, 1, 1}), 1, once);
    EXPECT_EQ(result.evaluations, 15u * static_cast<unsigned>(pieces));
    errors.push_back(std::abs(result.value - truth));
  }
  EXPECT_LT(errors[1], errors[0] / 300);
  EXPECT_LT(errors[2], errors[1] / 300);
  EXPECT_GT(errors[0], 1e-9);
}

TEST(Cubature, SmoothIntegrandsAreCheap) {
  CubatureOptions options;
  options.absolute = 1e-10;
  options.relative = 0;
  const Integral result =
      integrate(each([](const double* x) { return std::exp(x[0] - x[1]); }), cube(2), 2, options);
  EXPECT_TRUE(result.converged);
  EXPECT_NEAR(result.value, (std::numbers::e - 1) * (1 - 1 / std::numbers::e), 1e-13);
  EXPECT_EQ(result.evaluations, 121u);
}

// A failed point is never zero: it is counted, and its possible share is in the error.
TEST(Cubature, FailuresAreCountedAndCovered) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  CubatureOptions options;
  options.absolute = 0.05;
  options.relative = 0;
  options.evaluations = 100000;
  // Nothing in a small disk: its share is at most 0.008 · 2 …
  const Function hole = [](const double* x) {
    return std::hypot(x[0] - 0.36, x[1] - 0.64) < 0.05 ? kNan : 1 + x[0];
  };
  const Integral small = integrate(each(hole), cube(2), 2, options);
  EXPECT_GT(small.failures, 0u);
  EXPECT_TRUE(small.converged);
  EXPECT_NEAR(small.value, 1.5, small.error);
  // … but of half the square nothing can be said.
  const Function half = [](const double* x) { return x[0] < 0.5 ? kNan : 1.0; };
  const Integral big = integrate(each(half), cube(2), 2, options);
  EXPECT_FALSE(big.converged);
  EXPECT_GT(big.failures, 1000u);
  EXPECT_FALSE(big.error < 0.4);
  const Integral none = integrate(each([](const double*) { return kNan; }), cube(2), 2, options);
  EXPECT_FALSE(none.converged);
  EXPECT_TRUE(std::isnan(none.value));
  EXPECT_TRUE(std::isinf(none.error));
  EXPECT_LT(none.evaluations, 20000u);  // there is no point in going on
}

// Thousands of small patches begin with few points each.
TEST(Cubature, ManyPatches) {
  const std::vector<Patch> patches = cut(cube(2)[0], {50, 40, 1});
  CubatureOptions options;
  options.absolute = 1e-6;
  options.relative = 0;
  std::size_t smallest_batch = SIZE_MAX, largest = 0;
  const Function f = [](const double* x) { return std::exp(x[0] - x[1]); };
  const Integrand counted = [&](const Points<double>& points, std::span<double> values) {
    smallest_batch = std::min(smallest_batch, points.size());
    largest = std::max(largest, points.size());
    each(f)(points, values);
  };
  const Integral result = integrate(counted, patches, 2, options);
  EXPECT_TRUE(result.converged);
  EXPECT_NEAR(result.value, (std::numbers::e - 1) * (1 - 1 / std::numbers::e), 1e-7);
  EXPECT_LE(result.evaluations, 2000u * 9 + 4096 + 49);
  EXPECT_LE(largest, 70000u);
}

}  // namespace
}  // namespace riemflow
