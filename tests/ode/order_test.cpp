// Convergence with fixed steps on the sphere, the ball and the torus, the projection after each step
// included.

#include <gtest/gtest.h>

#include "riemflow/ode/solver.hpp"
#include "tests/ode/systems.hpp"

namespace riemflow {
namespace {

using namespace test;

SolvedSystem::Errors errors_with(SolvedSystem& system, const std::string& method, int steps, double from,
                                 double to) {
  SolverOptions options;
  options.method = method;
  options.fixed_steps = steps;
  Solver<double> solver(options);
  const State start = system.random_state(3);
  State y = start;
  const SolveReport report = solver.solve(system, from, to, y.data());
  EXPECT_EQ(report.status, Status::ok);
  EXPECT_EQ(report.accepted, steps);
  EXPECT_EQ(report.rejected, 0);
  return system.errors(start, from, y, to);
}

class Order : public testing::TestWithParam<const Tableau*> {};
INSTANTIATE_TEST_SUITE_P(Methods, Order, testing::ValuesIn(kTableaux),
                         [](const auto& instance) { return std::string(instance.param->name); });

// Halving the step divides the error by 2^order. A long interval: where the steps are small enough for the
// leading error term to stand alone, the errors are still far above rounding.
TEST_P(Order, IsThatOfTheMethod) {
  const std::string method(GetParam()->name);
  const int order = GetParam()->order, steps = order == 5 ? 2000 : 1000;
  for (const auto& system : solved_systems()) {
    for (const auto& [from, to] : {std::pair{0.3, 90.3}, {90.3, 0.3}}) {
      const auto coarse = errors_with(*system, method, steps, from, to);
      const auto fine = errors_with(*system, method, 2 * steps, from, to);
      const std::string which = method + ", " + system->name() + (from < to ? " forward" : " backward");
      EXPECT_GT(fine.point, 1e-13) << which;
      EXPECT_NEAR(std::log2(coarse.point / fine.point), order, 0.2)
          << which << ": " << coarse.point << " " << fine.point;
      EXPECT_NEAR(std::log2(coarse.integral / fine.integral), order, 0.2) << which << ": " << coarse.integral;
      EXPECT_LT(coarse.point, 1e-4) << which;
      EXPECT_LT(coarse.integral, 1e-4) << which;
    }
  }
}

TEST_P(Order, PointsEndOnTheManifold) {
  for (const auto& system : solved_systems()) {
    SolverOptions options;
    options.method = GetParam()->name;
    options.fixed_steps = 5;
    Solver<double> solver(options);
    State y = system->random_state(4);
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
  State y = system.random_state(5);
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
