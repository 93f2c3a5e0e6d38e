// The laws, over every manifold of the library.

#include "tests/manifold/laws.hpp"

#include <gtest/gtest-spi.h>

#include <functional>
#include <numbers>
#include <set>

#include "riemflow/manifold/chart.hpp"
#include "riemflow/manifold/euclidean.hpp"
#include "riemflow/manifold/grassmann.hpp"
#include "riemflow/manifold/parse.hpp"
#include "riemflow/manifold/poincare_ball.hpp"
#include "riemflow/manifold/product.hpp"
#include "riemflow/manifold/sphere.hpp"
#include "riemflow/manifold/stiefel.hpp"
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
    options.patches = seed == 1;  // what they are does not depend on it
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

// No symmetric space for p > 1; a logarithm is good to its residual over how far the ends are from conjugate
// points.
TYPED_TEST(Laws, Stiefel) {
  constexpr int kSizes[][2] = {{3, 1}, {3, 2}, {4, 2}, {4, 3}, {5, 3}, {6, 2}};
  for (const auto& [n, p] : kSizes) {
    LawOptions options{
        .tolerance = bound<TypeParam>(1e-4) * 100, .adjoints = 1e-8, .injectivity = pi, .tiles = 2};
    options.symmetric = p == 1;
    check_seeds<TypeParam>(Stiefel<TypeParam>(n, p), options);
  }
}

TYPED_TEST(Laws, Grassmann) {
  constexpr int kSizes[][2] = {{2, 1}, {3, 1}, {4, 2}, {5, 2}, {5, 3}, {6, 3}};
  for (const auto& [n, p] : kSizes)
    check_seeds<TypeParam>(
        Grassmann<TypeParam>(n, p),
        {.tolerance = bound<TypeParam>(1e-4), .adjoints = 1e-8, .injectivity = pi / 2, .tiles = 2});
}

