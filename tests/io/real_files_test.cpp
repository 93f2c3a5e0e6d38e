// The data sets that are not committed, read as they came.

#include <cstdlib>
#include <numbers>

#include "riemflow/io/duplicates.hpp"
#include "tests/io/reading.hpp"

namespace riemflow {
namespace {

/// The folder of data: $RIEMFLOW_SHARED/data, or ../shared/data beside the repository.
std::filesystem::path data_folder() {
  if (const char* folder = std::getenv("RIEMFLOW_SHARED")) return std::filesystem::path(folder) / "data";
  return std::filesystem::path(RIEMFLOW_SOURCE_DIR) / "../shared/data";
}

class RealFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::is_directory(data_folder()))
      GTEST_SKIP() << data_folder() << " is not there; RIEMFLOW_SHARED may name another folder";
  }
  static ReadPoints read(const char* name, const ReadOptions& options = {}) {
    return read_points((data_folder() / name).string(), options);
  }
};

TEST_F(RealFiles, Earth) {
  struct Case {
    const char* name;
    std::size_t points, distinct, header_line;
    double first_lat, first_lon;
  };
  for (const Case& c : {Case{"earth/volcano.csv", 827, 267, 2, -30.2, -178.47},
                        Case{"earth/earthquake.csv", 6120, 5447, 4, 31.1, 35.5},
                        Case{"earth/flood.csv", 4875, 4861, 2, 35.8142, 5.23026},
                        Case{"earth/fire.csv", 12809, 12802, 0, -25.088, 152.358}}) {
    SCOPED_TRACE(c.name);
    const ReadPoints data = read(c.name);
    EXPECT_EQ(data.points.size(), c.points);
    EXPECT_EQ(data.points.size() - count_duplicates(data), c.distinct);
    EXPECT_EQ(data.assumptions.manifold, "sphere:2");
    EXPECT_EQ(data.assumptions.header_line, c.header_line);
    EXPECT_TRUE(data.assumptions.warnings.empty());
    expect_place(data, 0, c.first_lat, c.first_lon);
  }
}

TEST_F(RealFiles, RnaTorsions) {
  for (const ReadOptions& options :
       {columns("3,4,5,6,7,8,9", "torus:7"), columns("3-9", "torus:7"), on("torus:7")}) {
    const ReadPoints data = read("torus/rna.tsv", options);
    EXPECT_EQ(data.points.size(), 9478u);
    EXPECT_EQ(data.points.dimension, 7);
    EXPECT_EQ(data.assumptions.delimiter, '\t');
    EXPECT_EQ(data.assumptions.columns[0].number, 3u);
    EXPECT_NEAR(data.points[0][0], -69.168933 * std::numbers::pi / 180, 1e-15);
    EXPECT_NEAR(data.points[9477][6], -161.260751 * std::numbers::pi / 180, 1e-15);
  }
}

TEST_F(RealFiles, Torsions) {
  const ReadPoints data = read("embed/torsions.csv");
  EXPECT_EQ(data.points.size(), 32000u);
  EXPECT_EQ(data.assumptions.manifold, "torus:2");
  EXPECT_NEAR(data.points[0][0], -75.97 * std::numbers::pi / 180, 1e-15);
}

}  // namespace
}  // namespace riemflow
