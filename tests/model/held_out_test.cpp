#include "riemflow/model/held_out.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "riemflow/fit/checkpoint.hpp"
#include "tests/kernel/kernel_cases.hpp"
#include "tests/model/changed_model.hpp"

namespace riemflow {
namespace {

Model kernels_at(const Points<double>& centres) {
  const auto n = centres.size();
  return make_model("sphere:2", KernelParameters{centres,
                                                 std::vector<double>(n, 1 / static_cast<double>(n)),
                                                 std::vector<double>(n, 0.1),
                                                 {},
                                                 0.01});
}

Points<double> axes(std::initializer_list<int> which) {
  Points<double> points(which.size(), 3);
  std::size_t i = 0;
  for (const int axis : which) points[i++][static_cast<std::size_t>(axis)] = 1;
  return points;
}

TEST(HeldOut, ScoresComeBackBitForBitAndArePartOfNoTraining) {
  const HeldOutScores scores{
      {7, 0, 123456},
      {-1.25, -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}};
  Model model = kernels_at(axes({0, 1}));
  keep_held_out(model, {{1}, {0.5}});
  keep_held_out(model, scores);  // in place of the first
  const Model read = through_a_file(model);
  const auto found = held_out_of(read);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->points, scores.points);
  EXPECT_EQ(found->log_densities[0], -1.25);
  EXPECT_EQ(found->log_densities[1], scores.log_densities[1]);
  EXPECT_TRUE(std::isnan(found->log_densities[2]));
  EXPECT_FALSE(has_state(read));
  EXPECT_FALSE(held_out_of(kernels_at(axes({0}))));
  // A pool has scores of its own, none of its members'.
  EXPECT_FALSE(held_out_of(make_pool({model}, {1})));
}

TEST(HeldOut, WeightsComeBack) {
  Model model = kernels_at(axes({0, 1}));
  keep_held_out(model, {{7, 3}, {-1, -2}, {0.25, 1.75}});
  const auto found = held_out_of(through_a_file(model));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->points, (std::vector<std::size_t>{7, 3}));
  EXPECT_EQ(found->log_densities, (std::vector<double>{-1, -2}));
  EXPECT_EQ(found->weights, (Weights{0.25, 1.75}));
  for (const double wrong : {0.0, -1.0, std::numeric_limits<double>::infinity()}) {
    keep_held_out(model, {{7, 3}, {-1, -2}, {0.25, wrong}});
    EXPECT_THROW(held_out_of(model), Error) << wrong;
  }
}

TEST(HeldOut, AnotherTensorOfThatNameIsRefused) {
  Model model = kernels_at(axes({0}));
  const std::vector<double> rows = {0.5, 1, -1, 1, 3, std::numeric_limits<double>::infinity()};
  for (std::size_t row = 0; row < 3; ++row) {
    model.state = {make_tensor<double>("state.held_out", {1, 2}, std::span<const double>(&rows[2 * row], 2))};
    EXPECT_THROW(held_out_of(model), Error) << row;
  }
  model.state = {make_tensor<double>("state.held_out", {2, 1}, std::span<const double>(rows.data(), 2))};
  EXPECT_THROW(held_out_of(model), Error);
}

TEST(HeldOut, CentresOfAFlowsBaseAndStandardisedOnesAreFound) {
  FlowConfig config;
  config.field.width = 3;
  config.field.depth = 1;
  const Model kernels = kernels_at(axes({0, 1}));
  const auto base = kernels_of(kernels);
  const Model flow = make_model(*make_transport<float>(config, 1, 1, Device::cpu, base));
  const Points<double> none(0, 3);
  EXPECT_TRUE(has_learned_from_validation(flow, none, axes({1})));
  EXPECT_FALSE(has_learned_from_validation(flow, none, axes({2})));

  const Standardisation far{{1000}, {40}};
  Points<double> points(2, 1), rest(1, 1);
  points.values = {1010, 970};
  rest.values = {990};
  Model depths =
      make_model("euclidean:1", KernelParameters{far.standardised(points), {0.5, 0.5}, {0.1, 0.1}, {}, 0.01});
  keep_standardisation(depths, far);
  EXPECT_TRUE(has_learned_from_validation(depths, rest, points));
  EXPECT_FALSE(has_learned_from_validation(depths, points, rest));
}

TEST(HeldOut, ValidationPointsThatBecameCentresAreFoundInPoolsToo) {
  const Model kernels = kernels_at(axes({0, 1}));
  const Points<double> none(0, 3);
  EXPECT_TRUE(has_learned_from_validation(kernels, axes({0}), axes({2, 1})));
  EXPECT_FALSE(has_learned_from_validation(kernels, axes({0, 1}), axes({2})));
  EXPECT_FALSE(has_learned_from_validation(kernels, axes({0, 1}), none));
  // An equal point on the other side of the split was a centre from the start.
  EXPECT_FALSE(has_learned_from_validation(kernels, axes({0, 1}), axes({2, 1})));
  const Model pool = make_pool({kernels_at(axes({2})), kernels}, {0.5, 0.5});
  EXPECT_TRUE(has_learned_from_validation(pool, none, axes({1})));
  EXPECT_TRUE(has_learned_from_validation(pool, none, axes({2})));
  MixtureParameters mixture{Points<double>(1, 3), {1}, {3}};
  mixture.means.values = {1, 0, 0};
  EXPECT_FALSE(has_learned_from_validation(make_model("sphere:2", mixture), none, axes({0})));
}

}  // namespace
}  // namespace riemflow
