#include "riemflow/distribution/pulled_back.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/base.hpp"
#include "riemflow/distribution/normal.hpp"
#include "riemflow/distribution/parse_target.hpp"
#include "riemflow/distribution/rounded.hpp"
#include "riemflow/manifold/cubature.hpp"
#include "riemflow/manifold/parse.hpp"
#include "riemflow/manifold/whole.hpp"
#include "tests/distribution/support.hpp"

namespace riemflow {
namespace {

using namespace density_test;
using std::numbers::pi;

PulledBack pulled_back(const char* kind, const std::string& manifold, const std::string& target) {
  const std::shared_ptr<const Manifold<double>> m = parse_manifold<double>(manifold);
  return {parse_target<double>(target, m), make_chart_map<double>(kind, m)};
}

Integrand density(const Distribution<double>& p) {
  return [&p](const Points<double>& points, std::span<double> values) {
    std::vector<Pack<double>> y(static_cast<std::size_t>(points.dimension));
    for (std::size_t t = 0; t < points.tiles(); ++t) {
      points.load_tile(t, y.data());
      const Pack<double> log_p = p.log_density(y.data());
      for (int l = 0; l < points.lanes(t); ++l)
        values[t * kLanes + static_cast<std::size_t>(l)] = std::exp(log_p[l]);
    }
  };
}

double mass(const Distribution<double>& p, const std::vector<Patch>& patches) {
  CubatureOptions options;
  options.absolute = options.relative = 1e-7;
  options.evaluations = 3'000'000;
  const Integral integral = integrate(density(p), patches, p.ambient(), options);
  EXPECT_EQ(integral.failures, 0u) << p.name();
  EXPECT_TRUE(integral.converged) << p.name();
  return integral.value;
}

/// [−reach, reach]^d
std::vector<Patch> box(int d, double reach) {
  Patch patch;
  patch.dimension = d;
  patch.map = std::make_shared<const PatchMap>([d](const double* u, double* y) {
    std::copy(u, u + d, y);
    return 1.0;
  });
  std::array<int, kMostCoordinates> pieces{1, 1, 1};
  for (std::size_t a = 0; a < static_cast<std::size_t>(d); ++a) {
    patch.low[a] = -reach;
    patch.high[a] = reach;
    pieces[a] = 8;
  }
  return cut(patch, pieces);
}

TEST(PulledBack, StereographicHasMassOne) {
  const auto plane = parse_manifold<double>("euclidean:2"), line = parse_manifold<double>("euclidean:1");
  for (const char* target : {"vmf:mu=-1;0;0,kappa=10", "vmf:mu=-1;0;0,kappa=1", "vmf:mu=0.6;0;0.8,kappa=50",
                             "uniform", "0.25*vmf:mu=1;0;0,kappa=3 + 0.75*vmf:mu=-1;0;0,kappa=30"})
    EXPECT_NEAR(mass(pulled_back("stereographic", "sphere:2", target), whole_manifold(*plane, kReachDouble)),
                1, 1e-6)
        << target;
  for (const char* target : {"vmf:mu=-1;0,kappa=10", "uniform"})
    EXPECT_NEAR(mass(pulled_back("stereographic", "sphere:1", target), whole_manifold(*line, kReachDouble)),
                1, 1e-6);
  // Radii other than 1.
  for (const char* manifold : {"sphere:2,K=0.3", "sphere:2,K=4"})
    EXPECT_NEAR(mass(pulled_back("stereographic", manifold, "uniform"), whole_manifold(*plane, kReachDouble)),
                1, 1e-6);
}

TEST(PulledBack, BallHasMassOne) {
  for (const char* manifold : {"ball:2", "ball:2,K=-0.5", "ball:2,K=-4"}) {
    const std::string target = "wrapped-normal:alpha=0.6,sigma=0.3;1";
    EXPECT_NEAR(mass(pulled_back("wrapped", manifold, target), box(2, 10)), 1, 1e-6) << manifold;
    // 1.5 is outside of all three balls but K = −0.5.
    EXPECT_NEAR(mass(pulled_back("naive", manifold, target), box(2, 1.5)), 1, 1e-6) << manifold;
  }
}

TEST(PulledBack, UniformOfTheSphereIsAStudent) {
  // π⁻¹(1 + |y|²)⁻² on R², (π(1 + y²))⁻¹ on R; far out too.
  const auto p = pulled_back("stereographic", "sphere:2,K=0.3", "uniform");
  const Rounded<float> q(
      std::make_shared<PulledBack>(pulled_back("stereographic", "sphere:1,K=3", "uniform")));
  for (const double r : {0.0, 0.7, 30.0, 1e30}) {
    EXPECT_NEAR(log_density_at(p, {0, r}), -std::log(pi) - 2 * std::log1p(r * r), 1e-13);
    EXPECT_NEAR(log_density_at(q, {r}), -std::log(pi) - std::log1p(r * r), 2e-5);
    EXPECT_NEAR(gradient_at(p, {0, r})[1] * (r + 1 / std::max(r, 1e-9)), r == 0 ? 0 : -4, 1e-13);
  }
}

TEST(PulledBack, StandardWrappedNormalIsNormal) {
  // Float reaches as far as double: its own coordinates of the ball end at 14.5/√c.
  for (const char* name : {"ball:1", "ball:2", "ball:3,K=-0.4", "ball:16,K=-2"}) {
    const std::shared_ptr<const Manifold<double>> manifold = parse_manifold<double>(name);
    const auto chart = make_chart_map<double>("wrapped", manifold);
    const PulledBack p(default_base<double>(manifold), chart);
    const Rounded<float> q(std::make_shared<PulledBack>(p));
    const int d = manifold->dimension();
    const double root = std::sqrt(-manifold->curvature());
    const StandardNormal<double> normal(d);
    for (const double rho : {0.0, 1e-6, 0.5, 3.0, 12.0, 20.0}) {
      Point y;
      for (int i = 0; i < d; ++i)
        y.push_back(static_cast<float>(std::cos(1 + 2 * i) * rho / root / std::sqrt(d)));
      const double truth = log_density_at(normal, y);
      const double rim = 1e-15 * std::exp(rho) * (rho + d) / root;
      EXPECT_NEAR(log_density_at(p, y), truth, 1e-14 * std::abs(truth) + rim) << name << rho;
      EXPECT_NEAR(log_density_at(q, y), truth, 1e-7 * std::abs(truth) + rim) << name << rho;
      const Point g = gradient_at(p, y), f = gradient_at(q, y);
      for (std::size_t i = 0; i < y.size(); ++i) {
        EXPECT_NEAR(g[i], -y[i], 1e-14 * d + 10 * rim) << name << rho;
        EXPECT_NEAR(f[i], -y[i], 1e-7 * std::abs(y[i]) + 1e-14 * d + 10 * rim) << name << rho;
      }
    }
  }
}

struct Example {
  const char *kind, *manifold, *target;
  int d;
  double reach;
  double aside = 0, width = 0.5;  // of a normal density well inside
};
const Example kExamples[] = {
    {"stereographic", "sphere:2", "vmf:mu=-1;0;0,kappa=10", 2, 20, 5, 1},
    {"stereographic", "sphere:4", "vmf:mu=0;0.6;0;0;0.8,kappa=5", 4, 3},
    {"stereographic", "sphere:2", "0.4*vmf:mu=-1;0;0,kappa=10 + 0.6*uniform", 2, 5},
    {"wrapped", "ball:2,K=-2", "wrapped-normal:alpha=0.75,sigma=0.3;1", 2, 4},
    {"wrapped", "ball:3", "wrapped-normal:mean=0.3;0.1;-0.5", 3, 5},
    {"naive", "ball:2,K=-0.5", "wrapped-normal:alpha=0.75,sigma=0.3;1", 2, 1.3, 0, 0.2},
};

TEST(PulledBack, GradientIsThatOfTheDensity) {
  for (const Example& e : kExamples) {
    const auto p = pulled_back(e.kind, e.manifold, e.target);
    const Rounded<float> q(std::make_shared<PulledBack>(p));
    for (const double share : {0.05, 0.4, 1.0}) {
      Point y;
      for (int i = 0; i < e.d; ++i)
        y.push_back(static_cast<float>(share * e.reach * std::cos(1 + 2 * i) / std::sqrt(e.d)));
      const Point g = gradient_at(p, y), f = gradient_at(q, y);
      const double size = std::sqrt(dot(g, g));
      EXPECT_EQ(log_density_at(q, y), static_cast<float>(log_density_at(p, y)));
      for (std::size_t i = 0; i < y.size(); ++i) {
        const double h = 1e-5 * std::max(0.1, share * e.reach * (e.reach < 2 ? 0.1 : 1));
        Point up = y, down = y;
        up[i] += h;
        down[i] -= h;
        EXPECT_NEAR(g[i], (log_density_at(p, up) - log_density_at(p, down)) / (2 * h), 2e-7 * (1 + size))
            << e.kind << " " << e.manifold << " " << share;
        EXPECT_EQ(f[i], static_cast<float>(g[i]));
      }
    }
  }
}

TEST(PulledBack, SamplesAreOfTheDensity) {
  // E q/p = the mass of q under p, for a density q with lighter tails than p.
  for (const Example& e : kExamples) {
    const auto p = pulled_back(e.kind, e.manifold, e.target);
    const auto points = draw(p, 7, 20000);
    Point centre;
    for (int i = 0; i < e.d; ++i)
      centre.push_back(
          estimate(points, [i](const Point& y) { return std::atan(y[static_cast<std::size_t>(i)]); }).mean);
    centre[0] += e.aside;
    const StandardNormal<double> normal(e.d);
    const Estimate one = estimate(points, [&](const Point& y) {
      Point z = y;
      for (std::size_t i = 0; i < z.size(); ++i) z[i] = (z[i] - centre[i]) / e.width;
      // Not near the rim, where p vanishes faster: less than 1e-3 of q is left out.
      const double outside = std::sqrt(dot(y, y)) < 1.41 || e.reach > 2 ? 0 : 1e9;
      return std::exp(log_density_at(normal, z) - e.d * std::log(e.width) - log_density_at(p, y) - outside);
    });
    EXPECT_LT(one.sigmas(1, 1e-3), 4) << e.kind << " " << e.manifold << " " << one.mean;
    EXPECT_LT(one.standard_error, 0.1) << e.kind << " " << e.manifold;
  }
}

TEST(PulledBack, NoImageNoNumber) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto naive = pulled_back("naive", "ball:2", "wrapped-normal");
  EXPECT_EQ(log_density_at(naive, {1, 0}), -infinity);
  EXPECT_EQ(log_density_at(naive, {3, 4}), -infinity);
  EXPECT_TRUE(std::isnan(log_density_at(naive, {std::nan(""), 0})));
  const auto wrapped = pulled_back("wrapped", "ball:2", "wrapped-normal");
  EXPECT_TRUE(std::isnan(log_density_at(wrapped, {40, 0})));
  EXPECT_TRUE(std::isnan(log_density_at(wrapped, {infinity, 0})));
  // The other lanes are as if alone.
  std::vector<Pack<double>> y(2, Pack<double>(0.25)), gradient(2);
  y[0][3] = 2;
  const Pack<double> log_p = naive.log_density_gradient(y.data(), gradient.data());
  EXPECT_EQ(log_p[3], -infinity);
  EXPECT_TRUE(std::isnan(gradient[0][3]) && std::isnan(gradient[1][3]));
  EXPECT_EQ(log_p[4], log_density_at(naive, {0.25, 0.25}));
  EXPECT_TRUE(std::isfinite(gradient[1][4]));
}

TEST(PulledBack, RejectsWhatDoesNotFit) {
  const std::shared_ptr<const Manifold<double>> manifold = parse_manifold<double>("sphere:2");
  const auto chart = make_chart_map<double>("stereographic", manifold);
  EXPECT_THROW(PulledBack(std::make_shared<StandardNormal<double>>(2), chart), Error);
  EXPECT_THROW(PulledBack(nullptr, chart), Error);
  EXPECT_THROW(PulledBack(default_base<double>(manifold), nullptr), Error);
  EXPECT_EQ(PulledBack(default_base<double>(manifold), chart).name(), "stereographic(uniform(sphere:2))");
}

}  // namespace
}  // namespace riemflow
