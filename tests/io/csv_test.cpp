// What delimited text may look like, and the points it means.

#include <numbers>

#include "tests/io/reading.hpp"

namespace riemflow {
namespace {

using std::numbers::pi;

/// Two places, in whatever guise.
void expect_two(const ReadPoints& data) {
  ASSERT_EQ(data.points.size(), 2u);
  EXPECT_EQ(data.assumptions.manifold, "sphere:2");
  expect_place(data, 0, 38.5, -44.25);
  expect_place(data, 1, -10, 170);
}

TEST(Csv, Delimiters) {
  const std::pair<const char*, char> cases[] = {
      {"lat,lon\n38.5,-44.25\n-10,170\n", ','},
      {"lat\tlon\n38.5\t-44.25\n-10\t170\n", '\t'},
      {"lat;lon\n38.5;-44.25\n-10;170\n", ';'},
      {"lat|lon\n38.5|-44.25\n-10|170\n", '|'},
      {"lat lon\n38.5 -44.25\n-10 170\n", ' '},
      {"   lat      lon\n  38.5   -44.25\n   -10      170  \n", ' '},
      {"lat, lon\n38.5, -44.25\n-10, 170\n", ','},
      {"lat ; lon\n38.5 ; -44.25\n-10 ; 170\n", ';'}};
  for (const auto& [text, delimiter] : cases) {
    SCOPED_TRACE(text);
    const ReadPoints data = read_text(text);
    expect_two(data);
    EXPECT_EQ(data.assumptions.delimiter, delimiter);
    EXPECT_EQ(data.assumptions.format, delimiter == '\t' ? "tsv" : "csv");
  }
}

TEST(Csv, DecimalCommas) {
  for (const char* text : {"lat;lon\n38,5;-44,25\n-10;170\n", "lat\tlon\n38,5\t-44,25\n-10\t170\n",
                           "lat lon\n38,5 -44,25\n-10 170\n"}) {
    SCOPED_TRACE(text);
    const ReadPoints data = read_text(text);
    expect_two(data);
    EXPECT_TRUE(data.assumptions.decimal_comma);
  }
  EXPECT_FALSE(read_text("lat;lon\n38.5;-44.25\n-10;170\n").assumptions.decimal_comma);
  EXPECT_FALSE(read_text("lat;lon;count\n38.5;-44.25;1,234\n").assumptions.decimal_comma);
  // As many commas as a file of three columns would have.
  expect_place(read_text("48,25;11,5\n47,5;10,25\n"), 1, 47.5, 10.25);
}

TEST(Csv, HeaderNames) {
  for (const char* header :
       {"lat,lon", "LATITUDE,LONGITUDE", "Latitude,Longitude", "lat,long", "lat,lng", "Lat , Lng",
        "latitude_deg,lon_deg", "\"lat\",\"lon\"", "Latitude (deg),Longitude (deg)",
        "decimalLatitude,decimalLongitude", "dec,ra", "DEC,RA", "reclat,reclong",
        "Latitude [°],Longitude [°]", "latitude °,longitude °"}) {
    SCOPED_TRACE(header);
    const ReadPoints data = read_text(std::string(header) + "\n38.5,-44.25\n-10,170\n");
    expect_two(data);
    EXPECT_EQ(data.assumptions.header_line, 1u);
    EXPECT_EQ(data.lines, (std::vector<std::uint64_t>{2, 3}));
  }
}

TEST(Csv, NamesDecideWhichIsLatitude) {
  expect_two(read_text("id,lon,depth,lat\na,-44.25,3,38.5\nb,170,4,-10\n"));
  expect_two(read_text("lon,lat\n-44.25,38.5\n170,-10\n", columns("lon,lat")));
  expect_two(read_text("lon,lat\n-44.25,38.5\n170,-10\n", columns("1,2")));
  expect_two(read_text("X,Y\n-44.25,38.5\n170,-10\n", columns("X,Y", "sphere:2")));
}

TEST(Csv, NamesThatDoNotTellLeaveTheOrderGiven) {
  const std::string text = "dec,inc\n-44.25,38.5\n170,-10\n";
  const ReadPoints chosen = read_text(text, columns("inc,dec"));
  expect_two(chosen);
  EXPECT_EQ(chosen.assumptions.sentences()[1],
            "Columns as chosen, in the order given: latitude = 2 'inc', longitude = 1 'dec'; in degrees.");
  expect_place(read_text(text.substr(0, text.find("170")), columns("dec,inc")), 0, -44.25, 38.5);
  EXPECT_TRUE(
      complaint(text, on("sphere:2"))
          .starts_with("f: column 1 'dec' is a latitude beside a right ascension, but a longitude beside an "
                       "inclination; give latitude and longitude in this order, as in ‹columns› 2,1"));
  const ReadPoints told = read_text("lon,lat\n-44.25,38.5\n170,-10\n", columns("lon,lat"));
  EXPECT_EQ(
      told.assumptions.sentences()[1],
      "Columns as chosen, told apart by their names: latitude = 2 'lat', longitude = 1 'lon'; in degrees.");
  expect_two(read_text("ra,dec\n-44.25,38.5\n170,-10\n", columns("ra,dec")));
}

TEST(Csv, WestAndSouthAreNegated) {
  const ReadPoints data = read_text("Latitude,Longitude (°W)\n38.5,44.25\n-10,190\n");
  expect_two(data);
  EXPECT_EQ(data.assumptions.warnings.at(0),
            "column 2 'Longitude (°W)' is west by its name, so its numbers are negated; if they count east "
            "already, call it longitude.");
  expect_place(read_text("lat_s,lon\n10,170\n"), 0, -10, 170);
  expect_place(read_text("west longitude,S latitude\n10,20\n"), 0, -20, -10);
  expect_place(read_text("lat_rad,lon_w_rad\n0,1.5707963267948966\n"), 0, 0, -90);
  // With signs it may mean either.
  EXPECT_EQ(
      complaint("lat,lon_w\n38.5,44.25\n-10,-170\n"),
      "f:3:5: longitude (column 2, 'lon_w') is '-170' where a number from 0 is expected, west by the "
      "column's "
      "name; call the column longitude if it counts east, or leave out the signs; ‹skip-invalid› leaves out "
      "such rows");
  EXPECT_TRUE(complaint("lat_s,lon\n-10,170\n").starts_with("f:2:1: latitude (column 1, 'lat_s') is '-10'"));
}

TEST(Csv, AnglesOfManyTurns) {
  EXPECT_EQ(read_text("phi,psi\n10,-190\n").assumptions.warnings.size(), 0u);
  const ReadPoints data = read_text("phi,psi\n10,3600180\n", columns("phi,psi", "torus:2"));
  EXPECT_EQ(
      data.assumptions.warnings.at(0),
      "an angle in the first rows is 1e+04 turns; all are wrapped to one: are they angles, in degrees?");
  EXPECT_EQ(data.points[0][1], -pi);
  EXPECT_EQ(complaint("phi,psi\n10,1e18\n"),
            "f:2:4: angle 2 (column 2, 'psi') is '1e18' where an angle of at most 1000000 turns is expected; "
            "correct "
            "it, or choose columns of angles with ‹columns›; ‹skip-invalid› leaves out such rows");
  EXPECT_TRUE(complaint("phi_rad,psi_rad\n-7e6,0\n").starts_with("f:2:1: angle 1"));
}

TEST(Csv, ChosenColumns) {
  const std::string text = "a,b,c,d\nx,38.5,y,-44.25\nx,-10,y,170\n";
  expect_two(read_text(text, columns("2,4")));
  expect_two(read_text(text, columns("b,d")));
  expect_two(read_text(text, columns(" B , D ")));
  expect_two(read_text("x,38.5,y,-44.25\nx,-10,y,170\n", columns("2,4")));
  const ReadPoints data = read_text(text, columns("4,2", "euclidean:2"));
  EXPECT_EQ(data.points.values, (std::vector<double>{-44.25, 38.5, 170, -10}));
}

TEST(Csv, WithoutAHeaderTwoColumnsAreLatitudeAndLongitude) {
  const ReadPoints data = read_text("# comment\n38.5,-44.25\n-10,170\n");
  expect_two(data);
  EXPECT_EQ(data.assumptions.header_line, 0u);
  EXPECT_EQ(data.assumptions.columns_how, "assumed from their order");
}

TEST(Csv, NamesForAFileWithoutAHeader) {
  expect_two(read_text("-44.25,38.5\n170,-10\n", columns("lon,lat")));
  const ReadPoints data = read_text("38.5,-44.25\n-10,170\n", columns("Latitude,Longitude"));
  expect_two(data);
  EXPECT_EQ(data.assumptions.header_line, 0u);
  EXPECT_EQ(data.assumptions.sentences()[1],
            "Columns as chosen: latitude = 1 'Latitude', longitude = 2 'Longitude'; in degrees.");
  const ReadPoints radians = read_text("0.5,-1\n", columns("lat_rad,lon_rad"));
  EXPECT_EQ(radians.assumptions.units, Units::radians);
  EXPECT_EQ(read_text("0,90,180\n", columns("lat,lon,theta", "sphere:2 x torus:1")).points.values,
            (std::vector<double>{0, 1, 0, -pi}));
}

TEST(Csv, HeaderInACommentAsFdsnServicesWriteIt) {
  const ReadPoints data = read_text(
      "#EventID|Time|Latitude|Longitude|Depth/km|Place\n1|2020-01-01T00:00:00|38.5|-44.25|10|Here, there\n"
      "2|2020-01-02T00:00:00|-10|170|10|Nowhere\n");
  expect_two(data);
  EXPECT_EQ(data.assumptions.header_line, 1u);
  expect_two(read_text("# lat lon\n38.5 -44.25\n-10 170\n"));  // numpy.savetxt
  EXPECT_EQ(read_text("# lat lon depth\n38.5 -44.25\n").assumptions.header_line, 0u);
  // Prose is no header, even with as many commas.
  EXPECT_EQ(read_text("# lat first, then lon\n38.5,-44.25\n-10,170\n").assumptions.header_line, 0u);
}

TEST(Csv, LineEndsBomCommentsBlankLines) {
  for (const char* text :
       {"lat,lon\r\n38.5,-44.25\r\n-10,170\r\n", "lat,lon\r38.5,-44.25\r-10,170\r",
        "\xef\xbb\xbflat,lon\n38.5,-44.25\n-10,170", "\n\n# c\nlat,lon\n\n38.5,-44.25\n# c\n\n-10,170\n\n",
        " lat , lon \n 38.5 ,\t-44.25 \n -10,170\n",
        "\"lat\",\"lon\"\n\"38.5\",\"-44.25\"\n-10,\" 170\"\n"}) {
    SCOPED_TRACE(text);
    expect_two(read_text(text));
  }
  EXPECT_EQ(read_text("\n\n# c\nlat,lon\n\n38.5,-44.25\n# c\n\n-10,170\n\n").lines,
            (std::vector<std::uint64_t>{6, 9}));
}

TEST(Csv, QuotedTextWithDelimitersAndLines) {
  const ReadPoints data = read_text(
      "time,latitude,longitude,place\n2020,38.5,-44.25,\"10 km N of \"\"X\"\", "
      "CA\"\n2021,-10,170,\"two\nlines\"\n");
  expect_two(data);
  EXPECT_EQ(read_text("p,lat,lon\n\"a\nb\",1,2\nc,3,4\n").lines, (std::vector<std::uint64_t>{2, 4}));
}

TEST(Csv, TrailingDelimiters) {
  expect_two(read_text("lat,lon,\n38.5,-44.25,\n-10,170,\n"));
  expect_two(read_text("lat,lon\n38.5,-44.25,\n-10,170,\n"));
  expect_two(read_text("lat,lon,\n38.5,-44.25\n-10,170\n"));
  expect_two(read_text("38.5,-44.25,\n-10,170,\n"));
  // A last column that is empty at first is a column.
  EXPECT_EQ(read_text("lat,lon,\n1,2,\n3,4,x\n").points.size(), 2u);
}

TEST(Csv, PolesAndQuartersAreExact) {
  const ReadPoints data =
      read_text("lat,lon\n90,0\n90,123.456\n-90,-77.7\n0,0\n0,90\n0,180\n0,-180\n0,270\n0,-90\n0,360\n");
  const std::vector<double> expected = {0,  0, 1, 0,  0, 1, 0, 0,  -1, 1, 0,  0, 0, 1, 0,
                                        -1, 0, 0, -1, 0, 0, 0, -1, 0,  0, -1, 0, 1, 0, 0};
  EXPECT_EQ(data.points.values, expected);
}

TEST(Csv, OneRowAndEqualRowsAreData) {
  EXPECT_EQ(read_text("lat,lon\n10,20\n").points.size(), 1u);
  EXPECT_EQ(read_text("lat,lon\n10,20").points.size(), 1u);
  EXPECT_EQ(read_text("10,20").points.size(), 1u);
  const ReadPoints equal = read_text("lat,lon\n10,20\n10,20\n10,20\n");
  EXPECT_EQ(equal.points.size(), 3u);
  EXPECT_EQ(equal.skipped, 0u);
}

TEST(Csv, LongitudesOfBothHabits) {
  const ReadPoints data = read_text("lat,lon\n0,-180\n0,180\n0,360\n0,0\n90,17\n90,-33\n10,190\n10,-170\n");
  ASSERT_EQ(data.points.size(), 8u);
  for (std::size_t i = 0; i < 8; i += 2)
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(data.points[i][k], data.points[i + 1][k]) << i;
}

TEST(Csv, Radians) {
  expect_place(read_text("lat,lon\n0.5,-1\n", in(Units::radians)), 0, 0.5 * 180 / pi, -180 / pi);
  expect_place(read_text("lat_rad,lon_rad\n0.5,-1\n"), 0, 0.5 * 180 / pi, -180 / pi);
  expect_place(read_text("lat,lon\n1.5707963268,6.2831853072\n", in(Units::radians)), 0, 90, 0);
  const ReadPoints torus = read_text("phi,psi\n7,-4\n", in(Units::radians));
  EXPECT_NEAR(torus.points[0][0], 7 - 2 * pi, 1e-15);
  EXPECT_NEAR(torus.points[0][1], 2 * pi - 4, 1e-15);
}

TEST(Csv, UnitVectors) {
  const ReadPoints data = read_text("x,y,z\n0.6,0,0.8004\n0,-1,0\n");
  EXPECT_EQ(data.assumptions.manifold, "sphere:2");
  const double norm = std::hypot(0.6, 0.8004);
  EXPECT_NEAR(data.points[0][0], 0.6 / norm, 1e-15);
  EXPECT_NEAR(data.points[0][2], 0.8004 / norm, 1e-15);
  EXPECT_EQ(data.points[1][1], -1);
  EXPECT_EQ(read_text("1,0,0\n0,1,0\n", columns("1-3")).assumptions.manifold, "sphere:2");
  EXPECT_EQ(read_text("1,0,0,0\n0,1,0,0\n", on("sphere:3")).points.dimension, 4);
}

TEST(Csv, Torus) {
  const ReadPoints data = read_text("class,phi_deg,psi_deg\na,180,-180\nb,540,-190\nc,-60.5,359\n");
  EXPECT_EQ(data.assumptions.manifold, "torus:2");
  ASSERT_EQ(data.points.size(), 3u);
  EXPECT_EQ(data.points[0][0], -pi);
  EXPECT_EQ(data.points[0][1], -pi);
  EXPECT_EQ(data.points[1][0], -pi);
  EXPECT_NEAR(data.points[1][1], 170 * pi / 180, 1e-15);
  EXPECT_NEAR(data.points[2][0], -60.5 * pi / 180, 1e-15);
  EXPECT_NEAR(data.points[2][1], -pi / 180, 1e-15);
  EXPECT_EQ(read_text("id,chi1,chi2,chi3\na,1,2,300\n", on("torus:3")).points.dimension, 3);
  EXPECT_EQ(read_text("theta\n10\n", on("torus:1")).points.dimension, 1);
  EXPECT_EQ(read_text("10\n20\n", on("torus:1")).points.size(), 2u);
}

TEST(Csv, ColumnsThatAreAllAnglesSuggestATorus) {
  EXPECT_EQ(read_text("theta\n10\n").assumptions.manifold, "torus:1");
  const ReadPoints data = read_text("alpha,beta,gamma,delta,epsilon,zeta,chi\n-180,-90,0,90,180,270,360\n");
  EXPECT_EQ(data.assumptions.manifold, "torus:7");
  EXPECT_EQ(data.points.values, (std::vector<double>{-pi, -pi / 2, 0, pi / 2, -pi, -pi / 2, 0}));
  EXPECT_EQ(read_text("angle_1,angle_2\n10,20\n").assumptions.manifold, "torus:2");
  EXPECT_EQ(read_text("id,chi1,chi2\n1,10,20\n", columns("chi1,chi2")).assumptions.manifold, "torus:2");
  // Among other columns, or as spherical coordinates, they may be anything.
  EXPECT_THROW(read_text("alpha,mass\n10,20\n"), Error);
  EXPECT_THROW(read_text("theta,phi\n10,20\n"), Error);
}

TEST(Csv, BallEuclideanProduct) {
  EXPECT_EQ(read_text("x,y\n0.5,-0.5\n", on("ball:2")).points.values, (std::vector<double>{0.5, -0.5}));
  EXPECT_EQ(read_text("1,2,3,4\n", on("euclidean:4")).points.values, (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(read_text("x,y\n1.5,0\n", on("ball:2,K=-0.25")).points.values, (std::vector<double>{1.5, 0}));
  const ReadPoints product = read_text("lat,lon,t\n0,90,180\n", on("sphere:2 x torus:1"));
  ASSERT_EQ(product.points.dimension, 4);
  EXPECT_EQ(product.points.values, (std::vector<double>{0, 1, 0, -pi}));
  EXPECT_EQ(read_text("1,0,0,90\n", on("sphere:2 x torus:1")).points[0][3], pi / 2);
  const ReadPoints large = read_text("lat,lon\n0,90\n", on("sphere:2,K=0.25"));
  EXPECT_EQ(large.points.values, (std::vector<double>{0, 2, 0}));
}

TEST(Csv, HeaderOfUnknownNames) {
  EXPECT_EQ(read_text(",a,b\n0,1,2\n", columns("2,3", "euclidean:2")).points.values,
            (std::vector<double>{1, 2}));
  // NA is a value, so this is a row.
  EXPECT_NE(complaint("a,NA\n1,2\n", on("euclidean:2")).find("f:1:1: x (column 1) is 'a'"),
            std::string::npos);
}

TEST(Csv, NumericColumnsWhereTheyAreAsManyAsNeeded) {
  const ReadPoints data = read_text("1\tG\t10\t20\nb\tC\t30\t40\n", on("torus:2"));
  EXPECT_EQ(data.assumptions.columns_how, "that hold numbers only");
  EXPECT_EQ(data.assumptions.columns[0].number, 3u);
}

TEST(Csv, FormatsByOption) {
  ReadOptions options = columns("1,2");
  options.format = "tsv";
  expect_two(read_text("38.5\t-44.25\n-10\t170\n", options));
  EXPECT_THROW(read_text("38.5,-44.25\n-10,170\n", options), Error);
  options.format = "csv";
  expect_two(read_text("38.5,-44.25\n-10,170\n", options));
}

}  // namespace
}  // namespace riemflow
