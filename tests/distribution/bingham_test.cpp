#include "riemflow/distribution/bingham.hpp"

#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/bessel.hpp>
#include <numbers>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/von_mises_fisher.hpp"
#include "tests/distribution/closed_forms.hpp"

namespace riemflow {
namespace {

using namespace density_test;
using std::numbers::pi;

double log_surface(int D) { return std::log(2.0) + 0.5 * D * std::log(pi) - std::lgamma(0.5 * D); }

/// log of Kummer's ₁F₁(a; b; x), x ≥ 0, a, b > 0, by its series of positive terms.
double log_kummer(double a, double b, double x) {
  long double term = 1, sum = 1;
  for (int k = 0; k < 5000 && (k < 2 * x + 20 || term > 1e-20L * sum); ++k) {
    term *= (a + k) / (b + k) * x / (k + 1.0L);
    sum += term;
  }
  return static_cast<double>(std::log(sum));
}

// --- the constants ------------------------------------------------------------------------------

TEST(BinghamConstants, TwoBlocksAreKummersFunction) {
  // p gaps of 0 and q of a: the square on the q axes has a Beta density, which makes
  // c/|S^d| = 1F1(q/2; D/2; −a) = e^{−a} 1F1(p/2; D/2; a).
  for (const int p : {1, 2, 3, 8, 32})
    for (const int q : {1, 2, 5, 16, 33})
      for (const double a : {1e-8, 0.1, 1.0, 5.0, 20.0, 90.0, 700.0}) {
        const int D = p + q;
        Eigen::VectorXd gaps = Eigen::VectorXd::Constant(D, a);
        gaps.head(p).setZero();
        const double exact = log_surface(D) - a + log_kummer(0.5 * p, 0.5 * D, a);
        const BinghamConstants constants = bingham_constants(gaps);
        EXPECT_NEAR(constants.log_mass, exact, 1e-13 * std::max(10.0, std::abs(exact)))
            << p << ' ' << q << ' ' << a;
        // E y² of the q axes together: −d log c/da = (q/D) 1F1(q/2+1; D/2+1; −a)/1F1(q/2; D/2; −a)
        const double square = static_cast<double>(q) / D *
                              std::exp(log_kummer(0.5 * p, 0.5 * D + 1, a) - log_kummer(0.5 * p, 0.5 * D, a));
        EXPECT_NEAR(constants.squares.tail(q).sum() / square, 1, 1e-12) << p << ' ' << q << ' ' << a;
      }
}

/// log c of two gaps: 2π e^{−(a+b)/2} I₀((a−b)/2), from x = 300 on by Hankel's series.
double bessel_log_mass(double a, double b) {
  const double x = std::abs(a - b) / 2, low = std::min(a, b);
  if (x < 300) return std::log(2 * pi * boost::math::cyl_bessel_i(0, x)) - x - low;
  double term = 1, sum = 1;
  for (int k = 1; k < 12; ++k) sum += term *= (2.0 * k - 1) * (2 * k - 1) / (8.0 * k * x);
  return std::log(2 * pi * sum / std::sqrt(2 * pi * x)) - low;
}

TEST(BinghamConstants, OnTheCircleAreBesselFunctions) {
  for (const double a : {0.0, 1e-9, 0.3, 4.0, 50.0, 1000.0, 1e6, 1e12}) {
    const double exact = bessel_log_mass(a, 0);
    EXPECT_NEAR(bingham_constants(Eigen::Vector2d(a, 0)).log_mass, exact,
                1e-13 * std::max(1.0, std::abs(exact)))
        << a;
  }
}

/// log c of D = 2m gaps: with y = (r u, √(1−r²) v), u and v of two blocks,
///   c = ∫_0^1 c_u(r² a_u) c_v((1−r²) a_v) r^{m_u − 1} (1−r²)^{m_v/2 − 1} dr,
/// down to pairs, which are Bessel functions: an integral per halving, in r² = σ(2s).
double nested_log_mass(const Eigen::VectorXd& gaps) {
  const Eigen::Index D = gaps.size();
  if (D == 2) return bessel_log_mass(gaps[0], gaps[1]);
  const Eigen::Index m = 2;
  double sum = 0, most = -1e300;
  std::vector<double> logs;
  for (double s = -30; s <= 30; s += 0.05) {
    const double near = 1 / (1 + std::exp(-2 * s)), far = 1 / (1 + std::exp(2 * s));
    logs.push_back(nested_log_mass(near * gaps.head(m)) + nested_log_mass(far * gaps.tail(D - m)) +
                   0.5 * static_cast<double>(m) * std::log(near) +
                   0.5 * static_cast<double>(D - m) * std::log(far));
    most = std::max(most, logs.back());
  }
  for (const double l : logs) sum += std::exp(l - most);
  return most + std::log(0.05 * sum);
}

TEST(BinghamConstants, AgreeWithNestedIntegrals) {
  const std::vector<Eigen::VectorXd> cases = {
      Eigen::VectorXd{{0, 1, 2, 3}},
      Eigen::VectorXd{{0, 1e-6, 1e-3, 2e-3}},
      Eigen::VectorXd{{5, 0, 5, 5.000001}},
      Eigen::VectorXd{{0, 1e6, 10, 2e3}},
      Eigen::VectorXd{{1e6, 0.5, 0, 1e6}},
      Eigen::VectorXd{{0, 1e7, 1e7, 3e7}},
      Eigen::VectorXd{{0, 0, 1e4, 1e-4}},
      Eigen::VectorXd{{3, 0, 40, 7, 7, 1}},
      Eigen::VectorXd{{1e5, 0, 20, 1e5, 0.3, 1e3}},
  };
  for (const Eigen::VectorXd& gaps : cases) {
    const double exact = nested_log_mass(gaps);
    EXPECT_NEAR(bingham_constants(gaps).log_mass, exact, 1e-11 * std::max(1.0, std::abs(exact)))
        << gaps.transpose();
  }
}

TEST(BinghamConstants, MomentsAreSlopesAndSumToOne) {
  for (const std::uint64_t seed : {1u, 2u, 3u})
    for (const int D : {2, 3, 4, 9, 17, 65})
      for (const double scale : {1e-3, 1.0, 100.0, 1e7}) {
        Eigen::VectorXd gaps = scale * normal_vector(D, seed).cwiseAbs2();
        gaps.array() -= gaps.minCoeff();
        const BinghamConstants constants = bingham_constants(gaps);
        EXPECT_NEAR(constants.squares.sum(), 1, 1e-13);
        EXPECT_LT(
            ((constants.products.rowwise().sum() - constants.squares).array() / constants.squares.array())
                .abs()
                .maxCoeff(),
            1e-12);
        Eigen::Index i = 0;
        gaps.maxCoeff(&i);
        const double h = 1e-4 * gaps[i];
        Eigen::VectorXd up = gaps, down = gaps;
        up[i] += h;
        down[i] -= h;
        const double slope = (bingham_constants(up).log_mass - bingham_constants(down).log_mass) / (2 * h);
        EXPECT_NEAR(-slope, constants.squares[i], 1e-7 * constants.squares[i] + 1e-13 * 100 / h)
            << D << ' ' << scale;
      }
}

TEST(BinghamGaps, InvertTheMeanSquares) {
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u})
    for (const int D : {2, 3, 4, 9, 17, 65})
      for (const double spread : {0.0, 0.01, 1.0, 8.0}) {
        Eigen::VectorXd squares = (spread * normal_vector(D, seed)).array().exp();
        if (D > 3) squares[1] = squares[2];  // coincident
        squares /= squares.sum();
        if (squares.minCoeff() < 1e-14) continue;
        const Eigen::VectorXd gaps = bingham_gaps(squares);
        EXPECT_EQ(gaps.minCoeff(), 0);
        EXPECT_LT((bingham_constants(gaps).squares.array() / squares.array()).log().abs().maxCoeff(), 1e-11)
            << D << ' ' << spread << ' ' << seed;
      }
}

