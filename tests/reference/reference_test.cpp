// The reference by laws that do not depend on it.

#include "tests/reference/reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <random>
#include <string>

namespace riemflow::reference {
namespace {

constexpr double pi = std::numbers::pi;

const FactorSpec R2{Kind::euclidean, 2}, S1{Kind::sphere, 1, 1}, S2{Kind::sphere, 2, 1},
    S2_small{Kind::sphere, 2, 2.5}, S3{Kind::sphere, 3, 1}, B2{Kind::ball, 2, -0.5},
    B2_unit{Kind::ball, 2, -1}, B3{Kind::ball, 3, -0.8}, T1{Kind::torus, 1}, T2{Kind::torus, 2};

struct Case {
  std::string name;
  FieldSpec spec;
};

/// Every manifold, layer, activation, scaling and the bound, each at least once.
std::vector<Case> cases() {
  constexpr auto tanh = Activation::tanh, swish = Activation::swish;
  constexpr auto none = Scaling::none, one = Scaling::unit, paper = Scaling::paper;
  return {{"S2", {{S2}, 5, 2, tanh}},
          {"S2 geodesic K=2.5", {{S2_small}, 5, 2, swish, true}},
          {"S3", {{S3}, 5, 1, swish}},
          {"S3 geodesic bound", {{S3}, 5, 2, tanh, true, none, 1.5}},
          {"B2 none", {{B2}, 5, 2, tanh, false, none}},
          {"B2 geodesic unit", {{B2}, 5, 2, tanh, true, one}},
          {"B2 geodesic paper", {{B2}, 5, 2, swish, true, paper, 2.0}},
          {"B3 paper", {{B3}, 5, 2, swish, false, paper}},
          {"T2", {{T2}, 5, 3, tanh}},
          {"R2 bound", {{R2}, 5, 2, swish, false, none, 0.8}},
          {"S2 x S1", {{S2, S1}, 5, 2, tanh}},
          {"S2 x S1 geodesic", {{S2_small, S1}, 5, 2, swish, true}},
          {"T1 x B2 x S2", {{T1, B2, S2}, 5, 2, tanh, true, one}},
          {"R2 x B2 x T1", {{R2, B2, T1}, 5, 2, swish, false, paper}}};
}

struct Draw {
  std::mt19937_64 engine{20};

  double operator()(double from, double to) {
    return from + (to - from) * static_cast<double>(engine() >> 11) * 0x1p-53;
  }
  std::vector<double> parameters(const FieldSpec& spec) {
    std::vector<double> theta;
    for (int i = 0; i < parameter_count(spec); ++i) theta.push_back((*this)(-0.9, 0.9));
    return theta;
  }
  /// Well inside the ball, away from the seam of the torus.
  std::vector<double> point(const FieldSpec& spec) {
    std::vector<std::vector<double>> z;
    for (const FactorSpec& factor : spec.factors) {
      z.emplace_back();
      for (int i = 0; i < ambient(factor); ++i) z.back().push_back((*this)(-0.5, 0.5));
      if (factor.kind == Kind::ball)
        z.back() = scaled((*this)(0.3, 0.6) / std::sqrt(-factor.K), unit(z.back()));
    }
    return projection(spec, concatenation(z));
  }
};

double determinant(Matrix<double> m) {
  double det = 1;
  const std::size_t n = m.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(m[i][k]) > std::abs(m[pivot][k])) pivot = i;
    if (pivot != k) std::swap(m[pivot], m[k]), det = -det;
    det *= m[k][k];
    for (std::size_t i = k + 1; i < n; ++i) m[i] = sum(m[i], scaled(-m[i][k] / m[k][k], m[k]));
  }
  return det;
}

/// Σ_b d log λ: the log of a coordinate volume's Riemannian volume.
double log_density_of_volume(const FieldSpec& spec, const std::vector<double>& z) {
  double s = 0;
  for (std::size_t b = 0; b < spec.factors.size(); ++b)
    if (spec.factors[b].kind == Kind::ball)
      s += spec.factors[b].d * std::log(conformal_factor(spec.factors[b], blocks(spec, z)[b]));
  return s;
}

