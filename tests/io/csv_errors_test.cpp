// What is wrong with delimited text, and where.

#include "tests/io/reading.hpp"

namespace riemflow {
namespace {

using namespace std::string_literals;

const std::string kSkip = "; ‹skip-invalid› leaves out such rows";

TEST(CsvErrors, MissingValues) {
  EXPECT_EQ(complaint("lat,lon\n1,2\n3,\n"),
            "f:3:3: longitude (column 2, 'lon') is '', a missing value; fill it in" + kSkip);
  EXPECT_EQ(complaint("lat,lon\n1,2\n NA ,4\n"),
            "f:3:2: latitude (column 1, 'lat') is 'NA', a missing value; fill it in" + kSkip);
  for (const char* missing : {"NaN", "null", "n/a"})
    EXPECT_NE(complaint("1,2\n"s + missing + ",4\n")
                  .find("f:2:1: latitude (column 1) is '"s + missing + "', a missing"),
              std::string::npos);
}

TEST(CsvErrors, TextInANumber) {
  EXPECT_EQ(complaint("lat,lon\n1,2\n3,4E\n"),
            "f:3:3: longitude (column 2, 'lon') is '4E', which is not a number; give decimal degrees such as "
            "-12.5, "
            "or choose "
            "other columns with ‹columns›" +
                kSkip);
  EXPECT_NE(complaint("lat,lon\n1,2\n3,\x1b[2J\n").find("is '\\x1b[2J'"), std::string::npos);
  EXPECT_NE(
      complaint("lat,lon\n1,2\n3," + std::string(100, '9') + "x\n").find("'" + std::string(40, '9') + "…'"),
      std::string::npos);
  EXPECT_EQ(
      complaint("lat,lon\n1,2\n3,inf\n"),
      "f:3:3: longitude (column 2, 'lon') is 'inf' where a finite number is expected; correct it" + kSkip);
  EXPECT_NE(complaint("lat,lon\n1,2\n3,-1e999\n").find("'-1e999' where a finite number is expected"),
            std::string::npos);
}

TEST(ReadingErrors, CarryPlaceAndValue) {
  struct Case {
    std::string text;
    ReadOptions options;
    std::uint64_t line, column;
    std::string value, setting;
  };
  const std::string geojson =
      R"({"type": "Point",
 "coordinates": [1, 99]})";
  for (const Case& c : {Case{"lat,lon\n1,2\n3, 4E\n", {}, 3, 4, "4E", ""},
                        {"lat,lon\n1,2\n95,3\n", {}, 3, 1, "95", ""},
                        {"lat,lon\n1,2\n3\n", {}, 3, 1, "", ""},
                        {"lat,lon\n1,\"2\n", {}, 2, 3, "", ""},
                        {geojson, {}, 2, 21, "99", ""},
                        {"lat,lon\n1,2\n", columns("lat,long"), 0, 0, "long", "columns"}}) {
    const Error error = error_of(c.text, c.options);
    EXPECT_EQ(error.fault(), Fault::bad_data);
    EXPECT_EQ(error.place().file, "f") << error.what();
    EXPECT_EQ(error.place().line, c.line) << error.what();
    EXPECT_EQ(error.place().column, c.column) << error.what();
    EXPECT_EQ(error.value(), c.value) << error.what();
    EXPECT_EQ(error.setting(), c.setting) << error.what();
    EXPECT_TRUE(error.problem().starts_with(error.place().text())) << error.what();
  }
  EXPECT_EQ(error_from([] { read_all(*open_points("/none/there.csv", {})); }).place().file,
            "/none/there.csv");
}

