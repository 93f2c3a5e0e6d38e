// Weights from a column of the data: what a fit makes of them, what it records, and what reads them again.

#include <gtest/gtest.h>

#include <fstream>

#include "riemflow/core/error.hpp"
#include "riemflow/core/running_mean.hpp"
#include "riemflow/fit/fit_model.hpp"
#include "riemflow/fit/option_values.hpp"
#include "riemflow/fit/pool_models.hpp"
#include "riemflow/fit/provenance.hpp"
#include "riemflow/model/held_out.hpp"
#include "riemflow/model/model_file.hpp"
#include "tests/fit/clusters.hpp"
#include "tests/fit/temporary_file.hpp"

namespace riemflow {
namespace {

struct Hears : Observer {
  std::string all;
  void say(const std::string& sentence) override { all += sentence + "\n"; }
};

void write_weighted(const std::string& path, const Points<double>& points, const Weights& weights) {
  std::ofstream file(path);
  file << "x,y,z,mass\n";
  for (std::size_t i = 0; i < points.size(); ++i)
    file << fmt::format("{},{},{},{}\n", points[i][0], points[i][1], points[i][2], weights[i]);
}

const Values kKernels{{"model", "kde"}, {"kernel", "one"}, {"weights", "mass"}};

std::string problem_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.problem();
  }
  ADD_FAILURE() << "no error";
  return "";
}

TEST(WeightColumnFit, IsTheFitToTheSameWeightsInMemory) {
  const TemporaryFile file("weights");
  const Points<double> points = two_clusters(130, 1);
  Weights weights = random_counts(130, 1);
  for (std::size_t i = 0; i < 130; i += 7) weights[i] = 0;
  write_weighted(file.path, points, weights);
  const FitOptions options = options_of(kKernels);
  Hears hears;
  const DataSet data = read_data_set(file.path, options, hears);
  EXPECT_NE(hears.all.find("Weights of the points: column 4 'mass'.\n"), std::string::npos) << hears.all;
  EXPECT_NE(hears.all.find("19 of 130 points have the weight 0 and are left out.\n"), std::string::npos);
  EXPECT_EQ(data.points.size(), 111u);
  EXPECT_EQ(data.weight_column, "mass");
  EXPECT_EQ(data.lines[0], 3u);  // the header, then a row that is left out
  Observer silent;
  const ReadPoints read = read_points(file.path, options.reading(""));
  EXPECT_EQ(data.sha256, read.sha256);
  const DataSet memory =
      data_set_of(read.points, options_of({{"manifold", "sphere:2"}}), silent, "points", weights);
  EXPECT_EQ(data.weights, memory.weights);
  EXPECT_EQ(data.points.values, memory.points.values);
  EXPECT_EQ(data.split.test, memory.split.test);
  const FitResult one = fit(data, options, silent), two = fit(memory, options, silent);
  EXPECT_EQ(one.test_nll, two.test_nll);
  EXPECT_EQ(one.progress.best, two.progress.best);
  EXPECT_TRUE(fitted_with_weights(*one.model));
  EXPECT_EQ(weight_column_of(*one.model), "mass");
  EXPECT_EQ(weight_column_of(*two.model), "");  // of an array there is no column
}

TEST(WeightColumnFit, WeightsOfPointsThatWereReadAreRecordedAndGivenOnesReplaceThem) {
  const TemporaryFile file("weights");
  write_weighted(file.path, two_clusters(60, 1), two_weights(60, 3, 1));
  const ReadPoints read = read_points(file.path, options_of(kKernels).reading(""));
  const FitOptions options = options_of({{"model", "kde"}, {"kernel", "one"}});
  Observer silent;
  const DataSet own = data_set_of(read, "f", options, silent);
  EXPECT_EQ(own.weights, (two_weights(60, 1.5, 0.5)));
  EXPECT_EQ(weight_column_of(*fit(own, options, silent).model), "mass");
  const DataSet others = data_set_of(read, "f", options, silent, two_weights(60, 1, 4));
  EXPECT_EQ(others.weights, (two_weights(60, 0.4, 1.6)));
  EXPECT_EQ(others.weight_column, "");
  EXPECT_NE(others.sha256, own.sha256);
  EXPECT_EQ(weight_column_of(*fit(others, options_of(kKernels), silent).model), "");
}

TEST(WeightColumnFit, AllZeroIsRefused) {
  const TemporaryFile file("weights");
  write_weighted(file.path, two_clusters(60, 1), Weights(60, 0));
  Observer silent;
  EXPECT_EQ(problem_of([&] { read_data_set(file.path, options_of(kKernels), silent); }),
            file.path + ": the weight 'mass' is 0 for all 60 points");
}

