#include "riemflow/manifold/chart_map.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <limits>

#include "riemflow/core/error.hpp"
#include "riemflow/manifold/parse.hpp"
#include "tests/distribution/wrapped_normal_textbook.hpp"

namespace riemflow {
namespace {

using namespace density_test;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

template <class T>
std::shared_ptr<const ChartMap<T>> chart(const char* kind, const std::string& manifold) {
  return make_chart_map<T>(kind, parse_manifold<T>(manifold));
}

struct Named {
  const char* kind;
  std::string manifold;
  int d;
  double K;
};

std::vector<Named> every_chart() {
  std::vector<Named> all;
  for (const int d : {1, 2, 3, 5, 16}) {
    const std::string n = std::to_string(d);
    for (const char* K : {"1", "0.3", "4"}) {
      all.push_back({"stereographic", "sphere:" + n + ",K=" + K, d, std::stod(K)});
      all.push_back({"wrapped", "ball:" + n + ",K=-" + K, d, -std::stod(K)});
      all.push_back({"naive", "ball:" + n + ",K=-" + K, d, -std::stod(K)});
    }
  }
  return all;
}

/// A vector of length r in an oblique direction.
Point oblique_vector(int d, double r) {
  Point u;
  for (int i = 0; i < d; ++i) u.push_back(std::sin(2 + 3 * i));
  const double norm = std::sqrt(dot(u, u));
  for (double& u_i : u) u_i = u_i / norm * r;
  return u;
}

/// Lengths of y where the maps differ: near the origin, at the seams of their formulas, far out.
std::vector<double> lengths(const Named& c) {
  const double R = 1 / std::sqrt(std::abs(c.K));
  if (c.kind == std::string("stereographic")) return {0.01, 0.5, 0.99, 1.01, 3, 40};
  if (c.kind == std::string("wrapped")) return {0.01 * R, 0.7 * R, 1.98 * R, 2.02 * R, 5 * R};
  return {0.01 * R, 0.5 * R, 0.97 * R};
}

template <class T>
Point image(const ChartMap<T>& map, const Point& y, bool expected = true) {
  std::vector<Pack<T>> x(static_cast<std::size_t>(map.manifold().ambient()));
  EXPECT_EQ(map.to_manifold(tile_of<T>(y).data(), x.data()).all(), expected);
  Point point;
  for (const Pack<T>& x_i : x) point.push_back(static_cast<double>(x_i[kLanes - 1]));
  return point;
}

template <class T>
Point coordinates(const ChartMap<T>& map, const Point& x, bool expected = true) {
  std::vector<Pack<T>> y(static_cast<std::size_t>(map.dimension()));
  EXPECT_EQ(map.to_chart(tile_of<T>(x).data(), y.data()).all(), expected);
  Point point;
  for (const Pack<T>& y_i : y) point.push_back(static_cast<double>(y_i[kLanes - 1]));
  return point;
}

template <class T>
double log_volume(const ChartMap<T>& map, const Point& y) {
  return static_cast<double>(map.log_volume(tile_of<T>(y).data())[0]);
}

template <class T>
Point backward(const ChartMap<T>& map, const Point& y, const Point& x_bar, double volume_bar) {
  std::vector<Pack<T>> y_bar(y.size());
  map.backward(tile_of<T>(y).data(), tile_of<T>(x_bar).data(), Pack<T>(volume_bar), y_bar.data());
  Point point;
  for (const Pack<T>& y_i : y_bar) point.push_back(static_cast<double>(y_i[kLanes - 1]));
  return point;
}

double difference(const Point& a, const Point& b) {
  double square = 0;
  for (std::size_t i = 0; i < a.size(); ++i) square += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(square);
}

bool all_nan(const Point& x) {
  return std::all_of(x.begin(), x.end(), [](double x_i) { return std::isnan(x_i); });
}

// --- the maps themselves -------------------------------------------------------------------------

TEST(ChartMap, StereographicIsTheTangentOfHalfTheAngle) {
  for (const Named& c : every_chart()) {
    if (c.kind != std::string("stereographic")) continue;
    const auto map = chart<double>(c.kind, c.manifold);
    Point mu0(static_cast<std::size_t>(c.d + 1));
    mu0[0] = 1 / std::sqrt(c.K);
    for (const double r : lengths(c)) {
      const Point y = oblique_vector(c.d, r), x = image(*map, y);
      EXPECT_TRUE(map->manifold().contains(x));
      const double angle = std::sqrt(c.K) * map->manifold().distance(tile_of<double>(mu0).data(),
                                                                     tile_of<double>(x).data())[0];
      EXPECT_NEAR(angle, 2 * std::atan(r), 1e-14) << c.manifold << " " << r;
      // The direction is kept.
      EXPECT_NEAR(dot(y, {x.begin() + 1, x.end()}), r * std::sin(angle) / std::sqrt(c.K), 1e-13 * r);
    }
    EXPECT_EQ(image(*map, Point(static_cast<std::size_t>(c.d))), mu0);
  }
}

TEST(ChartMap, WrappedIsTheExponentialMapAtTheOrigin) {
  for (const Named& c : every_chart()) {
    if (c.kind != std::string("wrapped")) continue;
    const auto map = chart<double>(c.kind, c.manifold);
    const std::vector<Pack<double>> origin(static_cast<std::size_t>(c.d), Pack<double>(0));
    for (const double r : lengths(c)) {
      const Point y = oblique_vector(c.d, r), x = image(*map, y);
      Point half = y;
      for (double& v : half) v /= 2;
      std::vector<Pack<double>> expected(half.size());
      map->manifold().exp(origin.data(), tile_of<double>(half).data(), expected.data());
      for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], expected[i][0], 1e-15 / std::sqrt(-c.K));
      const double distance = map->manifold().distance(origin.data(), tile_of<double>(x).data())[0];
      EXPECT_NEAR(distance, r, 1e-13 * (r + std::exp(r * std::sqrt(-c.K)))) << c.manifold;
    }
  }
}

