// Densities of spaces that are told through others. What they are made of here is a kernel density of the
// cover that has none of the symmetries of lifts.

#include "riemflow/model/covered_density.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <tuple>

#include "riemflow/core/error.hpp"
#include "riemflow/core/rotation.hpp"
#include "riemflow/manifold/parse.hpp"
#include "riemflow/model/kernel_density.hpp"
#include "tests/kernel/kernel_cases.hpp"
#include "tests/model/gradient_cases.hpp"
#include "tests/sanitized.hpp"

namespace riemflow {
namespace {

using std::numbers::pi;
using Below = std::shared_ptr<const Manifold<double>>;

/// Kernels around points of the base, 5 % of the base itself; as wide as rules of a few dozen nodes resolve.
CoveredDensity uneven_density(const Below& space, double bandwidth, std::uint64_t seed) {
  const Below& cover = space->covering()->cover();
  return {space, std::make_shared<KernelDensity>(
                     cover->name(), density_test::kernels_on(cover, 5, bandwidth, 1.3, 1.5, seed), 1)};
}

/// Points with weights: Σ w f(y) is about ∫ f over the space with its volume.
struct Rule {
  Points<double> points;
  std::vector<double> weights;
  void add(std::vector<double> y, double w) {
    points.values.insert(points.values.end(), y.begin(), y.end());
    weights.push_back(w);
  }
};

struct RuleNode {
  double x, w;
};
/// Gauss and Legendre's of n nodes, by Newton's method.
std::vector<RuleNode> gauss_rule(int n, double a, double b) {
  std::vector<RuleNode> nodes;
  for (int i = 1; i <= n; ++i) {
    double x = std::cos(pi * (i - 0.25) / (n + 0.5)), slope = 0;
    for (int step = 0; step < 50; ++step) {
      double p = 1, before = 0;
      for (int k = 1; k <= n; ++k) {
        const double next = ((2 * k - 1) * x * p - (k - 1) * before) / k;
        before = p;
        p = next;
      }
      slope = n * (x * p - before) / (x * x - 1);
      x -= p / slope;
    }
    nodes.push_back({(a + b) / 2 + (b - a) / 2 * x, (b - a) / ((1 - x * x) * slope * slope)});
  }
  return nodes;
}
/// Of functions that repeat.
std::vector<RuleNode> even_rule(int n, double period) {
  std::vector<RuleNode> nodes;
  for (int i = 0; i < n; ++i) nodes.push_back({period * i / n, period / n});
  return nodes;
}

Rule axis_rule() {
  Rule rule{Points<double>(0, 3), {}};
  for (const auto& [z, wz] : gauss_rule(40, 0, 1))
    for (const auto& [phi, w] : even_rule(80, 2 * pi)) {
      const double r = std::sqrt(1 - z * z);
      rule.add({r * std::cos(phi), r * std::sin(phi), z}, wz * w);
    }
  return rule;
}
/// dφ1 sin Φ dΦ dφ2 of all rotations, shared among those that are one orientation.
Rule rotation_rule(double orientations) {
  Rule rule{Points<double>(0, 4), {}};
  for (const auto& [phi1, w1] : even_rule(40, 2 * pi))
    for (const auto& [c, wc] : gauss_rule(20, -1, 1))
      for (const auto& [phi2, w2] : even_rule(40, 2 * pi)) {
        const auto q = rotation::from_bunge({phi1, std::acos(c), phi2});
        rule.add({q.begin(), q.end()}, w1 * wc * w2 / orientations);
      }
  return rule;
}
Rule simplex_rule() {
  Rule rule{Points<double>(0, 3), {}};
  for (const auto& [z, wz] : gauss_rule(40, 0, 1))
    for (const auto& [phi, w] : gauss_rule(40, 0, pi / 2)) {
      const double r = std::sqrt(1 - z * z);
      rule.add({r * std::cos(phi), r * std::sin(phi), z}, wz * w);
    }
  return rule;
}
Rule line_rule(double from, double to) {
  Rule rule{Points<double>(0, 1), {}};
  for (const auto& [x, w] : gauss_rule(80, from, to)) rule.add({x}, w);
  return rule;
}
/// dy = e^x dx
Rule positive_rule() {
  Rule rule{Points<double>(0, 1), {}};
  for (const auto& [x, w] : gauss_rule(80, -8, 8)) rule.add({std::exp(x)}, w * std::exp(x));
  return rule;
}
Rule periods_rule(double a, double b) {
  Rule rule{Points<double>(0, 2), {}};
  for (const auto& [x, w] : even_rule(80, a))
    for (const auto& [y, v] : even_rule(80, b)) rule.add({x, y}, w * v);
  return rule;
}
/// sinh r dr dφ around the origin.
Rule hyperbolic_rule() {
  Rule rule{Points<double>(0, 3), {}};
  for (const auto& [r, wr] : gauss_rule(100, 0, 14))
    for (const auto& [phi, w] : even_rule(120, 2 * pi))
      rule.add({std::cosh(r), std::sinh(r) * std::cos(phi), std::sinh(r) * std::sin(phi)},
               wr * w * std::sinh(r));
  return rule;
}
/// S = e^m R(θ) diag(e^r, e^−r) R(θ)ᵀ, 0 ≤ r, 0 ≤ θ < π: the metric is 2dm² + 2dr² + 8 sinh²r dθ².
Rule spd_rule() {
  Rule rule{Points<double>(0, 3), {}};
  for (const auto& [m, wm] : gauss_rule(60, -7, 7))
    for (const auto& [r, wr] : gauss_rule(60, 0, 8))
      for (const auto& [theta, w] : even_rule(40, pi)) {
        const double a = std::exp(m) * std::cosh(r), b = std::exp(m) * std::sinh(r);
        rule.add({a + b * std::cos(2 * theta), b * std::sin(2 * theta), a - b * std::cos(2 * theta)},
                 wm * wr * w * 4 * std::numbers::sqrt2 * std::sinh(r));
      }
  return rule;
}
Rule product(const Rule& a, const Rule& b) {
  Rule rule{Points<double>(0, a.points.dimension + b.points.dimension), {}};
  for (std::size_t i = 0; i < a.weights.size(); ++i)
    for (std::size_t j = 0; j < b.weights.size(); ++j) {
      std::vector<double> y(a.points[i].begin(), a.points[i].end());
      y.insert(y.end(), b.points[j].begin(), b.points[j].end());
      rule.add(y, a.weights[i] * b.weights[j]);
    }
  return rule;
}

double distance_to(const Manifold<double>& space, std::span<const double> y, std::span<const double> z) {
  const std::vector<Pack<double>> a(y.begin(), y.end()), b(z.begin(), z.end());
  return space.distance(a.data(), b.data())[0];
}

/// The mass is 1 by the rule; draws have the means of log p and of a distance that the rule gives.
void check_mass_and_draws(const std::string& name, const Rule& rule, double bandwidth, double tolerance) {
  const Below space = parse_manifold<double>(name);
  double volume = 0;
  for (const double w : rule.weights) volume += w;
  if (space->compact()) {
    EXPECT_NEAR(volume, std::exp(space->log_volume()), 1e-9 * volume) << name;
  }
  for (std::uint64_t seed = 1; seed <= (kSanitized ? 1 : 2); ++seed) {
    const CoveredDensity density = uneven_density(space, bandwidth, seed);
    const std::vector<double> log_p = density.log_prob(rule.points).values;
    const Points<double> draws = density.sample(kSanitized ? 200 : 4000, seed).frames.back();
    const auto origin = draws[0];
    double mass = 0, entropy = 0, far = 0;
    for (std::size_t i = 0; i < log_p.size(); ++i) {
      const double share = rule.weights[i] * std::exp(log_p[i]);
      mass += share;
      entropy += share == 0 ? 0 : share * log_p[i];
      far += share * distance_to(*space, rule.points[i], origin);
    }
    EXPECT_NEAR(mass, 1, tolerance) << name << ", seed " << seed;

    const std::vector<double> at_draws = density.log_prob(draws).values;
    double sum = 0, square = 0, way = 0, way_square = 0;
    for (std::size_t i = 1; i < draws.size(); ++i) {
      EXPECT_EQ(density.defect(draws[i]), std::nullopt) << name;
      const double r = distance_to(*space, draws[i], origin);
      sum += at_draws[i];
      square += at_draws[i] * at_draws[i];
      way += r;
      way_square += r * r;
    }
    const auto n = static_cast<double>(draws.size() - 1);
    const double error = std::sqrt((square / n - std::pow(sum / n, 2)) / n);
    const double way_error = std::sqrt((way_square / n - std::pow(way / n, 2)) / n);
    EXPECT_NEAR(sum / n, entropy, 4 * error + 10 * tolerance) << name << ", seed " << seed;
    EXPECT_NEAR(way / n, far, 4 * way_error + 10 * tolerance) << name << ", seed " << seed;
  }
}

TEST(CoveredDensity, MassIsOneAndDrawsFollow) {
  check_mass_and_draws("axis:2", axis_rule(), 0.5, 1e-6);
  check_mass_and_draws("simplex:2", simplex_rule(), 0.5, 1e-6);
  check_mass_and_draws("interval:1", line_rule(0, 1), 0.5, 1e-6);
  check_mass_and_draws("interval:1,from=-3,to=40", line_rule(-3, 40), 0.5, 1e-6);
  check_mass_and_draws("positive:1", positive_rule(), 0.7, 1e-5);
  check_mass_and_draws("torus:2,L=24;365", periods_rule(24, 365), 0.5, 1e-6);
  check_mass_and_draws("hyperboloid:2", hyperbolic_rule(), 0.7, 1e-5);
  check_mass_and_draws("spd:2", spd_rule(), 0.7, 1e-5);
  check_mass_and_draws("interval:1 x torus:1",
                       product(line_rule(0, 1),
                               [] {
                                 Rule rule{Points<double>(0, 1), {}};
                                 for (const auto& [x, w] : even_rule(80, 2 * pi)) rule.add({x - pi}, w);
                                 return rule;
                               }()),
                       0.5, 1e-6);
  check_mass_and_draws("axis:2 x euclidean:1", product(axis_rule(), line_rule(-8, 8)), 0.7, 1e-4);
}

TEST(SlowCoveredDensity, MassIsOneOnRotations) {
  check_mass_and_draws("rotation:3", rotation_rule(1), 1, 1e-5);
  check_mass_and_draws("rotation:3/222", rotation_rule(4), 1, 1e-5);
  check_mass_and_draws("rotation:3/432", rotation_rule(24), 1, 1e-5);
}

/// Draws of another density, so that they lie where there is some.
Points<double> points_on(const Below& space, double bandwidth, std::size_t n) {
  return uneven_density(space, bandwidth, 9).sample(n, 3).frames.back();
}

TEST(CoveredDensity, IsTheSameForAllImagesOfAPoint) {
  for (const char* name : {"axis:3", "rotation:3/432", "rotation:3/32", "simplex:2"}) {
    const Below space = parse_manifold<double>(name);
    const Covering& covering = *space->covering();
    const CoveredDensity density = uneven_density(space, 0.5, 4);
    const Points<double> points = points_on(space, 0.5, 20);
    const std::vector<double> expected = density.log_prob(points).values;
    Points<double> images = lifts_of(covering, points);
    for (std::size_t i = 0; i < images.size(); ++i) {
      double square = 0;
      for (const double x : images[i]) square += x * x;
      for (double& x : images[i]) x /= std::sqrt(square);
    }
    const std::vector<double> values = density.log_prob(images).values;
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(values[i], expected[i / covering.sheets()], 1e-11) << name;
  }
}

TEST(CoveredDensity, GradientIsThatOfTheValues) {
  const auto check = [](const char* name, double unit, bool tangential) {
    const Below space = parse_manifold<double>(name);
    for (std::uint64_t seed = 1; seed <= 3; ++seed)
      EXPECT_LT(gradient_test::gradient_error(uneven_density(space, 0.5, seed), points_on(space, 0.5, 12),
                                              1e-3 * unit, 1 / unit, tangential),
                2e-6)
          << name << ", seed " << seed;
  };
  for (const char* name :
       {"axis:2", "rotation:3", "rotation:3/432", "simplex:3", "interval:1", "positive:1", "spd:2", "spd:3",
        "rotation:3 x euclidean:3", "interval:1 x torus:1", "spd:2 x sphere:2"})
    check(name, 1, true);
  check("torus:2,L=24", 4, true);
  check("hyperboloid:2", 1, false);
  check("hyperboloid:3,K=-0.25", 2, false);
}

// p with respect to dp_1 dp_2 of proportions, by a Gauss rule on the triangle away from its edges: the share
// of a square of proportions, against that of draws.
TEST(CoveredDensity, OfProportionsHasTheStatedDensityThere) {
  const Below space = parse_manifold<double>("simplex:2");
  const CoveredDensity density = uneven_density(space, 0.5, 1);
  double share = 0;
  for (const auto& [a, wa] : gauss_rule(24, 0.2, 0.45))
    for (const auto& [b, wb] : gauss_rule(24, 0.1, 0.4)) {
      const double c = 1 - a - b;
      Points<double> point(0, 3);
      point.values = {std::sqrt(a), std::sqrt(b), std::sqrt(c)};
      const double log_p = density.log_prob(point).values[0] - 0.5 * std::log(a * b * c) - 2 * std::log(2);
      share += wa * wb * std::exp(log_p);
    }
  const std::size_t n = kSanitized ? 2000 : 40000;
  const Points<double> draws = density.sample(n, 5).frames.back();
  double inside = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double a = draws[i][0] * draws[i][0], b = draws[i][1] * draws[i][1];
    inside += 0.2 <= a && a <= 0.45 && 0.1 <= b && b <= 0.4;
  }
  const double found = inside / static_cast<double>(n);
  EXPECT_NEAR(found, share, 4 * std::sqrt(share / static_cast<double>(n)));
  EXPECT_GT(share, 0.01);
}

// As far out as there are densities: the standard wrapped normal, of which the distance is all.
TEST(CoveredDensity, OfAHyperboloidIsRightToItsEnd) {
  for (const auto& [name, d, c] :
       {std::tuple{"hyperboloid:2", 2, 1.0}, {"hyperboloid:3", 3, 1.0}, {"hyperboloid:2,K=-4", 2, 4.0}}) {
    const Below space = parse_manifold<double>(name);
    const CoveredDensity base{space, std::make_shared<KernelDensity>(
                                         space->covering()->cover()->name(),
                                         [&] {
                                           KernelParameters all_wide;
                                           all_wide.centres = Points<double>(1, d);
                                           all_wide.weights = all_wide.bandwidths = {1};
                                           all_wide.wide = 1;
                                           return all_wide;
                                         }(),
                                         1)};
    Points<double> points(0, d + 1);
    std::vector<double> expected;
    for (std::uint64_t i = 0; i < 200; ++i) {
      Random random(5, Purpose::test, static_cast<std::uint64_t>(d), i);
      const double t = 0.1 * static_cast<double>(i + 1) + random.uniform(), r = t / std::sqrt(c);  // t = √c r
      std::vector<double> v(static_cast<std::size_t>(d));
      double square = 0;
      for (double& x : v) {
        x = random.normal();
        square += x * x;
      }
      points.values.push_back(std::cosh(t) / std::sqrt(c));
      for (const double x : v) points.values.push_back(std::sinh(t) / std::sqrt(c) * x / std::sqrt(square));
      expected.push_back(-0.5 * d * std::log(2 * pi) - 0.5 * r * r - (d - 1) * std::log(std::sinh(t) / t));
    }
    const std::vector<double> found = base.log_prob(points).values;
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(found[i], expected[i], 5e-6) << name << ", " << i;
  }
}

TEST(CoveredDensity, HasNoNumberWhereTheBallHasNoPoint) {
  const Below space = parse_manifold<double>("hyperboloid:2");
  const CoveredDensity density = uneven_density(space, 0.5, 1);
  const auto at = [](double r) {
    return std::vector<double>{std::cosh(r), 0.6 * std::sinh(r), 0.8 * std::sinh(r)};
  };
  EXPECT_EQ(density.defect(at(21)), std::nullopt);
  ASSERT_TRUE(density.defect(at(22)).has_value());
  EXPECT_NE(density.defect(at(22))->find("22 from the origin, beyond 21.66"), std::string::npos)
      << *density.defect(at(22));
  Points<double> points(0, 3);
  points.values = at(22);
  EXPECT_THROW(density.log_prob(points), Error);
}

}  // namespace
}  // namespace riemflow