TEST(CsvErrors, AdviceKnowsWhatTheNumberShouldBe) {
  const auto advice = [](const char* text, const ReadOptions& options = {}) {
    return error_of(text, options).advice();
  };
  const std::string other = ", or choose other columns with ‹columns›" + kSkip;
  EXPECT_EQ(advice("lat,lon\n12°N,20\n"), "give decimal degrees such as -12.5" + other);
  EXPECT_EQ(advice("ra,dec\n12:30:00,45\n"), "give decimal degrees such as -12.5" + other);
  EXPECT_EQ(advice("lat,lon\nx,20\n", in(Units::radians)), "give radians such as -0.25" + other);
  EXPECT_EQ(advice("x,y\nx,20\n", on("euclidean:2")), "give a number such as -12.5" + other);
  EXPECT_EQ(advice("lat,lon\n1.5,2\n\"12,5\",20\n"),
            "write decimals with a point, as in the other rows" + kSkip);
  EXPECT_EQ(advice("lat;lon\n1,5;2\n12.5;20\n"), "write decimals with a point, as in the other rows" + kSkip);
}

TEST(CsvErrors, PlaceBehindAQuotedLineBreak) {
  EXPECT_NE(complaint("p,lat,lon\n\"a\nb\", 1 ,x\n").find("f:3:8: longitude (column 3, 'lon') is 'x'"),
            std::string::npos);
}

TEST(CsvErrors, RaggedRows) {
  const std::string advice =
      "; complete the row, quote text that holds the delimiter, or put # before a line that is no data" +
      kSkip;
  EXPECT_EQ(complaint("lat,lon\n1,2\n3\n"),
            "f:3:1: 1 field where 2 are expected, as in the header on line 1" + advice);
  EXPECT_EQ(complaint("1,2\n3,4\n\n5,6,7\n"), "f:4:1: 3 fields where 2 are expected, as on line 1" + advice);
  EXPECT_EQ(complaint("lat,lon\n1,2,3\n"),
            "f:2:1: 3 fields where 2 are expected, as in the header on line 1" + advice);
}

TEST(CsvErrors, LatitudeAndLongitudeOutOfRange) {
  EXPECT_EQ(complaint("lat,lon\n1,2\n-90.5,100\n"),
            "f:3:1: latitude (column 1, 'lat') is '-90.5' where -90 to 90 degrees is expected; give decimal "
            "degrees, "
            "south negative" +
                kSkip);
  EXPECT_EQ(complaint("1,2\n3,400\n"),
            "f:2:3: longitude (column 2) is '400' where -180 to 360 degrees is expected; give decimal "
            "degrees, west "
            "negative; projected coordinates must be turned into latitude and longitude first" +
                kSkip);
  EXPECT_NO_THROW(read_text("90,360\n-90,-180\n"));
  EXPECT_THROW(read_text("0,-180.001\n"), Error);
  EXPECT_THROW(read_text("0,360.001\n"), Error);
  EXPECT_THROW(read_text("90.001,0\n"), Error);
}

TEST(CsvErrors, InAFactorOfAProduct) {
  EXPECT_NE(complaint("t,lat,lon\n1,2,500\n", on("euclidean:1 x sphere:2"))
                .find("f:2:5: longitude (column 3, 'lon') is '500' where -180 to 360"),
            std::string::npos);
}

TEST(CsvErrors, SwappedColumnsAreSuspected) {
  EXPECT_EQ(
      complaint("-121,36\n-120.5,35\n"),
      "f:1:1: latitude (column 1) is '-121' where -90 to 90 degrees is expected; latitude and longitude "
      "seem to be swapped: say ‹columns› 2,1" +
          kSkip);
  EXPECT_EQ(error_of("id,lat,lon\na,120,35\nb,121,35\n").advice(),
            "latitude and longitude seem to be swapped: exchange their names in the header" + kSkip);
  EXPECT_EQ(error_of("t,lat,lon,a\n1,120,35,2\n1,121,35,2\n", columns("2-4", "sphere:2 x torus:1")).advice(),
            "latitude and longitude seem to be swapped: exchange their names in the header" + kSkip);
  EXPECT_EQ(error_of("lat,lon\n2,1\n3,1\n", in(Units::radians)).advice(),
            "latitude and longitude seem to be swapped: exchange their names in the header" + kSkip);
  EXPECT_EQ(error_of("a,lat,lon\n2,120,35\n3,121,35\n", on("torus:1 x sphere:2")).advice(),
            "latitude and longitude seem to be swapped: exchange their names in the header" + kSkip);
  EXPECT_EQ(error_of("2,120,35\n3,121,35\n", on("torus:1 x sphere:2")).advice(),
            "latitude and longitude seem to be swapped: say ‹columns› 1,3,2" + kSkip);
  EXPECT_EQ(error_of("120,35\n121,35\n", columns("lat,lon")).advice(),
            "latitude and longitude seem to be swapped: exchange their names in ‹columns›" + kSkip);
  // The advice works.
  expect_place(read_text("120,35\n121,35\n", columns("lon,lat")), 0, 35, 120);
  expect_place(read_text("-121,36\n-120.5,35\n", columns("2,1")), 0, 36, -121);
}

