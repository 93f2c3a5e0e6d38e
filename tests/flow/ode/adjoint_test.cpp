// The discrete adjoint: exact for the steps taken, whatever part of the tape was kept.

#include <gtest/gtest.h>

#include "riemflow/flow/ode/solver.hpp"
#include "tests/flow/ode/systems.hpp"

namespace riemflow {
namespace {

using namespace test;

/// On S², in R³: ż = tanh(M z + t c), q̇ = Σ_i sin(z_i)·ż_i; M and c are parameters. Stages are off the
/// sphere, steps end on it. On the tape: z and ż.
class Twist final : public OdeSystem<double> {
 public:
  explicit Twist(const std::vector<double>& parameters) : parameters_(parameters) {}

  int rows() const override { return 4; }
  int moving() const override { return 3; }
  int controlled() const override { return 4; }
  std::size_t tape_size() const override { return 6 * kLanes; }

  bool evaluate(double t, const Pack<double>* z, Pack<double>* rate, double* tape) override {
    ++evaluations;
    rate[3] = 0;
    for (int i = 0; i < 3; ++i) {
      rate[i] = tanh(m(i, 0) * z[0] + m(i, 1) * z[1] + m(i, 2) * z[2] + t * m(i, 3));
      rate[3] += sin(z[i]) * rate[i];
      as_packs(tape)[i] = z[i];
      as_packs(tape)[3 + i] = rate[i];
    }
    return true;
  }
  void backward(double t, const double* tape, Pack<double>* rate_bar, Pack<double>* z_bar) override {
    const Pack<double>*z = as_packs(tape), *f = as_packs(tape) + 3;
    for (int i = 0; i < 3; ++i) {
      const Pack<double> a_bar = (1 - f[i] * f[i]) * (rate_bar[i] + sin(z[i]) * rate_bar[3]);
      for (int j = 0; j < 3; ++j) {
        z_bar[j] += m(i, j) * a_bar;
        gradient[at(i, j)] += lane_sum(a_bar * z[j]);
      }
      gradient[at(i, 3)] += t * lane_sum(a_bar);
      z_bar[i] += cos(z[i]) * f[i] * rate_bar[3];
    }
  }
  void project(Pack<double>* z) const override { sphere_.project(z); }
  void project_backward(const Pack<double>* z, Pack<double>* z_bar) const override {
    sphere_.project_backward(z, z_bar);
  }
  void error_weight(const Pack<double>*, Pack<double>* weight) const override {
    for (int i = 0; i < 4; ++i) weight[i] = 1;
  }

  int evaluations = 0;
  std::vector<double> gradient = std::vector<double>(12, 0.0);

 private:
  static std::size_t at(int i, int j) { return static_cast<std::size_t>(4 * i + j); }
  double m(int i, int j) const { return parameters_[at(i, j)]; }

