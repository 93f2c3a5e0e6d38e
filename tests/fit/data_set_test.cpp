// Points in memory as a data set, and the weights that they may have.

#include "riemflow/fit/data_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "riemflow/core/error.hpp"
#include "riemflow/fit/lifted.hpp"
#include "riemflow/fit/option_values.hpp"
#include "tests/fit/clusters.hpp"

namespace riemflow {
namespace {

FitOptions sphere_options(Values values = {}) {
  values["manifold"] = "sphere:2";
  return options_of(values);
}

struct Heard : Observer {
  std::string all;
  void say(const std::string& sentence) override { all += sentence + "\n"; }
};

DataSet weighted_set(const Points<double>& points, const Weights& weights, const Values& values = {}) {
  Observer silent;
  return data_set_of(points, sphere_options(values), silent, "points", weights);
}

/// The error that these weights of ten points are.
Error error_of(const Weights& weights) {
  try {
    weighted_set(two_poles(10, 1), weights);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return Error("", "");
}

TEST(DataSet, BadWeightsAreNamed) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (const auto& [value, text] : {std::pair(-0.5, "-0.5"), std::pair(nan, "nan"), std::pair(inf, "inf")}) {
    Weights weights(10, 1);
    weights[7] = value;
    weights[9] = -3;
    const Error error = error_of(weights);
    EXPECT_EQ(error.fault(), Fault::bad_data);
    EXPECT_EQ(error.problem(), std::string("‹sample-weight› of point 7 is ") + text);
    EXPECT_EQ(error.setting(), "sample-weight");
    EXPECT_EQ(error.value(), text);
  }
  EXPECT_EQ(error_of(Weights(9, 1)).problem(), "‹sample-weight› has 9 weights for 10 points");
  EXPECT_EQ(error_of(Weights(9, 1)).fault(), Fault::bad_data);
  EXPECT_EQ(error_of(Weights(10, 0)).problem(), "‹sample-weight› is 0 for all points");
  EXPECT_EQ(error_of(Weights(10, 0)).fault(), Fault::bad_data);
}

TEST(DataSet, WeightsAreOfMeanOneWhateverTheirScale) {
  const Points<double> points = two_poles(50, 2);
  const Weights counts = random_counts(50, 2);
  const DataSet data = weighted_set(points, counts);
  EXPECT_NEAR(total_weight(data.weights, 50), 50, 1e-12);
  const double ratio = data.weights[0] / counts[0];
  for (std::size_t i = 0; i < 50; ++i) EXPECT_NEAR(data.weights[i], ratio * counts[i], 1e-14);
  for (const double scale : {1e-320, 3.0, 4.0, 1e307}) {
    Weights scaled = counts;
    for (double& w : scaled) w *= scale;
    const DataSet again = weighted_set(points, scaled);
    for (std::size_t i = 0; i < 50; ++i)
      EXPECT_NEAR(again.weights[i], data.weights[i], scale < 1e-300 ? 1e-3 : 1e-14) << scale;
    if (scale == 4) {
      EXPECT_EQ(again.weights, data.weights);
      EXPECT_EQ(again.sha256, data.sha256);
    }
  }
  // The split is of points.
  EXPECT_EQ(data.split.training, weighted_set(points, {}).split.training);
  EXPECT_NE(data.sha256, weighted_set(points, {}).sha256);
}

TEST(DataSet, EqualWeightsAreNone) {
  const Points<double> points = two_poles(50, 3);
  const DataSet alike = weighted_set(points, Weights(50, 0.3)), none = weighted_set(points, {});
  EXPECT_TRUE(alike.weights.empty());
  EXPECT_EQ(alike.sha256, none.sha256);
}

TEST(DataSet, APointOfWeightZeroWasNeverGiven) {
  Points<double> points = two_poles(60, 4), kept(0, 3);
  Weights weights = random_counts(60, 4), own;
  for (std::size_t i = 0; i < 60; ++i) {
    if (i % 3 == 1) {
      weights[i] = 0;
      points[i][0] = std::numeric_limits<double>::quiet_NaN();  // nobody looks at it
      continue;
    }
    own.push_back(weights[i]);
    kept.values.insert(kept.values.end(), points[i].begin(), points[i].end());
  }
  Heard heard;
  const DataSet data = data_set_of(points, sphere_options(), heard, "points", weights),
                absent = weighted_set(kept, own);
  EXPECT_NE(heard.all.find("20 of 60 points have the weight 0 and are left out."), std::string::npos);
  EXPECT_EQ(data.points.values, absent.points.values);
  EXPECT_EQ(data.weights, absent.weights);
  EXPECT_EQ(data.sha256, absent.sha256);
  EXPECT_EQ(data.rows, 40u);
  EXPECT_EQ(data.split.validation, absent.split.validation);
  // What is said of a point names it as it was given.
  EXPECT_EQ(data.lines[1], 2u);
  points[5][0] = 7;
  try {
    weighted_set(points, weights);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(error.problem().find("point 5"), std::string::npos) << error.what();
  }
  // Of points that are left, all with one weight.
  for (double& w : weights) w = w > 0 ? 2 : 0;
  EXPECT_TRUE(weighted_set(two_poles(60, 4), weights).weights.empty());
}

TEST(DataSet, DuplicatesAddUpTheirWeights) {
  Points<double> points = two_poles(40, 5);
  std::copy(points[3].begin(), points[3].end(), points[20].begin());
  std::copy(points[3].begin(), points[3].end(), points[31].begin());
  const Weights counts = random_counts(40, 5);
  const DataSet data = weighted_set(points, counts, {{"dedup", "true"}});
  ASSERT_EQ(data.points.size(), 38u);
  ASSERT_EQ(data.weights.size(), 38u);
  EXPECT_NEAR(total_weight(data.weights, 38), 38, 1e-12);
  EXPECT_NEAR(data.weights[3] / data.weights[0], (counts[3] + counts[20] + counts[31]) / counts[0], 1e-12);
  EXPECT_NEAR(data.weights[20] / data.weights[0], counts[21] / counts[0], 1e-12);
  EXPECT_TRUE(weighted_set(points, {}, {{"dedup", "true"}}).weights.empty());
}

TEST(DataSet, StandardisesByWeightedMeanAndSpread) {
  Observer silent;
  const FitOptions options = options_of({{"manifold", "euclidean:1"}});
  Points<double> points(200, 1);
  for (std::size_t i = 0; i < 200; ++i)
    points[i][0] = i % 2 == 0 ? 100 + 0.01 * static_cast<double>(i) : -300.0;
  const DataSet data =
      standardised(data_set_of(points, options, silent, "x", two_weights(200, 1, 1e-9)), silent);
  EXPECT_NEAR(data.standardisation.shift[0], 101, 0.3);
  EXPECT_NEAR(data.standardisation.scale[0], 2 / std::sqrt(12.0), 0.1);
}

/// Axes near x, y and z: of each kind three, the second by its other end.
Points<double> nine_axes() {
  Points<double> points(9, 3);
  for (std::size_t i = 0; i < 9; ++i) {
    const double angle = 0.004 * static_cast<double>(i / 3), sign = i / 3 == 1 ? -1 : 1;
    points[i][i % 3] = sign * std::cos(angle);
    points[i][(i + 1) % 3] = sign * std::sin(angle);
  }
  return points;
}

TEST(DataSet, GroupsOfAxesAreByTheAngleBetweenThem) {
  Observer silent;
  const auto groups_within = [&](const char* distance) {
    return data_set_of(nine_axes(), options_of({{"manifold", "axis:2"}, {"group-within", distance}}), silent)
        .groups;
  };
  EXPECT_EQ(groups_within("0.0041"), (std::vector<std::size_t>{0, 1, 2, 0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(groups_within("0.0039"), (std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_THROW(groups_within("5km"), Error);
}

TEST(DataSet, EqualAxesAreOneAndWrittenAsTheFirst) {
  Points<double> points = nine_axes();
  const std::vector<double> others = points.values;
  for (const double x : others) points.values.push_back(-x);
  Observer silent;
  const DataSet kept = data_set_of(points, options_of({{"manifold", "axis:2"}, {"dedup", "true"}}), silent);
  EXPECT_EQ(kept.duplicates, 9u);
  EXPECT_EQ(kept.points.values, others);
  const DataSet grouped =
      data_set_of(points, options_of({{"manifold", "axis:2"}, {"group-split", "true"}}), silent);
  EXPECT_EQ(grouped.duplicates, 9u);
  for (std::size_t i = 0; i < 18; ++i) {
    EXPECT_EQ(grouped.groups[i], i % 9);
    EXPECT_TRUE(std::ranges::equal(grouped.points[i], kept.points[i % 9])) << i;
  }
  for (const auto* part : {&grouped.split.training, &grouped.split.validation, &grouped.split.test})
    for (const std::size_t i : *part) EXPECT_NE(std::ranges::find(*part, (i + 9) % 18), part->end()) << i;
}

TEST(DataSet, LiftedPointsKeepTheNamesOfTheirColumns) {
  Points<double> points(60, 6);
  for (std::size_t i = 0; i < 60; ++i) {
    const double angle = 0.02 * static_cast<double>(i);
    points[i][0] = std::cos(angle);
    points[i][3] = std::sin(angle);
    points[i][4] = 7 + angle;
    points[i][5] = 100 * angle;
  }
  Heard heard;
  DataSet data = data_set_of(points, options_of({{"manifold", "rotation:3 x euclidean:2"}}), heard);
  // As quaternions, and as angles, which are three columns for four numbers.
  for (const auto& columns : {std::vector<std::string>{"w", "x", "y", "z", "depth", "height"},
                              {"phi1", "Phi", "phi2", "depth", "height"}}) {
    data.columns = columns;
    heard.all.clear();
    standardised(lifted(data), heard);
    EXPECT_NE(heard.all.find(": (depth - "), std::string::npos) << heard.all;
    EXPECT_NE(heard.all.find(", (height - "), std::string::npos) << heard.all;
  }
  data.points = points;
  for (std::size_t i = 0; i < 60; ++i) data.points[i][5] = 7;
  try {
    standardised(lifted(data), heard);
    ADD_FAILURE() << "a constant column";
  } catch (const Error& error) {
    EXPECT_NE(error.problem().find("column 'height' is 7"), std::string::npos) << error.problem();
  }
}

}  // namespace
}  // namespace riemflow