// --- the density --------------------------------------------------------------------------------

TEST(Bingham, IntegratesToOne) {
  for (const std::uint64_t seed : {1u, 2u}) {
    for (const double scale : {0.0, 1e-3, 1.0, 30.0, 1e3, 1e6, 1e10})
      for (const int D : {2, 3}) {
        const Bingham p(symmetric_of(random_frame(D, seed), scale * normal_vector(D, seed + 5)));
        const Eigen::VectorXd widths = (1 + p.gaps().array()).rsqrt();
        EXPECT_NEAR(gnomonic_mass(p, p.axes(), widths), 1, 1e-10) << D << ' ' << scale;
        if (scale <= 30) {
          EXPECT_NEAR(mass_of(p, "sphere:" + std::to_string(D - 1), 1e-8).value, 1, 1e-6) << scale;
        }
      }
    for (const double scale : {0.5, 8.0}) {
      const Bingham p(symmetric_of(random_frame(4, seed), scale * normal_vector(4, seed + 5)));
      EXPECT_NEAR(mass_of(p, "sphere:3", 1e-6).value, 1, 1e-5) << scale;
    }
  }
}

TEST(Bingham, OnTheCircleIsVonMisesOfTwiceTheAngle) {
  for (const double gap : {0.2, 7.0, 3e4}) {
    const double turn = 0.7;
    const Eigen::Vector2d axis(std::cos(turn), std::sin(turn));
    const Bingham p(gap * axis * axis.transpose() + 3 * Eigen::Matrix2d::Identity());
    const VonMisesFisher<double> twice(Eigen::Vector2d(std::cos(2 * turn), std::sin(2 * turn)), gap / 2);
    for (const double angle : {0.7, 0.71, 1.2, 2.5, -3.0}) {
      // Twice the angle turns twice around the circle, at twice the density.
      EXPECT_NEAR(log_density_at(p, {std::cos(angle), std::sin(angle)}),
                  log_density_at(twice, {std::cos(2 * angle), std::sin(2 * angle)}), 1e-11 * (1 + gap));
    }
  }
}

