// Solves that cannot succeed end soon, with a status that says why; options that cannot be meant throw.

#include "riemflow/flow/ode/status.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "riemflow/core/error.hpp"
#include "riemflow/flow/ode/solver.hpp"
#include "tests/flow/ode/systems.hpp"

namespace riemflow {
namespace {

using namespace test;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// ż = field(t, z) in every coordinate and lane, no integral.
class AnyField final : public ManifoldSystem {
 public:
  using Field = std::function<double(double t, double z)>;
  AnyField(std::unique_ptr<const Manifold<double>> manifold, Field field)
      : ManifoldSystem(std::move(manifold)), field_(std::move(field)) {}

 private:
  void rates(double t, const Pack<double>* z, Pack<double>* r) const override {
    for (int i = 0; i < moving(); ++i)
      for (int l = 0; l < kLanes; ++l) r[i][l] = field_(t, z[i][l]);
    r[moving()] = 0;
  }
  Field field_;
};

struct Outcome {
  SolveReport report;
  int evaluations;  ///< as the system counted them
};

Outcome run(ManifoldSystem& system, const SolverOptions& options, double start, double to = 1) {
  Solver<double> solver(options);
  State y(static_cast<std::size_t>(system.rows()), Pack<double>(start));
  y.back() = 0;
  const SolveReport report = solver.solve(system, 0, to, y.data());
  return {report, static_cast<int>(system.times.size())};
}

AnyField on_the_line(AnyField::Field field) {
  return {std::make_unique<Euclidean<double>>(1), std::move(field)};
}
AnyField on_the_disk(AnyField::Field field) {
  return {std::make_unique<PoincareBall<double>>(2), std::move(field)};
}

TEST(Status, AFieldThatIsNaNIsNonFinite) {
  for (const Tableau* method : kTableaux) {
    for (const int fixed_steps : {0, 4}) {
      if (method->error_order == 0 && fixed_steps == 0) continue;
      AnyField system = on_the_line([](double, double) { return kNaN; });
      SolverOptions options;
      options.method = method->name;
      options.fixed_steps = fixed_steps;
      const Outcome outcome = run(system, options, 0.5);
      EXPECT_EQ(outcome.report.status, Status::non_finite) << method->name;
      EXPECT_EQ(outcome.report.accepted, 0) << method->name;
      EXPECT_LE(outcome.evaluations, fixed_steps == 0 ? 1 : 7) << method->name;
    }
  }
}

// It is met only on the way: steps shrink towards it until they cannot.
TEST(Status, AFieldThatBecomesNaNIsNonFinite) {
  AnyField system = on_the_line([](double t, double) { return t > 0.4 ? kNaN : 1.0; });
  const Outcome outcome = run(system, {}, 0.5);
  EXPECT_EQ(outcome.report.status, Status::non_finite);
  EXPECT_LT(outcome.evaluations, 600);
}

TEST(Status, AnExplosionEndsWithinTheLimit) {
  for (const int limit : {1, 2, 8, 100, 3000}) {
    for (const AnyField::Field& field :
         {AnyField::Field([](double, double z) { return z * z; }),
          AnyField::Field([](double, double z) { return std::exp(100 * z); }),
          AnyField::Field([](double, double z) { return std::exp(1000 * z); })}) {
      AnyField system = on_the_line(field);
      SolverOptions options;
      options.max_evaluations = limit;
      const Outcome outcome = run(system, options, 0.6, 3);
      EXPECT_NE(outcome.report.status, Status::ok);
      EXPECT_LE(outcome.evaluations, limit);
      EXPECT_LE(outcome.report.evaluations, limit);
      EXPECT_GE(outcome.report.evaluations, outcome.evaluations);
    }
  }
  AnyField system = on_the_line([](double, double z) { return z * z; });
  const Status status = run(system, {}, 0.6, 3).report.status;
  EXPECT_TRUE(status == Status::step_underflow || status == Status::too_many_evaluations) << explain(status);
}

TEST(Status, AnAbsurdToleranceEndsWithinTheLimit) {
  for (const char* method : {"dopri5", "tsit5", "bosh3"}) {
    Rotation system;
    SolverOptions options;
    options.method = method;
    options.rtol = options.atol = 1e-30;
    options.max_evaluations = 777;
    Solver<double> solver(options);
    State y = system.random_state(1, 0);
    const SolveReport report = solver.solve(system, 0, 1, y.data());
    EXPECT_NE(report.status, Status::ok) << method;
    EXPECT_LE(system.times.size(), 777u) << method;
    for (const auto& row : y)
      for (const double value : row.lane) EXPECT_TRUE(std::isfinite(value)) << method;
  }
}

TEST(Status, APathThatLeavesTheBallIsOutsideTheDomain) {
  for (const int fixed_steps : {0, 16}) {
    AnyField system = on_the_disk([](double, double) { return 3.0; });
    SolverOptions options;
    options.fixed_steps = fixed_steps;
    const Outcome outcome = run(system, options, 0.1);
    EXPECT_EQ(outcome.report.status, Status::outside_domain);
    EXPECT_LT(outcome.evaluations, 2000);
  }
}

TEST(Status, AStartOutsideTheBallIsOutsideTheDomain) {
  AnyField system = on_the_disk([](double, double) { return -0.5; });
  EXPECT_EQ(run(system, {}, 0.8).report.status, Status::outside_domain);
  EXPECT_EQ(system.times.size(), 1u);
}

TEST(Status, SolveThroughStopsAtTheFailure) {
  AnyField system = on_the_line([](double t, double) { return t > 0.5 ? kNaN : 1.0; });
  Solver<double> solver({});
  State y(2, Pack<double>(0));
  std::size_t visits = 0;
  const SolveReport report = solver.solve_through(system, {0, 0.2, 0.45, 0.7, 1}, y.data(),
                                                  [&](std::size_t, const Pack<double>*) { ++visits; });
  EXPECT_EQ(report.status, Status::non_finite);
  EXPECT_EQ(visits, 3u);
}

TEST(Status, EveryFailureIsExplainedWithAdvice) {
  for (const Status status :
       {Status::too_many_evaluations, Status::step_underflow, Status::non_finite, Status::outside_domain}) {
    const std::string text(explain(status));
    EXPECT_NE(text.find("; "), std::string::npos) << "what happened; what to try: " << text;
    EXPECT_GT(text.size(), 60u) << text;
    for (const Status other : {Status::ok, Status::too_many_evaluations, Status::step_underflow,
                               Status::non_finite, Status::outside_domain})
      EXPECT_EQ(explain(status) == explain(other), status == other);
  }
}

TEST(SolverOptions, ThoseThatCannotBeMeantThrow) {
  const auto message = [](const std::function<void(SolverOptions&)>& spoil) -> std::string {
    SolverOptions options;
    EXPECT_NO_THROW(validate(options));
    spoil(options);
    try {
      validate(options);
    } catch (const Error& error) {
      EXPECT_THROW(Solver<float>{options}, Error);
      EXPECT_FALSE(error.advice().empty());
      return error.what();
    }
    return "";
  };
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {0.0, -1e-5, 1.0, 2.0, kNaN, infinity})
    EXPECT_NE(message([&](auto& options) { options.rtol = bad; }).find("tolerance"), std::string::npos)
        << bad;
  for (const double bad : {0.0, -1e-5, kNaN, infinity})
    EXPECT_NE(message([&](auto& options) { options.atol = bad; }).find("tolerance"), std::string::npos)
        << bad;
  EXPECT_NE(message([](auto& options) { options.method = "euler"; }).find("'euler'"), std::string::npos);
  EXPECT_NE(message([](auto& options) { options.max_evaluations = 0; }).find("limit"), std::string::npos);
  EXPECT_NE(message([](auto& options) { options.fixed_steps = -1; }).find("fixed steps"), std::string::npos);
  EXPECT_NE(message([](auto& options) { options.method = "rk4"; }).find("rk4"), std::string::npos);
  SolverOptions fixed;
  fixed.method = "rk4";
  fixed.fixed_steps = 10;
  EXPECT_NO_THROW(validate(fixed));
}

}  // namespace
}  // namespace riemflow
