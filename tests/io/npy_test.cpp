// NPY files as numpy writes them, and as no program should.

#include "riemflow/io/npy.hpp"

#include <cstring>
#include <limits>
#include <numbers>

#include "riemflow/io/npy_array.hpp"
#include "tests/io/reading.hpp"

namespace riemflow {
namespace {

using namespace std::string_literals;
using std::numbers::pi;

/// An NPY file of any header.
std::string npy(const std::string& dictionary, const std::string& data, int version = 1) {
  std::string file = "\x93NUMPY"s + static_cast<char>(version) + '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    file += static_cast<char>((dictionary.size() >> (8 * i)) & 0xff);
  return file + dictionary + data;
}
std::string header(const std::string& type, const std::string& shape, const std::string& order = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}
template <class T>
std::string raw(std::initializer_list<T> values) {
  std::string bytes;
  for (T v : values) bytes.append(reinterpret_cast<const char*>(&v), sizeof v);
  return bytes;
}

const std::string kVectors = raw<double>({1, 0, 0, 0, 0.6, 0.8});

TEST(Npy, UnitVectorsOfAllVersions) {
  for (int version : {1, 2, 3}) {
    const ReadPoints data = read_text(npy(header("<f8", "(2, 3)"), kVectors, version));
    EXPECT_EQ(data.assumptions.manifold, "sphere:2");
    EXPECT_EQ(data.points.values, (std::vector<double>{1, 0, 0, 0, 0.6, 0.8}));
    EXPECT_EQ(data.lines, (std::vector<std::uint64_t>{1, 2}));
    EXPECT_EQ(data.assumptions.row, "row");
  }
}

TEST(Npy, FloatAndFortranOrder) {
  const ReadPoints floats = read_text(npy(header("<f4", "(2, 3)"), raw<float>({1, 0, 0, 0, 0.6f, 0.8f})));
  EXPECT_NEAR(floats.points[1][1], 0.6, 1e-7);
  EXPECT_NEAR(std::hypot(floats.points[1][1], floats.points[1][2]), 1, 1e-15);
  const ReadPoints fortran =
      read_text(npy(header("<f8", "(2, 3)", "True"), raw<double>({1, 0, 0, 0.6, 0, 0.8})));
  EXPECT_EQ(fortran.points.values, (std::vector<double>{1, 0, 0, 0, 0.6, 0.8}));
  const ReadPoints both =
      read_text(npy(header("<f4", "(3, 2)", "True"), raw<float>({1, 2, 3, 4, 5, 6})), on("euclidean:2"));
  EXPECT_EQ(both.points.values, (std::vector<double>{1, 4, 2, 5, 3, 6}));
}

TEST(Npy, LatitudeAndLongitudeOnlyWhenAskedFor) {
  const std::string file = npy(header("<f8", "(1, 2)"), raw<double>({38.5, -44.25}));
  const ReadPoints data = read_text(file, on("sphere:2"));
  expect_place(data, 0, 38.5, -44.25);
  EXPECT_EQ(data.assumptions.sentences(),
            (std::vector<std::string>{"f is an NPY array of 1 row of 2 float64 numbers.",
                                      "Columns in their order: latitude = 1, longitude = 2; in degrees.",
                                      "Points on sphere:2: (cos lat cos lon, cos lat sin lon, sin lat)."}));
  EXPECT_NE(complaint(file).find(
                "f: 2 columns of unknown meaning; say what they are with ‹manifold›, as in ‹manifold› "
                "sphere:2 for latitude and longitude"),
            std::string::npos);
  expect_place(read_text(file, columns("2,1", "sphere:2")), 0, -44.25, 38.5);
}

TEST(Npy, AnglesAreRadians) {
  const ReadPoints data = read_text(npy(header("<f8", "(1, 2)"), raw<double>({3, 6})), on("torus:2"));
  EXPECT_EQ(data.assumptions.units, Units::radians);
  EXPECT_EQ(data.points[0][0], 3);
  EXPECT_NEAR(data.points[0][1], 6 - 2 * pi, 1e-15);
  const std::string degrees = npy(header("<f8", "(1, 2)"), raw<double>({3, 60}));
  EXPECT_EQ(
      complaint(degrees, on("torus:2")),
      "f:1:2: angle 2 (column 2) is '60' where -2π to 2π is expected of an angle in an NPY file; say ‹units› "
      "degrees "
      "if it is in degrees, or ‹units› radians to have it wrapped; ‹skip-invalid› leaves out such rows");
  EXPECT_NEAR(read_text(degrees, in(Units::degrees, "torus:2")).points[0][1], pi / 3, 1e-15);
  EXPECT_NEAR(read_text(degrees, in(Units::radians, "torus:2")).points[0][1], 60 - 20 * pi, 1e-13);
  EXPECT_NE(complaint(npy(header("<f8", "(1, 3)"), raw<double>({1, 2, 3})), on("sphere:2 x torus:1"))
                .find("the units of latitude, longitude and angles are not known"),
            std::string::npos);
}

TEST(Npy, OneDimension) {
  EXPECT_EQ(read_text(npy(header("<f8", "(2,)"), raw<double>({1, 2})), on("euclidean:1")).points.size(), 2u);
  EXPECT_NE(complaint(npy(header("<f8", "(2,)"), raw<double>({1, 2})), on("euclidean:2"))
                .find("f: 1 column, but euclidean:2 needs 2 columns"),
            std::string::npos);
  EXPECT_NE(
      complaint(npy(header("<f8", "(1, 1, 2)"), raw<double>({1, 2}))).find("its array has 3 dimensions"),
      std::string::npos);
  EXPECT_NE(complaint(npy(header("<f8", "()"), raw<double>({1}))).find("its array has 0 dimensions"),
            std::string::npos);
}

TEST(Npy, BadNumbers) {
  const double inf = std::numeric_limits<double>::infinity();
  const std::string file = npy(header("<f8", "(3, 2)"), raw<double>({0, 0, 1, -inf, 2, std::nan("")}));
  EXPECT_EQ(complaint(file, on("euclidean:2")),
            "f:2:2: y (column 2) is '-inf' where a finite number is expected; correct it; ‹skip-invalid› "
            "leaves out such rows");
  ReadOptions options = on("euclidean:2");
  options.skip_invalid = true;
  EXPECT_EQ(read_text(file, options).skipped, 2u);
  EXPECT_NE(complaint(npy(header("<f8", "(1, 3)"), raw<double>({1, 1, 0})))
                .find("f:1:1: three numbers of norm 1.41421"),
            std::string::npos);
  EXPECT_NE(complaint(npy(header("<f8", "(2, 2)"), raw<double>({0, 0, 1, 1})), on("ball:2"))
                .find("f:2:1: the point has norm 1.41421 where less than 1 is expected"),
            std::string::npos);
}

TEST(Npy, TypesThatAreNotRead) {
  EXPECT_EQ(complaint(npy(header(">f8", "(2, 3)"), kVectors)),
            "f: its numbers are of type '>f8', big-endian; save it as little-endian float64, as in "
            "numpy.save(path, "
            "a.astype('<f8'))");
  for (const char* type : {"<i8", "|u1", "<c16", "<f2", "f8", ""})
    EXPECT_NE(
        complaint(npy(header(type, "(2, 3)"), kVectors)).find("its numbers are of type '"s + type + "'"),
        std::string::npos);
  EXPECT_NE(
      complaint(npy("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (1,)}", raw<double>({1})))
          .find("an array of records"),
      std::string::npos);
  for (const char* type : {"|O", "O"})
    EXPECT_EQ(
        complaint(npy(header(type, "(2,)"), "\x80\x03]q\0."s)),
        "f: it holds Python objects (a pickle, which can run any code when it is loaded); save an array "
        "of numbers, as in numpy.save(path, a.astype('<f8'))");
}

TEST(Npy, SizesThatDoNotAgree) {
  EXPECT_EQ(
      complaint(npy(header("<f8", "(3, 3)"), kVectors)),
      "f: 48 bytes of numbers follow the header, which says 72; the file is cut off: copy or save it again");
  EXPECT_EQ(complaint(npy(header("<f8", "(1, 3)"), kVectors)),
            "f: 48 bytes of numbers follow the header, which says 24; give a file with one array");
  EXPECT_NE(complaint(npy(header("<f8", "(3, 3)", "True"), kVectors)).find("48 bytes"), std::string::npos);
  EXPECT_NE(complaint(npy(header("<f8", "(18446744073709551615, 3)"), kVectors))
                .find("its header claims 18446744073709551615 rows"),
            std::string::npos);
  EXPECT_NE(complaint(npy(header("<f8", "(2305843009213693952, 8)"), kVectors)).find("its header claims"),
            std::string::npos);
  EXPECT_NE(complaint(npy(header("<f8", "(1, 99999999)"), kVectors)).find("its array has 99999999 columns"),
            std::string::npos);
  for (const char* empty : {"(0, 3)", "(3, 0)", "(0,)"})
    EXPECT_NE(complaint(npy(header("<f8", empty), "")).find("its array is empty"), std::string::npos);
}

TEST(Npy, Dictionaries) {
  const auto parse = [](const std::string& text) { return io::parse_npy_dictionary(text, "f"); };
  const io::NpyHeader h = parse("{\"shape\":(10,2,),'fortran_order':True , 'descr':'<f4'}   \n");
  EXPECT_EQ(h.type, "<f4");
  EXPECT_TRUE(h.fortran_order);
  EXPECT_EQ(h.shape, (std::vector<std::uint64_t>{10, 2}));
  for (const char* wrong : {"", "{", "{}", "{'descr'", "{'descr': '<f8', 'fortran_order': False}",
                            "{'descr': '<f8", "{'descr': '<f8', 'fortran_order': False, 'shape': (1)}",
                            "{'descr': '<f8', 'fortran_order': False, 'shape': 1}",
                            "{'descr': '<f8', 'fortran_order': 0, 'shape': (1,)}",
                            "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}",
                            "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} x",
                            "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1}",
                            "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}",
                            "{'descr': '<f8' 'fortran_order': False, 'shape': (1,)}",
                            "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}",
                            "{'descr': '<f8', 'fortran_order': False, 'shape': (1,,)}", "{,}"})
    EXPECT_EQ(error_from([&] { parse(wrong); }).fault(), Fault::bad_data) << wrong;
}

TEST(Npy, Headers) {
  EXPECT_NE(complaint(npy(header("<f8", "(2, 3)"), kVectors, 4)).find("version 4 of the NPY format"),
            std::string::npos);
  ReadOptions options;
  options.format = "npy";
  EXPECT_NE(complaint("lat,lon\n1,2\n", options).find("this is no NPY file"), std::string::npos);
  EXPECT_NE(complaint("", options).find("the file is empty"), std::string::npos);
  EXPECT_NE(complaint("\x93NUMPY\x02\0\xff\xff\xff\xff"s).find("its header claims 4294967295 bytes"),
            std::string::npos);
  EXPECT_NE(complaint("\x93NUMPY\x01\0\xff\xff  "s).find("the file ends inside its header"),
            std::string::npos);
}

TEST(NpyHeader, RoundTrip) {
  const std::vector<double> numbers = {1.5, -2.25, 1e-300, 4, 5, 6};
  const std::vector<float> floats = {1.5f, -2.25f, 3, 4, 5, 6};
  const std::string bytes = npy_file({3, 2}, numbers);
  EXPECT_EQ(bytes.size(), 128 + 48u);
  EXPECT_EQ(bytes.substr(10, 59), "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }");
  EXPECT_EQ(bytes[127], '\n');
  EXPECT_EQ(read_text(bytes, on("euclidean:2")).points.values, numbers);

  const TemporaryFile file(npy_file({6}, floats), "a.npy");
  EXPECT_EQ(read_points(file.path(), on("euclidean:1")).points.values,
            std::vector<double>(floats.begin(), floats.end()));
}

TEST(NpyHeader, HeadersEndOnMultiplesOf64) {
  for (std::size_t n : {1u, 9u, 10u, 99u, 1000u}) EXPECT_EQ(npy_header<double>({n}).size() % 64, 0u);
}

TEST(Npy, AHeaderCanLeaveRoomForTheNumberOfRows) {
  const std::size_t most = std::numeric_limits<std::size_t>::max();
  for (std::size_t size : {0u, 64u, 65u, 128u, 129u}) {
    const std::string header = npy_header<double>({3, 2}, size);
    EXPECT_GE(header.size(), size);
    EXPECT_EQ(header.size() % 64, 0u);
    EXPECT_EQ(header.back(), '\n');
  }
  EXPECT_EQ(npy_header<double>({0, 12}, 128).size(), 128u);
  EXPECT_EQ(npy_header<double>({most, 999}, 128).size(), 128u);
}

}  // namespace
}  // namespace riemflow