TEST(Bingham, ValueIsTheQuadraticFormAndItsSlope) {
  for (const std::uint64_t seed : {1u, 2u, 3u})
    for (const int D : {2, 3, 4, 17})
      for (const double scale : {0.1, 3.0, 1e3}) {
        const Eigen::MatrixXd A = symmetric_of(random_frame(D, seed), scale * normal_vector(D, seed + 5));
        const Bingham p(A), shifted(A + 5 * Eigen::MatrixXd::Identity(D, D));
        const Eigen::VectorXd x = normal_vector(D, seed + 9).normalized();
        const Point at(x.begin(), x.end()), opposite = [&] {
          Point o = at;
          for (double& o_i : o) o_i = -o_i;
          return o;
        }();
        EXPECT_NEAR(log_density_at(p, at), x.dot(A * x) - p.log_normaliser(), 1e-12 * (10 + D * scale));
        EXPECT_NEAR(log_density_at(p, at), log_density_at(shifted, at), 1e-12 * (10 + D * scale));
        EXPECT_EQ(log_density_at(p, at), log_density_at(p, opposite));
        expect_gradient(p, at, 1e-5, 1e-8);
        const Eigen::VectorXd slope = 2 * A * x,
                              there = Eigen::Map<const Eigen::VectorXd>(gradient_at(p, at).data(), D);
        EXPECT_LT(((slope - x.dot(slope) * x) - (there - x.dot(there) * x)).norm(), 1e-11 * (1 + scale) * D);
      }
}

TEST(Bingham, FloatAgreesWithDouble) {
  for (const std::uint64_t seed : {1u, 2u}) {
    const auto p =
        std::make_shared<const Bingham>(symmetric_of(random_frame(4, seed), 1e6 * normal_vector(4, seed)));
    expect_float_agrees(p, draw(*p, seed, 20));
  }
}

TEST(Bingham, KeepsItsDigitsNearUniformAndFarFromIt) {
  EXPECT_NEAR(log_density_at(Bingham(1e-12 * Eigen::MatrixXd::Identity(5, 5)), {1, 0, 0, 0, 0}),
              -log_surface(5), 1e-14);
  // Two gaps of 1e9: a normal density of precision 2e9 at either end, to 1e-9.
  const Bingham p(Eigen::Vector3d(-1e9, -1e9, 0).asDiagonal().toDenseMatrix());
  EXPECT_NEAR(log_density_at(p, {0, 0, 1}), std::log(1e9 / (2 * pi)), 2e-9);
  EXPECT_NEAR(*p.entropy(), 1 - std::log(1e9 / (2 * pi)), 2e-9);
}

// --- draws --------------------------------------------------------------------------------------

TEST(Bingham, DrawsHaveTheRightMoments) {
  for (const std::uint64_t seed : {1u, 2u, 3u})
    for (const int D : {2, 3, 4, 8, 17})
      for (const double scale : {0.0, 0.5, 20.0, 1e4, 1e8}) {
        const Eigen::MatrixXd frame = random_frame(D, seed);
        const Bingham p(symmetric_of(frame, scale * normal_vector(D, seed + 5)));
        const auto points = draw(p, seed, scale == 20 && D < 5 ? 100000 : 3000);
        for (const Point& x : points) ASSERT_NEAR(dot(x, x), 1, 1e-14);
        const BinghamConstants constants = bingham_constants(p.gaps());
        for (const int i : {0, D / 2, D - 1}) {
          const auto along = [&](const Point& x) {
            return p.axes().col(i).dot(Eigen::Map<const Eigen::VectorXd>(x.data(), D));
          };
          EXPECT_LT(estimate(points, [&](const Point& x) { return along(x) * along(x); })
                        .sigmas(constants.squares[i], 1e-15),
                    4.5)
              << D << ' ' << scale << ' ' << i << ' ' << seed;
          EXPECT_LT(estimate(points, [&](const Point& x) { return std::pow(along(x), 4); })
                        .sigmas(constants.products(i, i), 1e-15),
                    4.5)
              << D << ' ' << scale << ' ' << i << ' ' << seed;
          EXPECT_LT(estimate(points, along).sigmas(0), 4.5) << D << ' ' << scale << ' ' << i << ' ' << seed;
        }
        expect_entropy_of_draws(p, seed + 10, 3000);
      }
}

