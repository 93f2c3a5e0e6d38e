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
  expect_complaint(polygon("[[0,0],[10,0],[10,10],[0,10],[1,0]]"), "not closed");
  expect_complaint(polygon("[[0,0],[10,0],[0,0]]"), "3 positions");
  expect_complaint(polygon("[[0,0],[10,95],[10,10],[0,0]]"), "latitude is 95");
  expect_complaint(polygon("[[0,0],[1000,5],[10,10],[0,0]]"), "longitude is 1000");
  expect_complaint(polygon("[[0,0],\n[400,5],[10,10],[0,0]]"), "f.geojson:2:2: the longitude is 400");
  EXPECT_EQ(read(polygon("[[170,0],[190,0],[190,10],[170,0]]")).size(), 1u);
  EXPECT_EQ(read(polygon("[[-170,0],[-190,0],[-190,10],[-170,0]]")).size(), 1u);
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

TEST(GeoJsonPolygons, HolesMustBeInside) {
  const std::string inner = "[[2,2],[2,4],[4,4],[4,2],[2,2]]", touching = "[[4,4],[4,10],[6,10],[6,4],[4,4]]";
  EXPECT_EQ(read(polygon(kSquare + "," + inner + "," + touching))[0].size(), 3u);
  expect_complaint(polygon(kSquare + ",\n" + inner + ",\n[[20,2],[20,4],[24,4],[24,2],[20,2]]"),
                   "f.geojson:3:1: ring 3 of the polygon is a hole that lies outside the first ring");
  expect_complaint(polygon(kSquare + ",\n[[8,2],[8,4],[14,4],[14,2],[8,2]]"),
                   "f.geojson:2:1: ring 2 of the polygon is a hole that is not wholly inside the first ring");
  expect_complaint(polygon(kSquare + ",\n" + inner + ",\n[[3,3],[3,5],[5,5],[5,3],[3,3]]"),
                   "is a hole that overlaps another");
  expect_complaint(polygon(kSquare + ",[[-5,-5],[-5,15],[15,15],[15,-5],[-5,-5]]"),
                   "is not wholly inside the first ring");
}

TEST(GeoJsonPolygons, MembersThatStandTwice) {
  expect_complaint(
      R"({"type":"Feature","geometry":)" + polygon(kSquare) + ",\n\"geometry\":" + polygon(kSquare) + "}",
      "f.geojson:2:1: 'geometry' for the second time");
  expect_complaint(R"({"type":"Polygon","type":"Polygon","coordinates":[]})", "'type' for the second time");
  EXPECT_EQ(read(R"({"name":1,"name":2,)" + polygon(kSquare).substr(1)).size(), 1u);
}

TEST(GeoJsonPolygons, CoordinateSystems) {
  const auto with = [](const std::string& crs) {
    return R"({"crs":)" + crs + "," + polygon(kSquare).substr(1);
  };
  const auto named = [&](const std::string& name) {
    return with(R"({"type":"name","properties":{"name":")" + name + R"("}})");
  };
  for (const char* name :
       {"urn:ogc:def:crs:OGC:1.3:CRS84", "EPSG:4326", "urn:ogc:def:crs:EPSG::4326", "OGC:CRS84"})
    EXPECT_EQ(read(named(name)).size(), 1u) << name;
  EXPECT_EQ(read(with("null")).size(), 1u);
  for (const char* name : {"EPSG:3857", "urn:ogc:def:crs:EPSG::3857", "", "EPSG:14326"})
    expect_complaint(named(name),
                     "the coordinate system is '" + std::string(name) + "'; give longitude and latitude");
  expect_complaint(with(R"({"type":"link","properties":{"href":"x"}})"),
                   "the coordinate system is not named");
  expect_complaint(with("3857"), "the coordinate system is no object");
  // A member of a feature's properties is anyone's.
  EXPECT_EQ(read(R"({"type":"Feature","properties":{"crs":"x"},"geometry":)" + polygon(kSquare) + "}").size(),
            1u);
}

TEST(GeoJsonPolygons, DeepNestingIsRefused) {
  expect_complaint(R"({"type":"Polygon","coordinates":)" + std::string(1000000, '['), "");
  std::string collections;
  for (int i = 0; i < 100000; ++i) collections += R"({"type":"GeometryCollection","geometries":[)";
  expect_complaint(collections, "");
}

}  // namespace
}  // namespace riemflow
