// What is seen along lines, against looking at every place of them.

#include "riemflow/figure/line_of_sight.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/figure/textures.hpp"

namespace riemflow::figure {
namespace {

constexpr int kLines = 41;

/// Rotation vectors (x, y, depth) around no turn, with the draws that are among them.
Sight sight_of_vectors(double step, double deep, const Probes& probes) {
  Sight sight;
  sight.columns = sight.rows = kLines;
  sight.step = step;
  sight.depths = [deep](int, int) { return Sight::Depths{-deep, deep}; };
  sight.rotation = [step](int column, int row, double depth) {
    return rotation::from_vector({(column - kLines / 2) * step, (row - kLines / 2) * step, depth});
  };
  for (std::size_t i = 0; i < probes.rotations.size(); ++i) {
    const auto r = rotation::vector_of(orientation_at(probes.rotations, i));
    const auto column = static_cast<int>(std::lround(r[0] / step)) + kLines / 2,
               row = static_cast<int>(std::lround(r[1] / step)) + kLines / 2;
    if (column >= 0 && column < kLines && row >= 0 && row < kLines && std::abs(r[2]) < deep)
      sight.draws.push_back({column, row, r[2], i});
  }
  return sight;
}

/// By steps of depth of a third of the width.
std::vector<double> looked_at_everywhere(const Texture& texture, const Sight& sight, double width) {
  const auto [from, to] = *sight.depths(0, 0);
  const int steps = static_cast<int>(std::ceil(3 * (to - from) / width));
  std::vector<double> result;
  for (int row = 0; row < sight.rows; ++row)
    for (int column = 0; column < sight.columns; ++column) {
      Points<double> rotations(0, 4);
      for (int k = 0; k <= steps; ++k)
        add_orientation(rotations, sight.rotation(column, row, from + (to - from) * k / steps));
      const std::vector<double> density = multiples_of_uniform(texture, rotations);
      result.push_back(*std::max_element(density.begin(), density.end()));
    }
  return result;
}

// Peaks behind one another: a line that a weak one was drawn on has the strong one's flank too.
TEST(LineOfSight, HasTheLargestDensityOfTheLine) {
  for (const double half_width : {12.0, 4.0}) {
    const double h = half_width / 12;
    const Texture texture =
        texture_of("1", {{rotation::from_vector({0.15 * h, 0, -0.55 * h}), kappa_of(half_width), 0.5},
                         {rotation::from_vector({-0.1 * h, 0.2 * h, 0.5 * h}), kappa_of(half_width), 0.1},
                         {rotation::from_vector({-0.3 * h, -0.3 * h, 0}), kappa_of(1.5 * half_width), 0.3}});
    const double width = finest_width(texture);
    const Probes probes = probes_of(texture);
    const Sight sight = sight_of_vectors(0.04 * h, 1, probes);
    const std::vector<double> seen = largest_along(texture, sight, probes, width),
                              all = looked_at_everywhere(texture, sight, width);
    const double top = highest_density(texture, probes, width);
    EXPECT_NEAR(top, *std::max_element(all.begin(), all.end()), 0.02 * top);
    std::size_t lower = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_LT(seen[i], 1.03 * all[i] + 1e-3 * top) << half_width << ' ' << i % kLines << ' ' << i / kLines;
      EXPECT_GT(seen[i], 0.88 * all[i] - 1e-3 * top) << half_width << ' ' << i % kLines << ' ' << i / kLines;
      lower += seen[i] < 0.97 * all[i] - 1e-3 * top;
    }
    EXPECT_LE(lower, 3u) << half_width;
  }
}

// Where lines are farther from one another than a peak is wide, it is seen on the nearest one.
TEST(LineOfSight, PeaksBetweenLinesAreSeen) {
  const Peak peak{rotation::from_vector({0.123, 0.077, 0.4}), kappa_of(0.5)};
  const Texture texture = texture_of("1", {peak});
  const double width = finest_width(texture);
  const Probes probes = probes_of(texture);
  const std::vector<double> seen = largest_along(texture, sight_of_vectors(0.05, 1, probes), probes, width);
  const double top = highest_density(texture, probes, width);
  EXPECT_GT(seen[(kLines / 2 + 2) * kLines + kLines / 2 + 2], 0.9 * top);
  EXPECT_LE(*std::max_element(seen.begin(), seen.end()), 1.0001 * top);
  EXPECT_LT(seen[(kLines / 2 + 4) * kLines + kLines / 2 + 2], 1e-3 * top);
}

// Without draws it is what is found at steps of 6°.
TEST(LineOfSight, NothingIsSeenWhereThereIsNothing) {
  const Texture texture = texture_of("1", {});
  Sight sight = sight_of_vectors(0.1, 1, {Points<double>(0, 4), {}});
  sight.depths = [](int column, int) -> std::optional<Sight::Depths> {
    if (column < 10) return std::nullopt;
    return Sight::Depths{-1, 1};
  };
  const std::vector<double> seen = largest_along(texture, sight, {Points<double>(0, 4), {}}, kBroad);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (i % kLines < 10) {
      EXPECT_TRUE(std::isnan(seen[i]));
    } else {
      EXPECT_NEAR(seen[i], 1, 1e-14);
    }
  }
}

}  // namespace
}  // namespace riemflow::figure
