// Bytes that no one meant: cut off anywhere, changed anywhere, or found by the fuzzers. Only Error may come
// out.

#include "fuzz/reading.hpp"
#include "tests/io/reading.hpp"

namespace riemflow {
namespace {

struct Format {
  const char* name;
  void (*check)(std::string_view);
  std::string sample;
};

std::vector<Format> formats() {
  return {
      {"csv", fuzz::check_csv,
       "\xef\xbb\xbf# c\r\ntime,lat,lon,place\r\n2020,38.5,-44.25,\"a \"\"b\"\",\nc\"\r\n 2021 , "
       "NA,170,\n2022,-9e1,3.6e2,x"},
      {"npy", fuzz::check_npy, npy_file<double>({3, 3}, {1, 0, 0, 0, 0.6, 0.8, 0, 0, -1})},
      {"geojson", fuzz::check_geojson,
       R"({"type":"FeatureCollection","features":[{"type":"Feature","properties":{"a":[1,{}],"w":2.5,"b":"\u00e9\n"},
 "geometry":{"type":"Point","coordinates":[-44.25,38.5e0]}},{"geometry":{"coordinates":[[1,2],[3,4,5]],"type":"MultiPoint"},
 "properties":{"w":0},"type":"Feature"},{"type":"Feature","geometry":null}]})"}};
}

TEST(Robustness, EveryPrefix) {
  for (const Format& format : formats())
    for (std::size_t n = 0; n <= format.sample.size(); ++n) {
      format.check(std::string_view(format.sample).substr(0, n));
      fuzz::check(std::string_view(format.sample).substr(0, n), {});
    }
}

TEST(Robustness, EveryByteChanged) {
  for (const Format& format : formats())
    for (std::size_t n = 0; n < format.sample.size(); ++n)
      for (const char c : {'\0', '\n', '\r', '"', ',', '9', '-', '[', '}', '\xff'}) {
        std::string bytes = format.sample;
        bytes[n] = c;
        fuzz::check(bytes, fuzz::options(format.name, "", "", Units::automatic, true));
      }
}

TEST(Robustness, SamplesAreGood) {
  for (const Format& format : formats())
    EXPECT_GT(read_text(format.sample, skipping()).points.size(), 1u) << format.name;
}

TEST(Robustness, FuzzingCorpus) {
  const std::filesystem::path corpus = std::filesystem::path(RIEMFLOW_SOURCE_DIR) / "fuzz/corpus";
  for (const Format& format : formats()) {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(corpus / format.name)) {
      SCOPED_TRACE(entry.path());
      std::ifstream in(entry.path(), std::ios::binary);
      const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
      format.check(bytes);
      fuzz::check(bytes, {});
      ++files;
    }
    EXPECT_GE(files, 5u) << format.name;
  }
}

}  // namespace
}  // namespace riemflow