TEST(Bingham, DrawsFollowTheDensityInCells) {
  for (const std::uint64_t seed : {1u, 2u, 3u})
    for (const double scale : {0.5, 4.0, 20.0}) {
      const Bingham p(symmetric_of(random_frame(3, seed), scale * normal_vector(3, seed + 5)));
      EXPECT_LT(std::abs(chi_square_on_sphere(p, seed, 20000)), 4) << scale << ' ' << seed;
    }
}

TEST(Bingham, AcceptsAsManyDrawsAsItSays) {
  // Counted by how many numbers a draw takes from its stream: D normals and a uniform one a proposal.
  for (const int D : {2, 3, 4, 17}) {
    Eigen::VectorXd gaps = Eigen::VectorXd::Constant(D, 1e9);
    gaps[D - 1] = 0;
    const BinghamEnvelope envelope(gaps);
    const double limit =
        std::pow(2 * std::numbers::e, 0.5 * (D - 1)) * std::tgamma(0.5 * D) / std::sqrt(pi * std::pow(D, D));
    EXPECT_NEAR(envelope.acceptance(bingham_constants(gaps).log_mass), limit, 1e-6) << D;
  }
  const Bingham p(Eigen::Vector3d(-30, -4, 0).asDiagonal().toDenseMatrix());
  int accepted = 0;
  const int n = 40000;
  Random random(5, Purpose::test, 0, 0);
  // The same rejection, written out with an inverse instead of a normalised vector.
  const double b = 2 * bingham_saddle(p.gaps());
  for (int i = 0; i < n; ++i) {
    Eigen::Vector3d z;
    for (int k = 0; k < 3; ++k) z[k] = random.normal() / std::sqrt(1 + 2 * p.gaps()[k] / b);
    const double t = p.gaps().dot(z.cwiseAbs2()) / z.squaredNorm();
    const double most = std::exp(-(3 - b) / 2) * std::pow(3 / b, 1.5);
    if (random.uniform() < std::exp(-t) * std::pow(1 + 2 * t / b, 1.5) / most) ++accepted;
  }
  EXPECT_NEAR(p.acceptance(), static_cast<double>(accepted) / n, 4 * 0.5 / std::sqrt(n));
}

// --- maximum likelihood -------------------------------------------------------------------------

TEST(FitBingham, SolvesItsEquationsAndNoOtherMatrixIsMoreLikely) {
  for (const std::uint64_t seed : {1u, 2u, 3u})
    for (const int D : {2, 3, 4, 9})
      for (const double scale : {0.3, 20.0, 1e6}) {
        const Bingham truth(symmetric_of(random_frame(D, seed), scale * normal_vector(D, seed + 5)));
        const Points<double> points = points_of(draw(truth, seed, 500));
        for (const Weights& weights : {Weights{}, random_weights(500, seed)}) {
          const Bingham fitted = fit_bingham(points, weights);
          Eigen::MatrixXd second = Eigen::MatrixXd::Zero(D, D);
          for (std::size_t i = 0; i < points.size(); ++i) {
            const Eigen::Map<const Eigen::VectorXd> x(points[i].data(), D);
            second += weight_of(weights, i) / total_weight(weights, points.size()) * x * x.transpose();
          }
          const Eigen::MatrixXd off =
              fitted.axes().transpose() * (second - fitted.second_moment()) * fitted.axes();
          const Eigen::VectorXd size = bingham_constants(fitted.gaps()).squares.cwiseSqrt();
          for (int i = 0; i < D; ++i)
            for (int j = 0; j < D; ++j)
              EXPECT_NEAR(off(i, j) / (size[i] * size[j]), 0, 1e-8) << D << ' ' << scale;
          const double best = mean_log_likelihood(fitted, points, weights);
          EXPECT_NEAR(best, -*fitted.entropy(), 1e-9 * (1 + std::abs(best)));
          EXPECT_GT(best, mean_log_likelihood(truth, points, weights));
          for (const std::uint64_t other : {11u, 12u, 13u}) {
            const Eigen::VectorXd bump = 0.02 * normal_vector(D * D, other + seed);
            const Eigen::MatrixXd factor = Eigen::MatrixXd::Identity(D, D) + bump.reshaped(D, D);
            const Eigen::MatrixXd A = factor * fitted.matrix() * factor.transpose();
            EXPECT_GT(best, mean_log_likelihood(Bingham((A + A.transpose()) / 2), points, weights));
          }
        }
      }
}

