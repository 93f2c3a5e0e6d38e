#include "riemflow/distribution/parse_target.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/angular_central_gaussian.hpp"
#include "riemflow/distribution/bingham.hpp"
#include "riemflow/distribution/bivariate_von_mises.hpp"
#include "riemflow/distribution/kent.hpp"
#include "riemflow/distribution/matrix_fisher.hpp"
#include "riemflow/distribution/von_mises_fisher.hpp"
#include "riemflow/distribution/watson.hpp"
#include "riemflow/distribution/wrapped_normal.hpp"
#include "riemflow/manifold/parse.hpp"
#include "tests/distribution/support.hpp"

namespace riemflow {
namespace {

using namespace density_test;

template <class T = double>
std::shared_ptr<const Distribution<T>> target(const char* manifold, const std::string& text) {
  return parse_target<T>(text, std::shared_ptr<const Manifold<T>>(parse_manifold<T>(manifold)));
}

void expect_same(const Distribution<double>& a, const Distribution<double>& b,
                 const std::vector<Point>& points, double tolerance = 1e-14) {
  for (const Point& x : points)
    EXPECT_NEAR(log_density_at(a, x), log_density_at(b, x), tolerance) << a.name();
}

const std::vector<Point> kSphere = {{1, 0, 0}, {-0.6, 0.48, 0.64}, {0, 0, -1}};
const std::vector<Point> kBall = {{0, 0}, {0.3, -0.2}, {-0.5, 0.8}};

TEST(ParseTarget, VonMisesFisher) {
  const VonMisesFisher<double> p(Eigen::Vector3d(-1, 0, 0), 10);
  for (const char* text :
       {"vmf:mu=-1;0;0,kappa=10", " VMF : kappa = 1e+1 , mu = -1 ; +0 ; 0 ", "vmf:mu=-0.9995;0;0,kappa=10",
        "vmf:lat=0,lon=180,kappa=10", "1*vmf:mu=-1;0;0,kappa=10"})
    expect_same(*target("sphere:2", text), p, kSphere);
  const VonMisesFisher<double> north(Eigen::Vector3d(0.5, 0, std::sqrt(0.75)), 3);
  expect_same(*target("sphere:2", "vmf:lat=60,lon=0,kappa=3"), north, kSphere);
  EXPECT_EQ(target<float>("sphere:4", "vmf:mu=0;0;0.6;0.8;0,kappa=2")->ambient(), 5);
}

TEST(ParseTarget, WrappedNormalWithVariances) {
  // exp_0 of length α: tanh(√c α/2)/√c
  const Eigen::Vector2d mean(std::tanh(0.75), 0), narrow(0.3, 1);
  const WrappedNormal<double> p(2, -1, mean, narrow.asDiagonal());
  expect_same(*target("ball:2", "wrapped-normal:alpha=0.75,sigma=0.3;1.0"), p, kBall);
  expect_same(*target("ball:2", "wrapped-normal:alpha=0.75,sigma=0.3;0;0;1"), p, kBall);
  const WrappedNormal<double> q(2, -4, Eigen::Vector2d(-std::tanh(1.5) / 2, 0),
                                0.5 * Eigen::Matrix2d::Identity());
  expect_same(*target("ball:2,K=-4", "wrapped-normal:sigma=0.5,alpha=-0.75"), q, {{0, 0}, {0.2, -0.3}});
  const WrappedNormal<double> r(2, -1, Eigen::Vector2d(0.3, 0.1), Eigen::Matrix2d{{1, 0.5}, {0.5, 2}});
  expect_same(*target("ball:2", "wrapped-normal:mean=0.3;0.1,sigma=1;0.5;0.5;2"), r, kBall);
  expect_same(*target("ball:2", "wrapped-normal"), WrappedNormal<double>::standard(2, -1), kBall);
}

TEST(ParseTarget, MixturesAndOthers) {
  const auto a = target("sphere:2", "vmf:mu=0;1;0,kappa=2"), b = target("sphere:2", "vmf:mu=0;0;1,kappa=1e2");
  for (const char* text : {"0.3*vmf:mu=0;1;0,kappa=2 + 0.7*vmf:mu=0;0;1,kappa=100",
                           "0.3*vmf:mu=0;1;0,kappa=2e+0+0.7*vmf:mu=+0;0;1,kappa=1e+2",
                           "3e-1 * vmf:mu=0;1;0,kappa=2+ 7.0e-1 *vmf:lat=90,lon=0,kappa=100"}) {
    const auto p = target("sphere:2", text);
    for (const Point& x : kSphere)
      EXPECT_NEAR(log_density_at(*p, x),
                  std::log(0.3 * std::exp(log_density_at(*a, x)) + 0.7 * std::exp(log_density_at(*b, x))),
                  1e-13);
  }
  const auto thirds = target("sphere:2", "0.333*uniform + 0.333*uniform + 0.333*uniform");
  expect_same(*thirds, *target("sphere:2", "uniform"), kSphere);
  EXPECT_EQ(target("euclidean:3", "normal")->name(), "normal:3");
}

TEST(ParseTarget, AxesOvalsAndTorsions) {
  const Eigen::Vector3d up(0, 0.6, 0.8);
  expect_same(*target("sphere:2", "watson:mu=0;0.6;0.8,kappa=-7"), Watson(up, -7), kSphere);
  expect_same(*target("sphere:2", "watson:lat=90,lon=0,kappa=3"), Watson(Eigen::Vector3d(0, 0, 1), 3),
              kSphere);
  const Eigen::Matrix3d A{{1, 2, 0}, {2, -5, 0.5}, {0, 0.5, 3}};
  expect_same(*target("sphere:2", "bingham:matrix=1;2;0;2;-5;0.5;0;0.5;3"), Bingham(A), kSphere);
  expect_same(*target("sphere:2", "Bingham: matrix=-9;-2;0"),
              Bingham(Eigen::Vector3d(-9, -2, 0).asDiagonal().toDenseMatrix()), kSphere);
  expect_same(*target("sphere:2", "kent:mu=0;0.6;0.8,major=1;0;0,kappa=12,beta=5"),
              Kent(up, {1, 0, 0}, 12, 5), kSphere);
  expect_same(*target("sphere:2", "kent:lat=0,lon=90,major=0;0;1,kappa=12"),
              Kent({0, 1, 0}, {0, 0, 1}, 12, 0), kSphere);
  const Eigen::Matrix3d covariance{{2, 1, 0}, {1, 3, 0}, {0, 0, 1}};
  expect_same(*target("sphere:2", "angular-central-gaussian:sigma=2;1;0;1;3;0;0;0;1"),
              AngularCentralGaussian(covariance), kSphere);
  const double degree = std::numbers::pi / 180;
  expect_same(*target("torus:2", "bivariate-von-mises:mu=-60;140,kappa=5;3,lambda=-2"),
              BivariateVonMises({-60 * degree, 140 * degree}, 5, 3, -2), {{0, 0}, {1, -2}}, 1e-13);
  const Eigen::Matrix3d F{{1, 2, 3}, {-4, 5, 0}, {0, 7, 8}};
  expect_same(*target("rotation:3", "matrix-fisher:matrix=1;2;3;-4;5;0;0;7;8"), MatrixFisher(F),
              {{1, 0, 0, 0}, {0.1, 0.7, -0.5, 0.5}});
  // In float the density is that of double precision, rounded.
  const auto single = target<float>("sphere:2", "watson:mu=0;0.6;0.8,kappa=-7");
  EXPECT_EQ(log_density_at(*single, {1, 0, 0}),
            static_cast<float>(log_density_at(Watson(up, -7), {1, 0, 0})));
  const auto mixed =
      target("sphere:2", "0.5*watson:mu=0;0;1,kappa=3 + 0.5*kent:mu=0;0;1,major=1;0;0,kappa=2,beta=0.5");
  EXPECT_EQ(mixed->ambient(), 3);
}

TEST(ParseTarget, ReadsWhatItsDensitiesCallThemselves) {
  const auto expect = [](const char* manifold, const char* text, const std::vector<Point>& points) {
    const auto p = target(manifold, text);
    const auto again = target(manifold, p->name());
    expect_same(*p, *again, points);
    EXPECT_EQ(target(manifold, again->name())->name(), again->name());
  };
  expect("sphere:2", "vmf:mu=0.6;0.48;0.64,kappa=12.5", kSphere);
  expect("sphere:2", "vmf:lat=47.123,lon=-8.5,kappa=1e20", kSphere);
  expect("sphere:2", "0.3*vmf:lat=10,lon=20,kappa=3 + 0.3*uniform + 0.4*vmf:mu=1;0;0,kappa=1e-20", kSphere);
  expect("sphere:2,K=1", "uniform", kSphere);
  expect("ball:2", "wrapped-normal", kBall);
  expect("ball:2,K=-0.7", "wrapped-normal", kBall);
  expect("ball:2", "wrapped-normal:alpha=0.75,sigma=0.3;1", kBall);
  expect("ball:2", "0.5*wrapped-normal:sigma=0.1 + 0.5*wrapped-normal:mean=0.1;0.2,sigma=1;0.5;0.5;2", kBall);
  expect("euclidean:2", "normal", kBall);
  expect("sphere:2", "watson:lat=10,lon=20,kappa=-3.7", kSphere);
  expect("sphere:2", "bingham:matrix=1;2;0;2;-5;0.5;0;0.5;3", kSphere);
  expect("sphere:2", "kent:mu=0;0.6;0.8,major=1;0;0,kappa=12,beta=5", kSphere);
  expect("sphere:2", "angular-central-gaussian:sigma=2;1;0;1;3;0;0;0;1", kSphere);
  expect("torus:2", "bivariate-von-mises:mu=-60;140,kappa=5;3,lambda=-2", {{0, 0}, {1, -2}});
  expect("rotation:3", "matrix-fisher:matrix=1;2;3;-4;5;0;0;7;8", {{1, 0, 0, 0}, {0.1, 0.7, -0.5, 0.5}});
}

TEST(ParseTarget, ErrorsNameThePartAndTheRemedy) {
  const auto expect = [](const char* manifold, const char* text, const std::vector<const char*>& parts) {
    try {
      target(manifold, text);
      ADD_FAILURE() << text << " was taken";
    } catch (const Error& e) {
      for (const char* part : parts)
        EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << text << ": " << e.what();
    }
  };
  expect("sphere:2", "", {"missing", "write it as in"});
  expect("sphere:2", "vfm:mu=1;0;0,kappa=1", {"'vfm'", "perhaps you meant vmf?"});
  expect("sphere:2", "cauchy", {"'cauchy'", "the densities are vmf, wrapped-normal"});
  expect("sphere:2", "vmf:mu=1;0;0,kapa=1", {"'kapa'", "perhaps you meant kappa?", "mu, lat, lon, kappa"});
  expect("sphere:2", "vmf:mu=1;0;0", {"no kappa", "kappa=10"});
  expect("sphere:2", "vmf:mu=1;0;0,kappa=", {"'' of kappa"});
  expect("sphere:2", "vmf:mu=1;0;0,kappa=nan", {"'nan' of kappa", "finite"});
  expect("sphere:2", "vmf:mu=1;0;0,kappa=1;2", {"2 numbers for kappa", "give one"});
  expect("sphere:2", "vmf:mu=1;0;0,kappa=-1", {"kappa=-1", "0 or more"});
  expect("sphere:2", "vmf:mu=1;0;0,kappa=1,kappa=2", {"kappa stands twice"});
  expect("sphere:2", "vmf:mu=1;0,kappa=1", {"2 numbers for mu", "give 3"});
  expect("sphere:2", "vmf:mu=1;0;x,kappa=1", {"'x' of mu"});
  expect("sphere:2", "vmf:mu=3;0;4,kappa=1", {"length 5", "mu=0.6;0;0.8"});
  expect("sphere:2", "vmf:mu=0.998;0;0,kappa=1", {"length 0.998"});
  expect("sphere:2", "vmf:mu=0;0;0,kappa=1", {"no direction"});
  expect("sphere:2", "vmf:kappa=1", {"no mean direction", "lat and lon"});
  expect("sphere:2", "vmf:lat=1,kappa=1", {"no mean direction"});
  expect("sphere:2", "vmf:mu=1;0;0,lat=1,lon=2,kappa=1", {"more than one"});
  expect("sphere:2", "vmf:mu=1;0;0,lat=1,kappa=1", {"more than one"});
  expect("sphere:2", "vmf:lat=91,lon=2,kappa=1", {"lat=91", "-90 to 90"});
  expect("sphere:2", "vmf:lat=9,lon=400,kappa=1", {"lon=400"});
  expect("sphere:3", "vmf:lat=9,lon=4,kappa=1", {"sphere:3", "give mu"});
  expect("sphere:2", "vmf:mu=1 0 0,kappa=1", {"'1 0 0' of mu", "semicolons"});
  expect("sphere:2", "vmf:1;0;0,kappa=1", {"'1;0;0'", "key=value"});
  expect("sphere:2,K=4", "vmf:mu=1;0;0,kappa=1", {"radius 1", "use sphere:2"});
  expect("ball:2", "vmf:mu=1;0,kappa=1", {"no density of ball:2", "use wrapped-normal"});
  expect("sphere:2 x torus:1", "vmf:mu=1;0;0,kappa=1", {"no density of"});
  expect("sphere:2", "wrapped-normal", {"no density of sphere:2", "use vmf"});
  expect("ball:2", "wrapped-normal:alpha=1,mean=0;0", {"two means"});
  expect("ball:2", "wrapped-normal:mean=1;0", {"not inside ball:2", "below 1"});
  expect("ball:2", "wrapped-normal:alpha=100", {"not inside"});
  expect("ball:2", "wrapped-normal:sigma=1;2;3", {"3 numbers for sigma", "matrix of 4"});
  expect("ball:2", "wrapped-normal:sigma=1;-2", {"not positive", "variances"});
  expect("ball:1", "wrapped-normal:sigma=0", {"not positive"});
  expect("ball:2", "wrapped-normal:sigma=1;2;2;1", {"positive definite"});
  expect("ball:2", "wrapped-normal:sgma=1", {"perhaps you meant sigma?"});
  expect("ball:2", "uniform", {"no uniform density"});
  expect("sphere:2", "uniform:a=1", {"'a'", "there are no options"});
  expect("sphere:2", "normal", {"normal is for R^d"});
  expect("ball:2", "watson:mu=1;0,kappa=1", {"no density of ball:2"});
  expect("sphere:2", "watson:mu=1;0;0", {"no kappa", "kappa=10"});
  expect("sphere:2,K=4", "watson:mu=1;0;0,kappa=1", {"radius 1", "use sphere:2"});
  expect("sphere:2", "bingham", {"no matrix", "matrix of 9"});
  expect("sphere:2", "bingham:matrix=1;2", {"2 numbers for matrix", "3 for a diagonal"});
  expect("sphere:2", "bingham:matrix=1;2;0;3;1;0;0;0;1", {"off symmetry"});
  expect("sphere:2", "kent:mu=1;0;0,kappa=3,beta=1", {"no major axis"});
  expect("sphere:2", "kent:mu=1;0;0,major=0;1;0,kappa=3,beta=2", {"2 beta < kappa"});
  expect("sphere:3", "kent:mu=1;0;0;0,major=0;1;0;0,kappa=3,beta=1", {"kent is for sphere:2"});
  expect("sphere:2", "angular-central-gaussian:sigma=1;1;-1", {"positive definite"});
  expect("sphere:2", "bivariate-von-mises:kappa=1;1", {"no density of sphere:2", "torus:2"});
  expect("torus:3", "bivariate-von-mises:kappa=1;1", {"torus:3", "torus:2"});
  expect("torus:2", "bivariate-von-mises:kappa=1", {"1 numbers for kappa", "give 2"});
  expect("torus:2", "bivariate-von-mises:mu=1;2", {"no kappa"});
  expect("sphere:3", "matrix-fisher:matrix=1;1;1", {"no density of sphere:3", "rotation:3"});
  expect("sphere:2", "uniform + uniform", {"no weight", "0.5*uniform"});
  expect("sphere:2", "0.5*uniform + ", {"missing"});
  expect("sphere:2", "0.5*uniform + 0.3*uniform", {"sum to 0.8", "sum to 1"});
  expect("sphere:2", "x*uniform", {"'x'", "not a weight"});
  expect("sphere:2", "-1*uniform + 2*uniform", {"'-1'", "above 0"});
  expect("sphere:2", "0.5*", {"no density named"});
}

}  // namespace
}  // namespace riemflow
