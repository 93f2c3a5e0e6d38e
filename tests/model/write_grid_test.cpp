// A grid as a file holds the density of the model, cell by cell.

#include "riemflow/model/write_grid.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <sstream>

#include "riemflow/core/cancel.hpp"

namespace riemflow {
namespace {

struct Cancelling : TaskObserver {
  bool cancelled() const override { return true; }
};

/// A normal density of deviation 0.5 around (0.5, −0.5).
Model normal_of_plane() {
  Points<double> centres(1, 2);
  centres.values = {0.5, -0.5};
  return make_model("euclidean:2", KernelParameters{centres, {1}, {0.5}, {}, 1e-9});
}

double part_below(double x) { return 0.5 * std::erfc(-x / (0.5 * std::sqrt(2))); }

std::string written(GridFormat format, const GridLayout& layout) {
  const std::string path = testing::TempDir() + "riemflow_write_grid_test";
  TaskObserver silent;
  const GridSummary summary =
      write_grid(path, format, normal_of_plane(), {}, layout, {"plane.model", "riemflow grid"}, silent);
  EXPECT_NEAR(summary.mass, 1, 1e-6);
  EXPECT_EQ(summary.failed + summary.outside, 0u);
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  std::filesystem::remove(path);
  return text.str();
}

GridLayout plane_of_cells() {
  GridChoice choice;
  choice.extent = 4;
  choice.resolution = 0.5;
  return layout_of(choice, normal_of_plane());
}

TEST(WriteGrid, CsvHasAllCellsColumnsFastest) {
  std::stringstream lines(written(GridFormat::csv, plane_of_cells()));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "x,y,density,log_density");
  std::size_t n = 0;
  for (; std::getline(lines, line); ++n) {
    double x, y, density, log_density;
    ASSERT_EQ(std::sscanf(line.c_str(), "%lf,%lf,%lf,%lf", &x, &y, &density, &log_density), 4) << line;
    EXPECT_EQ(x, -3.75 + 0.5 * static_cast<double>(n / 16));
    EXPECT_EQ(y, -3.75 + 0.5 * static_cast<double>(n % 16));
    const auto mean = [](double c, double m) {
      return (part_below(c + 0.25 - m) - part_below(c - 0.25 - m)) / 0.5;
    };
    const double wanted = mean(x, 0.5) * mean(y, -0.5);
    EXPECT_NEAR(density, wanted, 1e-5) << x << " " << y;
    EXPECT_NEAR(std::exp(log_density), density, 1e-12);
  }
  EXPECT_EQ(n, 256u);
}

TEST(WriteGrid, NpyIsRowsOfColumns) {
  const std::string bytes = written(GridFormat::npy, plane_of_cells());
  EXPECT_NE(bytes.find("'shape': (16, 16)"), bytes.npos);
  ASSERT_GT(bytes.size(), 256 * sizeof(double));
  double values[256];
  std::memcpy(values, bytes.data() + bytes.size() - sizeof values, sizeof values);
  // The four cells around the middle of the density hold the most, and those across the diagonal little.
  EXPECT_NEAR(values[8 * 16 + 6], values[9 * 16 + 7], 1e-6);
  EXPECT_GT(values[8 * 16 + 6], 10 * values[6 * 16 + 9]);
}

TEST(WriteGrid, NetcdfTellsWhereItComesFrom) {
  const std::string bytes = written(GridFormat::netcdf, plane_of_cells());
  for (const char* text :
       {"CF-1.8", "riemflow grid", "probability density of plane.model", "area: mean", "x_bnds"})
    EXPECT_NE(bytes.find(text), bytes.npos) << text;
}

TEST(WriteGrid, CancelledItLeavesTheFileThatWasThere) {
  const std::string path = testing::TempDir() + "riemflow_write_grid_cancelled";
  std::ofstream(path) << "old";
  Cancelling observer;
  EXPECT_THROW(write_grid(path, GridFormat::csv, normal_of_plane(), {}, plane_of_cells(), {}, observer),
               Cancelled);
  std::string kept;
  std::ifstream(path) >> kept;
  EXPECT_EQ(kept, "old");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace riemflow
