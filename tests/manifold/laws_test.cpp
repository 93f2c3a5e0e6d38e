// The laws, over every manifold of the library.

#include "tests/manifold/laws.hpp"

#include <gtest/gtest-spi.h>

#include <numbers>
#include <set>

#include "riemflow/manifold/chart.hpp"
#include "riemflow/manifold/euclidean.hpp"
#include "riemflow/manifold/parse.hpp"
#include "riemflow/manifold/poincare_ball.hpp"
#include "riemflow/manifold/product.hpp"
#include "riemflow/manifold/sphere.hpp"
#include "riemflow/manifold/torus.hpp"
#include "tests/sanitized.hpp"

namespace riemflow::test {
namespace {

using std::numbers::pi;

constexpr int kDimensions[] = {1, 2, 3, 5, 8, 16, 64};
constexpr double kSphereCurvatures[] = {1e-8, 1e-3, 0.5, 1, 4, 100};
constexpr double kBallCurvatures[] = {-1e-8, -1e-3, -0.5, -1, -4};

/// The worst relative error allowed: 1e-12 in double, `float_bound` in float. Measured (double, float):
/// Euclidean 1e-15, 7e-7; sphere 5e-15, 2.4e-6; torus 2e-15, 1.3e-6; ball within 3R of the origin, λ up to
/// 11, 5e-14, 3e-5; products 2e-14, 8e-6.
template <class T>
double bound(double float_bound) {
  return std::is_same_v<T, double> ? 1e-12 : float_bound;
}

template <class T>
void check_seeds(const Manifold<T>& m, LawOptions options) {
  for (std::uint64_t seed = 1; seed <= (kSanitized ? 1 : 3); ++seed) {
    options.seed = seed;
    check_laws(m, options);
  }
}

template <class T>
class Laws : public testing::Test {};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(Laws, Numbers);

TYPED_TEST(Laws, Euclidean) {
  for (int d : kDimensions)
    check_seeds<TypeParam>(Euclidean<TypeParam>(d), {.tolerance = bound<TypeParam>(2e-6)});
}

TYPED_TEST(Laws, Sphere) {
  for (int d : kDimensions)
    for (double K : kSphereCurvatures)
      check_seeds<TypeParam>(
          Sphere<TypeParam>(d, K),
          {.tolerance = bound<TypeParam>(5e-6), .length = 1 / std::sqrt(K), .injectivity = pi});
}

TYPED_TEST(Laws, PoincareBall) {
  for (int d : kDimensions)
    for (double K : kBallCurvatures)
      check_seeds<TypeParam>(PoincareBall<TypeParam>(d, K),
                             {.tolerance = bound<TypeParam>(1e-4), .length = 1 / std::sqrt(-K)});
}

// Almost flat, at the scale of the points and not of the curvature.
TYPED_TEST(Laws, PoincareBallNearlyFlat) {
  for (int d : kDimensions)
    for (double K : {-1e-12, -1e-8, -1e-4})
      check_seeds<TypeParam>(PoincareBall<TypeParam>(d, K), {.tolerance = bound<TypeParam>(5e-6)});
}

TYPED_TEST(Laws, Torus) {
  for (int d : kDimensions)
    check_seeds<TypeParam>(Torus<TypeParam>(d), {.tolerance = bound<TypeParam>(5e-6), .injectivity = pi});
}

TYPED_TEST(Laws, Product) {
  for (const char* name :
       {"sphere:2 x torus:1", "torus:2 x sphere:1 x sphere:3,K=0.5", "ball:2 x ball:3,K=-0.5",
        "sphere:5,K=2 x euclidean:1 x ball:2,K=-2 x torus:3", "euclidean:3 x torus:8"})
    check_seeds<TypeParam>(
        *parse_manifold<TypeParam>(name),
        {.tolerance = bound<TypeParam>(5e-5), .injectivity = pi / std::sqrt(2.0), .tiles = 16});
}

// The kit itself: what it says of manifolds with one mistake each.
class Mistaken : public Chart<double> {
 public:
  explicit Mistaken(const Chart<double>& right)
      : Chart(Geometry::euclidean, right.dimension(), 0), right_(right) {}
  std::string name() const override { return "mistaken:2"; }
  bool compact() const override { return false; }
  double log_volume() const override { return right_.log_volume(); }
  void project(Pack<double>* x) const override { right_.project(x); }
  Pack<double> inner(const Pack<double>* x, const Pack<double>* u, const Pack<double>* v) const override {
    return right_.inner(x, u, v);
  }
  void lower(const Pack<double>* x, Pack<double>* v) const override { right_.lower(x, v); }
  void frame(const Pack<double>* x, PackMatrix<double> e) const override { right_.frame(x, e); }
  void exp(const Pack<double>* x, const Pack<double>* v, Pack<double>* y) const override {
    right_.exp(x, v, y);
  }
  void log(const Pack<double>* x, const Pack<double>* y, Pack<double>* v) const override {
    right_.log(x, y, v);
  }
  Pack<double> distance(const Pack<double>* x, const Pack<double>* y) const override {
    return right_.distance(x, y);
  }
  void transport(const Pack<double>* x, const Pack<double>* y, const Pack<double>* v,
                 Pack<double>* w) const override {
    right_.transport(x, y, v, w);
  }
  Pack<double> log_volume_density(const Pack<double>* x) const override {
    return right_.log_volume_density(x);
  }
  LaneMask in_domain(const Pack<double>* x) const override { return right_.in_domain(x); }
  void error_weight(const Pack<double>* x, Pack<double>* w) const override { right_.error_weight(x, w); }
  void random_uniform(Random&, Pack<double>*, int) const override {}

