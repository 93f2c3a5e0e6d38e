// Models of version 0.1 are what they were: files that its tool has fitted to a few places (flow, kernel
// density, mixture, a flow over kernels, one behind a chart, a pool), and what its `score` said of five more.

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "riemflow/manifold/earth.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow {
namespace {

TEST(Version01, ModelsGiveTheSameLogDensities) {
  const std::string folder = RIEMFLOW_SOURCE_DIR "/tests/model/version_0_1/";
  const std::vector<std::pair<double, double>> places = {
      {35, 139}, {-25, -66}, {0, 0}, {89.9, 10}, {-45, 179.9}};
  Points<double> points(places.size(), 3);
  for (std::size_t i = 0; i < points.size(); ++i)
    riemflow::unit_vector<double>(places[i].first, places[i].second, points[i]);

  std::ifstream scores(folder + "scores.txt");
  std::size_t models = 0;
  for (std::string line; std::getline(scores, line); ++models) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    const Model model = load_model(folder + name + ".model");
    EXPECT_EQ(metadata_of(model, "riemflow_version"), "0.1.0") << name;
    EXPECT_EQ(metadata_of(model, "checksum"), "") << name;
    const std::vector<double> found = log_densities_of_model(model, {}, points);
    // In float and by solvers of tolerance 1e-5, which other instruction sets round otherwise; kernels and
    // mixtures are in double.
    const bool solved = name != "kde" && name != "mixture";
    for (const double log_p : found) {
      double expected = 0;
      ASSERT_TRUE(words >> expected) << name;
      EXPECT_NEAR(log_p, expected, solved ? 1e-5 : 1e-9 * (1 + std::abs(expected))) << name;
    }
  }
  EXPECT_EQ(models, 6u);
}

}  // namespace
}  // namespace riemflow