TEST(ChartMap, ThereAndBack) {
  for (const Named& c : every_chart()) {
    const auto map = chart<double>(c.kind, c.manifold);
    const double root = std::sqrt(std::abs(c.K));
    std::vector<double> hard = lengths(c);
    if (c.kind == std::string("stereographic"))
      hard.insert(hard.end(), {1e-300, 1e-160, 1e-12, 1, 1e8, 1e16, 1e150, 1e300});
    else if (c.kind == std::string("wrapped"))
      hard.insert(hard.end(), {1e-300, 1e-160, 1e-12, 10 / root, 20 / root, 30 / root});
    else
      hard.insert(hard.end(), {1e-300, 1e-160, (1 - 1e-15) / root});
    for (const double r : hard) {
      const Point y = oblique_vector(c.d, r), back = coordinates(*map, image(*map, y));
      // Rounded coordinates of the ball are off by ελ(x)/√c in hyperbolic length.
      const double lambda = 2 * std::pow(std::cosh(root * r / 2), 2);
      const double error =
          c.kind == std::string("wrapped") ? std::min(1.0, 4 * kEpsilon * lambda / (root * r)) : 0;
      for (std::size_t i = 0; i < y.size(); ++i)
        EXPECT_NEAR(back[i], y[i], (4 * kEpsilon + error) * r) << c.kind << " " << c.manifold << " " << r;
      if (c.kind == std::string("naive")) {
        EXPECT_EQ(back, y);
      }
    }
    const Point origin(static_cast<std::size_t>(c.d));
    EXPECT_EQ(coordinates(*map, image(*map, origin)), origin);
  }
}

