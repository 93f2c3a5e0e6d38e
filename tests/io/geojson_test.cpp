#include "tests/io/reading.hpp"

namespace riemflow {
namespace {

const std::string kCollection = R"({"type": "FeatureCollection", "name": {"features": [1]}, "features": [
  {"type": "Feature", "properties": {"type": "x", "coordinates": [9, 9]},
   "geometry": {"type": "Point", "coordinates": [-44.25, 38.5, 10.0]}},
  {"type": "Feature", "geometry": null, "properties": null},
  {"type": "Feature", "geometry": {"type": "LineString", "coordinates": [[0, 0], [1, 1]]}, "properties": {}},
  {"type": "Feature", "geometry": {"type": "MultiPoint", "coordinates": [[170, -10], [190, 0]]}, "properties": {}},
  {"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [[[0, 0], [1, 1], [0, 1], [0, 0]]]}}
]})";

TEST(GeoJson, FeatureCollection) {
  const ReadPoints data = read_text(kCollection);
  ASSERT_EQ(data.points.size(), 3u);
  expect_place(data, 0, 38.5, -44.25);
  expect_place(data, 1, -10, 170);
  expect_place(data, 2, 0, -170);
  EXPECT_EQ(data.lines, (std::vector<std::uint64_t>{1, 4, 4}));
  EXPECT_EQ(data.assumptions.row, "feature");
  EXPECT_EQ(
      data.assumptions.sentences(),
      (std::vector<std::string>{
          "f is GeoJSON, with positions [longitude, latitude] in degrees.",
          "Points on sphere:2 (inferred; another can be given with ‹manifold›): (cos lat cos lon, cos lat "
          "sin lon, sin lat)."}));
  EXPECT_EQ(data.remarks,
            (std::vector<std::string>{
                "Passed over, being no points: 1 Feature without a geometry, 1 LineString, 1 Polygon."}));
}

TEST(GeoJson, EveryKindThatHoldsPoints) {
  for (
      const char* text :
      {R"({"type":"Point","coordinates":[20,10]})", R"({"coordinates":[20,10],"type":"Point"})",
       R"({"type":"MultiPoint","coordinates":[[20,10]]})", R"({"coordinates":[[20,10]],"type":"MultiPoint"})",
       R"({"type":"Feature","geometry":{"type":"Point","coordinates":[20,10]}})",
       R"({"geometry":{"coordinates":[20,10],"type":"Point"},"type":"Feature"})",
       R"({"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[20,10]}]})",
       R"({"geometries":[{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[20,10]}]}],
            "type":"GeometryCollection"})",
       R"({"features":[{"geometry":{"coordinates":[20,10],"type":"Point"},"type":"Feature"}],"type":"FeatureCollection"})",
       "\xef\xbb\xbf\n {\"type\":\"Point\",\"coordinates\":[20,10]}\n",
       R"({"type":"MultiPoint","coordinates":[[20,10]],"bbox":[0,0,1,1]})",
       R"({"type":"GeometryCollection","geometries":[{"coordinates":[],"type":"MultiPoint"},
            {"coordinates":[[[0,0],[1,1]]],"type":"Polygon"},{"type":"Point","coordinates":[2e1,1E1]}]})"}) {
    SCOPED_TRACE(text);
    const ReadPoints data = read_text(text);
    ASSERT_EQ(data.points.size(), 1u);
    expect_place(data, 0, 10, 20);
    EXPECT_EQ(data.lines[0], 1u);
  }
}

TEST(GeoJson, NoPoints) {
  EXPECT_EQ(complaint(R"({"type":"Polygon","coordinates":[[[0,0],[1,1],[0,1],[0,0]]]})"),
            "f: there is no point in it: only 1 Polygon; give a geometry of type Point or MultiPoint, as "
            "centroids are");
  EXPECT_EQ(complaint(R"({"type":"FeatureCollection","features":[]})"),
            "f: there is no point in it: it has no geometry; give a geometry of type Point or MultiPoint, as "
            "centroids are");
}

TEST(GeoJson, PositionsOutOfRange) {
  EXPECT_EQ(complaint("{\"type\":\"Point\",\n\"coordinates\":[20, 110]}"),
            "f:2:20: latitude of feature 1 is '110' where -90 to 90 degrees is expected; latitude and "
            "longitude seem to be "
            "swapped: GeoJSON wants [longitude, latitude]; ‹skip-invalid› leaves out such rows");
  EXPECT_NE(complaint(R"({"type":"Point","coordinates":[1000000, 10]})")
                .find("f:1:32: longitude of feature 1 is '1e+06'"),
            std::string::npos);
  EXPECT_NE(
      complaint(R"({"type":"Point","coordinates":[1e400, 10]})").find("longitude of feature 1 is 'inf'"),
      std::string::npos);
  for (const char* coordinates : {"[]", "[1]", "[null,1]", "[1,\"2\"]", "[[1,2],3]"})
    for (const char* order : {R"({"type":"Point","coordinates":%})", R"({"coordinates":%,"type":"Point"})"}) {
      std::string text = order;
      text.replace(text.find('%'), 1, coordinates);
      const std::string what = complaint(text);
      EXPECT_TRUE(what.find("a position without two numbers") != what.npos ||
                  what.find("coordinates of the wrong shape") != what.npos ||
                  what.find("no position where one is expected") != what.npos)
          << what;
    }
  const ReadPoints data =
      read_text(R"({"type":"MultiPoint","coordinates":[[0,95],[1,2],[],[3]]})", skipping());
  EXPECT_EQ(data.points.size(), 1u);
  EXPECT_EQ(data.skipped, 3u);
}

