// Packed files: the points are those of the file before it was packed, and damage is never taken for an end.

#include "riemflow/io/unpack.hpp"

#include <cstdio>

#include "riemflow/io/open_format.hpp"
#include "riemflow/io/unpacker.hpp"
#include "tests/io/reading.hpp"

namespace riemflow {
namespace {

using namespace std::string_literals;

/// What `command` makes of a file of these bytes.
std::string piped(const std::string& command, std::string_view bytes) {
  const TemporaryFile file(bytes);
  FILE* pipe = ::popen((command + " <" + file.path()).c_str(), "r");
  std::string result;
  char buffer[4096];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) result.append(buffer, n);
  EXPECT_EQ(::pclose(pipe), 0) << command;
  return result;
}

struct Way {
  const char *name, *command;
  std::unique_ptr<io::Unpacker> (*unpacker)();
};
constexpr Way kWays[] = {{"gzip", "gzip -c", io::gzip_unpacker}, {"zstd", "zstd -qc", io::zstd_unpacker}};

class Unpack : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    if (GetParam().unpacker() == nullptr) GTEST_SKIP() << "built without what unpacks " << GetParam().name;
    if (std::system(("command -v "s + GetParam().name + " >/dev/null").c_str()) != 0)
      GTEST_SKIP() << "no program " << GetParam().name;
  }
  std::string packed(std::string_view bytes, const std::string& option = "") const {
    return piped(GetParam().command + (" " + option), bytes);
  }
};
INSTANTIATE_TEST_SUITE_P(Packings, Unpack, testing::ValuesIn(kWays),
                         [](const auto& one) { return std::string(one.param.name); });

std::string rows_of(int n) {
  std::string text = "lat,lon\n";
  for (int i = 0; i < n; ++i)
    text += std::to_string(i * 7 % 179 - 89) + "." + std::to_string(i) + "," + std::to_string(i % 360 - 179) +
            "\n";
  return text;
}

void expect_equal(const ReadPoints& data, const ReadPoints& expected) {
  EXPECT_EQ(data.points.values, expected.points.values);
  EXPECT_EQ(data.lines, expected.lines);
  EXPECT_EQ(data.sha256, expected.sha256);
}

TEST_P(Unpack, ThePointsAreThoseOfTheFile) {
  const std::string text = rows_of(200000);  // several windows
  const ReadPoints expected = read_text(text);
  ASSERT_EQ(expected.points.size(), 200000u);
  for (const char* option : {"-1", "-9"}) {
    const std::string bytes = packed(text, option);
    ASSERT_LT(bytes.size(), text.size() / 2);
    for (const int threads : {1, 2}) {
      ReadOptions options;
      options.threads = threads;
      expect_equal(read_text(bytes, options), expected);
    }
  }
  const TemporaryFile file(packed(text), "points.csv.any");
  expect_equal(read_all(*open_points(file.path(), {})), expected);
}

TEST_P(Unpack, ReadingByteByByteGivesTheSame) {
  const std::string text = rows_of(50);
  const std::string bytes = packed(text);
  auto source = io::open_format(io::Window(io::unpacked(io::memory_bytes(bytes, 1), "f"), 257), "f", {});
  expect_equal(read_all(*source), read_text(text));
}

TEST_P(Unpack, TheNameBelowTheEndingTellsTheFormat) {
  const std::string geojson = R"({"type":"Point","coordinates":[20,10]})", name = "f.geojson.gz";
  EXPECT_EQ(read_text(packed(geojson), {}, name).assumptions.format, "geojson");
  EXPECT_EQ(io::unpacked_name("a/B.NPY.GZ"), "a/B.NPY");
  EXPECT_EQ(io::unpacked_name("b.csv.zst"), "b.csv");
  EXPECT_EQ(io::unpacked_name("gz"), "gz");
  EXPECT_EQ(read_text(packed(npy_file<double>({1, 3}, {0, 0, 1})), on("sphere:2")).points.size(), 1u);
}

TEST_P(Unpack, MembersFollowEachOther) {
  const std::string text = rows_of(3000), first = text.substr(0, 1001), second = text.substr(1001);
  const ReadPoints expected = read_text(text);
  for (const std::string& bytes : {packed(first) + packed(second), packed("") + packed(text) + packed(""),
                                   packed(text) + std::string(1000, '\0')})
    expect_equal(read_text(bytes), expected);
}