TEST(ChartMap, FloatLosesNothingOfTheTails) {
  // 1 + x₁ would be 0 in float for all of these.
  const auto map = chart<float>("stereographic", "sphere:2");
  for (const double tiny : {1e-4, 1e-10, 1e-30}) {
    const Point x = {-1, static_cast<float>(0.6 * tiny), static_cast<float>(-0.8 * tiny)};
    const Point y = coordinates(*map, x);
    EXPECT_NEAR(y[0], 1.2 / tiny, 3e-7 / tiny);
    EXPECT_NEAR(y[1], -1.6 / tiny, 3e-7 / tiny);
    EXPECT_LE(difference(image(*map, y), x), 1e-6 * tiny);
  }
  // Off the sphere by rounding, or by far: constant along rays.
  const Point near = coordinates(*map, {-0.6, 0.48, 0.64}), far = coordinates(*map, {-6, 4.8, 6.4});
  EXPECT_LE(difference(near, far), 1e-6);
  EXPECT_NEAR(near[0], 1.2, 1e-6);

  const auto ball = chart<float>("wrapped", "ball:2");
  const double r = 12;
  const float x = static_cast<float>(std::tanh(r / 2));
  EXPECT_NEAR(coordinates(*ball, {x, 0})[0], 2 * std::atanh(static_cast<double>(x)), 1e-6);
}

// --- what has no image or no coordinates ---------------------------------------------------------

TEST(ChartMap, SaysWhatIsMissing) {
  const auto sphere = chart<double>("stereographic", "sphere:2,K=4");
  EXPECT_TRUE(all_nan(coordinates(*sphere, {-0.5, 0, 0}, false)));
  EXPECT_TRUE(all_nan(coordinates(*sphere, {0, 0, 0}, false)));
  EXPECT_TRUE(all_nan(coordinates(*sphere, {std::nan(""), 0, 0.5}, false)));
  EXPECT_TRUE(all_nan(image(*sphere, {std::numeric_limits<double>::infinity(), 0}, false)));
  // 2/1e-40 is no float.
  EXPECT_TRUE(all_nan(coordinates(*chart<float>("stereographic", "sphere:1"), {-1, 1e-40}, false)));

  const auto naive = chart<double>("naive", "ball:2,K=-4");
  EXPECT_TRUE(all_nan(image(*naive, {0.5, 0}, false)));
  EXPECT_TRUE(all_nan(image(*naive, {3, 0}, false)));
  EXPECT_TRUE(std::isnan(log_volume(*naive, {3, 0})));
  EXPECT_TRUE(all_nan(coordinates(*naive, {0.4, 0.4}, false)));
  EXPECT_FALSE(naive->everywhere());

  const auto ball = chart<double>("wrapped", "ball:2,K=-4");
  EXPECT_TRUE(all_nan(coordinates(*ball, {0.5, 0}, false)));
  image(*ball, {17, 0});
  EXPECT_TRUE(all_nan(image(*ball, {18, 0}, false)));
  EXPECT_TRUE(std::isfinite(log_volume(*ball, {18, 0})));
  EXPECT_TRUE(ball->everywhere());
  const auto narrow = chart<float>("wrapped", "ball:2");
  const Point x = image(*narrow, {14, 0});
  EXPECT_TRUE(narrow->manifold().in_domain(tile_of<float>(x).data()).all());
  EXPECT_TRUE(all_nan(image(*narrow, {15, 0}, false)));
}

TEST(ChartMap, BatchesReportTheirMissingPoints) {
  const auto map = chart<float>("stereographic", "sphere:2");
  Points<float> x(19, 3);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double angle = 0.3 + static_cast<double>(i);
    x[i][0] = static_cast<float>(std::cos(angle));
    x[i][2] = static_cast<float>(std::sin(angle));
  }
  for (const std::size_t i : {3, 17}) {
    x[i][0] = -1;
    x[i][2] = 0;
  }
  const Mapped<float> y = map->to_chart(x);
  EXPECT_EQ(y.missing, (std::vector<std::size_t>{3, 17}));
  ASSERT_EQ(y.points.dimension, 2);
  const Mapped<float> back = map->to_manifold(y.points);
  EXPECT_EQ(back.missing, y.missing);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i == 3 || i == 17) {
      EXPECT_TRUE(std::isnan(y.log_volume[i]) && std::isnan(y.points[i][0]) && std::isnan(back.points[i][2]));
      continue;
    }
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(back.points[i][j], x[i][j], 3e-7);
    // (1 + x₁)² on S²
    EXPECT_NEAR(std::exp(y.log_volume[i]), std::pow(1 + x[i][0], 2), 1e-6);
    EXPECT_NEAR(back.log_volume[i], y.log_volume[i], 1e-6);
    EXPECT_EQ(back.log_volume[i],
              log_volume(*chart<double>("stereographic", "sphere:2"), {y.points[i][0], y.points[i][1]}));
  }
  EXPECT_THROW(map->to_chart(Points<float>(2, 2)), Error);
  EXPECT_THROW(map->to_manifold(Points<float>(2, 3)), Error);
  EXPECT_TRUE(map->to_chart(Points<float>()).missing.empty());
}