TEST(GeoJson, WrongStructure) {
  const std::pair<const char*, const char*> cases[] = {
      {"{\"type\":\"Pont\",\"coordinates\":[1,2]}",
       "f:1:9: 'Pont' is no type of GeoJSON; perhaps you meant Point?"},
      {"{\"type\":\"Topology\"}", "f:1:9: 'Topology' is no type of GeoJSON; give GeoJSON"},
      {"{\"type\":1}", "f:1:9: 'type' is no text"},
      {"{\"coordinates\":[1,2]}", "f:1:21: an object ends without a 'type'"},
      {"{\"type\":\"Point\"}", "f:1:16: a Point without coordinates; give [longitude, latitude]"},
      {"{\"type\":\"Point\",\"coordinates\":null}", "f:1:31: no position where one is expected"},
      {"{\"type\":\"Point\",\"coordinates\":[1,2],\"coordinates\":[1,2]}",
       "'coordinates' for the second time"},
      {"{\"coordinates\":[1,2],\"type\":\"MultiPoint\"}", "coordinates of the wrong shape in a MultiPoint"},
      {"{\"coordinates\":[[1,2]],\"type\":\"Point\"}", "coordinates of the wrong shape in a Point"},
      {"{\"type\":\"MultiPoint\",\"coordinates\":[1,2]}", "f:1:37: no position where one is expected"},
      {"{\"type\":\"FeatureCollection\",\"features\":{}}", "'features' is no array"},
      {"{\"type\":\"FeatureCollection\",\"features\":[1]}",
       "something other than an object in an array of objects"},
      {"{\"type\":\"Feature\",\"geometry\":3}", "'geometry' is neither an object nor null"},
      {"{\"type\":\"Point\",\"coordinates\":[1,2]", "the file ends where a comma or } is expected"},
      {"{\"type\":\"Point\",\"coordinates\":[1,2]} {}",
       "f:1:38: a second object after the end of the first; put all features into one FeatureCollection"},
      {"{\"type\":\"Point\",\"coordinates\":[1,2]} x", "'x' where the end of the file is expected"}};
  for (const auto& [text, what] : cases)
    EXPECT_NE(complaint(text).find(what), std::string::npos) << text << "\n" << complaint(text);
  ReadOptions options;
  options.format = "geojson";
  EXPECT_NE(complaint("[1]", options).find("f:1:1: a GeoJSON file is one object"), std::string::npos);
  EXPECT_NE(complaint("", options).find("f:1:1: the file is empty"), std::string::npos);
}

TEST(GeoJson, MembersThatStandTwice) {
  EXPECT_EQ(complaint("{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,2]},\n"
                      "\"geometry\":{\"type\":\"Point\",\"coordinates\":[3,4]}}"),
            "f:2:1: 'geometry' for the second time; give it once");
  EXPECT_EQ(complaint("{\"type\":\"Point\",\"type\":\"Point\",\"coordinates\":[1,2]}"),
            "f:1:17: 'type' for the second time; give it once");
}

TEST(GeoJson, CoordinateSystem) {
  const auto with = [](const std::string& name) {
    return "{\"type\":\"FeatureCollection\",\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"" + name +
           "\"}},\"features\":[{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,2]}}"
           "]}";
  };
  expect_place(read_text(with("urn:ogc:def:crs:OGC:1.3:CRS84")), 0, 2, 1);
  EXPECT_TRUE(
      complaint(with("urn:ogc:def:crs:EPSG::3857"))
          .starts_with("f:1:71: the coordinate system is 'urn:ogc:def:crs:EPSG::3857'; give longitude and "
                       "latitude in degrees"));
}

TEST(GeoJson, DepthBombs) {
  std::string text = R"({"type":"Polygon","coordinates":)";
  EXPECT_NE(complaint(text + std::string(5000000, '[')).find("more than 128 brackets are open"),
            std::string::npos);
  std::string nested;
  for (int i = 0; i < 100000; ++i) nested += R"({"type":"GeometryCollection","geometries":[)";
  EXPECT_NE(complaint(nested).find("more than 128 brackets are open"), std::string::npos);
}

TEST(GeoJson, OptionsThatMakeNoSense) {
  const char* text = R"({"type":"Point","coordinates":[20,10]})";
  EXPECT_EQ(error_of(text, columns("1,2")).fault(), Fault::usage);
  EXPECT_EQ(error_of(text, in(Units::radians)).fault(), Fault::usage);
  EXPECT_EQ(error_of(text, on("torus:2")).fault(), Fault::usage);
  EXPECT_NEAR(std::hypot(read_text(text, on("sphere:2,K=0.25")).points[0][2], 0.0),
              2 * std::sin(std::acos(-1.0) / 18), 1e-15);
}

}  // namespace
}  // namespace riemflow
