#include "riemflow/io/coordinates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "riemflow/io/number.hpp"
#include "riemflow/manifold/parse.hpp"
#include "tests/io/reading.hpp"

namespace riemflow {
namespace {

constexpr double kPi = std::numbers::pi;
using Names = std::vector<std::string>;

Names names(const char* manifold) { return coordinate_names(*parse_manifold<double>(manifold)); }

std::vector<double> written(const char* name, std::vector<double> point) {
  const auto manifold = parse_manifold<double>(name);
  std::vector<double> out(coordinate_names(*manifold).size());
  to_coordinates(*manifold, point, out);
  return out;
}

TEST(CoordinateNames, SayWhatTheNumbersAre) {
  EXPECT_EQ(names("sphere:2"), (Names{"latitude", "longitude"}));
  EXPECT_EQ(names("sphere:2,K=0.25"), (Names{"x_1", "x_2", "x_3"}));
  EXPECT_EQ(names("sphere:1"), (Names{"x_1", "x_2"}));
  EXPECT_EQ(names("torus:3"), (Names{"angle_1", "angle_2", "angle_3"}));
  EXPECT_EQ(names("ball:2"), (Names{"x_1", "x_2"}));
  EXPECT_EQ(names("euclidean:1"), (Names{"x_1"}));
}

TEST(CoordinateNames, CarryTheFactorOnlyWhereTheyWouldRepeat) {
  EXPECT_EQ(names("sphere:2 x torus:1 x ball:2"), (Names{"latitude", "longitude", "angle_1", "x_1", "x_2"}));
  EXPECT_EQ(names("torus:1 x sphere:2 x sphere:2"),
            (Names{"angle_1", "latitude_2", "longitude_2", "latitude_3", "longitude_3"}));
  EXPECT_EQ(names("ball:2 x torus:1 x euclidean:1"), (Names{"x_1_1", "x_1_2", "angle_1", "x_3_1"}));
  EXPECT_EQ(names("sphere:2 x sphere:2,K=4"), (Names{"latitude", "longitude", "x_1", "x_2", "x_3"}));
  EXPECT_EQ(names("euclidean:1 x interval:1 x interval:1"), (Names{"x_1", "u_2", "u_3"}));
  // x_1 would be the first turn's x and the point's first coordinate.
  EXPECT_EQ(names("rotation:3 x rotation:3 x euclidean:2"),
            (Names{"w_1", "x_1", "y_1", "z_1", "w_2", "x_2", "y_2", "z_2", "x_3_1", "x_3_2"}));
}

// Asked of the space, whatever the names are.
TEST(CoordinateNames, SayWhichAreDegrees) {
  const auto degrees = [](const char* manifold) {
    const auto space = parse_manifold<double>(manifold);
    EXPECT_EQ(coordinates_in_degrees(*space).size(), coordinate_names(*space).size()) << manifold;
    return coordinates_in_degrees(*space);
  };
  using Said = std::vector<bool>;
  EXPECT_EQ(degrees("axis:2 x torus:1,L=24 x torus:1"), (Said{true, true, false, true}));
  EXPECT_EQ(degrees("sphere:2,K=4 x interval:1"), (Said{false, false, false, false}));
  EXPECT_EQ(degrees("rotation:3 x sphere:2"), (Said{false, false, false, false, true, true}));
  EXPECT_EQ(degrees("spd:2"), (Said{false, false, false}));
  EXPECT_EQ(degrees("torus:2"), (Said{true, true}));
}

TEST(Coordinates, PolesAndSeamAreExact) {
  using Numbers = std::vector<double>;
  EXPECT_EQ(written("sphere:2", {0, 0, 1}), (Numbers{90, 0}));
  EXPECT_EQ(written("sphere:2", {-0.0, -0.0, -1}), (Numbers{-90, 0}));
  EXPECT_EQ(written("sphere:2", {-1e-20, 1e-20, 1}), (Numbers{90, 0}));
  EXPECT_EQ(written("sphere:2", {1, 0, 0}), (Numbers{0, 0}));
  EXPECT_EQ(written("sphere:2", {-1, 0, 0}), (Numbers{0, -180}));
  EXPECT_EQ(written("sphere:2", {-1, -0.0, 0}), (Numbers{0, -180}));
  EXPECT_EQ(written("sphere:2", {0, 1, 0}), (Numbers{0, 90}));
  EXPECT_EQ(written("sphere:2", {0, -1, 0}), (Numbers{0, -90}));
  EXPECT_FALSE(std::signbit(written("sphere:2", {1, -0.0, -0.0})[0]));
  EXPECT_FALSE(std::signbit(written("sphere:2", {1, -0.0, -0.0})[1]));
  EXPECT_EQ(written("torus:5", {-kPi, kPi, kPi / 2, -0.0, 0}), (Numbers{-180, -180, 90, 0, 0}));
  const double below = std::nextafter(kPi, 0);
  EXPECT_EQ(written("torus:1", {below})[0], std::nextafter(180, 0));
}

TEST(Coordinates, AgreeWithTheFormulaElsewhere) {
  const double s = std::sin(0.5), c = std::cos(0.5);
  const auto place = written("sphere:2", {c * std::cos(-2.), c * std::sin(-2.), s});
  EXPECT_NEAR(place[0], 0.5 * 180 / kPi, 1e-13);
  EXPECT_NEAR(place[1], -2 * 180 / kPi, 1e-13);
  EXPECT_EQ(written("ball:2", {0.25, -0.5}), (std::vector<double>{0.25, -0.5}));
  const auto angles = written("torus:2 x euclidean:1", {1, -3, 1e300});
  EXPECT_NEAR(angles[0], 57.29577951308232, 1e-13);
  EXPECT_NEAR(angles[1], -171.88733853924697, 1e-13);
  EXPECT_EQ(angles[2], 1e300);
}

TEST(Coordinates, NotANumberStaysOne) {
  for (double number : written("sphere:2 x torus:1 x ball:1", {NAN, NAN, NAN, NAN, NAN}))
    EXPECT_TRUE(std::isnan(number));
}

TEST(Coordinates, AnArrayTooShortIsNoticed) {
  const auto manifold = parse_manifold<double>("sphere:2");
  const std::vector<double> point = {1, 0, 0};
  std::vector<double> short_of_one(1), enough(2);
  EXPECT_THROW(to_coordinates(*manifold, point, short_of_one), Error);
  EXPECT_THROW(to_coordinates(*manifold, std::span(point).first(2), enough), Error);
}

/// Random points, and for each coordinate the seam and the pole; then the points as text with a column
/// before and behind.
class WrittenAndRead : public testing::TestWithParam<const char*> {};

TEST_P(WrittenAndRead, GivesTheSamePoints) {
  const auto manifold = parse_manifold<double>(GetParam());
  const auto n = static_cast<std::size_t>(manifold->ambient());
  Points<double> points(200 * kLanes, manifold->ambient());
  std::vector<Pack<double>> tile(n);
  for (std::size_t t = 0; t < points.tiles(); ++t) {
    for (int l = 0; l < kLanes; ++l) {
      Random random(7, Purpose::test, t, static_cast<std::uint64_t>(l));
      for (std::size_t i = 0; i < n; ++i) tile[i][l] = random.normal();
      if (t < n) tile[t][l] *= 1e6;                         // a pole, the rim
      if (t >= n && t < 2 * n) tile[t - n][l] *= 1e-9 * l;  // the equator, the seam
    }
    manifold->project(tile.data());
    points.store_tile(t, tile.data());
  }

  const Names columns = coordinate_names(*manifold);
  const std::size_t m = columns.size();
  std::vector<double> out(m);
  for (const bool reversed : {false, true}) {
    std::string text = "id";
    for (std::size_t c = 0; c < m; ++c) text += "," + columns[reversed ? m - 1 - c : c];
    text += ",log_density\n";
    for (std::size_t i = 0; i < points.size(); ++i) {
      to_coordinates(*manifold, points[i], out);
      if (reversed) std::reverse(out.begin(), out.end());
      text += std::to_string(i);
      for (double x : out) append_number(text += ',', x);
      text += ",-1.5\n";
    }

    const ReadPoints data = read_text(text, on(GetParam()));
    ASSERT_EQ(data.points.size(), points.size());
    ASSERT_EQ(data.points.dimension, points.dimension);
    EXPECT_EQ(data.assumptions.columns_how, "by name");
    for (std::size_t i = 0; i < points.values.size(); ++i) {
      const double scale = std::max(1.0, std::abs(points.values[i]));
      ASSERT_NEAR(data.points.values[i], points.values[i], 1e-14 * scale) << "number " << i;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Manifolds, WrittenAndRead,
                         testing::Values("sphere:2", "sphere:2,K=0.25", "sphere:1", "sphere:3", "torus:1",
                                         "torus:2", "torus:7", "ball:2", "ball:3,K=-0.5", "euclidean:2",
                                         "euclidean:5", "sphere:2 x torus:1", "sphere:2 x sphere:2",
                                         "sphere:2 x sphere:2,K=0.5", "torus:1 x torus:2",
                                         "ball:2 x sphere:2 x euclidean:1", "rotation:3 x euclidean:3",
                                         "euclidean:2 x rotation:3/432 x euclidean:2",
                                         "rotation:3 x rotation:3 x euclidean:2", "positive:1 x euclidean:1",
                                         "interval:1 x interval:1", "torus:1,L=24 x euclidean:1",
                                         "axis:2 x sphere:2", "simplex:2 x torus:2,L=24;365", "stiefel:3,2",
                                         "grassmann:3,1 x hyperboloid:2"));

TEST(WrittenAndReadTorus, NameDecidesNotPlace) {
  const ReadPoints data = read_text("angle_2,angle_1\n20,10\n", on("torus:2"));
  EXPECT_DOUBLE_EQ(data.points[0][0], 10 * kPi / 180);
  EXPECT_DOUBLE_EQ(data.points[0][1], 20 * kPi / 180);
}

TEST(WrittenAndReadProduct, MixedSpheresCanBeChosenByNumber) {
  const ReadPoints data = read_text("90,0,0.5,0,0\n", columns("1-5", "sphere:2 x sphere:2,K=4"));
  EXPECT_EQ(data.points.values, (std::vector<double>{0, 0, 1, 0.5, 0, 0}));
}

}  // namespace
}  // namespace riemflow