TEST(CsvErrors, OneLatitudeOutOfRangeMayBeASlip) {
  EXPECT_EQ(
      complaint("lat,lon\n10,20\n95,20\n"),
      "f:3:1: latitude (column 1, 'lat') is '95' where -90 to 90 degrees is expected; correct it, or if "
      "latitude and longitude are swapped exchange their names in the header" +
          kSkip);
  // Longitudes that could not be latitudes: this one or another.
  EXPECT_EQ(error_of("1,2\n-120.5,135\n").advice(), "give decimal degrees, south negative" + kSkip);
  EXPECT_EQ(error_of("1,135\n95,20\n96,20\n").advice(), "give decimal degrees, south negative" + kSkip);
}

TEST(CsvErrors, Radians) {
  EXPECT_NE(
      complaint("lat,lon\n1,2\n10,30\n", in(Units::radians))
          .find(
              "f:3:1: latitude (column 1, 'lat') is '10' where -π/2 to π/2 is expected; say ‹units› degrees"),
      std::string::npos);
  EXPECT_NE(complaint("lat,lon\n1,7\n", in(Units::radians)).find("'7' where -π to 2π is expected"),
            std::string::npos);
  const Error units = error_of("x,y\n0,0\n", in(Units::degrees, "ball:2"));
  EXPECT_EQ(units.fault(), Fault::usage);
  EXPECT_NE(complaint("phi_deg,psi_rad\n1,2\n").find("some columns are named as degrees and some as radians"),
            std::string::npos);
}

TEST(CsvErrors, NormsOnSphereAndBall) {
  EXPECT_EQ(
      complaint("x,y,z\n1,0,0\n0,2,0\n"),
      "f:3:1: three numbers of norm 2, so they are no unit vector; say what they are with ‹manifold›, as in "
      "‹manifold› euclidean:3, or divide each row by its norm");
  EXPECT_EQ(complaint("x,y,z\n1,0,0\n0,2,0\n", on("sphere:2")),
            "f:3:1: the point has norm 2 where 1 is expected, to 0.001 relative; divide each row by its norm "
            "if only its "
            "direction matters; for other data choose euclidean or ball with ‹manifold›" +
                kSkip);
  EXPECT_NO_THROW(read_text("x,y,z\n1.0009,0,0\n"));
  EXPECT_THROW(read_text("x,y,z\n1.0011,0,0\n", on("sphere:2")), Error);
  EXPECT_NE(complaint("x,y\n0.6,0.8\n", on("ball:2"))
                .find("f:2:1: the point has norm 1 where less than 1 is expected"),
            std::string::npos);
}