TEST(WeightColumnFit, TheDataOfTheFitHaveItsWeightsAndSplit) {
  const TemporaryFile file("weights");
  Weights weights = random_counts(130, 1);
  weights[3] = 0;
  write_weighted(file.path, two_clusters(130, 1), weights);
  const FitOptions options = options_of(kKernels);
  Observer silent;
  const DataSet data = read_data_set(file.path, options, silent);
  const Model model = *fit(data, options, silent).model;
  const ModelData again = read_model_data(model, {file.path, "", {}}, silent);
  ASSERT_TRUE(again.split_known);
  EXPECT_EQ(again.split.test, data.split.test);
  EXPECT_EQ(again.weights.training, data.weights_of(data.split.training));
  EXPECT_EQ(again.weights.validation, data.weights_of(data.split.validation));
  EXPECT_EQ(again.test_weights, data.weights_of(data.split.test));
  ReadOptions others;
  others.weights = "x";
  EXPECT_NE(problem_of([&] {
              read_model_data(model, {file.path, "", others}, silent);
            }).find("‹weights› x for "),
            std::string::npos);
  // Of other data those that are asked for, and no point of weight 0.
  const TemporaryFile fresh("fresh");
  write_weighted(fresh.path, two_clusters(4, 2), {2, 0, 4, 6});
  others.weights = "mass";
  const ModelData asked = read_model_data(model, {fresh.path, "", others}, silent);
  EXPECT_EQ(asked.test.size(), 3u);
  EXPECT_EQ(asked.test_weights, (Weights{0.5, 1, 1.5}));
  EXPECT_EQ(read_model_data(model, {fresh.path, "", {}}, silent).test.size(), 4u);
}

/// A kernel at an axis.
Model kernel_at(int axis) {
  KernelParameters kernels;
  kernels.centres = Points<double>(1, 3);
  kernels.centres[0][static_cast<std::size_t>(axis)] = 1;
  kernels.bandwidths = {0.03};
  kernels.weights = {1};
  kernels.wide = 1e-9;
  Model model = make_model("sphere:2", kernels);
  model.path = "kernel-" + std::to_string(axis);
  return model;
}

TEST(WeightColumnFit, APoolOfOtherDataIsWeighedByTheirWeights) {
  const TemporaryFile file("pool");
  Points<double> points(8, 3);
  for (std::size_t i = 0; i < 8; ++i) points[i][i < 6 ? 0 : 1] = 1;  // six and two, of weights 1 and 9
  write_weighted(file.path, points, {1, 1, 1, 1, 1, 1, 9, 9});
  ReadOptions reading;
  reading.weights = "mass";
  Observer silent;
  const PooledModels pool = pool_models({kernel_at(0), kernel_at(1)}, {file.path, "", reading}, {}, silent);
  EXPECT_NEAR(pool.members[0].weight, 0.25, 1e-5);
  EXPECT_NEAR(pool.members[1].weight, 0.75, 1e-5);
  const auto log_p = log_densities_of_model(pool.model, {}, points);
  EXPECT_NEAR(pool.validation.nll, -(0.25 * log_p[0] + 0.75 * log_p[7]), 1e-9);
}

TEST(WeightColumnFit, APoolOfTheDataOfFitsIsWeighedByTheirs) {
  const TemporaryFile file("pool");
  write_weighted(file.path, two_clusters(200, 4), two_weights(200, 9, 1));
  Observer silent;
  const auto fitted = [&](Values values, const char* name) {
    const FitOptions options = options_of(values);
    Model model = *fit(read_data_set(file.path, options, silent), options, silent).model;
    model.path = name;
    return model;
  };
  const Model one = fitted(kKernels, "one"),
              mixture = fitted(
                  {{"model", "vmf-mixture"}, {"components", "2"}, {"optimizer", "em"}, {"weights", "mass"}},
                  "mixture");
  const PooledModels pool = pool_models({one, mixture}, {file.path, "", {}}, {}, silent);
  const ModelData own = read_model_data(one, {file.path, "", {}}, silent);
  const auto mean = [&](const Points<double>& points, const Weights& weights) {
    RunningMean found;
    const std::vector<double> log_p = log_densities_of_model(pool.model, {}, points);
    for (std::size_t i = 0; i < log_p.size(); ++i) found.add(log_p[i], weight_of(weights, i));
    return found;
  };
  EXPECT_NEAR(pool.validation.nll, -mean(own.validation, own.weights.validation).mean(), 1e-6);
  EXPECT_NEAR(pool.test.nll, -mean(own.test, own.test_weights).mean(), 1e-6);
  EXPECT_NEAR(pool.test.error, mean(own.test, own.test_weights).standard_error(), 1e-6);
  EXPECT_GT(std::abs(pool.test.nll + mean(own.test, {}).mean()), 0.02);
  EXPECT_TRUE(fitted_with_weights(pool.model));
  EXPECT_EQ(weight_column_of(pool.model), "mass");
  EXPECT_EQ(held_out_of(pool.model)->weights.size(), 20u);
  Values plain = kKernels;
  plain.erase("weights");
  EXPECT_NE(problem_of([&] {
              pool_models({one, fitted(plain, "plain")}, {file.path, "", {}}, {}, silent);
            }).find("one and plain were fitted with different ‹weights›"),
            std::string::npos);
}

}  // namespace
}  // namespace riemflow
