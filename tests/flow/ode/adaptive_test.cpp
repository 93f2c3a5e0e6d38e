// Adaptive steps: the error that comes of a tolerance, landing on the end, output times, counters.

#include <gtest/gtest.h>

#include "riemflow/flow/ode/solver.hpp"
#include "tests/flow/ode/systems.hpp"

namespace riemflow {
namespace {

using namespace test;

SolverOptions adaptive(std::string_view method, double tolerance) {
  SolverOptions options;
  options.method = method;
  options.rtol = options.atol = tolerance;
  options.max_evaluations = 1000000;
  return options;
}

std::vector<const Tableau*> adaptive_methods() { return {&kDopri5, &kTsit5, &kBosh3}; }

class Adaptive : public testing::TestWithParam<const Tableau*> {
 protected:
  const Tableau& method_ = *GetParam();
};
INSTANTIATE_TEST_SUITE_P(Methods, Adaptive, testing::ValuesIn(adaptive_methods()),
                         [](const auto& instance) { return std::string(instance.param->name); });

// Within ten tolerances (the many steps of a method of order 3 add up to more), and not a thousandfold below:
// that would be wasted work.
TEST_P(Adaptive, TheErrorFollowsTheTolerance) {
  const double within = method_.order == 5 ? 10 : 40;
  for (const auto& system : solved_systems()) {
    for (double tolerance = 1e-4; tolerance > 0.5e-10; tolerance /= 100) {
      for (const auto& [from, to] : {std::pair{0.3, 2.3}, {2.3, 0.3}}) {
        Solver<double> solver(adaptive(method_.name, tolerance));
        const State start = system->random_state(5, from);
        State y = start;
        const SolveReport report = solver.solve(*system, from, to, y.data());
        ASSERT_EQ(report.status, Status::ok);
        const Errors error = errors(system->manifold(), y, system->exact(start, from, to));
        const std::string which = system->name() + ", tolerance " + std::to_string(std::log10(tolerance));
        EXPECT_LT(std::max(error.point, error.integral), within * tolerance) << which;
        EXPECT_GT(std::max(error.point, error.integral), 1e-3 * tolerance) << which;
      }
    }
  }
}

TEST_P(Adaptive, LandsOnTheEndExactly) {
  UnevenRotation system;
  for (const double tolerance : {1e-3, 1e-7}) {
    for (const auto& [from, to] :
         {std::pair{0.1, 1.0 / 3}, {0.0, 0.7}, {1.0, 0.0}, {0.3, -1e-3}, {0.25, 0.25 + 1e-9}}) {
      Solver<double> solver(adaptive(method_.name, tolerance));
      State y = system.random_state(6, from);
      system.times.clear();
      ASSERT_EQ(solver.solve(system, from, to, y.data()).status, Status::ok);
      EXPECT_EQ(system.times.front(), from);
      EXPECT_EQ(system.times.back(), to);
      for (const double t : system.times) {
        EXPECT_GE(t, std::min(from, to) - 1e-15);
        EXPECT_LE(t, std::max(from, to) + 1e-15);
      }
    }
  }
}

TEST_P(Adaptive, NoTimeToGoIsNoWork) {
  UnevenRotation system;
  Solver<double> solver(adaptive(method_.name, 1e-5));
  const State start = system.random_state(6, 0.4);
  State y = start;
  const SolveReport report = solver.solve(system, 0.4, 0.4, y.data());
  EXPECT_EQ(report.status, Status::ok);
  EXPECT_EQ(report.evaluations, 0);
  for (std::size_t i = 0; i < y.size(); ++i)
    for (int l = 0; l < kLanes; ++l) EXPECT_EQ(y[i][l], start[i][l]);
}

// One evaluation at the start, one to guess the first step if it is not given, then `stages` for each step
// tried.
TEST_P(Adaptive, CountersAreThoseOfTheSystem) {
  for (const auto& system : solved_systems()) {
    for (const double first_step : {0.0, 1e-3, 0.9}) {
      Solver<double> solver(adaptive(method_.name, 1e-6));
      State y = system->random_state(7, 0);
      Trajectory<double> trajectory;
      const SolveReport report =
          solver.solve(*system, 0, 1, y.data(), ErrorNorm::worst_point, first_step, &trajectory);
      EXPECT_EQ(static_cast<std::size_t>(report.evaluations), system->times.size());
      EXPECT_EQ(report.evaluations,
                1 + (first_step == 0 ? 1 : 0) + method_.stages * (report.accepted + report.rejected));
      EXPECT_EQ(static_cast<std::size_t>(report.accepted), trajectory.steps.size());
      EXPECT_GT(report.accepted, 1);
      system->times.clear();
    }
  }
}

TEST_P(Adaptive, TheStepsOfTheTrajectoryFollowEachOther) {
  Ascent system;
  for (const auto& [from, to] : {std::pair{0.0, 1.0}, {1.0, 0.0}}) {
    Solver<double> solver(adaptive(method_.name, 1e-5));
    State y = system.random_state(8, from);
    Trajectory<double> trajectory;
    ASSERT_EQ(solver.solve(system, from, to, y.data(), ErrorNorm::worst_point, 0, &trajectory).status,
              Status::ok);
    double t = from;
    for (const auto& step : trajectory.steps) {
      EXPECT_NEAR(step.t, t, 1e-15);
      EXPECT_GT(step.h * (to - from), 0);
      t = step.t + step.h;
    }
    EXPECT_NEAR(t, to, 1e-15);
  }
}

TEST_P(Adaptive, TheFirstStepIsTheOneGiven) {
  Rotation system;
  for (const double direction : {1.0, -1.0}) {
    Solver<double> solver(adaptive(method_.name, 1e-6));
    State y = system.random_state(9, 0);
    system.times.clear();
    ASSERT_EQ(solver.solve(system, 0, direction, y.data(), ErrorNorm::worst_point, 0.0125).status,
              Status::ok);
    EXPECT_DOUBLE_EQ(system.times[1], direction * 0.0125 * method_.c[1]);
    EXPECT_DOUBLE_EQ(system.times[static_cast<std::size_t>(method_.stages)], direction * 0.0125);
  }
}

// What a solve says its first step could have been saves the guess in the next one, and holds.
TEST_P(Adaptive, TheReportedFirstStepServesTheNextSolve) {
  for (const auto& system : solved_systems()) {
    Solver<double> solver(adaptive(method_.name, 1e-7));
    State y = system->random_state(10, 0), again = y;
    const SolveReport first = solver.solve(*system, 0, 1, y.data());
    ASSERT_GT(first.first_step, 0);
    const SolveReport second =
        solver.solve(*system, 0, 1, again.data(), ErrorNorm::worst_point, first.first_step);
    EXPECT_LT(second.evaluations, first.evaluations) << system->name();
    EXPECT_LE(second.rejected, first.rejected + 1) << system->name();
  }
}

// In the mean square a tile may be a little less exact, and takes no more steps.
TEST_P(Adaptive, TheMeanSquareIsTheLooserNorm) {
  for (const auto& system : solved_systems()) {
    const State start = system->random_state(11, 0);
    const State expected = system->exact(start, 0, 2);
    int evaluations[2];
    for (const ErrorNorm norm : {ErrorNorm::worst_point, ErrorNorm::mean_square}) {
      Solver<double> solver(adaptive(method_.name, 1e-6));
      State y = start;
      evaluations[norm == ErrorNorm::mean_square] = solver.solve(*system, 0, 2, y.data(), norm).evaluations;
      EXPECT_LT(errors(system->manifold(), y, expected).point, 4e-5) << system->name();
    }
    EXPECT_LE(evaluations[1], evaluations[0]) << system->name();
  }
}

TEST_P(Adaptive, OutputTimesAreHitAndAgreeWithSeparateSolves) {
  constexpr double kTolerance = 1e-8;
  for (const auto& system : solved_systems()) {
    for (const std::vector<double>& times :
         {std::vector{0.3, 0.4, 1.0 / 3 + 0.2, 1.7, 2.3}, std::vector{2.3, 2.29, 1.1, 0.3}}) {
      Solver<double> solver(adaptive(method_.name, kTolerance));
      const State start = system->random_state(12, times.front());
      State y = start;
      std::vector<State> seen;
      system->times.clear();
      const SolveReport report =
          solver.solve_through(*system, times, y.data(), [&](std::size_t i, const Pack<double>* at) {
            EXPECT_EQ(i, seen.size());
            EXPECT_TRUE(i == 0 || system->times.back() == times[i]) << "visited off time";
            seen.emplace_back(at, at + system->rows());
          });
      ASSERT_EQ(report.status, Status::ok);
      EXPECT_EQ(static_cast<std::size_t>(report.evaluations), system->times.size());
      ASSERT_EQ(seen.size(), times.size());
      for (std::size_t i = 1; i < times.size(); ++i) {
        Solver<double> separate(adaptive(method_.name, kTolerance));
        State alone = start;
        ASSERT_EQ(separate.solve(*system, times.front(), times[i], alone.data()).status, Status::ok);
        const Errors difference = errors(system->manifold(), seen[i], alone);
        EXPECT_LT(std::max(difference.point, difference.integral), 10 * kTolerance)
            << system->name() << ", " << i;
      }
    }
  }
}

// Many output times cost little more than none: the step size carries over.
TEST_P(Adaptive, OutputTimesDoNotResetTheStepSize) {
  Rotation system;
  const auto cost = [&](const std::vector<double>& times) {
    Solver<double> solver(adaptive(method_.name, 1e-9));
    State y = system.random_state(13, 0);
    return solver.solve_through(system, times, y.data(), [](std::size_t, const Pack<double>*) {}).evaluations;
  };
  EXPECT_LT(cost({0, 0.5, 1, 1.5, 2}), cost({0, 2}) + 8 * method_.stages);
}

}  // namespace
}  // namespace riemflow
