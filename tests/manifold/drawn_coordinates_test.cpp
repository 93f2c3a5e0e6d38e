#include "riemflow/manifold/drawn_coordinates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "riemflow/manifold/parse.hpp"

namespace riemflow {
namespace {

/// Where infinite axes are looked at.
double low_of(const DrawnAxis& axis) { return std::isinf(axis.low) ? -3.0 : axis.low; }
double high_of(const DrawnAxis& axis) { return std::isinf(axis.high) ? 4.0 : axis.high; }

// What is placed is a point, which is drawn where it was placed; the volumes of cells make up the space, as
// often as a point is drawn.
TEST(DrawnCoordinates, PlaceAndFindPoints) {
  struct Case {
    const char* name;
    std::size_t axes, images;
  };
  for (const auto& [name, axes, images] :
       {Case{"euclidean:2", 2, 1}, Case{"torus:1", 1, 1}, Case{"torus:2,L=24;365", 2, 1},
        Case{"interval:1,from=-2,to=5", 1, 1}, Case{"positive:1", 1, 1}, Case{"sphere:1,K=0.25", 1, 1},
        Case{"sphere:2", 2, 1}, Case{"sphere:2,K=4", 2, 1}, Case{"axis:1", 1, 2}, Case{"axis:2", 2, 2},
        Case{"axis:1 x interval:1", 2, 2}, Case{"torus:1,L=24 x euclidean:1", 2, 1},
        Case{"axis:1 x axis:1", 2, 4}}) {
    const auto space = parse_manifold<double>(name);
    const auto drawn = space->drawn_coordinates();
    ASSERT_TRUE(drawn) << name;
    ASSERT_EQ(drawn->axes.size(), axes) << name;
    constexpr int kCells = 60;
    double volume = 0, cell = 1;
    for (const DrawnAxis& axis : drawn->axes) cell *= (high_of(axis) - low_of(axis)) / kCells;
    std::vector<double> point(static_cast<std::size_t>(space->ambient()));
    for (int i = 0; i < kCells; ++i)
      for (int j = 0; j < (axes == 2 ? kCells : 1); ++j) {
        std::vector<double> at;
        for (std::size_t a = 0; a < axes; ++a) {
          const DrawnAxis& axis = drawn->axes[a];
          at.push_back(low_of(axis) + (high_of(axis) - low_of(axis)) * ((a == 0 ? i : j) + 0.5) / kCells);
        }
        volume += cell * drawn->place(at.data(), point.data());
        ASSERT_TRUE(space->contains(point)) << name;
        const std::vector<double> places = drawn->places(point.data());
        ASSERT_EQ(places.size(), axes * images) << name;
        double nearest = HUGE_VAL;
        for (std::size_t image = 0; image < images; ++image) {
          double apart = 0;
          for (std::size_t a = 0; a < axes; ++a) {
            const double place = places[image * axes + a];
            EXPECT_TRUE(drawn->axes[a].low <= place && place <= drawn->axes[a].high) << name << " " << place;
            apart = std::max(apart, std::abs(place - at[a]));
          }
          nearest = std::min(nearest, apart);
          // Each place is one of the same point.
          std::vector<double> again(point.size());
          drawn->place(&places[image * axes], again.data());
          Pack<double> x[4], y[4];
          for (std::size_t c = 0; c < point.size(); ++c) {
            x[c] = point[c];
            y[c] = again[c];
          }
          EXPECT_LT(space->distance(x, y)[0], 1e-7) << name;
        }
        EXPECT_LT(nearest, 1e-9) << name;
      }
    if (space->compact()) {
      EXPECT_NEAR(std::log(volume / static_cast<double>(images)), space->log_volume(), 2e-4) << name;
    }
  }
  for (const char* name : {"sphere:3", "rotation:3", "simplex:2", "hyperboloid:2", "ball:2", "stiefel:3,1",
                           "grassmann:3,1", "euclidean:1 x simplex:1"})
    EXPECT_FALSE(parse_manifold<double>(name)->drawn_coordinates()) << name;
}

// Angles of any turn, numbers of any period.
TEST(DrawnCoordinates, WrapWhatRepeats) {
  const auto hours = parse_manifold<double>("torus:1,L=24 x torus:1")->drawn_coordinates();
  const double point[2] = {-1, 7};
  const std::vector<double> at = hours->places(point);
  EXPECT_NEAR(at[0], 23, 1e-12);
  EXPECT_NEAR(at[1], 7 - 2 * std::acos(-1), 1e-12);
}

}  // namespace
}  // namespace riemflow