TEST(FitBingham, RecoversParameters) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const Bingham truth(symmetric_of(random_frame(3, seed), Eigen::Vector3d(-12, -3, 0)));
    const Bingham fitted = fit_bingham(points_of(draw(truth, seed, 40000)));
    // Errors of gaps: √(1/(n var y²)), about 0.09 and 0.03.
    EXPECT_NEAR(fitted.gaps()[0], 12, 0.4);
    EXPECT_NEAR(fitted.gaps()[1], 3, 0.15);
    EXPECT_GT(std::abs(fitted.axes().col(2).dot(truth.axes().col(2))), 0.999);
  }
  // An integer weight is as many points.
  Points<double> few(5, 3), many(7, 3);
  for (std::size_t i = 0; i < 5; ++i) {
    const Eigen::VectorXd x = normal_vector(3, i + 1).normalized();
    std::copy(x.begin(), x.end(), few[i].begin());
    std::copy(x.begin(), x.end(), many[i].begin());
    if (i < 2) std::copy(x.begin(), x.end(), many[5 + i].begin());
  }
  EXPECT_LT((fit_bingham(few, {2, 2, 1, 1, 1}).matrix() - fit_bingham(many).matrix()).norm(), 1e-9);
}

TEST(FitBingham, KeepsItsDigitsWhereSquaresAreSmall) {
  // An eigenvalue of the second moments would be off by 1e-16/1e-12.
  const Eigen::MatrixXd frame = random_frame(3, 3);
  const Bingham truth(symmetric_of(frame, Eigen::Vector3d(-1e12, -4e11, 0)));
  const auto drawn = draw(truth, 1, 1000);
  const Bingham fitted = fit_bingham(points_of(drawn));
  const Eigen::VectorXd mode = fitted.axes().col(2);
  double off = 0;
  for (const Point& point : drawn) {
    const Eigen::Map<const Eigen::VectorXd> x(point.data(), 3);
    off += (x - mode.dot(x) * mode).squaredNorm() / 1000;
  }
  EXPECT_NEAR(bingham_constants(fitted.gaps()).squares.head(2).sum() / off, 1, 1e-8);
  EXPECT_NEAR(fitted.gaps()[0] / 1e12, 1, 0.2);
  EXPECT_NEAR(fitted.gaps()[1] / 4e11, 1, 0.2);
}

TEST(FitBingham, RefusesWhatHasNoMaximum) {
  const auto expect = [](const std::vector<Point>& points, const Weights& weights, const char* part) {
    try {
      fit_bingham(points.empty() ? Points<double>() : points_of(points), weights);
      ADD_FAILURE() << "was fitted, not refused with " << part;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
      EXPECT_EQ(e.fault(), Fault::bad_data);
    }
  };
  const Point a = {1, 0, 0}, b = {0, 1, 0}, c = {0.6, 0, 0.8};
  expect({}, {}, "no points");
  expect({a, a, a, a}, {}, "subspace");
  expect({a, b}, {}, "span R^3");
  expect({a, b, c}, {1, 1}, "2 weights for 3 points");
  expect({a, b, c}, {1, 1, -1}, "weight -1 of point 3");
  expect({a, b, c}, {0, 0, 0}, "all weights are 0");
  expect({a, b, c}, {1, 1, 0}, "subspace");
  expect({a, b, {0, 0, 0}}, {}, "point 3 is 0");
  expect({a, b, {0, 0, NAN}}, {}, "point 3 is not finite");
  EXPECT_NO_THROW(fit_bingham(points_of({a, b, c})));
}

TEST(Bingham, RejectsWhatIsNoSymmetricMatrix) {
  EXPECT_THROW(Bingham(Eigen::MatrixXd::Zero(2, 3)), Error);
  EXPECT_THROW(Bingham(Eigen::MatrixXd::Zero(1, 1)), Error);
  EXPECT_THROW(Bingham(Eigen::MatrixXd::Zero(66, 66)), Error);
  EXPECT_THROW(Bingham(Eigen::Matrix2d{{0, 1}, {0, 0}}), Error);
  EXPECT_THROW(Bingham(Eigen::Matrix2d{{NAN, 1}, {1, 0}}), Error);
}

}  // namespace
}  // namespace riemflow
