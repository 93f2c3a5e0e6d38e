// Chunks of any size, and files far larger than the window, give what reading at once gives.

#include <algorithm>
#include <numbers>

#include "riemflow/io/bytes.hpp"
#include "riemflow/io/number.hpp"
#include "riemflow/io/open_format.hpp"
#include "tests/io/reading.hpp"

namespace riemflow {
namespace {

using namespace std::string_literals;

/// Latitudes and longitudes that fill the sphere evenly.
std::pair<double, double> place(std::size_t i) {
  const double golden = std::numbers::phi;
  return {std::fmod(static_cast<double>(i) / golden, 1.0) * 180 - 90,
          std::fmod(static_cast<double>(i) / (golden * golden * golden), 1.0) * 360 - 180};
}

std::string csv_of(std::size_t n) {
  std::string text = "id,lat,lon,place\n";
  for (std::size_t i = 0; i < n; ++i) {
    const auto [lat, lon] = place(i);
    text += std::to_string(i) + ',';
    append_number(text, lat);
    text += ',';
    append_number(text, lon);
    text += i % 7 == 0 ? ",\"a \"\"quoted\"\",\ntext\"\n" : i % 3 == 0 ? ",x\r\n" : ",\n";
  }
  return text;
}

std::string geojson_of(std::size_t n) {
  std::string text = R"({"type":"FeatureCollection","features":[)";
  for (std::size_t i = 0; i < n; ++i) {
    const auto [lat, lon] = place(i);
    text += i == 0 ? "\n" : ",\n";
    text += R"({"type":"Feature","geometry":{"type":"Point","coordinates":[)";
    append_number(text, lon);
    text += ',';
    append_number(text, lat);
    text += R"(]},"properties":{"n":)" + std::to_string(i) + "}}";
  }
  return text + "]}";
}

std::string npy_of(std::size_t n) {
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) {
    const auto [lat, lon] = place(i);
    values.insert(values.end(), {lat, lon});
  }
  return npy_file({n, 2}, values);
}

void expect_same(const ReadPoints& whole, PointSource& source, std::size_t most) {
  Points<double> chunk;
  std::vector<std::uint64_t> lines;
  std::size_t n = 0;
  while (source.next(most, chunk, &lines)) {
    ASSERT_LE(chunk.size(), most);
    ASSERT_GT(chunk.size(), 0u);
    ASSERT_EQ(chunk.size(), lines.size());
    for (std::size_t i = 0; i < chunk.size(); ++i, ++n) {
      ASSERT_LT(n, whole.points.size());
      ASSERT_EQ(lines[i], whole.lines[n]);
      for (std::size_t k = 0; k < 3; ++k) ASSERT_EQ(chunk[i][k], whole.points[n][k]) << n;
    }
  }
  EXPECT_EQ(n, whole.points.size());
  EXPECT_EQ(chunk.size(), 0u);
  EXPECT_FALSE(source.next(most, chunk, &lines));
}

TEST(Streaming, ChunksOfAnySizeGiveTheSame) {
  for (const std::string& text : {csv_of(2500), geojson_of(2500), npy_of(2500)}) {
    const ReadPoints whole = read_text(text, on("sphere:2"));
    ASSERT_EQ(whole.points.size(), 2500u);
    for (std::size_t most : {1, 7, 1000, 2500, 2501})
      expect_same(whole, *open_points_in(text, "f", on("sphere:2")), most);
  }
}

// A pipe has no second reading: the hash is of the bytes that passed, and of all of them.
TEST(Streaming, TheHashIsOfAllBytes) {
  std::string columns = npy_file<double>({2, 2}, {1, 2, 3, 4});  // in Fortran's order
  columns.replace(columns.find("False"), 5, "True ");
  for (const std::string& text : {csv_of(400), geojson_of(400) + " \n\n", npy_of(400), columns}) {
    const std::string expected = sha256_hex(text);
    EXPECT_EQ(read_text(text, on("sphere:2")).sha256, expected);
    io::Window window(io::memory_bytes(text, 13), 257);
    EXPECT_EQ(io::open_format(std::move(window), "f", on("sphere:2"))->sha256(), expected);
    const auto source = open_points_in(text, "f", on("sphere:2"));
    Points<double> chunk;
    source->next(1, chunk);
    EXPECT_EQ(source->sha256(), expected);
  }
}

TEST(Streaming, SmallWindowsAndReadsGiveTheSame) {
  for (const std::string& text : {csv_of(400), geojson_of(400), npy_of(400)}) {
    const ReadPoints whole = read_text(text, on("sphere:2"));
    for (std::size_t capacity : {200, 257, 1000, 4096})
      for (std::size_t most_a_read : {std::size_t{1}, std::size_t{13}, SIZE_MAX}) {
        io::Window window(io::memory_bytes(text, most_a_read), capacity);
        expect_same(whole, *io::open_format(std::move(window), "f", on("sphere:2")), 64);
      }
  }
}

// Several windows of rows of all lengths: some row straddles every kind of boundary.
TEST(Streaming, RowsAcrossTheEdgeOfTheWindow) {
  const std::string text = csv_of(120000);
  ASSERT_GT(text.size(), 4 * io::Window::kCapacity);
  const ReadPoints data = read_text(text);
  ASSERT_EQ(data.points.size(), 120000u);
  std::uint64_t line = 2;
  for (std::size_t i = 0; i < data.points.size(); ++i) {
    const auto [lat, lon] = place(i);
    ASSERT_NEAR(latitude(data, i), lat, 1e-6) << i;
    ASSERT_NEAR(std::remainder(longitude(data, i) - lon, 360) * std::cos(lat * std::numbers::pi / 180), 0,
                1e-9)
        << i;
    ASSERT_EQ(data.lines[i], line) << i;
    line += i % 7 == 0 ? 2 : 1;
  }
}

TEST(Streaming, EveryAlignmentOfARowWithTheEdge) {
  const std::string row = "12.5,-34.25\r\n";
  for (std::size_t shift = 0; shift <= row.size() + 1; ++shift) {
    std::string text = "#" + std::string(shift, 'x') + "\nlat,lon\n";
    while (text.size() < io::Window::kCapacity + 5 * row.size()) text += row;
    const ReadPoints data = read_text(text);
    ASSERT_EQ(data.points.size(), (text.size() - shift - 10) / row.size());
    for (std::size_t i = 1; i < data.points.size(); ++i) {
      ASSERT_EQ(data.points[i][0], data.points[0][0]);
      ASSERT_EQ(data.lines[i], i + 3);
    }
  }
}

ReadOptions by(int threads, ReadOptions options = {}) {
  options.threads = threads;
  return options;
}

/// Rows that look as if others began inside of them: line ends and numbers in quotes, and quotes that are
/// none.
std::string deceitful_csv_of(std::size_t n, bool with_bad_rows) {
  std::string text = "lat,lon,note\n";
  for (std::size_t i = 0; i < n; ++i) {
    const auto [lat, lon] = place(i);
    append_number(text, lat);
    append_number(text += ',', lon);
    text += ',';
    if (i % 11 == 0)
      text += "5\" pipe";
    else if (i % 13 == 0)
      text += "\"1,2,3\n4,5,6\r\n7,8,9\n\"";
    else if (i % 101 == 0)
      for (std::size_t k = 0; k < i % 97; ++k) text += k == 0 ? "\"1,2,3" : k + 1 < i % 97 ? "\n4,5,6" : "\"";
    else if (with_bad_rows && i % 17 == 0)
      text += "x,too many";
    else if (with_bad_rows && i % 19 == 0)
      text += "\n91,0,north\n# no row\n\n1,,nothing";
    text += i % 5 == 0 ? "\r\n" : "\n";
  }
  return text;
}

TEST(Streaming, AnyNumberOfThreadsGivesTheSame) {
  const std::string rows = deceitful_csv_of(3000, false), flawed = deceitful_csv_of(3000, true);
  for (const std::string& text : {rows, flawed, csv_of(3000), npy_of(3000)}) {
    const ReadOptions options = by(1, [&] {
      ReadOptions all = on("sphere:2");
      all.skip_invalid = text == flawed;
      return all;
    }());
    const ReadPoints whole = read_text(text, options);
    EXPECT_GE(whole.points.size(), 2800u);
    if (text == flawed) {
      EXPECT_GT(whole.skipped, 300u);
    }
    for (const int threads : {1, 2, 3, 7})
      for (const std::size_t capacity : {1500, 4096, 65536}) {
        SCOPED_TRACE(std::to_string(threads) + " threads, " + std::to_string(capacity) + " bytes");
        const auto source =
            io::open_format(io::Window(io::memory_bytes(text, 777), capacity), "f", by(threads, options));
        const ReadPoints data = read_all(*source);
        ASSERT_EQ(data.points.values, whole.points.values);
        ASSERT_EQ(data.lines, whole.lines);
        ASSERT_EQ(data.skipped, whole.skipped);
        ASSERT_EQ(data.remarks, whole.remarks);
        ASSERT_EQ(data.sha256, whole.sha256);
      }
  }
}

// Of several bad rows the first is named, wherever it is, and the points before it have been given.
TEST(Streaming, AnyNumberOfThreadsFindsTheSameError) {
  const std::string text = deceitful_csv_of(3000, false);
  std::vector<std::size_t> starts;  // of the rows that follow a short one
  std::vector<std::uint64_t> lines;
  std::size_t points = 0;
  std::vector<std::size_t> before;
  {
    const ReadPoints data = read_text(text);
    std::uint64_t line = 1;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (points < data.lines.size() && line == data.lines[points] && (at == 0 || text[at - 1] == '\n')) {
        starts.push_back(at);
        lines.push_back(line);
        before.push_back(points++);
      }
      line += text[at] == '\n';
    }
    ASSERT_EQ(points, 3000u);
  }
  // Behind what is looked at before the first row.
  const auto begin = static_cast<std::size_t>(
      std::upper_bound(starts.begin(), starts.end(), 3 * std::size_t{4096}) - starts.begin());
  for (std::size_t k = begin; k < starts.size(); k += 97)
    for (const auto& [bad, problem] : {std::pair{"91,0,\n"s, "latitude (column 1, 'lat') is '91' where"s},
                                       {"1,2\n"s, "2 fields where 3 are"s},
                                       {"1,\"2\"x,3\n"s, "after a closing quote"s},
                                       {"1,2,\0\n"s, "a zero byte"s}}) {
      std::string flawed = text;
      flawed.insert(starts[k], bad);
      if (k + 500 < starts.size()) flawed.insert(starts[k + 500] + bad.size(), "north,0,\n");
      for (const int threads : {1, 2, 3}) {
        const auto source =
            io::open_format(io::Window(io::memory_bytes(flawed), 4096), "f", by(threads, on("sphere:2")));
        Points<double> chunk;
        std::size_t n = 0;
        const Error error = error_from([&] {
          while (source->next(1, chunk)) ++n;
        });
        ASSERT_EQ(n, before[k]);
        ASSERT_EQ(error.place().line, lines[k]) << error.what();
        ASSERT_NE(std::string(error.what()).find(problem), std::string::npos) << error.what();
      }
    }
}

TEST(Streaming, OneMultiPointIsNotHeld) {
  std::string text = R"({"type":"MultiPoint","coordinates":[)";
  for (int i = 0; i < 200000; ++i) text += i == 0 ? "[20,10]" : ",[20,10]";
  text += "]}";
  const auto source = open_points_in(text, "f", {});
  Points<double> chunk;
  std::size_t n = 0;
  while (source->next(1000, chunk)) n += chunk.size();
  EXPECT_EQ(n, 200000u);
}

TEST(Streaming, AnErrorComesWhereItIs) {
  std::string text = "lat,lon\n";
  for (int i = 0; i < 5000; ++i) text += "1,2\n";
  text += "x,2\n";
  const auto source = open_points_in(text, "f", {});
  Points<double> chunk;
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(source->next(1000, chunk));
  EXPECT_THROW(source->next(1000, chunk), Error);
}

}  // namespace
}  // namespace riemflow