TEST(CsvErrors, NoColumnsToGoBy) {
  EXPECT_EQ(
      complaint("time,mag\n1,2\n"),
      "f: no columns with names that are known, as latitude and longitude, or x, y and z, are; there are 1 "
      "'time', 2 'mag'; choose by name or number, and say what they are, as in ‹columns› 1,2 ‹manifold› "
      "sphere:2 for latitude and longitude");
  EXPECT_EQ(complaint("a\tG\t1\t2\t3\n"),
            "f: 5 columns without a header to name them; choose by name or number, and say what they are, as "
            "in ‹columns› 3-5 ‹manifold› torus:3");
  EXPECT_NE(complaint("1,x,2,x,3\n").find("as in ‹columns› 1,3,5 ‹manifold› torus:3"), std::string::npos);
  EXPECT_NE(complaint("lat,depth\n1,2\n").find("there are 1 'lat', 2 'depth'"), std::string::npos);
  EXPECT_NE(complaint("a,b,c\n1,2,3\n1,2,x\n", on("euclidean:3"))
                .find("f:3:5: z (column 3, 'c') is 'x', which is not a number"),
            std::string::npos);
  EXPECT_NE(complaint("a,b,c,d\n1,2,x,4\n", on("torus:2"))
                .find("there are 1 'a', 2 'b', 3 'c', 4 'd', and torus:2 needs 2 columns; choose by name or "
                      "number, as in ‹columns› 1,2"),
            std::string::npos);
  EXPECT_EQ(complaint("lat,latitude,lon\n1,2,3\n"),
            "f: columns 1 'lat' and 2 'latitude' mean the same; choose with ‹columns›, as in ‹columns› 1,3");
}

TEST(CsvErrors, XAndYAreOfManyManifolds) {
  EXPECT_EQ(
      complaint("id,x,y\n1,0.5,0.25\n"),
      "f: x and y, columns 2,3, may be of any manifold of two coordinates; say what they are with "
      "‹manifold›, as in ‹manifold› sphere:2 for latitude and longitude, torus:2, ball:2 or euclidean:2");
  EXPECT_EQ(read_text("id,x,y\n1,0.5,0.25\n", on("ball:2")).points.values, (std::vector<double>{0.5, 0.25}));
}

TEST(CsvErrors, WrongDelimiter) {
  const std::string advice =
      "; put commas, tabs, semicolons, | or spaces between columns, and # before a line that is no data; a "
      "single column of angles is ‹manifold› torus:1";
  EXPECT_EQ(complaint("lat:lon\n10:20\n11:21\n"), "f: there is only one column, 'lat:lon'" + advice);
  EXPECT_EQ(complaint("1\n2\n"), "f: there is only one column" + advice);
  EXPECT_EQ(
      complaint("lat/lon\n10/20\n", on("sphere:2")),
      "f: there is only one column, 'lat/lon', and sphere:2 needs 2 columns (latitude and longitude) or "
      "3 (coordinates)" +
          advice);
  EXPECT_EQ(complaint("Earthquakes\nlat,lon\n10,20\n"),
            "f: there is only one column, 'Earthquakes'" + advice);
  // One row among others.
  EXPECT_NE(complaint("lat,lon\n10,20\n10;20\n").find("f:3:1: 1 field where 2 are expected"),
            std::string::npos);
  ReadOptions options;
  options.format = "tsv";
  EXPECT_EQ(complaint("lat,lon\n10,20\n", options), "f: there is only one column, 'lat,lon'" + advice);
}

TEST(CsvErrors, ColumnsThatAreNotThere) {
  EXPECT_EQ(complaint("time,latitude,lon\n1,2,3\n", columns("latitud,lon")),
            "f: there is no column 'latitud'; perhaps you meant 'latitude'? the columns are 1 'time', 2 "
            "'latitude', 3 'lon'");
  EXPECT_NE(complaint("1,2,3\n", columns("lat,lon"))
                .find("there is no column 'lat', nor a header that could name it"),
            std::string::npos);
  EXPECT_NE(complaint("lat,lon\n1,2\n", columns("1,3")).find("there is no column '3'"), std::string::npos);
  EXPECT_NE(complaint("a,a,b\n1,2,3\n", columns("a,b")).find("2 columns are named 'a'"), std::string::npos);
  for (const char* wrong : {"0,1", "1,,2", "1,1", "2-1", "1-2,2"})
    EXPECT_EQ(error_of("lat,lon\n1,2\n", columns(wrong)).fault(), Fault::usage) << wrong;
  EXPECT_NE(complaint("1,2,3,4\n", columns("1-4"))
                .find("4 columns of unknown meaning; say what they are with ‹manifold›"),
            std::string::npos);
  EXPECT_NE(complaint("1,2,3,4\n", columns("1-4", "torus:2")).find("4 columns, but torus:2 needs 2 columns"),
            std::string::npos);
  EXPECT_NE(complaint("1,2,3,4\n", columns("1-4", "sphere:2"))
                .find("sphere:2 needs 2 columns (latitude and longitude) or 3 (coordinates)"),
            std::string::npos);
}