  std::vector<double> parameters_;
  Sphere<double> sphere_{2};
};

std::vector<double> random_parameters(std::uint64_t seed) {
  Random random(seed, Purpose::test, 1, 0);
  std::vector<double> p(12);
  for (double& pi : p) pi = 1.5 * random.normal();
  return p;
}

/// What is differentiated: ⟨weights, end state⟩ over all rows and lanes.
double objective(const State& end, const State& weights) {
  double sum = 0;
  for (std::size_t i = 0; i < end.size(); ++i) sum += lane_sum(end[i] * weights[i]);
  return sum;
}

struct Setting {
  State start, weights;
  explicit Setting(std::uint64_t seed) : start(Rotation().random_state(seed, 0)), weights(4) {
    Random random(seed, Purpose::test, 2, 0);
    for (auto& row : weights)
      for (double& w : row.lane) w = random.normal();
  }
};

struct Gradient {
  State start_bar;
  std::vector<double> parameters;
  std::vector<Trajectory<double>::Step> steps;
  SolveReport report;
  std::size_t tape;  ///< numbers
  int recomputed;    ///< evaluations of the backward pass
};

Gradient adjoint(const SolverOptions& options, const Setting& setting, const std::vector<double>& parameters,
                 Trajectory<double>&& trajectory = {}) {
  Twist system(parameters);
  Solver<double> solver(options);
  Gradient result;
  State y = setting.start;
  result.report = solver.solve(system, 0, 1, y.data(), ErrorNorm::mean_square, 0, &trajectory);
  EXPECT_EQ(result.report.status, Status::ok);
  const int forward = system.evaluations;
  result.start_bar = setting.weights;
  solver.backward(system, trajectory, result.start_bar.data());
  result.parameters = system.gradient;
  result.steps = trajectory.steps;
  result.tape = trajectory.tape.size();
  result.recomputed = system.evaluations - forward;
  return result;
}

/// The objective over the given steps, in plain loops.
double replayed(const Tableau& method, const std::vector<Trajectory<double>::Step>& steps, State y,
                const State& weights, const std::vector<double>& parameters) {
  Twist system(parameters);
  AlignedVector<double> tape(system.tape_size());
  for (const auto& [t, h] : steps) {
    std::vector<State> k;
    State next = y;
    for (std::size_t i = 0; i < static_cast<std::size_t>(method.stages); ++i) {
      State z = y;
      for (std::size_t j = 0; j < i; ++j)
        for (std::size_t r = 0; r < 3; ++r) z[r] += h * method.a[i][j] * k[j][r];
      k.emplace_back(4);
      system.evaluate(t + method.c[i] * h, z.data(), k[i].data(), tape.data());
      for (std::size_t r = 0; r < 4; ++r) next[r] += h * method.b[i] * k[i][r];
    }
    system.project(next.data());
    y = next;
  }
  return objective(y, weights);
}

/// Central differences of order 4 of `function` in `x`.
template <class Function>
double derivative(const Function& function, double& x) {
  const double centre = x, step = 1e-4;
  const auto at = [&](double s) {
    x = centre + s * step;
    return function();
  };
  const double slope = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step);
  x = centre;
  return slope;
}

/// Every component against differences over the same steps.
void expect_exact(const Tableau& method, const Gradient& gradient, Setting setting,
                  std::vector<double> parameters) {
  const auto value = [&] {
    return replayed(method, gradient.steps, setting.start, setting.weights, parameters);
  };
  for (std::size_t p = 0; p < parameters.size(); ++p)
    EXPECT_NEAR(gradient.parameters[p], derivative(value, parameters[p]), 1e-8)
        << method.name << ", parameter " << p;
  for (std::size_t i = 0; i < 4; ++i)
    for (const int lane : {0, 5, 15})
      EXPECT_NEAR(gradient.start_bar[i][lane], derivative(value, setting.start[i][lane]), 1e-9)
          << method.name << ", row " << i << ", lane " << lane;
}

SolverOptions options_of(const Tableau& method, int fixed_steps) {
  SolverOptions options;
  options.method = method.name;
  options.fixed_steps = fixed_steps;
  options.rtol = options.atol = 1e-4;
  return options;
}

TEST(Adjoint, IsExactForFixedSteps) {
  for (const Tableau* method : kTableaux) {
    for (const int steps : {1, 3}) {
      const Setting setting(static_cast<std::uint64_t>(20 + steps));
      const auto parameters = random_parameters(1);
      const Gradient gradient = adjoint(options_of(*method, steps), setting, parameters);
      ASSERT_EQ(gradient.steps.size(), static_cast<std::size_t>(steps));
      expect_exact(*method, gradient, setting, parameters);
    }
  }
}

TEST(Adjoint, IsExactForTheStepsOfAnAdaptiveSolve) {
  for (const Tableau* method : {&kDopri5, &kTsit5, &kBosh3}) {
    const Setting setting(24);
    const auto parameters = random_parameters(2);
    const Gradient gradient = adjoint(options_of(*method, 0), setting, parameters);
    EXPECT_GT(gradient.steps.size(), 2u);
    expect_exact(*method, gradient, setting, parameters);
  }
}

// None of the tape, all of it, and as much as holds two steps and a half.
TEST(Adjoint, RecomputedStagesGiveTheSameBits) {
  for (const Tableau* method : kTableaux) {
    const Setting setting(25);
    const auto parameters = random_parameters(3);
    SolverOptions options = options_of(*method, method->error_order == 0 ? 6 : 0);
    const Gradient kept = adjoint(options, setting, parameters);
    EXPECT_EQ(kept.recomputed, 0);
    const std::size_t slot = 6 * kLanes * sizeof(double), stages = static_cast<std::size_t>(method->stages);
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, slot * (2 * stages + stages / 2 + 1)}) {
      options.tape_bytes = bytes;
      const Gradient again = adjoint(options, setting, parameters);
      EXPECT_LE(again.tape * sizeof(double), bytes);
      const int lost = static_cast<int>(kept.steps.size()) - (bytes < slot ? 0 : 2);
      EXPECT_EQ(again.recomputed, lost * method->stages) << method->name << ", " << bytes << " bytes";
      EXPECT_EQ(again.parameters, kept.parameters) << method->name;
      for (std::size_t i = 0; i < 4; ++i)
        for (int l = 0; l < kLanes; ++l)
          EXPECT_EQ(again.start_bar[i][l], kept.start_bar[i][l]) << method->name;
    }
  }
}

// A trajectory is reused from batch to batch, after longer solves and after failed ones.
TEST(Adjoint, ATrajectoryCanBeUsedAgain) {
  const Setting setting(26), other(27);
  const auto parameters = random_parameters(4);
  SolverOptions loose = options_of(kDopri5, 0), tight = loose;
  tight.rtol = tight.atol = 1e-5;
  Trajectory<double> used;
  Twist system(parameters);
  State y = other.start;
  Solver<double> solver(tight);
  ASSERT_EQ(solver.solve(system, 0, 1, y.data(), ErrorNorm::worst_point, 0, &used).status, Status::ok);
  const Gradient fresh = adjoint(loose, setting, parameters);
  ASSERT_GT(used.steps.size(), fresh.steps.size());
  const Gradient again = adjoint(loose, setting, parameters, std::move(used));
  EXPECT_EQ(again.parameters, fresh.parameters);
  EXPECT_EQ(again.steps.size(), fresh.steps.size());
}

}  // namespace
}  // namespace riemflow