TEST_P(Unpack, AFileThatIsCutOffIsRefused) {
  const std::string bytes = packed(rows_of(300));
  for (std::size_t n = 4; n < bytes.size(); ++n)
    ASSERT_NE(complaint(bytes.substr(0, n))
                  .find("f: the file is compressed with "s + GetParam().name +
                        ", and cannot be unpacked beyond its first "),
              std::string::npos)
        << n << ": " << complaint(bytes.substr(0, n));
  const std::string what = complaint(bytes.substr(0, bytes.size() - 1));
  EXPECT_NE(what.find("(the file is cut off); copy it again, or make it again; "s + GetParam().name + " -t"),
            std::string::npos)
      << what;
}

// Of a header a few bits have no meaning here, such as the time it was packed at. All else is checked.
TEST_P(Unpack, AChangedByteIsNoticedOrMakesNoDifference) {
  const std::string text = rows_of(200), bytes = packed(text);
  const std::vector<double> expected = read_text(text).points.values;
  std::size_t refused = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (const int bit : {0, 3, 7}) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      try {
        ASSERT_EQ(read_text(changed).points.values, expected) << i << " " << bit;
      } catch (const Error& e) {
        ASSERT_EQ(e.fault(), Fault::bad_data) << e.what();
        ++refused;
      }
    }
  EXPECT_GT(refused, 3 * bytes.size() - 60);
}

// Damaged bytes unpack to rows that nobody wrote, until the checksum at the end tells.
TEST_P(Unpack, DamageIsNotBlamedOnARow) {
  for (const bool geojson : {false, true}) {
    std::string text = geojson ? "{\"type\":\"MultiPoint\",\"coordinates\":[" : "";
    for (int i = 0; i < 30000; ++i)
      text += geojson ? (i > 0 ? ",[" : "[") + std::to_string(i * 37 % 89) + ",2]"
                      : std::to_string(i * 37 % 89) + ",2\n";
    text += geojson ? "]}" : "";
    const std::string bytes = packed(text);
    std::size_t refused = 0;
    for (std::size_t i = bytes.size() / 4; i + 20 < bytes.size(); i += bytes.size() / 41)
      for (const int threads : {1, 2}) {
        std::string changed = bytes;
        changed[i] = static_cast<char>(changed[i] ^ 5);
        ReadOptions options;
        options.threads = threads;
        EXPECT_NE(complaint(changed, options)
                      .find("f: the file is compressed with "s + GetParam().name + ", and cannot"),
                  std::string::npos)
            << complaint(changed, options);
        ++refused;
      }
    EXPECT_GT(refused, 40u);
  }
}

TEST_P(Unpack, WhatFollowsIsNotLeftOut) {
  const std::string what = complaint(packed("1,2\n") + "3,4\n");
  EXPECT_NE(what.find("follow the compressed data, which end after 4 unpacked bytes: '3,4\\n'"),
            std::string::npos)
      << what;
  EXPECT_NE(complaint(packed("1,2\n") + std::string(200000, '\0') + "x").find("follow the compressed data"),
            std::string::npos);
}

// What comes before is given, as it is of a file that is not packed; then the error, as often as one asks.
TEST_P(Unpack, DamageIsSaidWhereItIs) {
  const std::string bytes = packed(rows_of(200000));
  for (const int threads : {1, 2}) {
    ReadOptions options;
    options.threads = threads;
    const auto source = open_points_in(std::string_view(bytes).substr(0, bytes.size() / 2), "f", options);
    Points<double> chunk;
    std::size_t n = 0;
    const Error error = error_from([&] {
      while (source->next(1000, chunk)) n += chunk.size();
    });
    EXPECT_NE(std::string(error.what()).find("(the file is cut off)"), std::string::npos) << error.what();
    EXPECT_GT(n, 50000u);
    EXPECT_LT(n, 150000u);
    EXPECT_THROW(source->next(1000, chunk), Error);
    EXPECT_THROW(source->sha256(), Error);
  }
}

TEST_P(Unpack, ABadRowIsNamedByItsLine) {
  std::string text = rows_of(100000);
  text += "1,north\n" + rows_of(3).substr(8);
  for (const int threads : {1, 2}) {
    ReadOptions options;
    options.threads = threads;
    EXPECT_NE(complaint(packed(text), options).find("f:100002:3: longitude (column 2, 'lon') is 'north'"),
              std::string::npos);
  }
}

TEST_P(Unpack, TwiceIsRefused) {
  const std::string what = complaint(packed(packed("1,2\n")));
  EXPECT_NE(what.find("the file is compressed more than once; unpack it"), std::string::npos) << what;
}

}  // namespace
}  // namespace riemflow