// The kit itself: what it says of manifolds with one mistake each.
class Mistaken : public Chart<double> {
 public:
  explicit Mistaken(const Chart<double>& right) : Chart(right.dimension()), right_(right) {}
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
  double curvature() const override { return right_.curvature(); }
  DefaultBase default_base() const override { return right_.default_base(); }
  std::optional<PatchPart> part(double reach) const override { return right_.part(reach); }
  std::shared_ptr<const Features<double>> features() const override { return right_.features(); }
  std::shared_ptr<const GeodesicNeurons<double>> geodesic_neurons() const override {
    return right_.geodesic_neurons();
  }
  void velocity(const OutputJet<double>& jet, Pack<double>* f, Rates<double>& rates) const override {
    right_.velocity(jet, f, rates);
  }
  void velocity_backward(const OutputJet<double>& jet, Pack<double>* f_bar, const Rates<double>& rates_bar,
                         PackMatrix<double> u_bar, PackMatrix<double> x_bar) const override {
    right_.velocity_backward(jet, f_bar, rates_bar, u_bar, x_bar);
  }

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

/// The fields of R^d on the ball.
struct FlatField : Mistaken {
  using Mistaken::Mistaken;
  void velocity(const OutputJet<double>& jet, Pack<double>* f, Rates<double>& rates) const override {
    flat.velocity(jet, f, rates);
  }
  void velocity_backward(const OutputJet<double>& jet, Pack<double>* f_bar, const Rates<double>& rates_bar,
                         PackMatrix<double> u_bar, PackMatrix<double> x_bar) const override {
    flat.velocity_backward(jet, f_bar, rates_bar, u_bar, x_bar);
  }
  Euclidean<double> flat{2};
};
/// The adjoint of another scaling.
struct WrongAdjoint : Mistaken {
  using Mistaken::Mistaken;
  void velocity_backward(const OutputJet<double>& jet, Pack<double>* f_bar, const Rates<double>& rates_bar,
                         PackMatrix<double> u_bar, PackMatrix<double> x_bar) const override {
    OutputJet<double> other = jet;
    if (jet.scaling == BallScaling::unit) other.scaling = BallScaling::none;
    right_.velocity_backward(other, f_bar, rates_bar, u_bar, x_bar);
  }
};
/// Features of a mistaken map of two coordinates, with jets and adjoint that are right.
struct TwoFeatures : Features<double> {
  /// φ and its derivatives in the coordinates, a row each.
  using Map = std::function<void(const Pack<double>* x, Pack<double>* phi, PackMatrix<double> slope)>;
  Map map;
  explicit TwoFeatures(Map m) : map(std::move(m)) {}
  int size() const override { return 2; }
  void embed(int k, PackMatrix<double> in, PackMatrix<double> out) const override {
    Pack<double> x[2] = {in(0, 0), in(1, 0)}, phi[2], D[4];
    map(x, phi, {D, 2});
    for (int i = 0; i < 2; ++i) {
      out(i, 0) = phi[i];
      for (int j = 1; j <= k; ++j) out(i, j) = D[2 * i] * in(0, j) + D[2 * i + 1] * in(1, j);
    }
  }
  void embed_backward(int, PackMatrix<double>, PackMatrix<double>, PackMatrix<double>) const override {}
};
struct WithFeatures : Mistaken {
  WithFeatures(const Chart<double>& right, TwoFeatures::Map map) : Mistaken(right), map_(std::move(map)) {}
  std::shared_ptr<const Features<double>> features() const override {
    return std::make_shared<TwoFeatures>(map_);
  }
  std::shared_ptr<const GeodesicNeurons<double>> geodesic_neurons() const override { return nullptr; }
  TwoFeatures::Map map_;
};
struct WrongJets : Mistaken {
  using Mistaken::Mistaken;
  struct Halved : Features<double> {
    int size() const override { return 2; }
    void embed(int k, PackMatrix<double> in, PackMatrix<double> out) const override {
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j <= k; ++j) out(i, j) = in(i, j) * Pack<double>(j == 0 ? 1 : 0.5);
    }
    void embed_backward(int k, PackMatrix<double>, PackMatrix<double> out_bar,
                        PackMatrix<double> in_bar) const override {
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j <= k; ++j) in_bar(i, j) += out_bar(i, j) * Pack<double>(j == 0 ? 1 : 0.5);
    }
  };
  std::shared_ptr<const Features<double>> features() const override { return std::make_shared<Halved>(); }
};
/// The neurons' adjoint forgets that the scale is a parameter's length.
struct WrongNeurons : Mistaken {
  using Mistaken::Mistaken;
  struct Neurons : GeodesicNeurons<double> {
    std::shared_ptr<const GeodesicNeurons<double>> right;
    std::shared_ptr<const Features<double>> features() const override { return right->features(); }
    simd::Function distance() const override { return right->distance(); }
    int parameters() const override { return right->parameters(); }
    void prepare(const double* a, double* row, double& scale) const override {
      right->prepare(a, row, scale);
    }
    void pull_back(const double* a, const double* row_bar, double, double* a_bar) const override {
      const std::vector<double> none(static_cast<std::size_t>(right->features()->size()));
      right->pull_back(a, none.data(), 0, a_bar);
      static_cast<void>(row_bar);
    }
  };
  std::shared_ptr<const GeodesicNeurons<double>> geodesic_neurons() const override {
    auto neurons = std::make_shared<Neurons>();
    neurons->right = right_.geodesic_neurons();
    return neurons;
  }
};
/// Patches of half the manifold.
struct HalfPatches : Mistaken {
  using Mistaken::Mistaken;
  std::optional<PatchPart> part(double reach) const override {
    std::optional<PatchPart> all = right_.part(reach);
    all->axes[1].low = 0;
    return all;
  }
};
/// Patches without the circumference of circles.
struct FlatPatches : Mistaken {
  using Mistaken::Mistaken;
  std::optional<PatchPart> part(double reach) const override {
    std::optional<PatchPart> all = right_.part(reach);
    all->map = [map = all->map](const double* u, double* x) { return map(u, x) / std::abs(u[0]); };
    return all;
  }
};

