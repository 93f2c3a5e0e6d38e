// Convergence with fixed steps on the sphere, the ball and the torus, the projection after each step
// included.

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>
#include <numeric>

#include "riemflow/flow/ode/solver.hpp"
#include "tests/flow/ode/systems.hpp"

namespace riemflow {
namespace {

using namespace test;

using Vector = std::vector<double>;

/// The signed errors of many points, of their coordinates or of the integral.
Vector signed_errors(SolvedSystem& system, const Tableau& method, int steps, double from, double to,
                     bool integral) {
  SolverOptions options;
  options.method = method.name;
  options.fixed_steps = steps;
  Solver<double> solver(options);
  Vector r;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const State start = system.random_state(seed, from);
    State y = start;
    const SolveReport report = solver.solve(system, from, to, y.data());
    EXPECT_EQ(report.status, Status::ok);
    EXPECT_EQ(report.accepted, steps);
    EXPECT_EQ(report.rejected, 0);
    const State expected = system.exact(start, from, to);
    for (std::size_t i = 0; i < y.size(); ++i)
      for (int l = 0; (i + 1 == y.size()) == integral && l < kLanes; ++l)
        r.push_back(std::remainder(y[i][l] - expected[i][l], 2 * std::numbers::pi));
  }
  return r;
}

/// error(h) − 2^(p+1) error(h/2): the term of order p + 1, which is not small beside that of order p in
/// methods tuned to make the latter so, is gone, and the rest is O(h^p).
Vector leading_error(const Vector& coarse, const Vector& fine, int order) {
  Vector r;
  for (std::size_t i = 0; i < coarse.size(); ++i) r.push_back(coarse[i] - std::exp2(order + 1) * fine[i]);
  return r;
}

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

class Order : public testing::TestWithParam<const Tableau*> {};
INSTANTIATE_TEST_SUITE_P(Methods, Order, testing::ValuesIn(kTableaux),
                         [](const auto& instance) { return std::string(instance.param->name); });

// Halving the step divides the error by 2^order: the slope of a regression over the points, in which rounding
// averages out.
TEST_P(Order, IsThatOfTheMethod) {
  const Tableau& method = *GetParam();
  constexpr int kSteps = 36;
  for (const auto& system : solved_systems()) {
    for (const auto& [from, to] : {std::pair{0.3, 2.3}, {2.3, 0.3}}) {
      for (const bool integral : {false, true}) {
        std::vector<Vector> errors;
        for (const int steps : {kSteps, 2 * kSteps, 4 * kSteps})
          errors.push_back(signed_errors(*system, method, steps, from, to, integral));
        const Vector coarse = leading_error(errors[0], errors[1], method.order);
        const Vector fine = leading_error(errors[1], errors[2], method.order);
        EXPECT_NEAR(std::log2(dot(coarse, coarse) / dot(coarse, fine)), method.order, 0.2)
            << system->name() << (from < to ? " forward, " : " backward, ")
            << (integral ? "integral" : "point");
        EXPECT_LT(std::sqrt(dot(errors[0], errors[0])), 1e-3);
      }
    }
  }
}

TEST_P(Order, PointsEndOnTheManifold) {
  for (const auto& system : solved_systems()) {
    SolverOptions options;
    options.method = GetParam()->name;
    options.fixed_steps = 5;
    Solver<double> solver(options);
    State y = system->random_state(4, 0);
    ASSERT_EQ(solver.solve(*system, 0, 1, y.data()).status, Status::ok);
    State projected = y;
    system->project(projected.data());
    for (std::size_t i = 0; i < static_cast<std::size_t>(system->moving()); ++i)
      for (int l = 0; l < kLanes; ++l) EXPECT_NEAR(y[i][l], projected[i][l], 4e-16) << system->name();
  }
}

// Evaluations: the first stage once, then FSAL methods use as many a step as they have stages.
TEST_P(Order, FixedStepsAreEquallySpacedAndCounted) {
  const Tableau& method = *GetParam();
  UnevenRotation system;
  SolverOptions options;
  options.method = method.name;
  options.fixed_steps = 7;
  Solver<double> solver(options);
  State y = system.random_state(5, 0.1);
  const double from = 0.1, to = 0.73;
  const SolveReport report = solver.solve(system, from, to, y.data());
  EXPECT_EQ(report.evaluations, method.error_order > 0 ? 7 * method.stages + 1 : 7 * method.stages);
  EXPECT_EQ(static_cast<std::size_t>(report.evaluations), system.times.size());
  EXPECT_EQ(system.times.front(), from);
  EXPECT_NEAR(*std::max_element(system.times.begin(), system.times.end()), to, 1e-15);
  for (int step = 0; step < 7; ++step)
    for (int i = 0; i < method.stages; ++i) {
      const double expected = from + (to - from) / 7 * (step + method.c[static_cast<std::size_t>(i)]);
      const auto nearest = std::min_element(
          system.times.begin(), system.times.end(),
          [&](double a, double b) { return std::abs(a - expected) < std::abs(b - expected); });
      EXPECT_NEAR(*nearest, expected, 1e-15) << step << ", " << i;
    }
}

}  // namespace
}  // namespace riemflow
