#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "riemflow/io/point_source.hpp"

namespace riemflow {
namespace {

Points<double> rows(std::vector<double> values, int columns) {
  Points<double> numbers(0, columns);
  numbers.values = std::move(values);
  return numbers;
}

TEST(ColumnSource, ReadsColumnsByTheirNamesAsOfAFile) {
  const Points<double> numbers = rows({5, 20, 10, 6, 40, -30, 7, -170, 80}, 3);
  const ReadPoints read = read_all(*open_columns({"mag", "longitude", "latitude"}, numbers, "frame", {}));
  const std::string text = "mag,longitude,latitude\n5,20,10\n6,40,-30\n7,-170,80\n";
  const ReadPoints same = read_all(*open_points_in(text, "file.csv", {}));
  EXPECT_EQ(read.points.values, same.points.values);
  EXPECT_EQ(read.assumptions.manifold, "sphere:2");
  EXPECT_EQ(read.lines, (std::vector<std::uint64_t>{1, 2, 3}));
  Points<double> others = numbers;
  others.values[4] = 41;
  EXPECT_NE(read.sha256,
            read_all(*open_columns({"mag", "longitude", "latitude"}, others, "frame", {})).sha256);
}

TEST(ColumnSource, NamesWhatIsNoPoint) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double wrong : std::vector<double>{99, nan, std::numeric_limits<double>::infinity()}) {
    const Points<double> numbers = rows({10, 20, wrong, 40, 50, 60}, 2);
    try {
      read_all(*open_columns({"lat", "lon"}, numbers, "frame", {}));
      ADD_FAILURE() << wrong;
    } catch (const Error& error) {
      EXPECT_EQ(error.place().line, 2u);
      EXPECT_EQ(error.place().column, 1u);
      EXPECT_EQ(error.fault(), Fault::bad_data);
    }
    ReadOptions skipping;
    skipping.skip_invalid = true;
    const ReadPoints read = read_all(*open_columns({"lat", "lon"}, numbers, "frame", skipping));
    EXPECT_EQ(read.points.size(), 2u);
    EXPECT_EQ(read.skipped, 1u);
    EXPECT_EQ(read.lines, (std::vector<std::uint64_t>{1, 3}));
  }
  EXPECT_THROW(open_columns({"lat"}, rows({1, 2}, 2), "frame", {}), Error);
  EXPECT_THROW(read_all(*open_columns({"lat", "lon"}, rows({}, 2), "frame", {})), Error);
}

}  // namespace
}  // namespace riemflow
