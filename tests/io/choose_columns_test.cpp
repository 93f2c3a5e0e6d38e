// Which columns are the points, where names speak for another manifold.

#include <tuple>

#include "riemflow/manifold/parse.hpp"
#include "tests/io/reading.hpp"

namespace riemflow {
namespace {

// In range, so that only the names tell: every value would pass for what the manifold needs.
TEST(ForeignNames, OfAnotherManifoldAreRefusedUnlessChosen) {
  for (const auto& [manifold, text, column, held, taken] :
       {std::tuple{"sphere:2", "phi,psi\n10,20\n", "1 'phi'", "an angle", "a latitude"},
        {"sphere:2", "theta,phi\n10,20\n", "1 'theta'", "an angle", "a latitude"},
        {"sphere:2", "x,y\n10,20\n", "1 'x'", "a coordinate", "a latitude"},
        {"sphere:2", "id,chi1,chi2\na,10,20\n", "2 'chi1'", "an angle", "a latitude"},
        {"sphere:2", "lat,lon_deg,phi\n1,0,0\n", "", "", ""},
        {"torus:2", "lat,lon\n10,20\n", "1 'lat'", "a latitude", "an angle"},
        {"ball:2", "lat,lon\n0.1,0.2\n", "1 'lat'", "a latitude", "a coordinate"},
        {"ball:2", "phi,psi\n0.1,0.2\n", "1 'phi'", "an angle", "a coordinate"},
        {"sphere:2 x torus:1", "lat,lon,lat\n1,2,3\n", "3 'lat'", "a latitude", "an angle"},
        {"sphere:2 x torus:1", "lon,lat,phi\n1,2,3\n", "1 'lon'", "a longitude", "a latitude"}}) {
    SCOPED_TRACE(std::string(manifold) + ": " + text);
    if (*column == 0) {
      EXPECT_NO_THROW(read_text(text, on(manifold)));
      continue;
    }
    const Error error = error_of(text, on(manifold));
    EXPECT_EQ(error.fault(), Fault::bad_data);
    const std::string name = parse_manifold<double>(manifold)->name();
    EXPECT_EQ(std::string(error.what()).substr(0, std::string(error.what()).find("; if")),
              std::string("f: column ") + column + " is " + held + " by its name, but " + name +
                  " would take it for " + taken);
    EXPECT_NE(error.advice().find("‹columns› "), std::string::npos);
  }
  expect_place(read_text("phi,psi\n10,20\n", columns("phi,psi", "sphere:2")), 0, 10, 20);
  expect_place(read_text("x,y\n10,20\n", columns("y,x", "sphere:2")), 0, 20, 10);
}

TEST(ForeignNames, WhatMayBeAnyonesIsTaken) {
  expect_place(read_text("breadth,length\n10,20\n", on("sphere:2")), 0, 10, 20);
  EXPECT_EQ(read_text("x,y\n10,20\n", on("torus:2")).points.size(), 1u);
  EXPECT_EQ(read_text("lat,lon\n10,20\n", on("euclidean:2")).points.size(), 1u);
  EXPECT_EQ(read_text("lat,lon,phi\n1,2,3\n", on("sphere:2 x torus:1")).points.size(), 1u);
}

// Spaces whose points are written in notations: names tell columns apart in any order, chosen or not.
TEST(Notations, AreReadByTheNamesOfTheirColumns) {
  const auto point_of = [](const std::string& text, const ReadOptions& options) {
    const ReadPoints read = read_text(text, options);
    return std::vector<double>(read.points[0].begin(), read.points[0].end());
  };
  // lon, lat as GIS has them: of an axis the latitude is 20.
  const auto axis = point_of("lon,lat\n10,20\n", on("axis:2")),
             sphere = point_of("lat,lon\n20,10\n", on("sphere:2"));
  EXPECT_EQ(axis, sphere);
  EXPECT_EQ(point_of("x,y,z\n0,0.6,0.8\n", on("axis:2")), (std::vector<double>{0, 0.6, 0.8}));
  // Scalar last, as SciPy writes quaternions.
  const std::vector<double> turn = {0.5, 0.1, 0.5, 0.7};
  for (const ReadOptions& options :
       {on("rotation:3"), columns("x,y,z,w", "rotation:3"), columns("1-4", "rotation:3")}) {
    const auto q = point_of("x,y,z,w\n0.1,0.5,0.7,0.5\n", options);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(q[i], turn[i], 1e-9);
  }
  EXPECT_EQ(point_of("roll,pitch,yaw\n10,20,30\n", columns("roll,pitch,yaw", "rotation:3")),
            point_of("yaw,pitch,roll\n30,20,10\n", on("rotation:3")));
  // Names that say nothing: in the order given.
  EXPECT_EQ(point_of("a,b,c,d\n1,0,0,0\n", columns("a,b,c,d", "rotation:3")),
            (std::vector<double>{1, 0, 0, 0}));
  // A place beside a time of day.
  EXPECT_EQ(point_of("lat,lon,hour\n20,10,5\n", on("sphere:2 x torus:1,L=24"))[3], 5);
  EXPECT_EQ(
      complaint("hour,latitude,longitude\n5,20,10\n", on("sphere:2 x torus:1,L=24")),
      "f: column 2 'latitude' is a latitude by its name, but sphere:2 x torus:1,L=24 would take it for a "
      "longitude; if the columns are what sphere:2 x torus:1,L=24 needs, choose them, as in ‹columns› 1-3; "
      "else the data are of another manifold");
  EXPECT_EQ(point_of("hour,latitude,longitude\n5,20,10\n", on("torus:1,L=24 x sphere:2"))[0], 5);
  EXPECT_EQ(complaint("lat,hour\n20,5\n", on("interval:1,to=90 x torus:1,L=24")),
            "f: column 1 'lat' is a latitude by its name, but interval:1,from=0,to=90 x torus:1,L=24 would "
            "take it for a "
            "number; if the columns are what interval:1,from=0,to=90 x torus:1,L=24 needs, choose them, as "
            "in ‹columns› "
            "1,2; else the data are of another manifold");
}

// As many columns as the manifold needs, one of them text.
TEST(TextColumns, AreNoCoordinates) {
  // The numbers alone fit: as latitude and longitude, where three columns would be a vector.
  const ReadPoints places = read_text("id,breadth,length\nus7000,10,20\nus7001,-30,40\n", on("sphere:2"));
  expect_place(places, 0, 10, 20);
  expect_place(places, 1, -30, 40);
  EXPECT_EQ(read_text("a,b,c,d\nx,1,2,3\n", on("sphere:2 x torus:1")).points.size(), 1u);
  // They do not: file, column and what there is.
  for (const auto& [manifold, text, expected] :
       {std::tuple{
            "euclidean:3", "id,lat,lon\nus7000,1,2\n",
            "f: euclidean:3 needs 3 columns, and there are 3, but column 1 'id' holds no number in the "
            "first rows; give the column that is missing, or another ‹manifold›; numbers are in "
            "columns 2,3"},
        {"torus:3", "a,b,c\n1,2,west\n3,4,east\n",
         "f: torus:3 needs 3 columns, and there are 3, but column 3 'c' holds no number in the first rows; "
         "give "
         "the column that is missing, or another ‹manifold›; numbers are in columns 1,2"},
        {"ball:2", "0.1,a\n0.2,b\n",
         "f: ball:2 needs 2 columns, and there are 2, but column 2 holds no number in the first rows; give "
         "the "
         "column that is missing, or another ‹manifold›; numbers are in column 1"},
        {"sphere:2", "place,name\na,b\n",
         "f: sphere:2 needs 2 columns (latitude and longitude) or 3 (coordinates), and there are 2, but "
         "column "
         "1 'place' holds no number in the first rows; give a file with numbers in its columns"}}) {
    EXPECT_EQ(complaint(text, on(manifold)), expected);
  }
}

// One slip does not make a column text: it is told with its line, or skipped, and no other column is taken in
// its place.
TEST(TextColumns, ASlipIsNotOne) {
  const std::string text = "a,b,c\n1,0,0\n0,O,1\n0,0,1\n";
  EXPECT_TRUE(complaint(text, on("sphere:2")).starts_with("f:3:3: "));
  ReadOptions options = on("sphere:2");
  options.skip_invalid = true;
  const ReadPoints kept = read_text(text, options);
  ASSERT_EQ(kept.points.size(), 2u);
  EXPECT_EQ(kept.points[1][2], 1);
  // Nor do missing values, where there is a number somewhere.
  EXPECT_TRUE(complaint("a,b\n,1\n2,3\n", on("torus:2")).starts_with("f:2:1: "));
}

}  // namespace
}  // namespace riemflow
