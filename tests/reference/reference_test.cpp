// The field and its derivatives by laws that do not depend on the reference.

#include "tests/reference/reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <string>
#include <utility>

#include "tests/reference/cases.hpp"

namespace riemflow::reference {
namespace {

// θ_i = (i + 1)/20 on T^1 × R^1, two neurons, two layers: every parameter in its place.
TEST(Reference, TheNetworkByHand) {
  const FieldSpec spec{{T1, {Kind::euclidean, 1}}, 2, 2, Activation::swish, false, Scaling::none, 3};
  std::vector<double> p;
  for (int i = 0; i < 26; ++i) p.push_back((i + 1) / 20.);
  ASSERT_EQ(parameter_count(spec), 26);
  const double angle = 0.7, x = -1.3, t = 0.4, s = std::sin(angle), c = std::cos(angle);
  const auto swish = [](double a) { return a / (1 + std::exp(-a)); };
  const double h0 = swish(p[0] * s + p[1] * c + p[4] * x + p[6] * t + p[8]);
  const double h1 = swish(p[2] * s + p[3] * c + p[5] * x + p[7] * t + p[9]);
  const double k0 = swish(p[10] * h0 + p[11] * h1 + p[14] * t + p[16]);
  const double k1 = swish(p[12] * h0 + p[13] * h1 + p[15] * t + p[17]);
  const std::vector<double> u = network(spec, p, {angle, x}, t);
  EXPECT_NEAR(u[0], 3 * std::tanh((p[18] * k0 + p[19] * k1 + p[22] * t + p[24]) / 3), 1e-14);
  EXPECT_NEAR(u[1], 3 * std::tanh((p[20] * k0 + p[21] * k1 + p[23] * t + p[25]) / 3), 1e-14);
}

// |f|_g = λ^(1−p)|u| on the ball: p = 0, 1, d.
TEST(Reference, ScalingSetsThePowerOfLambda) {
  Draw draw;
  for (const auto& [scaling, p] : {std::pair{Scaling::none, 0}, {Scaling::unit, 1}, {Scaling::paper, 3}}) {
    const FieldSpec spec{{B3}, 4, 2, Activation::tanh, false, scaling};
    const std::vector<double> theta = draw.parameters(spec), z = draw.point(spec);
    const double speed = norm(network(spec, theta, z, 0.4)) * std::pow(2 / (1 - 0.8 * dot(z, z)), 1 - p);
    EXPECT_NEAR(kinetic(spec, theta, z, 0.4), speed * speed, 1e-12);
  }
}

// |f|_g is the rate at which f moves a point, in the distance of the product: on the ball
// (2/√c) asinh(√c|x − y|/√((1 − c|x|²)(1 − c|y|²))), elsewhere to first order the chord.
TEST(Reference, KineticEnergyIsTheSquaredSpeed) {
  Draw draw;
  for (const auto& [name, spec] : cases()) {
    const std::vector<double> theta = draw.parameters(spec), z = draw.point(spec);
    const std::vector<double> f = field(spec, theta, z, 0.4);
    const double step = 1e-4;
    double squared_distance = 0;
    for (std::size_t b = 0; b < spec.factors.size(); ++b) {
      const std::vector<double> x = blocks(spec, sum(z, scaled(-step / 2, f)))[b];
      const std::vector<double> y = blocks(spec, sum(z, scaled(step / 2, f)))[b];
      const double chord = norm(sum(y, scaled(-1., x))), c = -spec.factors[b].K;
      const double distance =
          spec.factors[b].kind == Kind::ball
              ? 2 / std::sqrt(c) *
                    std::asinh(std::sqrt(c) * chord / std::sqrt((1 - c * dot(x, x)) * (1 - c * dot(y, y))))
              : chord;
      squared_distance += distance * distance;
    }
    const double energy = kinetic(spec, theta, z, 0.4);
    EXPECT_NEAR(squared_distance / (step * step), energy, 1e-6 * energy) << name;
  }
}

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
      return flow(spec, theta, rk4(), equal_steps(0.3, 0.4, 5), projection(spec, from));
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

// In the polar angle a and the azimuth b, with g^a and g^b along their unit vectors:
// div g = (∂_a(sin a g^a) + ∂_b g^b)/sin a.
TEST(Reference, DivergenceOnTheSphereInPolarCoordinates) {
  Draw draw;
  const FieldSpec spec{{S2}, 4, 2};
  const std::vector<double> theta = draw.parameters(spec);
  const auto point = [](double a, double b) {
    return std::vector<double>{std::sin(a) * std::cos(b), std::sin(a) * std::sin(b), std::cos(a)};
  };
  const auto polar = [&](double a, double b) {
    const std::vector<double> e = {std::cos(a) * std::cos(b), std::cos(a) * std::sin(b), -std::sin(a)};
    return std::sin(a) * dot(field(spec, theta, point(a, b), 0.4), e);
  };
  const auto azimuthal = [&](double a, double b) {
    const std::vector<double> e = {-std::sin(b), std::cos(b), 0};
    return dot(field(spec, theta, point(a, b), 0.4), e);
  };
  const double step = 1e-5;
  for (const double a : {0.2, 1.1, 2.9})
    for (const double b : {-2., 0.3, 1.7}) {
      const double change =
          polar(a + step, b) - polar(a - step, b) + azimuthal(a, b + step) - azimuthal(a, b - step);
      EXPECT_NEAR(divergence(spec, theta, point(a, b), 0.4), change / (2 * step * std::sin(a)), 1e-8);
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
    const FieldSpec spec{{factor}, 4, 2, Activation::swish, true, Scaling::unit};
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
    const FieldSpec spec{{factor}, 4, 2, Activation::swish, true};
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
  const FieldSpec spec{{S2_small, S1}, 4, 2, Activation::tanh, true};
  const std::vector<double> theta = draw.parameters(spec), z = draw.point(spec);
  const std::vector<double> f = field(spec, theta, z, 0.4);
  const std::vector<double> further = field(spec, theta, scaled(1.7, z), 0.4);
  for (std::size_t b = 0; b < 2; ++b) EXPECT_NEAR(dot(blocks(spec, f)[b], blocks(spec, z)[b]), 0, 1e-14);
  for (std::size_t i = 0; i < f.size(); ++i) EXPECT_NEAR(f[i], further[i], 1e-14);
}

}  // namespace
}  // namespace riemflow::reference