 protected:
  const Chart<double>& right_;
};

/// The paper's misprint λI for λ²I.
struct WrongMetric : Mistaken {
  using Mistaken::Mistaken;
  Pack<double> inner(const Pack<double>* x, const Pack<double>* u, const Pack<double>* v) const override {
    return sqrt(right_.inner(x, u, v) * riemflow::dot(d_, u, v));
  }
};
/// The scale λ_x/λ_y without the gyration: still an isometry.
struct WrongTransport : Mistaken {
  using Mistaken::Mistaken;
  void transport(const Pack<double>* x, const Pack<double>* y, const Pack<double>* v,
                 Pack<double>* w) const override {
    const Pack<double> scale = sqrt(right_.inner(x, v, v) / right_.inner(y, v, v));
    for (int i = 0; i < d_; ++i) w[i] = scale * v[i];
  }
};
struct WrongVolume : Mistaken {
  using Mistaken::Mistaken;
  Pack<double> log_volume_density(const Pack<double>* x) const override {
    return right_.log_volume_density(x) / 2;
  }
};

std::set<std::string> broken_laws(const Manifold<double>& m) {
  testing::TestPartResultArray failures;
  {
    testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    check_laws(m, {.tolerance = 1e-12});
  }
  std::set<std::string> laws;
  for (int i = 0; i < failures.size(); ++i) {
    const std::string message = failures.GetTestPartResult(i).message();
    laws.insert(message.substr(message.rfind(": ") + 2));
  }
  return laws;
}

TEST(LawKit, FindsTheMistake) {
  const PoincareBall<double> ball(2);
  EXPECT_EQ(broken_laws(Mistaken(ball)), std::set<std::string>{});
  EXPECT_TRUE(broken_laws(WrongMetric(ball)).contains("distance = |log|"));
  EXPECT_TRUE(broken_laws(WrongMetric(ball)).contains("distance is that of the metric"));
  EXPECT_TRUE(broken_laws(WrongMetric(ball)).contains("lower is the metric"));
  EXPECT_EQ(broken_laws(WrongTransport(ball)),
            (std::set<std::string>{"transport carries the velocity",
                                   "transport is minus the reflection in the midpoint"}));
  EXPECT_EQ(broken_laws(WrongVolume(ball)), std::set<std::string>{"the volume density is that of the frame"});
}

}  // namespace
}  // namespace riemflow::test
