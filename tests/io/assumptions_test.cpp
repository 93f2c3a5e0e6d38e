// The sentences that say how a file was understood, word for word.

#include "tests/io/reading.hpp"

namespace riemflow {
namespace {

using Sentences = std::vector<std::string>;

Sentences said(std::string_view text, const ReadOptions& options = {}) {
  return open_points_in(text, "quakes.csv", options)->assumptions().sentences();
}

const std::string kPlace = "(cos lat cos lon, cos lat sin lon, sin lat).";

TEST(Assumptions, LatitudeAndLongitudeByName) {
  EXPECT_EQ(said("# c\nid,lat,Longitude\n1,10,20\n"),
            (Sentences{"quakes.csv is comma-separated text, with a header on line 2.",
                       "Columns by name: latitude = 2 'lat', longitude = 3 'Longitude'; in degrees.",
                       "Points on sphere:2 (inferred; another can be given with ‹manifold›): " + kPlace}));
}

TEST(Assumptions, OrderWithoutAHeader) {
  EXPECT_EQ(said("10 20\n30 40\n", on("sphere:2")),
            (Sentences{"quakes.csv is space-separated text, without a header.",
                       "Columns in their order: latitude = 1, longitude = 2; in degrees.",
                       "Points on sphere:2: " + kPlace}));
}

TEST(Assumptions, ChosenAnglesWithDecimalCommas) {
  EXPECT_EQ(said("a;1,5;200\nb;2,5;-100\n", columns("3,2", "torus:2")),
            (Sentences{"quakes.csv is semicolon-separated text, with decimal commas, without a header.",
                       "Columns as chosen: angle 1 = 3, angle 2 = 2; in degrees.",
                       "Points on torus:2: angles, wrapped to [-π, π)."}));
}

TEST(Assumptions, RadiansAreSuspectedAndNotAssumed) {
  const std::string warning =
      "Warning: no angle in the first rows exceeds 2π; if they are in radians, say ‹units› radians.";
  const ReadPoints data = read_text("lat,lon\n0.5,-3\n1.5,6.2\n");
  expect_place(data, 0, 0.5, -3);
  EXPECT_EQ(data.assumptions.sentences().back(), warning);
  EXPECT_EQ(said("phi,psi\n0.5,-3\n").back(), warning);
  EXPECT_EQ(said("lat,lon\n0.5,-3\n1.5,6.3\n").size(), 3u);
  EXPECT_EQ(said("lat,lon\n0.5,-3\n", in(Units::degrees)).size(), 3u);
  EXPECT_EQ(said("phi_deg,psi_deg\n0.5,-3\n").size(), 3u);
  EXPECT_EQ(said("lat,lon\n0.5,-3\n", in(Units::radians))[1],
            "Columns by name: latitude = 1 'lat', longitude = 2 'lon'; in radians.");
}

TEST(Assumptions, Coordinates) {
  EXPECT_EQ(said("x,y,z\n1,0,0\n"), (Sentences{"quakes.csv is comma-separated text, with a header on line 1.",
                                               "Columns by name: x = 1 'x', y = 2 'y', z = 3 'z'.",
                                               "Points on sphere:2 (inferred; another can be given with "
                                               "‹manifold›): vectors, rescaled to norm 1."}));
  EXPECT_EQ(said("1|2|3|4|a\n", on("euclidean:4")),
            (Sentences{"quakes.csv is text separated by |, without a header.",
                       "Columns that hold numbers only: coordinate 1 = 1, coordinate 2 = 2, coordinate 3 = "
                       "3, coordinate 4 = "
                       "4.",
                       "Points on euclidean:4: coordinates as they are."}));
  EXPECT_EQ(said("lat,lon,t\n1,2,9\n", on("sphere:2,K=0.25 x torus:1")).back(),
            "Points on sphere:2,K=0.25 x torus:1: 2 (cos lat cos lon, cos lat sin lon, sin lat), then "
            "angles, wrapped to [-π, "
            "π).");
}

TEST(Assumptions, AsFields) {
  const auto source = open_points_in("# c\nid\tlat\tlon\n1\t10\t20\n", "q.tsv", {});
  const Assumptions& a = source->assumptions();
  EXPECT_EQ(a.path, "q.tsv");
  EXPECT_EQ(a.format, "tsv");
  EXPECT_EQ(a.delimiter, '\t');
  EXPECT_EQ(a.header_line, 2u);
  ASSERT_EQ(a.columns.size(), 2u);
  EXPECT_EQ(a.columns[1].meaning, "longitude");
  EXPECT_EQ(a.columns[1].number, 3u);
  EXPECT_EQ(a.columns[1].name, "lon");
  EXPECT_EQ(a.units, Units::degrees);
  EXPECT_EQ(a.manifold, "sphere:2");
  EXPECT_TRUE(a.manifold_inferred);
  EXPECT_EQ(a.row, "line");
}

}  // namespace
}  // namespace riemflow