// A tangent parallelepiped carried by the flow: log of its volume changes by ∫ div f dt.
TEST(Reference, DivergenceIsTheRateOfVolume) {
  Draw draw;
  for (const auto& [name, spec] : cases()) {
    const std::vector<double> theta = draw.parameters(spec), z = draw.point(spec);
    const auto carried = [&](const std::vector<double>& from) {
      return flow(spec, theta, rk4(), equal_steps(0.3, 0.5, 10), projection(spec, from));
    };
    const double step = 1e-4;
    Matrix<double> edges;
    for (const std::vector<double>& e : tangent_basis(spec, z))
      edges.push_back(scaled(0.5 / step, sum(carried(sum(z, scaled(step, e))).z,
                                             scaled(-1., carried(sum(z, scaled(-step, e))).z))));
    Matrix<double> gram;
    for (const std::vector<double>& a : edges) {
      gram.emplace_back();
      for (const std::vector<double>& b : edges) gram.back().push_back(dot(a, b));
    }
    const State<double> end = carried(z);
    const double growth = 0.5 * std::log(determinant(gram)) + log_density_of_volume(spec, end.z) -
                          log_density_of_volume(spec, z);
    EXPECT_GT(std::abs(end.l), 1e-4) << name;
    EXPECT_NEAR(end.l, growth, 2e-7) << name;
  }
}

// E[v vᵀ] = P over all 2^D sign vectors, so the mean of an estimate is what it estimates.
TEST(Reference, HutchinsonIsUnbiased) {
  Draw draw;
  for (const auto& [name, spec] : cases()) {
    const std::vector<double> theta = draw.parameters(spec), z = draw.point(spec);
    Noise signs;
    for (int pattern = 0; pattern < 1 << ambient(spec); ++pattern) {
      signs.emplace_back();
      for (int i = 0; i < ambient(spec); ++i) signs.back().push_back(pattern >> i & 1 ? 1 : -1);
    }
    const double exact = divergence(spec, theta, z, 0.4);
    EXPECT_NEAR(divergence(spec, theta, z, 0.4, signs), exact, 1e-12) << name;
    EXPECT_GT(std::abs(divergence(spec, theta, z, 0.4, {signs[1]}) - exact), 1e-4) << name;
    EXPECT_NEAR(frobenius(spec, theta, z, 0.4, signs), frobenius(spec, theta, z, 0.4), 1e-12) << name;
  }
}

// The distance to a hyperplane is the least distance to its points. In the unit disk w = √c z, the
// translation w ↦ (w + q)/(1 + q̄ w) carries the diameter orthogonal to a to the hyperplane through q = √c p,
// and distance(w₁, w₂) = acosh(1 + 2|w₁ − w₂|²/((1 − |w₁|²)(1 − |w₂|²)))/√c.
TEST(Reference, GeodesicBallNeuronIsASignedDistance) {
  using Complex = std::complex<double>;
  Draw draw;
  for (int trial = 0; trial < 20; ++trial) {
    const double K = draw(-2, -0.3), root = std::sqrt(-K);
    const std::vector<double> a = {draw(-1, 1), draw(-1, 1)};
    const std::vector<double> z =
        scaled(draw(0.1, 0.9) / root, unit(std::vector<double>{draw(-1, 1), draw(-1, 1)}));
    const Complex direction = Complex(a[0], a[1]) / norm(a), w = root * Complex(z[0], z[1]);
    const Complex q = std::tanh(root * norm(a)) * direction;
    const auto distance_at = [&](double s) {
      const Complex on_diameter = std::tanh(s) * direction * Complex(0, 1);
      const Complex y = (on_diameter + q) / (1. + std::conj(q) * on_diameter);
      return std::acosh(1 + 2 * std::norm(w - y) / ((1 - std::norm(w)) * (1 - std::norm(y)))) / root;
    };
    double low = -6, high = 6;  // the distance to a geodesic's point is convex along the geodesic
    while (high - low > 1e-7) {
      const double left = low + (high - low) / 3, right = high - (high - low) / 3;
      (distance_at(left) < distance_at(right) ? high : low) =
          distance_at(left) < distance_at(right) ? right : left;
    }
    const Complex seen_from_q = (w - q) / (1. - std::conj(q) * w);
    const double side = (std::conj(direction) * seen_from_q).real();
    const double h = geodesic_ball_neuron(K, a, z);
    EXPECT_NEAR(std::abs(h), distance_at((low + high) / 2), 1e-7) << trial;
    EXPECT_EQ(h > 0, side > 0) << trial;
  }
}

// As ρ → 1, |w| times the angle of n above the plane orthogonal to w.
TEST(Reference, GeodesicSphereNeuronIsASignedAngle) {
  const std::vector<double> w = {0, 0, 1.7};
  for (const double latitude : {-1.2, -0.4, 0., 0.7, 1.3}) {
    const std::vector<double> z = {0.6 * std::cos(latitude), 0, 0.6 * std::sin(latitude)};
    EXPECT_NEAR(geodesic_sphere_neuron(w, z), 1.7 * latitude, 5e-4) << latitude;
  }
}

