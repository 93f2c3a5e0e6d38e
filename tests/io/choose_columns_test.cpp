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
        {"sphere:2", "id,chi1,chi2\na,10,20\n", "2 'chi1'", "an angle", "a coordinate"},
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
    EXPECT_NE(error.advice().find("--columns "), std::string::npos);
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

}  // namespace
}  // namespace riemflow
