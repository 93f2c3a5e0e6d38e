// Fits of every kind to points with weights.

#include <gtest/gtest.h>

#include <cmath>

#include "riemflow/core/error.hpp"
#include "riemflow/core/running_mean.hpp"
#include "riemflow/fit/fit_model.hpp"
#include "riemflow/fit/option_values.hpp"
#include "riemflow/fit/provenance.hpp"
#include "riemflow/model/held_out.hpp"
#include "riemflow/model/model_file.hpp"
#include "tests/fit/clusters.hpp"
#include "tests/sanitized.hpp"

namespace riemflow {
namespace {

/// A quick fit of each kind. Sanitized, one shape of kernels, and no pool: that has a test of its own.
std::vector<Values> quick_fits() {
  const char* kernel = kSanitized ? "one" : "best";
  const Values flow{
      {"width", "8"}, {"depth", "1"}, {"iterations", "20"}, {"validate-every", "10"}, {"batch", "50"}};
  std::vector<Values> all = {{{"model", "kde"}, {"kernel", kernel}},
                             {{"model", "vmf-mixture"}, {"components", "2"}, {"optimizer", "em"}},
                             {{"model", "vmf-mixture"},
                              {"components", "2"},
                              {"iterations", "20"},
                              {"batch", "50"},
                              {"validate-every", "10"}}};
  if (!kSanitized) all.push_back({{"model", "pool"}, {"flow-steps", "10"}, {"kernel-steps", "30"}});
  for (const Values& own : std::vector<Values>{{{"model", "riemannian"}},
                                               {{"model", "stereographic"}},
                                               {{"base", "kde"}, {"kernel", kernel}},
                                               {{"base", "vmf-mixture"}, {"base-components", "2"}},
                                               {{"objective", "flow-matching"}, {"finetune", "5"}}}) {
    all.push_back(flow);
    all.back().insert(own.begin(), own.end());
  }
  for (Values& values : all) values["manifold"] = "sphere:2";
  return all;
}

std::string words_of(const Values& values) {
  std::string text;
  for (const auto& [name, value] : values) text += name + "=" + value + " ";
  return text;
}

FitResult fit_points(const Points<double>& points, const Weights& weights, const Values& values) {
  const FitOptions options = options_of(values);
  Observer silent;
  return fit(data_set_of(points, options, silent, "points", weights), options, silent);
}

std::string content_of(const Model& model) {
  std::string all;
  for (const auto& [key, value] : model.metadata) all += key + value;
  for (const Tensor& tensor : tensors_of(model))
    all += tensor.name + std::string(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
  return all;
}

TEST(WeightedFit, EqualWeightsHaveTheBitsOfNone) {
  const Points<double> points = two_clusters(130, 1);
  for (const Values& values : quick_fits()) {
    const FitResult none = fit_points(points, {}, values),
                    alike = fit_points(points, Weights(130, 7), values);
    EXPECT_EQ(content_of(*alike.model), content_of(*none.model)) << words_of(values);
    EXPECT_FALSE(fitted_with_weights(*none.model));
    const FitResult other = fit_points(points, random_counts(130, 1), values);
    EXPECT_NE(other.progress.best, none.progress.best) << words_of(values);
    EXPECT_TRUE(fitted_with_weights(*other.model)) << words_of(values);
  }
}

TEST(WeightedFit, APointOfWeightZeroIsAbsentBitForBit) {
  const Points<double> points = two_clusters(144, 2);
  Weights weights = random_counts(144, 2), own;
  Points<double> kept(0, 3);
  for (std::size_t i = 0; i < 144; ++i) {
    if (i % 6 == 5) weights[i] = 0;
    if (weights[i] == 0) continue;
    own.push_back(weights[i]);
    kept.values.insert(kept.values.end(), points[i].begin(), points[i].end());
  }
  for (const Values& values : quick_fits())
    EXPECT_EQ(content_of(*fit_points(points, weights, values).model),
              content_of(*fit_points(kept, own, values).model))
        << words_of(values);
}

TEST(WeightedFit, TheScaleOfTheWeightsIsNone) {
  const Points<double> points = two_clusters(130, 3);
  Weights weights = random_counts(130, 3), twice = weights, thrice = weights;
  for (double& w : twice) w *= 2;
  for (double& w : thrice) w *= 3;
  for (const Values& values : quick_fits()) {
    const FitResult once = fit_points(points, weights, values);
    EXPECT_EQ(content_of(*fit_points(points, twice, values).model), content_of(*once.model))
        << words_of(values);
    // By 3 the last bits of weights change, and in flows, which learn in float, as much as they may.
    const ModelKind model = options_of(values).model;
    if (model == ModelKind::kde || model == ModelKind::vmf_mixture) {
      EXPECT_NEAR(fit_points(points, thrice, values).test_nll, once.test_nll, 1e-11) << words_of(values);
    }
  }
}

/// Test scores, their errors and the reference, recomputed from the model.
TEST(WeightedFit, ScoresAreMeansByTheWeights) {
  Points<double> plane(200, 2);
  for (std::size_t i = 0; i < plane.size(); ++i) {
    Random random(11, Purpose::test, 0, i);
    plane[i][0] = 50 + (i % 2 == 0 ? 1 : 8) * random.normal();
    plane[i][1] = random.normal();
  }
  const Weights weights = two_weights(200, 9, 1);
  for (const char* manifold : {"sphere:2", "euclidean:2"}) {
    const bool sphere = std::string_view(manifold) == "sphere:2";
    for (Values values : quick_fits()) {
      const bool of_spheres = values.contains("components") || values.contains("base-components") ||
                              options_of(values).model == ModelKind::stereographic;
      if (!sphere && of_spheres) continue;
      values["manifold"] = manifold;
      const FitOptions options = options_of(values);
      Observer silent;
      const DataSet data =
          data_set_of(sphere ? two_clusters(200, 4) : plane, options, silent, "points", weights);
      const FitResult result = fit(data, options, silent);
      const std::vector<double> test =
          log_densities_of_model(*result.model, {}, part_of<double>(data.points, data.split.test));
      RunningMean mean, alike;
      for (std::size_t i = 0; i < test.size(); ++i) {
        mean.add(test[i], data.split.test[i] % 2 == 0 ? 9 : 1);
        alike.add(test[i]);
      }
      if (options.model != ModelKind::pool) {
        const std::vector<double> held =
            log_densities_of_model(*result.model, {}, part_of<double>(data.points, data.split.validation));
        EXPECT_NEAR(result.progress.best, -weighted_mean(held, data.weights_of(data.split.validation)), 2e-3)
            << manifold << " " << words_of(values);
        EXPECT_GT(std::abs(result.progress.best + weighted_mean(held, {})), 0.05) << words_of(values);
      }
      EXPECT_NEAR(result.test_nll, -mean.mean(), 2e-3) << manifold << " " << words_of(values);
      EXPECT_NEAR(result.test_error, mean.standard_error(), 2e-3) << manifold << " " << words_of(values);
      EXPECT_GT(std::abs(result.test_nll + alike.mean()), 0.05) << manifold << " " << words_of(values);
      if (sphere) continue;
      const DataSet inside = standardised(data, silent);
      double reference = inside.standardisation.log_scale(), total = 0;
      for (const std::size_t i : data.split.test) total += weights[i];
      for (const std::size_t i : data.split.test) {
        const auto x = inside.points[i];
        reference +=
            weights[i] / total * (0.5 * (x[0] * x[0] + x[1] * x[1]) + std::log(2 * std::numbers::pi));
      }
      EXPECT_NEAR(result.reference_nll, reference, 1e-5) << words_of(values);
    }
  }
}

/// Of the draws of a model, those in the north.
double share_in_the_north(const Model& model) {
  const Points<double> draws = make_density(model)->sample(4000, 1).frames.front();
  double north = 0;
  for (std::size_t i = 0; i < draws.size(); ++i) north += draws[i][2] > 0 ? 1.0 / 4000 : 0;
  return north;
}

/// As many points around each pole, those in the north of nine times the weight. Of a pool, each member has
/// their shares.
void expect_nine_to_one(Values values, std::size_t n = 600) {
  values["manifold"] = "sphere:2";
  const Points<double> points = two_poles(n, 5);
  for (const bool weighted : {true, false}) {
    const Weights weights = weighted ? two_weights(n, 9, 1) : Weights();
    const Model model = *fit_points(points, weights, values).model;
    std::vector<Model> all = {model};
    if (const auto* pool = std::get_if<Pool>(&model.content))
      all.insert(all.end(), pool->members.begin(), pool->members.end());
    for (const Model& one : all)
      EXPECT_NEAR(share_in_the_north(one), weighted ? 0.9 : 0.5, 0.05)
          << words_of(values) << name_of(one.config.model) << " " << metadata_of(one, "name");
  }
}

const Values kNineToOne{
    {"width", "32"}, {"depth", "2"}, {"batch", "128"}, {"rate", "0.01"}, {"average", "0.9"}};

TEST(SlowWeightedFit, AFlowByLikelihoodHasTheSharesOfTheWeights) {
  Values values = kNineToOne;
  values["iterations"] = "250";
  expect_nine_to_one(values);
}

TEST(SlowWeightedFit, AFlowByFlowMatchingHasTheSharesOfTheWeights) {
  Values values = kNineToOne;
  values["objective"] = "flow-matching";
  values["iterations"] = "1500";
  values["finetune"] = "0";
  expect_nine_to_one(values);
}

TEST(SlowWeightedFit, TheDefaultPoolHasTheSharesOfTheWeights) {
  expect_nine_to_one({{"model", "pool"}, {"flow-steps", "400"}, {"kernel-steps", "100"}}, 1600);
}

/// A flow that has hardly begun is its base.
TEST(SlowWeightedFit, BasesHaveTheSharesOfTheWeights) {
  Values values = kNineToOne;
  values["iterations"] = "1";
  values["rate"] = "1e-9";
  values["base"] = "kde";
  expect_nine_to_one(values);
  values["base"] = "vmf-mixture";
  values["base-components"] = "2";
  expect_nine_to_one(values);
}

TEST(SlowWeightedFit, KernelsAndMixturesHaveTheSharesOfTheWeights) {
  expect_nine_to_one({{"model", "kde"}});
  expect_nine_to_one({{"model", "vmf-mixture"}, {"components", "2"}, {"optimizer", "em"}});
}

TEST(WeightedFit, ThePoolKeepsTheWeightsOfItsScores) {
  const Values values{{"model", "pool"},
                      {"flow-steps", kSanitized ? "2" : "5"},
                      {"kernel-steps", kSanitized ? "6" : "30"},
                      {"manifold", "sphere:2"}};
  const FitOptions options = options_of(values);
  Observer silent;
  const DataSet data = data_set_of(two_clusters(130, 6), options, silent, "points", random_counts(130, 6));
  const FitResult result = fit(data, options, silent);
  const auto held = held_out_of(*result.model);
  ASSERT_TRUE(held);
  ASSERT_EQ(held->weights.size(), held->points.size());
  RunningMean mean;
  for (std::size_t i = 0; i < held->points.size(); ++i) {
    EXPECT_EQ(held->weights[i], data.weights[held->points[i]]);
    mean.add(held->log_densities[i], held->weights[i]);
  }
  EXPECT_NEAR(result.progress.best, -mean.mean(), 1e-9);
}

TEST(WeightedFit, WhatCannotHaveWeightsRefusesThem) {
  const Values values = quick_fits()[4];
  const FitOptions options = options_of(values);
  Observer silent;
  const Points<double> points = two_clusters(100, 7);
  DataSet data = data_set_of(points, options, silent, "points", random_counts(100, 7)),
          plain = data_set_of(points, options, silent);
  const FitResult weighted = fit(data, options, silent), without = fit(plain, options, silent);
  EXPECT_THROW(fit(plain, options, silent, &*weighted.model), Error);
  EXPECT_THROW(fit(data, options, silent, &*without.model), Error);
  data.weights.pop_back();
  EXPECT_THROW(fit(data, options, silent), Error);
}

}  // namespace
}  // namespace riemflow