// --- volume and derivatives ----------------------------------------------------------------------

TEST(ChartMap, VolumeIsTheDeterminantOfTheDifferential) {
  for (const Named& c : every_chart()) {
    const auto map = chart<double>(c.kind, c.manifold);
    const Manifold<double>& manifold = map->manifold();
    const int D = manifold.ambient();
    for (const double r : lengths(c)) {
      const Point y = oblique_vector(c.d, r), x = image(*map, y);
      const auto at = tile_of<double>(x);
      std::vector<Pack<double>> frame(static_cast<std::size_t>(D * c.d));
      manifold.frame(at.data(), {frame.data(), c.d});
      const double h = 1e-4 * (c.kind == std::string("naive") ? 0.01 / std::sqrt(-c.K) : std::max(r, 0.1));
      Eigen::MatrixXd A(c.d, c.d);
      for (int j = 0; j < c.d; ++j) {
        Point up = y, down = y;
        up[static_cast<std::size_t>(j)] += h;
        down[static_cast<std::size_t>(j)] -= h;
        const Point a = image(*map, up), b = image(*map, down);
        std::vector<Pack<double>> v(static_cast<std::size_t>(D)), e(v.size());
        for (std::size_t i = 0; i < v.size(); ++i) v[i] = (a[i] - b[i]) / (2 * h);
        for (int k = 0; k < c.d; ++k) {
          for (int i = 0; i < D; ++i)
            e[static_cast<std::size_t>(i)] = frame[static_cast<std::size_t>(i * c.d + k)];
          A(k, j) = manifold.inner(at.data(), e.data(), v.data())[0];
        }
      }
      EXPECT_NEAR(log_volume(*map, y), std::log(std::abs(A.determinant())), 1e-6)
          << c.kind << " " << c.manifold << " " << r;
    }
  }
}

TEST(ChartMap, VolumeAndItsSlopeAtAllScales) {
  const auto wrapped = chart<double>("wrapped", "ball:3,K=-4");
  for (const double r : {1e-150, 1e-9, 1e-3, 0.2, 0.9, 0.999, 1.001, 3.0, 15.0, 300.0}) {
    // 2 log(sinh ρ/ρ), ρ = 2r; ρ²/6 and ρ/3 where 40 digits do not suffice.
    const Digits40 rho = 2 * Digits40(r);
    const bool tiny = r < 1e-8;
    const Digits40 value = tiny ? Digits40(rho * rho / 3) : Digits40(2 * log(Digits40(sinh(rho) / rho)));
    const Digits40 slope = tiny ? Digits40(4 * rho / 3) : Digits40(4 * (cosh(rho) / sinh(rho) - 1 / rho));
    const double expected = static_cast<double>(value), expected_slope = static_cast<double>(slope);
    EXPECT_NEAR(log_volume(*wrapped, {0, -r, 0}), expected, 1e-15 * expected) << r;
    EXPECT_NEAR(backward(*wrapped, {0, -r, 0}, {0, 0, 0}, 1)[1], -expected_slope, 1e-15 * expected_slope)
        << r;
  }
  EXPECT_EQ(log_volume(*wrapped, {0, 0, 0}), 0);
  EXPECT_NEAR(log_volume(*wrapped, {1e200, 0, 0}), 4e200, 1e186);

  const auto stereographic = chart<double>("stereographic", "sphere:3,K=4");
  for (const double r : {1e-200, 0.999, 1.0, 1.001, 1e8, 1e200}) {
    const double expected = r < 1e9 ? -std::log1p(r * r) : -2 * std::log(r);
    EXPECT_NEAR(log_volume(*stereographic, {0, 0, r}), 3 * expected, 4e-16 * (1 + std::abs(3 * expected)))
        << r;
    // −2dr/(1 + r²)
    const double slope = -6 / (1 / r + r);
    EXPECT_NEAR(backward(*stereographic, {0, 0, r}, {0, 0, 0, 0}, 1)[2], slope, -4e-16 * slope) << r;
  }
  const auto naive = chart<double>("naive", "ball:2");
  const double gap = 0x1p-40;
  EXPECT_NEAR(log_volume(*naive, {1 - gap, 0}), 2 * std::log(2 / (gap * (2 - gap))), 1e-14);
}

