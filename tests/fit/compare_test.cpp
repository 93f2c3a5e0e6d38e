// Several densities on the same splits, by numbers of steps: the same bits on every run.

#include "riemflow/fit/compare.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "riemflow/core/error.hpp"
#include "riemflow/core/random.hpp"
#include "riemflow/core/running_mean.hpp"
#include "riemflow/fit/fit_model.hpp"
#include "riemflow/fit/split_mean.hpp"
#include "riemflow/kernel/kernel_data.hpp"
#include "riemflow/manifold/parse.hpp"
#include "tests/fit/clusters.hpp"
#include "tests/fit/temporary_file.hpp"

namespace riemflow {
namespace {

const Values kTiny{
    {"width", "4"}, {"depth", "1"}, {"iterations", "6"}, {"validate-every", "3"}, {"batch", "20"}};

/// 100 points of which ten repeat others.
DataSet data_with_duplicates() {
  Points<double> points = two_clusters(90, 1);
  points.values.insert(points.values.end(), points.values.begin(), points.values.begin() + 30);
  FitOptions options;
  options.manifold = "sphere:2";
  Observer silent;
  return data_set_of(points, options, silent);
}

CompareOptions quick_comparison() {
  CompareOptions options;
  options.methods.clear();
  for (const Method& method : all_methods())
    if (method.name == "uniform" || method.name == "kernel-one" || method.name == "stereographic")
      options.methods.push_back(method);
  options.methods.back().options.insert(kTiny.begin(), kTiny.end());
  options.methods.back().preset = "default";
  options.methods.push_back(own_method("tiny", "default", kTiny));
  options.seeds = {0, 1};
  options.settings = {{"time-limit", "none"}};
  return options;
}

/// All that does not depend on the clock.
std::string runs_of_all(const Comparison& comparison) {
  std::string all;
  for (const ComparedRun& run : comparison.runs)
    all += fmt::format("{} {} {} {} {} {} {} {} {}\n", run.method, run.protocol, run.seed, run.problem,
                       run.nll.mean, run.nll.error, run.validation, run.mass.mean,
                       fmt::join(run.log_densities, ","));
  return all;
}

const ComparedRun& run_of(const Comparison& comparison, const std::string& method,
                          const std::string& protocol, std::uint64_t seed) {
  for (const ComparedRun& run : comparison.runs)
    if (run.method == method && run.protocol == protocol && run.seed == seed) return run;
  throw std::out_of_range(method);
}

TEST(Compare, GivesTheSameRowsTwiceAndSideBySide) {
  const DataSet data = data_with_duplicates();
  CompareOptions options = quick_comparison();
  Observer silent;
  const Comparison first = compare(data, options, silent);
  ASSERT_EQ(first.summaries.size(), 2u);
  EXPECT_EQ(first.jobs, 16u);
  EXPECT_EQ(first.failed, 0u);
  EXPECT_EQ(first.runs.size(), 16u);
  for (const Summary& summary : first.summaries) {
    ASSERT_EQ(summary.rows.size(), 4u);
    EXPECT_EQ(summary.best, "kernel-one");
    for (const SummaryRow& row : summary.rows) {
      EXPECT_EQ(row.splits, 2u) << row.method;
      EXPECT_TRUE(std::isfinite(row.nll.mean) && row.nll.error > 0) << row.method;
      EXPECT_TRUE(row.method == "uniform" || std::abs(row.mass.mean - 1) < 0.02) << row.method;
      EXPECT_EQ(row.problem, "");
    }
    EXPECT_NEAR(summary.rows[0].nll.mean, std::log(4 * M_PI), 1e-12);  // uniform
  }
  // The points of a split, with duplicates and without.
  EXPECT_EQ(run_of(first, "uniform", kCustomary, 0).points, (std::array<std::size_t, 3>{80, 10, 10}));
  EXPECT_EQ(run_of(first, "uniform", kDistinct, 0).points, (std::array<std::size_t, 3>{72, 9, 9}));
  options.jobs = 3;
  EXPECT_EQ(runs_of_all(compare(data, options, silent)), runs_of_all(first));
}

TEST(Compare, ARunIsTheFitThatItSays) {
  const DataSet data = data_with_duplicates();
  CompareOptions options = quick_comparison();
  options.methods = {options.methods.back()};
  options.protocols = {kDistinct};
  Observer silent;
  const Comparison comparison = compare(data, options, silent);
  Values values = kTiny;
  values.insert({{"dedup", "true"}, {"seed", "1"}, {"manifold", "sphere:2"}});
  const FitOptions alone = options_of(values);
  const FitResult fitted = fit(divided(data, alone, silent), alone, silent);
  EXPECT_NEAR(run_of(comparison, "tiny", kDistinct, 1).nll.mean, fitted.test_nll, 1e-6);
}

/// A run with these log-densities of test points, of ten points in all.
ComparedRun run_with(const char* method, std::uint64_t seed, const std::vector<double>& log_densities) {
  ComparedRun run{.method = method, .protocol = kCustomary, .seed = seed};
  run.points = {7, 1, 2};
  run.log_densities = log_densities;
  run.nll.mean = -(log_densities[0] + log_densities[1]) / 2;
  return run;
}

TEST(Compare, DifferencesArePairedPointByPoint) {
  const Method one{.name = "kernel-one", .description = "", .kernel = true},
      local{.name = "kernel-local", .description = "", .kernel = true},
      wide{.name = "kernel-wide", .description = "", .kernel = true}, flow{.name = "flow", .description = ""},
      none{.name = "none", .description = ""};
  const std::vector<ComparedRun> runs = {
      run_with("kernel-one", 5, {-1.5, -3}), run_with("kernel-local", 5, {-1, -3}),
      run_with("kernel-wide", 5, {-4, -4}), run_with("flow", 5, {-1, -2}),
      run_with("flow", 6, {-100, -200})};  // 6: of no split that is asked for
  const Summary summary = summarise(runs, {one, local, wide, flow, none}, kCustomary, {{5, {4, 9}}});
  ASSERT_EQ(summary.rows.size(), 4u);
  EXPECT_EQ(summary.best, "kernel-local");
  const SummaryRow& row = summary.rows[3];
  EXPECT_EQ(row.method, "flow");
  EXPECT_EQ(row.splits, 1u);
  EXPECT_DOUBLE_EQ(row.nll.mean, 1.5);
  EXPECT_DOUBLE_EQ(row.nll.error, 0.5);
  EXPECT_DOUBLE_EQ(row.to_one.mean, -0.75);  // of −0.5 and −1
  EXPECT_DOUBLE_EQ(row.to_one.error, 0.25);
  EXPECT_DOUBLE_EQ(row.to_best.mean, -0.5);  // of 0 and −1
  EXPECT_DOUBLE_EQ(row.to_best.error, 0.5);
  EXPECT_DOUBLE_EQ(summary.rows[0].to_one.mean, 0);
  EXPECT_TRUE(std::isnan(summary.rows[0].to_one.error));
  EXPECT_DOUBLE_EQ(summary.rows[0].to_best.mean, 0.25);
  EXPECT_THROW(summarise(runs, {flow}, kCustomary, {{5, {4, 9, 1}}}), Error);
}

TEST(Compare, DifferencesAreByTheWeightsOfThePoints) {
  const Method one{.name = "kernel-one", .description = "", .kernel = true},
      flow{.name = "flow", .description = ""};
  std::vector<ComparedRun> runs = {run_with("kernel-one", 5, {-1.5, -3}), run_with("flow", 5, {-1, -2}),
                                   run_with("kernel-one", 6, {-2, -4}), run_with("flow", 6, {-2, -3})};
  Weights weights(10, 100);  // of points in no test
  weights[4] = 3;
  weights[9] = 1;
  weights[1] = 2;
  const double nll[] = {1.25, 7.0 / 3};  // of the flow: of 1, 2 by 3, 1 and of 2, 3 by 2, 1
  runs[1].nll.mean = nll[0];
  runs[3].nll.mean = nll[1];
  const Summary summary = summarise(runs, {one, flow}, kCustomary, {{5, {4, 9}}, {6, {1, 9}}}, weights);
  const SummaryRow& row = summary.rows[1];
  EXPECT_DOUBLE_EQ(row.nll.mean, (4 * nll[0] + 3 * nll[1]) / 7);
  EXPECT_DOUBLE_EQ(row.to_one.mean, (3 * -0.5 + 1 * -1 + 2 * 0 + 1 * -1) / 7);
  EXPECT_DOUBLE_EQ(
      row.to_one.error,
      mean_over_splits({{{4, 9}, {-0.5, -1}, 7, 10, {3, 1}}, {{1, 9}, {0, -1}, 7, 10, {2, 1}}}).error);
  EXPECT_NE(row.to_one.error,
            mean_over_splits({{{4, 9}, {-0.5, -1}, 7, 10}, {{1, 9}, {0, -1}, 7, 10}}).error);
}

/// The weighted points of the comparison with duplicates.
DataSet weighted_data(const Weights& weights) {
  Points<double> points = two_clusters(90, 1);
  points.values.insert(points.values.end(), points.values.begin(), points.values.begin() + 30);
  FitOptions options;
  options.manifold = "sphere:2";
  Observer silent;
  return data_set_of(points, options, silent, "points", weights);
}

TEST(Compare, OfPointsWithWeightsScoresAndLearnsByThem) {
  const DataSet data = weighted_data(two_weights(100, 9, 1));
  CompareOptions options = quick_comparison();
  std::erase_if(options.methods,
                [](const Method& m) { return m.name == "stereographic" || m.name == "tiny"; });
  options.seeds = {0, 0};
  options.protocols = {kCustomary};
  Observer silent;
  const Comparison comparison = compare(data, options, silent);
  ASSERT_EQ(comparison.failed, 0u);
  const ComparedRun& run = run_of(comparison, "kernel-one", kCustomary, 0);
  const DataSet split = divided(data, options_of({{"manifold", "sphere:2"}, {"seed", "0"}}), silent);
  // The mean of the run is by the weights,
  RunningMean mean, alike;
  for (std::size_t i = 0; i < run.log_densities.size(); ++i) {
    mean.add(run.log_densities[i], split.split.test[i] % 2 == 0 ? 9 : 1);
    alike.add(run.log_densities[i]);
  }
  EXPECT_NEAR(run.nll.mean, -mean.mean(), 1e-4);
  EXPECT_NEAR(run.nll.error, mean.standard_error(), 1e-4);
  EXPECT_GT(std::abs(run.nll.mean + alike.mean()), 0.02);
  EXPECT_NEAR(comparison.summaries[0].rows[1].nll.mean, run.nll.mean, 1e-12);
  // and its density is one of weighted centres.
  const FitOptions kde = options_of({{"model", "kde"}, {"kernel", "one"}, {"manifold", "sphere:2"}});
  const FitResult fitted = fit(split, kde, silent);
  for (const bool weighted : {true, false}) {
    KernelData centres(parse_manifold<double>("sphere:2"), part_of<double>(data.points, split.split.known()),
                       1, nullptr, {}, weighted ? split.weights_of(split.split.known()) : Weights());
    const Model model = make_model("sphere:2", centres.parameters(fitted.kernels->recipe));
    const std::vector<double> own =
        log_densities_of_model(model, {}, part_of<double>(data.points, split.split.test));
    double most = 0;
    for (std::size_t i = 0; i < own.size(); ++i)
      most = std::max(most, std::abs(own[i] - run.log_densities[i]));
    if (weighted)
      EXPECT_LT(most, 1e-4);
    else
      EXPECT_GT(most, 0.1);
  }
}

TEST(Compare, DistinctPointsHaveTheWeightsOfTheirDuplicatesTogether) {
  // The last ten repeat the first: 2 and 1, against 3 alone.
  Weights apart = two_weights(100, 4, 1), together(90);
  for (std::size_t i = 0; i < 10; ++i) {
    apart[i] = 2;
    apart[90 + i] = 1;
  }
  for (std::size_t i = 0; i < 90; ++i) together[i] = i < 10 ? 3 : apart[i];
  FitOptions sphere;
  sphere.manifold = "sphere:2";
  Observer silent;
  CompareOptions options = quick_comparison();
  std::erase_if(options.methods,
                [](const Method& m) { return m.name == "stereographic" || m.name == "tiny"; });
  options.protocols = {kDistinct};
  const Comparison one = compare(weighted_data(apart), options, silent),
                   two = compare(data_set_of(two_clusters(90, 1), sphere, silent, "points", together),
                                 options, silent);
  for (const std::uint64_t seed : {0, 1}) {
    const ComparedRun &a = run_of(one, "kernel-one", kDistinct, seed),
                      &b = run_of(two, "kernel-one", kDistinct, seed);
    EXPECT_NEAR(a.nll.mean, b.nll.mean, 1e-9);
    EXPECT_NEAR(a.nll.error, b.nll.error, 1e-9);
    EXPECT_NEAR(a.validation, b.validation, 1e-9);
  }
  EXPECT_NEAR(one.summaries[0].rows[1].to_best.mean, two.summaries[0].rows[1].to_best.mean, 1e-9);
}

TEST(Compare, ResultsOfOtherWeightsAreNotMixed) {
  const TemporaryFile file("compare"), points("weighted-points");
  {
    std::ofstream csv(points.path);
    csv << "x,y,z,a,b\n";
    const Points<double> all = two_clusters(60, 1);
    for (std::size_t i = 0; i < 60; ++i)
      csv << fmt::format("{},{},{},{},{}\n", all[i][0], all[i][1], all[i][2], 1 + i % 2, 1 + i % 3);
  }
  Observer silent;
  CompareOptions options = quick_comparison();
  options.methods = {options.methods.front()};
  options.protocols = {kCustomary};
  options.results = file.path;
  const auto by = [&](const char* column) {
    return compare(read_data_set(points.path, options_of({{"weights", column}}), silent), options, silent);
  };
  EXPECT_NE(by("a").configuration.find(", weights a"), std::string::npos);
  EXPECT_EQ(by("A").jobs, 0u);  // the same column
  EXPECT_THROW(by("b"), Error);
  EXPECT_THROW(by(""), Error);
}

TEST(Compare, AMethodThatFailsIsARowWithItsReason) {
  CompareOptions options = quick_comparison();
  options.methods.erase(options.methods.begin() + 2, options.methods.end());
  options.methods.push_back(own_method("broken", "default", {{"model", "wrapped"}}));  // of the ball alone
  options.methods.push_back(own_method("tiny", "default", kTiny));
  options.seeds = {0, 0};
  Observer silent;
  const Comparison comparison = compare(data_with_duplicates(), options, silent);
  EXPECT_EQ(comparison.failed, 2u);
  for (const Summary& summary : comparison.summaries) {
    ASSERT_EQ(summary.rows.size(), 4u);
    const SummaryRow& row = summary.rows[2];
    EXPECT_EQ(row.method, "broken");
    EXPECT_EQ(row.splits, 0u);
    EXPECT_NE(row.problem.find("wrapped"), row.problem.npos) << row.problem;
    EXPECT_TRUE(std::isnan(row.nll.mean));
    EXPECT_EQ(summary.rows[3].method, "tiny");
    EXPECT_EQ(summary.rows[3].splits, 1u);
  }
}

TEST(Compare, GoesOnWhereItStopped) {
  const TemporaryFile file("compare");
  const DataSet data = data_with_duplicates();
  CompareOptions options = quick_comparison();
  options.protocols = {kDistinct};
  options.results = file.path;
  options.methods.back().made_by = "four units";
  struct Stops : Observer {
    int most = 3, said = 0;
    void say(const std::string&) override { ++said; }
    bool cancelled() const override { return said >= most; }
  } stops;
  const Comparison stopped = compare(data, options, stops);
  EXPECT_TRUE(stopped.interrupted);
  EXPECT_TRUE(stopped.summaries.empty());

  Observer silent;
  const Comparison whole = compare(data, options, silent);
  EXPECT_EQ(stopped.jobs, 8u);
  EXPECT_LT(whole.jobs, 8u);
  EXPECT_GT(whole.jobs, 0u);
  const Comparison again = compare(data, options, silent);
  EXPECT_EQ(again.jobs, 0u);
  EXPECT_EQ(runs_of_all(again), runs_of_all(whole));
  EXPECT_EQ(again.summaries[0].rows[1].nll.mean, whole.summaries[0].rows[1].nll.mean);

  // A cell that is no longer there is done again, alone, to the same numbers.
  auto kept = nlohmann::ordered_json::parse(std::ifstream(file.path));
  kept["runs"]["tiny distinct"].erase("1");
  std::ofstream(file.path) << kept.dump();
  const Comparison mended = compare(data, options, silent);
  EXPECT_EQ(mended.jobs, 1u);
  EXPECT_EQ(runs_of_all(mended), runs_of_all(whole));

  // What was done otherwise is not mixed with it.
  const auto problem_of = [&](const CompareOptions& other) {
    try {
      compare(data, other, silent);
    } catch (const Error& error) {
      return error.problem();
    }
    return std::string();
  };
  CompareOptions other = options;
  other.methods.back().made_by = "five units";
  EXPECT_NE(problem_of(other).find("row 'tiny' (four units; this one is five units)"), std::string::npos);
  other = options;
  other.settings["split"] = "70/15/15";
  EXPECT_NE(problem_of(other).find("split 80/10/10"), std::string::npos);
  EXPECT_NE(problem_of(other).find("this one is"), std::string::npos);
}

TEST(Compare, LeavesOutWhatTheManifoldHasNot) {
  CompareOptions options;
  options.protocols = {kDistinct};
  options.seeds = {0, 0};
  std::erase_if(options.methods, [](const Method& m) { return m.name != "uniform" && m.name != "wrapped"; });
  struct Listens : Observer {
    std::string all;
    void say(const std::string& sentence) override { all += sentence; }
  } listens;
  const Comparison comparison = compare(data_with_duplicates(), options, listens);
  ASSERT_EQ(comparison.methods.size(), 1u);
  EXPECT_NE(listens.all.find("Without wrapped: it is for the ball, and these points are on sphere:2."),
            std::string::npos);
  options.methods = {options.methods.back()};
  EXPECT_THROW(compare(data_with_duplicates(), options, listens), Error);
}

TEST(Compare, WithoutKernelsItsMethodsAreLeftOutInOneLine) {
  const auto manifold = parse_manifold<double>("stiefel:3,2");
  Points<double> points(40, 6);
  std::vector<Pack<double>> x(6);
  for (std::size_t i = 0; i < points.size(); ++i) {
    Random random(1, Purpose::test, 0, i);
    manifold->random_uniform(random, x.data(), 0);
    for (std::size_t c = 0; c < x.size(); ++c) points[i][c] = x[c][0];
  }
  struct Listens : Observer {
    std::vector<std::string> all;
    void say(const std::string& sentence) override { all.push_back(sentence); }
  } listens;
  FitOptions fit_options;
  fit_options.manifold = "stiefel:3,2";
  CompareOptions options;
  std::erase_if(options.methods, [](const Method& m) {
    return m.name != "uniform" && m.name != "wrapped" && !m.name.starts_with("kernel") &&
           m.name != "normal-mixture";
  });
  options.methods.push_back(own_method("from-kernels", "default", {{"base", "kde"}}));
  options.protocols = {kDistinct};
  options.seeds = {0, 0};
  const Comparison comparison = compare(data_set_of(points, fit_options, listens), options, listens);
  ASSERT_EQ(comparison.methods.size(), 1u);
  EXPECT_EQ(comparison.methods[0].name, "uniform");
  ASSERT_EQ(comparison.runs.size(), 1u);
  EXPECT_TRUE(comparison.runs[0].problem.empty());
  EXPECT_EQ(
      std::ranges::count(listens.all,
                         "Without kernel-one, kernel-local, kernel-anisotropic, kernels, normal-mixture, "
                         "from-kernels: they are for spaces that have kernels, and these points are on "
                         "stiefel:3,2."),
      1);
  EXPECT_EQ(std::ranges::count(listens.all,
                               "Without wrapped: it is for the ball, and these points are on stiefel:3,2."),
            1);
}

TEST(Compare, RowsOfOnesOwnDescribeOneModel) {
  EXPECT_THROW(own_method("kernel-one", "default", {}), Error);
  EXPECT_THROW(own_method("a b", "default", {}), Error);
  EXPECT_THROW(own_method("x", "default", {{"seed", "1"}}), Error);
  EXPECT_THROW(own_method("x", "none", {}), Error);
  EXPECT_THROW(own_method("x", "default", {{"epochs", "1"}, {"iterations", "2"}}), Error);
  EXPECT_EQ(options_for(own_method("x", "default", {{"width", "9"}}), {{"width", "7"}}).width, 7);
}

}  // namespace
}  // namespace riemflow
