#include "riemflow/io/geojson_polygons.hpp"

#include <gtest/gtest.h>

#include <string>

#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

const std::string kSquare = "[[0,0],[10,0],[10,10],[0,10],[0,0]]";

std::string polygon(const std::string& rings) {
  return R"({"type":"Polygon","coordinates":[)" + rings + "]}";
}

std::vector<Polygon> read(const std::string& text) {
  return read_geojson_polygons_in(text, "f.geojson").polygons;
}

/// The message of the Error that reading throws.
std::string polygon_complaint(const std::string& text) {
  try {
    read(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::bad_data);
    return error.what();
  }
  ADD_FAILURE() << "was accepted: " << text.substr(0, 100);
  return "";
}

void expect_complaint(const std::string& text, const std::string& part) {
  const std::string said = polygon_complaint(text);
  EXPECT_NE(said.find(part), std::string::npos) << said;
  EXPECT_TRUE(said.starts_with("f.geojson:")) << said;
}

TEST(GeoJsonPolygons, AllKinds) {
  EXPECT_EQ(read(polygon(kSquare)).size(), 1u);
  EXPECT_EQ(read(polygon(kSquare))[0][0].size(), 4u);
  EXPECT_EQ(read(polygon(kSquare + "," + kSquare))[0].size(), 2u);
  EXPECT_EQ(read(R"({"coordinates":[[)" + kSquare + "],[" + kSquare + R"(]],"type":"MultiPolygon"})").size(),
            2u);
  const std::string feature =
      R"({"properties":{"name":"x","deep":[[{}]]},"geometry":)" + polygon(kSquare) + R"(,"type":"Feature"})";
  EXPECT_EQ(read(feature).size(), 1u);
  EXPECT_EQ(read(R"({"type":"FeatureCollection","features":[)" + feature + "," + feature + "]}").size(), 2u);
  EXPECT_EQ(read(R"({"type":"GeometryCollection","geometries":[)" + polygon(kSquare) + "]}").size(), 1u);
  const LonLat corner = read(polygon("[[0,0],[10,5,99],[10,10],[0,0]]"))[0][0][1];  // with a height
  EXPECT_EQ(corner.longitude, 10);
  EXPECT_EQ(corner.latitude, 5);
}

TEST(GeoJsonPolygons, OthersAreLeftOutAndCounted) {
  const GeoPolygons found = read_geojson_polygons_in(
      R"({"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]},)" +
          polygon(kSquare) + R"(,{"type":"Feature","geometry":null}]})",
      "f.geojson");
  EXPECT_EQ(found.polygons.size(), 1u);
  EXPECT_EQ(found.remarks.size(), 2u);
}

TEST(GeoJsonPolygons, Complaints) {
  expect_complaint("", "the file ends");
  expect_complaint("garbage", "");
  expect_complaint("[1,2]", "no object");
  expect_complaint(polygon(kSquare).substr(0, 40), "file ends");
  expect_complaint(polygon(kSquare) + "x", "");
  expect_complaint(polygon("[[0,0],[10,0],[10,10],[0,10]]"), "not closed");
  expect_complaint(polygon("[[0,0],[10,0],[0,0]]"), "3 positions");
  expect_complaint(polygon("[[0,0],[10,95],[10,10],[0,0]]"), "latitude is 95");
  expect_complaint(polygon("[[0,0],[1000,5],[10,10],[0,0]]"), "longitude is 1000");
  expect_complaint(polygon("[[0,0],[1e999,5],[10,10],[0,0]]"), "longitude is inf");
  expect_complaint(polygon("[[0,0],[10],[10,10],[0,0]]"), "no position");
  expect_complaint(polygon("[[0,0],\"a\",[10,10],[0,0]]"), "no position");
  expect_complaint(polygon("3"), "ring");
  expect_complaint(R"({"type":"Polygn","coordinates":[]})", "perhaps you meant Polygon");
  expect_complaint(R"({"type":"Polygon"})", "without 'coordinates'");
  expect_complaint(R"({"type":"Polygon","coordinates":3})", "no array");
  expect_complaint(R"({"coordinates":[]})", "without 'type'");
  expect_complaint(R"({"type":"Point","coordinates":[1,2]})", "no polygon");
  expect_complaint(R"({"type":"Polygon","coordinates":[]})", "no polygon");
  expect_complaint("\n\n" + polygon("[[0,0],[10,95],[10,10],[0,0]]"), "f.geojson:3:");
  expect_complaint(R"({"type":"FeatureCollection","features":[1]})", "no object");
}

TEST(GeoJsonPolygons, DeepNestingIsRefused) {
  expect_complaint(R"({"type":"Polygon","coordinates":)" + std::string(1000000, '['), "");
  std::string collections;
  for (int i = 0; i < 100000; ++i) collections += R"({"type":"GeometryCollection","geometries":[)";
  expect_complaint(collections, "");
}

}  // namespace
}  // namespace riemflow