TEST(ChartMap, BackwardIsTheGradient) {
  for (const Named& c : every_chart()) {
    const auto map = chart<double>(c.kind, c.manifold);
    const auto narrow = chart<float>(c.kind, c.manifold);
    Point x_bar(static_cast<std::size_t>(map->manifold().ambient()));
    for (std::size_t i = 0; i < x_bar.size(); ++i)
      x_bar[i] = static_cast<float>(std::cos(1 + 2 * static_cast<double>(i)));
    for (const double r : lengths(c)) {
      for (const double volume_bar : {0.0, -0.75}) {
        Point y = oblique_vector(c.d, r);
        for (double& y_i : y) y_i = static_cast<float>(y_i);
        const auto f = [&](const Point& at) {
          return dot(x_bar, image(*map, at)) + volume_bar * log_volume(*map, at);
        };
        const Point g = backward(*map, y, x_bar, volume_bar);
        const double size = std::sqrt(dot(g, g));
        const double h = 1e-5 * (c.kind == std::string("naive") ? 0.1 / std::sqrt(-c.K) : std::max(r, 0.3));
        for (std::size_t i = 0; i < y.size(); ++i) {
          Point up = y, down = y;
          up[i] += h;
          down[i] -= h;
          EXPECT_NEAR(g[i], (f(up) - f(down)) / (2 * h), 1e-7 * size + 1e-10 / h * 1e-5)
              << c.kind << " " << c.manifold << " " << r;
        }
        const Point rounded = backward(*narrow, y, x_bar, volume_bar);
        for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(rounded[i], static_cast<float>(g[i]));
      }
    }
  }
  // At the origin: R·2 and a half.
  EXPECT_EQ(backward(*chart<double>("stereographic", "sphere:2,K=4"), {0, 0}, {5, 2, -3}, 1), (Point{2, -3}));
  EXPECT_EQ(backward(*chart<double>("wrapped", "ball:2,K=-4"), {0, 0}, {2, -3}, 1), (Point{1, -1.5}));
}

// --- by name -------------------------------------------------------------------------------------

TEST(ChartMap, RefusesWithTheReason) {
  const auto message = [](const char* kind, const char* manifold) -> std::string {
    try {
      chart<double>(kind, manifold);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  const auto expect = [&](const char* kind, const char* manifold, const char* part) {
    EXPECT_NE(message(kind, manifold).find(part), std::string::npos) << message(kind, manifold);
  };
  expect("wrapped", "sphere:2", "infinite sum");
  expect("naive", "sphere:2", "has none on the sphere");
  expect("stereographic", "ball:2", "use wrapped or naive");
  expect("wrapped", "torus:2", "torus");
  expect("naive", "euclidean:2", "flat");
  expect("wrapped", "ball:2 x ball:2", "product");
  expect("stereografic", "sphere:2", "perhaps you meant stereographic?");
  expect("mercator", "sphere:2", "the charts are stereographic");
  EXPECT_EQ(message("naive", "ball:2"), "");
  for (const Named& c : every_chart()) EXPECT_EQ(chart<float>(c.kind, c.manifold)->kind(), c.kind);
}

}  // namespace
}  // namespace riemflow