TEST(CsvErrors, NothingToRead) {
  EXPECT_EQ(complaint(""), "f:1:1: the file is empty; give one point per line");
  EXPECT_EQ(complaint("\n\n# x\n"),
            "f:1:1: there is nothing but blank lines and comments; give one point per line");
  EXPECT_EQ(complaint("# x\nlat,lon\n\n"),
            "f:2:1: there is no row after the header; give one point per line");
}

TEST(CsvErrors, NotText) {
  EXPECT_EQ(complaint("lat,lon\n1,\0\n"s),
            "f:2:3: a zero byte: this is not text; give CSV, TSV, NPY or GeoJSON; save UTF-16 text as UTF-8");
  // Far behind what is looked at when the file is opened.
  std::string far = "lat,lon\n";
  for (int i = 0; i < 300000; ++i) far += "1,2\n";
  EXPECT_NE(complaint(far + "3,\0\n"s).find("f:300002:3: a zero byte"), std::string::npos);
}

TEST(CsvErrors, Quotes) {
  EXPECT_EQ(complaint("p,lat,lon\na,1,2\n\"b,3,4\n"),
            "f:3:1: a quote is opened and never closed; close it, or remove it");
  EXPECT_EQ(complaint("p,lat,lon\na,1,2\n\"b\"c,3,4\nd,5,6\n"),
            "f:3:4: 'c,3,4' after a closing quote; a quote inside a quoted field is written twice");
  EXPECT_EQ(complaint("\"b\n"), "f:1:1: a quote is opened and never closed; close it, or remove it");
}

TEST(CsvErrors, RowsWithoutEnd) {
  std::string text = "p,lat,lon\na,1,2\n\"";
  text += std::string(3 << 20, 'x');
  EXPECT_NE(complaint(text).find("f:3:1: a row of more than 1048576 bytes; close a quote that may be open"),
            std::string::npos);
  EXPECT_NE(complaint(std::string(3 << 20, 'x')).find("f:1:1: no row ends within the first 1048576 bytes"),
            std::string::npos);
}

TEST(CsvErrors, SkippedRowsAreCounted) {
  const std::string text = "lat,lon\n1,2\nx,2\n,\n95,0\n1\n1,2,3\n3,4\n";
  const ReadPoints data = read_text(text, skipping());
  EXPECT_EQ(data.points.size(), 2u);
  EXPECT_EQ(data.lines, (std::vector<std::uint64_t>{2, 8}));
  EXPECT_EQ(data.skipped, 5u);
  ASSERT_EQ(data.remarks.size(), 1u);
  EXPECT_EQ(data.remarks[0],
            "5 rows skipped; the first: f:3:1: latitude (column 1, 'lat') is 'x', which is not a number.");
  EXPECT_EQ(complaint("lat,lon\nx,2\n", skipping()),
            "f: there is no point in it: every row was skipped; the first one: f:2:1: latitude (column 1, "
            "'lat') is "
            "'x', which is not "
            "a number");
  EXPECT_TRUE(read_text("lat,lon\n1,2\n").remarks.empty());
}

TEST(CsvErrors, UnknownManifoldsAndFormats) {
  EXPECT_EQ(error_of("1,2\n", on("shpere:2")).fault(), Fault::configuration);
  ReadOptions options;
  options.format = "geojsn";
  const Error e = error_of("1,2\n", options);
  EXPECT_EQ(e.fault(), Fault::usage);
  EXPECT_STREQ(
      e.what(),
      "unknown format 'geojsn'; perhaps you meant geojson? the formats are csv, tsv, npy and geojson");
}

}  // namespace
}  // namespace riemflow
