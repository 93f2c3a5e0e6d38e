// The column of weights in each format: what is read, what is said of it, and what is refused.

#include <limits>

#include "tests/io/reading.hpp"

namespace riemflow {
namespace {

ReadOptions weighing(std::string column, std::string manifold = "") {
  ReadOptions options = on(std::move(manifold));
  options.weights = std::move(column);
  return options;
}

/// The sentence about the weights; empty: there is none.
std::string said_of_weights(const ReadPoints& data) {
  for (const std::string& sentence : data.assumptions.sentences())
    if (sentence.starts_with("Weights")) return sentence;
  return "";
}

TEST(WeightColumn, ByNameAndNumberInText) {
  const std::string csv = "lat,lon,Mass\n10,20,2\n-5,30,0.5\n0,0,0\n";
  const Weights expected{2, 0.5, 0};
  for (const char* column : {"Mass", "mass", " mass ", "3"}) {
    const ReadPoints data = read_text(csv, weighing(column));
    EXPECT_EQ(data.weights, expected) << column;
    EXPECT_EQ(said_of_weights(data), "Weights of the points: column 3 'Mass'.");
    expect_place(data, 1, -5, 30);
  }
  EXPECT_EQ(read_text("mass\tlat\tlon\n2\t10\t20\n0.5\t-5\t30\n0\t0\t0\n", weighing("mass")).weights,
            expected);
  EXPECT_EQ(read_text("lat;lon;mass\n10,5;20;2\n-5;30,5;0,5\n0,5;0;0\n", weighing("mass")).weights, expected);
  const ReadPoints none = read_text(csv);
  EXPECT_TRUE(none.weights.empty());
  EXPECT_EQ(said_of_weights(none), "");
}

TEST(WeightColumn, InAnyPlaceOfTextWithoutAHeader) {
  // Two columns are left, which are latitude and longitude by their order.
  const ReadPoints last = read_text("10,20,2\n-5,30,0.5\n", weighing("3"));
  EXPECT_EQ(last.weights, (Weights{2, 0.5}));
  expect_place(last, 1, -5, 30);
  EXPECT_EQ(said_of_weights(last), "Weights of the points: column 3.");
  const ReadPoints first = read_text("2,10,20\n0.5,-5,30\n", weighing("1"));
  EXPECT_EQ(first.weights, (Weights{2, 0.5}));
  expect_place(first, 1, -5, 30);
  const ReadPoints middle = read_text("1,7,2,3\n4,8,5,6\n", weighing("2", "euclidean:3"));
  EXPECT_EQ(middle.points.values, (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(middle.weights, (Weights{7, 8}));
}

TEST(WeightColumn, ANameThatIsAskedForMakesAHeader) {
  // The first row holds a number, so that only the name tells.
  EXPECT_EQ(read_text("a,b,c,2020\n1,2,3,4\n", weighing("c", "euclidean:3")).weights, (Weights{3}));
}

TEST(WeightColumn, IsNoCoordinate) {
  ReadOptions both = weighing("lon");
  both.columns = "lat,lon";
  const Error error = error_of("lat,lon,mass\n1,2,3\n", both);
  EXPECT_EQ(error.fault(), Fault::usage);
  EXPECT_EQ(error.problem(), "column 2 'lon' is named in both ‹columns› and ‹weights›");
  // One that would be a coordinate by its name is none, and another of this meaning takes its place.
  const ReadPoints other = read_text("lat,latitude,lon\n9,1,2\n9,3,4\n", weighing("lat"));
  expect_place(other, 1, 3, 4);
  EXPECT_EQ(
      complaint("lat,lon\n1,2\n", weighing("lat")),
      "f: no columns with names that are known, as latitude and longitude, or x, y and z, are; there are "
      "1 'lat', 2 'lon', of which column 1 is the weight; choose by name or number, and say what they "
      "are, as in ‹columns› 2,3 ‹manifold› sphere:2 for latitude and longitude");
}

TEST(WeightColumn, IsSuggestedWhereItIsNearlyNamed) {
  const Error error = error_of("lat,lon,mass\n1,2,3\n", weighing("masse"));
  EXPECT_EQ(error.fault(), Fault::bad_data);
  EXPECT_EQ(error.setting(), "weights");
  EXPECT_STREQ(error.what(),
               "f: there is no column 'masse'; perhaps you meant 'mass'? the columns are 1 'lat', 2 'lon', 3 "
               "'mass'");
  EXPECT_EQ(complaint("lat,lon\n1,2\n", weighing("3")),
            "f: there is no column '3'; the columns are 1 'lat', 2 'lon'");
  EXPECT_EQ(complaint("1,2,3\n", weighing("mass")),
            "f: there is no column 'mass', nor a header that could name it; the columns are 1, 2, 3");
  EXPECT_EQ(error_of("lat,lon\n1,2\n", weighing("0")).problem(), "‹weights›: there is no column 0");
  EXPECT_EQ(complaint("lat,lon,w,W\n1,2,3,4\n", weighing("w")),
            "f: 2 columns are named 'w'; choose by number, as in ‹weights› 3");
}

TEST(WeightColumn, BadWeightsInText) {
  const auto of = [](const char* weight) {
    return complaint(std::string("lat,lon,mass\n1,2,3\n4,5,") + weight + "\n", weighing("mass"));
  };
  const std::string advice =
      "; give a number from 0, with 0 for a row that does not count; ‹skip-invalid› leaves out such rows";
  EXPECT_EQ(of("-1"),
            "f:3:5: weight (column 3, 'mass') is '-1' where a finite number from 0 is expected" + advice);
  EXPECT_EQ(of("nan"), "f:3:5: weight (column 3, 'mass') is 'nan', a missing value" + advice);
  EXPECT_EQ(of(""), "f:3:5: weight (column 3, 'mass') is '', a missing value" + advice);
  EXPECT_EQ(of("inf"),
            "f:3:5: weight (column 3, 'mass') is 'inf' where a finite number is expected" + advice);
  EXPECT_EQ(of("heavy"), "f:3:5: weight (column 3, 'mass') is 'heavy', which is not a number" + advice);
  EXPECT_EQ(error_of("lat,lon,mass\n1,2,-7\n", weighing("mass")).value(), "-7");
  ReadOptions skipping = weighing("mass");
  skipping.skip_invalid = true;
  const ReadPoints data = read_text("lat,lon,mass\n1,2,3\n4,5,-1\n6,7,8\n", skipping);
  EXPECT_EQ(data.weights, (Weights{3, 8}));
  EXPECT_EQ(data.skipped, 1u);
}

TEST(WeightColumn, InArrays) {
  const std::string file = npy_file<double>({2, 4}, {1, 0, 0, 2.5, 0, 0.6, 0.8, 0});
  const ReadPoints data = read_text(file, weighing("4"));
  EXPECT_EQ(data.assumptions.manifold, "sphere:2");
  EXPECT_EQ(data.points.values, (std::vector<double>{1, 0, 0, 0, 0.6, 0.8}));
  EXPECT_EQ(data.weights, (Weights{2.5, 0}));
  EXPECT_EQ(read_text(npy_file<float>({1, 3}, {0.5f, 10, 20}), weighing("1", "sphere:2")).weights,
            (Weights{0.5}));
  EXPECT_EQ(complaint(file, weighing("mass")),
            "f: there is no column 'mass', nor a header that could name it; the columns are 1, 2, 3, 4");
  EXPECT_EQ(
      complaint(npy_file<float>({1, 4}, {1, 0, 0, -0.25f}), weighing("4")),
      "f:1:4: weight (column 4) is '-0.25' where a finite number from 0 is expected; give a number from 0, "
      "with 0 for a row that does not count; ‹skip-invalid› leaves out such rows");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(
      complaint(npy_file<double>({1, 4}, {1, 0, 0, nan}), weighing("4")).find("weight (column 4) is 'nan'"),
      std::string::npos);
}

TEST(WeightColumn, InColumnsInMemory) {
  Points<double> numbers(2, 3);
  numbers.values = {2, 10, 20, 0.5, -5, 30};
  const auto source = open_columns({"mass", "lat", "lon"}, numbers, "frame", weighing("mass"));
  const ReadPoints data = read_all(*source);
  EXPECT_EQ(data.weights, (Weights{2, 0.5}));
  expect_place(data, 1, -5, 30);
  numbers.values[3] = -1;
  EXPECT_EQ(error_from([&] {
              read_all(*open_columns({"mass", "lat", "lon"}, numbers, "frame", weighing("mass")));
            }).problem(),
            "frame:2:1: weight (column 1, 'mass') is '-1' where a finite number from 0 is expected");
}

TEST(WeightColumn, ChunksKeepTheirWeights) {
  const auto source = open_points_in("lat,lon,mass\n1,2,3\n4,5,6\n7,8,9\n", "f", weighing("mass"));
  Points<double> chunk;
  Weights weights;
  ASSERT_TRUE(source->next(2, chunk, nullptr, &weights));
  EXPECT_EQ(weights, (Weights{3, 6}));
  ASSERT_TRUE(source->next(2, chunk, nullptr, &weights));
  EXPECT_EQ(weights, (Weights{9}));
}

std::string feature(const std::string& members) { return R"({"type":"Feature",)" + members + "}"; }
std::string collection(const std::string& features) {
  return R"({"type":"FeatureCollection","features":[)" + features + "]}";
}

TEST(WeightColumn, IsAPropertyOfFeaturesOnEitherSideOfTheirGeometry) {
  const std::string text = collection(
      feature(R"("properties":{"a":[1],"mass":2},"geometry":{"type":"Point","coordinates":[20,10]})") + "," +
      feature(
          R"("geometry":{"type":"MultiPoint","coordinates":[[30,-5],[31,-6]]},"properties":{"mass":0.5})") +
      "," + R"({"geometry":{"type":"Point","coordinates":[1,1]},"properties":{"mass":0},"type":"Feature"})");
  const ReadPoints data = read_text(text, weighing("mass"));
  EXPECT_EQ(data.weights, (Weights{2, 0.5, 0.5, 0}));
  EXPECT_EQ(data.lines, (std::vector<std::uint64_t>{1, 2, 2, 3}));
  expect_place(data, 2, -6, 31);
  EXPECT_EQ(said_of_weights(data), "Weights of the points: property 'mass'.");
  EXPECT_EQ(read_text(feature(R"("geometry":{"type":"Point","coordinates":[20,10]},"properties":{"mass":7})"),
                      weighing("mass"))
                .weights,
            (Weights{7}));
}

TEST(WeightColumn, BadProperties) {
  const auto of = [](const std::string& properties) {
    return complaint(collection(feature(R"("geometry":{"type":"Point","coordinates":[20,10]})" + properties)),
                     weighing("mass"));
  };
  const std::string advice =
      "; give a number from 0 without quotes, with 0 for a feature that does not count; ‹skip-invalid› "
      "leaves out "
      "such rows";
  EXPECT_EQ(
      of(R"(,"properties":{"mass":-1})"),
      "f:1:130: weight (property 'mass') of feature 1 is '-1' where a finite number from 0 is expected" +
          advice);
  EXPECT_EQ(of(R"(,"properties":{"mass":"7"})"),
            "f:1:130: weight (property 'mass') of feature 1 is '7', which is not a number" + advice);
  EXPECT_EQ(of(R"(,"properties":{"mass":null})"),
            "f:1:130: weight (property 'mass') of feature 1 is 'null', which is not a number" + advice);
  EXPECT_EQ(of(R"(,"properties":{"depth":3,"mas":1})"),
            "f:1:100: feature 1 has no property 'mass'; perhaps you meant 'mas'? its properties are 'depth', "
            "'mas'; "
            "‹skip-invalid› leaves out such rows");
  EXPECT_EQ(
      of(""),
      "f:1:100: feature 1 has no property 'mass'; it has no properties: weights are numbers in those of each "
      "feature; ‹skip-invalid› leaves out such rows");
  EXPECT_NE(of(R"(,"properties":{"mass":1,"mass":2})").find("the property 'mass' for the second time"),
            std::string::npos);
  // Not those of the feature before.
  const std::string second = complaint(
      collection(feature(R"("geometry":{"type":"Point","coordinates":[20,10]},"properties":{"mass":1})") +
                 "," + feature(R"("geometry":{"type":"Point","coordinates":[2,1]})")),
      weighing("mass"));
  EXPECT_NE(second.find("feature 2 has no property 'mass'; it has no properties"), std::string::npos)
      << second;
}

}  // namespace
}  // namespace riemflow