// On a conformally flat space: ∇_v f = Df[v] + ⟨g, v⟩f + ⟨g, f⟩v − ⟨v, f⟩g, g = grad log λ = −Kλz.
TEST(Reference, CovariantDerivativeOnTheBallIsTheConformalOne) {
  Draw draw;
  for (const FactorSpec& factor : {B2, B3}) {
    const FieldSpec spec{{factor}, 5, 2, Activation::swish, true, Scaling::unit};
    const std::vector<double> theta = draw.parameters(spec), z = draw.point(spec);
    const std::vector<double> f = field(spec, theta, z, 0.4);
    const std::vector<double> g = scaled(-factor.K * conformal_factor(factor, z), z);
    double squares = 0;
    for (const std::vector<double>& v : tangent_basis(spec, z)) {
      std::vector<double> expected = field_derivative(spec, theta, z, 0.4, v);
      expected = sum(expected, scaled(dot(g, v), f));
      expected = sum(expected, scaled(dot(g, f), v));
      expected = sum(expected, scaled(-dot(v, f), g));
      const std::vector<double> actual = covariant_derivative(spec, theta, z, 0.4, v);
      for (std::size_t i = 0; i < z.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-13);
      squares += dot(expected, expected);
    }
    EXPECT_NEAR(frobenius(spec, theta, z, 0.4), squares, 1e-12);
  }
}

// ∇_v f = d/ds of f(γ(s)) carried back to z along the great circle γ(s) = R(cos(s/R) n + sin(s/R) v).
TEST(Reference, CovariantDerivativeOnTheSphereIsThatOfParallelTransport) {
  Draw draw;
  for (const FactorSpec& factor : {S2, S2_small, S3}) {
    const FieldSpec spec{{factor}, 5, 2, Activation::swish, true};
    const std::vector<double> theta = draw.parameters(spec), z = draw.point(spec), n = unit(z);
    const double R = 1 / std::sqrt(factor.K), step = 1e-4;
    for (const std::vector<double>& v : tangent_basis(spec, z)) {
      const auto carried_back = [&](double s) {
        const double angle = s / R;
        const std::vector<double> y = sum(scaled(R * std::cos(angle), n), scaled(R * std::sin(angle), v));
        const std::vector<double> velocity = sum(scaled(-std::sin(angle), n), scaled(std::cos(angle), v));
        const std::vector<double> f = field(spec, theta, y, 0.4);
        const double along = dot(f, velocity);
        return sum(f, sum(scaled(-along, velocity), scaled(along, v)));
      };
      const std::vector<double> actual = covariant_derivative(spec, theta, z, 0.4, v);
      const std::vector<double> ahead = carried_back(step), behind = carried_back(-step);
      for (std::size_t i = 0; i < z.size(); ++i)
        EXPECT_NEAR(actual[i], (ahead[i] - behind[i]) / (2 * step), 2e-7);
    }
  }
}

// tr ∇f = div f, on every manifold and product.
TEST(Reference, DivergenceIsTheTraceOfTheCovariantDerivative) {
  Draw draw;
  for (const auto& [name, spec] : cases()) {
    const std::vector<double> theta = draw.parameters(spec), z = draw.point(spec);
    double trace = 0;
    for (const std::vector<double>& v : tangent_basis(spec, z))
      trace += dot(v, covariant_derivative(spec, theta, z, 0.4, v));
    EXPECT_NEAR(trace, divergence(spec, theta, z, 0.4), 1e-12) << name;
  }
}

TEST(Reference, TheFieldIsTangentAndConstantAlongRays) {
  Draw draw;
  const FieldSpec spec{{S2_small, S1}, 5, 2, Activation::tanh, true};
  const std::vector<double> theta = draw.parameters(spec), z = draw.point(spec);
  const std::vector<double> f = field(spec, theta, z, 0.4);
  const std::vector<double> further = field(spec, theta, scaled(1.7, z), 0.4);
  for (std::size_t b = 0; b < 2; ++b) EXPECT_NEAR(dot(blocks(spec, f)[b], blocks(spec, z)[b]), 0, 1e-14);
  for (std::size_t i = 0; i < f.size(); ++i) EXPECT_NEAR(f[i], further[i], 1e-14);
}

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
    const int n = 20000;
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

// The density of a flow integrates to one; on the torus the midpoint rule is exact to roundoff.
TEST(Loss, TheFlowHasMassOne) {
  Draw draw;
  const Problem problem{{{T2}, 4, 2}, dopri5(), equal_steps(1, 0, 12)};
  const std::vector<double> theta = draw.parameters(problem.field);
  const int n = 32;
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
  for (std::size_t i = 0; i < theta.size(); ++i) {
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
    const Problem back_noisy{spec, tsit5(), equal_steps(1, 0.4, 1), noise, {0.3, 0.2}};
    const Problem ahead{spec, rk4(), equal_steps(0, 0.6, 1), {}, {0.3, 0.2}};
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

}  // namespace
}  // namespace riemflow::reference
