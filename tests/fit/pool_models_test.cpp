#include "riemflow/fit/pool_models.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "riemflow/core/error.hpp"
#include "riemflow/fit/fit_model.hpp"
#include "riemflow/fit/option_values.hpp"
#include "riemflow/model/held_out.hpp"
#include "riemflow/model/space.hpp"
#include "tests/fit/clusters.hpp"
#include "tests/fit/temporary_file.hpp"

namespace riemflow {
namespace {

/// One narrow bump around an axis.
Model bump(std::size_t axis) {
  MixtureParameters one{Points<double>(1, 3), {1}, {1000}};
  one.means[0][axis] = 1;
  Model model = make_model("sphere:2", one);
  model.path = "models/bump-" + std::to_string(axis);
  return model;
}

void write_csv(const std::string& path, const Points<double>& points) {
  std::ofstream file(path);
  file << "x,y,z\n";
  for (std::size_t i = 0; i < points.size(); ++i)
    file << fmt::format("{},{},{}\n", points[i][0], points[i][1], points[i][2]);
}

TEST(PoolModels, WeightsAreTheSharesOfPointsThatOnlyOneMemberExplains) {
  const TemporaryFile file("pool");
  Points<double> points(8, 3);
  for (std::size_t i = 0; i < 8; ++i) points[i][i < 6 ? 0 : 1] = 1;  // at the centres: six and two
  write_csv(file.path, points);
  Observer silent;
  const PooledModels pool = pool_models({bump(0), bump(1), bump(2)}, {file.path, "", {}}, {}, silent);
  ASSERT_EQ(pool.members.size(), 3u);
  EXPECT_NEAR(pool.members[0].weight, 0.75, 1e-6);
  EXPECT_NEAR(pool.members[1].weight, 0.25, 1e-6);
  EXPECT_EQ(pool.members[2].weight, 0);
  EXPECT_EQ(pool.members[0].name, "bump-0");
  EXPECT_EQ(pool.validation_points, 8u);
  EXPECT_EQ(pool.test_points, 0u);
  // κ/(2π) at a bump's centre, times its weight.
  const double top = std::log(1000 / (2 * M_PI));
  EXPECT_NEAR(pool.validation.nll, -(top + 0.75 * std::log(0.75) + 0.25 * std::log(0.25)), 1e-6);
  EXPECT_EQ(pool.model.config.model, ModelKind::pool);
  EXPECT_FALSE(held_out_of(pool.model).has_value());
  const auto log_p = log_densities_of_model(pool.model, {}, points);
  EXPECT_NEAR(log_p[0], top + std::log(0.75), 1e-6);
  EXPECT_NEAR(log_p[7], top + std::log(0.25), 1e-6);
}

TEST(PoolModels, OfTwoSpacesAreRefusedByTheirNames) {
  // Both are computed on the sphere; the file is not asked for.
  Model axes = bump(1);
  keep_space(axes, "axis:2");
  Observer silent;
  try {
    pool_models({bump(0), axes}, {"no such file", "", {}}, {}, silent);
    ADD_FAILURE() << "pooled";
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "models/bump-1 is on axis:2, but models/bump-0 on sphere:2");
    EXPECT_EQ(error.fault(), Fault::bad_data);
  }
}

TEST(PoolModels, OfOneSplitAreWeighedOnItsValidationPoints) {
  const TemporaryFile file("pool");
  write_csv(file.path, two_clusters(200, 4));
  const auto fitted = [&](const char* seed, const char* split_seed) {
    const FitOptions options = options_of(
        {{"width", "4"}, {"depth", "1"}, {"iterations", "5"}, {"seed", seed}, {"split-seed", split_seed}});
    Observer silent;
    Model model = *fit(read_data_set(file.path, options, silent), options, silent).model;
    model.path = std::string("flow-") + seed;
    return model;
  };
  struct Listens : Observer {
    std::string all;
    void say(const std::string& sentence) override { all += sentence; }
  } listens;
  const PooledModels pool =
      pool_models({fitted("1", "9"), fitted("2", "9")}, {file.path, "", {}}, {}, listens);
  EXPECT_EQ(pool.validation_points, 20u);
  EXPECT_EQ(pool.test_points, 20u);
  EXPECT_NE(
      listens.all.find("chosen on the 20 validation points of their split, and 20 test points are left"),
      std::string::npos);
  EXPECT_EQ(held_out_of(pool.model)->points.size(), 20u);
  EXPECT_NEAR(pool.members[0].weight + pool.members[1].weight, 1, 1e-9);
  Observer silent;
  EXPECT_THROW(pool_models({fitted("1", "9"), fitted("2", "8")}, {file.path, "", {}}, {}, silent), Error);
  Model elsewhere = bump(0);
  elsewhere.config.manifold = "sphere:3";
  // The file has no weights that a member could be judged by.
  const FitOptions options = options_of({{"width", "4"}, {"depth", "1"}, {"iterations", "5"}});
  DataSet data = read_data_set(file.path, options, silent);
  data.weights = two_weights(data.points.size(), 1.5, 0.5);
  Model weighted = *fit(data, options, silent).model;
  weighted.path = "weighted";
  try {
    pool_models({weighted}, {file.path, "", {}}, {}, silent);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(error.problem().find("weighted was fitted with ‹sample-weight›"), std::string::npos);
  }
  EXPECT_THROW(pool_models({bump(0), elsewhere}, {file.path, "", {}}, {}, silent), Error);
}

}  // namespace
}  // namespace riemflow