/// Kernels of another curvature.
struct WrongKernels : Mistaken {
  WrongKernels(const Chart<double>& right, double K) : Mistaken(right), K_(K) {}
  KernelForm kernel_form() const override { return {KernelForm::Family::hyperbolic, K_}; }
  double K_;
};
/// A divergence that is a thousandth too large.
struct WrongRate : Mistaken {
  using Mistaken::Mistaken;
  void velocity(const OutputJet<double>& jet, Pack<double>* f, Rates<double>& rates) const override {
    Rates<double> own{Pack<double>(0), Pack<double>(0), Pack<double>(0)};
    right_.velocity(jet, f, own);
    rates.divergence += Pack<double>(1.001) * own.divergence;
    rates.kinetic += own.kinetic;
    rates.frobenius += own.frobenius;
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
            (std::set<std::string>{
                "divergence = the rate of volume", "frobenius = the square of the covariant derivative",
                "transport carries the velocity", "transport is minus the reflection in the midpoint"}));
  EXPECT_EQ(broken_laws(WrongVolume(ball)), std::set<std::string>{"the volume density is that of the frame"});
}

TEST(LawKit, FindsTheMistakeOfAField) {
  using Laws = std::set<std::string>;
  const PoincareBall<double> ball(2);
  EXPECT_EQ(broken_laws(FlatField(ball)),
            (Laws{"divergence = the rate of volume", "frobenius = the square of the covariant derivative",
                  "kinetic = the square of velocity"}));
  EXPECT_EQ(broken_laws(WrongAdjoint(ball)), Laws{"velocity_backward"});
  EXPECT_EQ(broken_laws(WrongJets(ball)),
            (Laws{"divergence = the rate of volume", "features' jets are derivatives",
                  "frobenius = the square of the covariant derivative"}));
  EXPECT_EQ(broken_laws(WrongNeurons(ball)), Laws{"geodesic neurons' backward"});
  // (x, y) ↦ (x, 0)
  const auto flat = [](const Pack<double>* x, Pack<double>* phi, PackMatrix<double> D) {
    phi[0] = x[0];
    phi[1] = D(0, 1) = D(1, 0) = D(1, 1) = Pack<double>(0);
    D(0, 0) = Pack<double>(1);
  };
  const Laws unranked = broken_laws(WithFeatures(ball, flat));
  EXPECT_TRUE(unranked.contains("features have full rank"));
  EXPECT_TRUE(unranked.contains("features' backward"));
  // (x, y) ↦ (x² − y², 2xy), two points to one
  const auto square = [](const Pack<double>* x, Pack<double>* phi, PackMatrix<double> D) {
    phi[0] = x[0] * x[0] - x[1] * x[1];
    phi[1] = 2 * x[0] * x[1];
    D(0, 0) = D(1, 1) = 2 * x[0];
    D(1, 0) = 2 * x[1];
    D(0, 1) = -D(1, 0);
  };
  const Laws folded = broken_laws(WithFeatures(ball, square));
  EXPECT_TRUE(folded.contains("features are one to one"));
  EXPECT_FALSE(folded.contains("features have full rank"));
}

TEST(LawKit, FindsTheMistakeOfKernels) {
  const PoincareBall<double> ball(2, -0.5);
  EXPECT_EQ(broken_laws(WrongKernels(ball, -0.5)), std::set<std::string>{});
  EXPECT_EQ(broken_laws(WrongKernels(ball, -1)), std::set<std::string>{"kernels have mass 1"});
}

TEST(LawKit, FindsTheMistakeInManyDimensions) {
  const PoincareBall<double> ball(16);
  EXPECT_EQ(broken_laws(Mistaken(ball)), std::set<std::string>{});
  EXPECT_EQ(broken_laws(WrongRate(ball)),
            (std::set<std::string>{"divergence = the rate of volume", "velocity_backward"}));
}

TEST(LawKit, FindsTheMistakeOfPatches) {
  const PoincareBall<double> ball(2);
  EXPECT_EQ(broken_laws(HalfPatches(ball)), std::set<std::string>{"patches make up the whole"});
  EXPECT_TRUE(broken_laws(FlatPatches(ball)).contains("patches say their volume"));
}

}  // namespace
}  // namespace riemflow::test
