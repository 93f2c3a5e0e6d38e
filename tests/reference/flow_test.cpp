// Solver, densities and losses by laws that do not depend on the reference.

#include "tests/reference/flow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/reference/cases.hpp"
#include "tests/sanitized.hpp"

namespace riemflow::reference {
namespace {

constexpr double pi = std::numbers::pi;

struct Method {
  std::string name;
  Tableau tableau;
  int order;
};
std::vector<Method> methods() {
  return {{"bosh3", bosh3(), 3}, {"rk4", rk4(), 4}, {"dopri5", dopri5(), 5}, {"tsit5", tsit5(), 5}};
}

TEST(RungeKutta, OrderConditions) {
  for (const auto& [name, tableau, order] : methods()) {
    const auto& [A, b, c] = tableau;
    double b1 = 0, bc = 0, bcc = 0, bAc = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
      double row = 0;
      for (std::size_t j = 0; j < i; ++j) row += A[i][j], bAc += b[i] * A[i][j] * c[j];
      EXPECT_NEAR(row, c[i], 1e-14) << name;
      b1 += b[i], bc += b[i] * c[i], bcc += b[i] * c[i] * c[i];
    }
    EXPECT_NEAR(b1, 1, 1e-14) << name;
    EXPECT_NEAR(bc, 1. / 2, 1e-14) << name;
    EXPECT_NEAR(bcc, 1. / 3, 1e-14) << name;
    EXPECT_NEAR(bAc, 1. / 6, 1e-14) << name;
  }
}

// A rotation whose speed depends on the radius and on time: angle(t) = r² t + sin t.
TEST(RungeKutta, ErrorFallsWithTheOrder) {
  const double r = 1.1;
  const auto rotation = [](double t, const std::vector<double>& y) {
    const double speed = dot(y, y) + std::cos(t);
    return std::vector<double>{-speed * y[1], speed * y[0]};
  };
  for (const auto& [name, tableau, order] : methods()) {
    const auto error = [&](int n) {
      std::vector<double> y = {r, 0};
      for (const Step& step : equal_steps(0, 1, n))
        y = runge_kutta_step(tableau, rotation, step.t, step.h, y);
      const double angle = r * r + std::sin(1.);
      return std::hypot(y[0] - r * std::cos(angle), y[1] - r * std::sin(angle));
    };
    const double measured = std::log2(error(40) / error(80));
    EXPECT_NEAR(measured, order, 0.25) << name;
  }
}

TEST(Density, VolumesOfSpheresAndTori) {
  EXPECT_NEAR(std::exp(log_volume(S1)), 2 * pi, 1e-13);
  EXPECT_NEAR(std::exp(log_volume(S2_small)), 4 * pi / 2.5, 1e-13);
  EXPECT_NEAR(std::exp(log_volume(S3)), 2 * pi * pi, 1e-13);
  EXPECT_NEAR(std::exp(log_volume(T2)), 4 * pi * pi, 1e-12);
}

// ∫ p λ^d dx = 1: over the disk 2π∫ p λ² r dr, over the 3-ball 4π∫ p λ³ r² dr.
TEST(Density, TheWrappedNormalHasMassOne) {
  for (const FactorSpec& factor : {B2, B2_unit, B3}) {
    const FieldSpec spec{{factor}, 1, 1};
    const double radius = 1 / std::sqrt(-factor.K), area = factor.d == 2 ? 2 * pi : 4 * pi;
    const int n = 2000;
    double mass = 0;
    for (int i = 0; i < n; ++i) {
      const double r = radius * (i + 0.5) / n;
      std::vector<double> x(static_cast<std::size_t>(factor.d), 0.);
      x[0] = r;
      const double volume =
          area * std::pow(r, factor.d - 1) * std::pow(conformal_factor(factor, x), factor.d);
      mass += std::exp(log_base(spec, x)) * volume * radius / n;
    }
    EXPECT_NEAR(mass, 1, 1e-6);
  }
}

// The density of a flow integrates to one; on the torus a grid sum converges faster than any power of its
// spacing.
TEST(Loss, TheFlowHasMassOne) {
  Draw draw;
  const FieldSpec spec{{T2}, 4, 2};
  const Problem problem{spec, dopri5(), equal_steps(1, 0, 6)};
  const std::vector<double> theta = draw.parameters(spec);
  const int n = 24;
  double mass = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      mass += std::exp(-nll(problem, theta, {2 * pi * i / n - pi, 2 * pi * j / n - pi})) *
              std::pow(2 * pi / n, 2);
  EXPECT_NEAR(mass, 1, 1e-6);
}

// Forward and back: log p₀(z₀) − l = log p(z₁) = −nll(z₁), and the energies agree.
TEST(Loss, ForwardAndBackwardAgree) {
  Draw draw;
  for (const auto& [name, spec] : cases()) {
    const std::vector<double> theta = draw.parameters(spec), z0 = draw.point(spec);
    const Weights weights{0.3, 0.2};
    const Problem forward{spec, dopri5(), equal_steps(0, 0.2, 20), {}, weights};
    const Problem backward{spec, dopri5(), equal_steps(0.2, 0, 20), {}, weights};
    const State<double> end = flow(spec, theta, dopri5(), forward.steps, z0);
    const double energy = 0.3 * end.kin + 0.2 * end.frob;
    const LinearTarget zero{std::vector<double>(z0.size(), 0.)};
    EXPECT_NEAR(reverse_kl(forward, theta, z0, zero) - energy, -(nll(backward, theta, end.z) - energy), 1e-6)
        << name;
  }
}

double largest(const std::vector<double>& x) {
  double m = 0;
  for (const double xi : x) m = std::max(m, std::abs(xi));
  return m;
}

template <class Loss>
void expect_gradient(const std::string& name, const Loss& loss, const std::vector<double>& theta) {
  const std::vector<double> g = gradient(loss, theta);
  const double step = 1e-5;
  for (std::size_t i = 0; i < theta.size(); i += kSanitized ? 11 : 1) {
    std::vector<double> up = theta, down = theta;
    up[i] += step, down[i] -= step;
    EXPECT_NEAR(g[i], (loss(up) - loss(down)) / (2 * step), 1e-7 * (1 + largest(g)))
        << name << ", parameter " << i;
  }
}

TEST(Loss, GradientsAgreeWithCentralDifferences) {
  Draw draw;
  for (const auto& [name, spec] : cases()) {
    const std::vector<double> theta = draw.parameters(spec), x = draw.point(spec);
    Noise noise(2);
    LinearTarget target;
    for (int i = 0; i < ambient(spec); ++i) {
      for (std::vector<double>& epsilon : noise) epsilon.push_back(draw(-1, 1));
      target.a.push_back(draw(-1, 1));
    }
    const Problem back{spec, bosh3(), equal_steps(1, 0.4, 2), {}, {0.3, 0.2}};
    const Problem back_noisy{spec, bosh3(), equal_steps(1, 0.4, 1), noise, {0.3, 0.2}};
    const Problem ahead{spec, bosh3(), equal_steps(0, 0.6, 1), {}, {0.3, 0.2}};
    expect_gradient(
        name + " nll", [&](const auto& p) { return nll(back, p, x); }, theta);
    expect_gradient(
        name + " nll, Hutchinson", [&](const auto& p) { return nll(back_noisy, p, x); }, theta);
    expect_gradient(
        name + " kl", [&](const auto& p) { return reverse_kl(ahead, p, x, target); }, theta);
  }
}

TEST(Flow, ProjectionReturnsToTheManifold) {
  const FieldSpec spec{{S2_small, T2, B2}, 1, 1};
  const std::vector<double> z = projection(spec, std::vector<double>{3, 4, 0, pi, -4, 0.1, 0.2});
  const double radius = 1 / std::sqrt(2.5);
  const std::vector<double> expected = {0.6 * radius, 0.8 * radius, 0, -pi, 2 * pi - 4, 0.1, 0.2};
  for (std::size_t i = 0; i < z.size(); ++i) EXPECT_NEAR(z[i], expected[i], 1e-15);
}

// W₂² = inf T∫₀ᵀ‖f‖² dt: a translation is the optimal map, and by Tv costs |Tv|².
TEST(Flow, EnergyOfATranslationIsTheSquaredDistance) {
  const FieldSpec spec{{R2}, 1, 1};
  std::vector<double> theta(static_cast<std::size_t>(parameter_count(spec)), 0.);
  theta.end()[-2] = 0.3, theta.end()[-1] = -0.4;  // the last bias: f = v everywhere
  const std::vector<double> start = {0.1, 0.2};
  for (const double T : {0.5, 1., 3.}) {
    const State<double> end = flow(spec, theta, rk4(), equal_steps(0, T, 3), start);
    const std::vector<double> moved = sum(end.z, scaled(-1., start));
    EXPECT_NEAR(norm(moved), 0.5 * T, 1e-14);
    EXPECT_NEAR(T * end.kin, dot(moved, moved), 1e-14);
  }
}

}  // namespace
}  // namespace riemflow::reference
