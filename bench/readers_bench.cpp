// Reading files of a million points from the page cache, end to end: open_points, then chunks of 10 000, by
// one thread and by two; and writing as many rows.
//   build/bench_riemflow --benchmark_filter='read_|write_'

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "riemflow/core/random.hpp"
#include "riemflow/io/npy.hpp"
#include "riemflow/io/number.hpp"
#include "riemflow/io/point_source.hpp"
#include "riemflow/io/table_writer.hpp"

namespace riemflow {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRows = 1'000'000;

/// Degrees with six decimals, latitude and longitude in turn.
std::vector<double> places() {
  std::vector<double> numbers;
  Random random(1, Purpose::test, 0, 0);
  for (std::size_t i = 0; i < 2 * kRows; ++i)
    numbers.push_back(std::round((i % 2 == 0 ? 90e6 : 180e6) * (2 * random.uniform() - 1)) / 1e6);
  return numbers;
}

std::string csv_text() {
  const std::vector<double> numbers = places();
  std::string text = "latitude,longitude\n";
  for (std::size_t i = 0; i < kRows; ++i) {
    append_number(text, numbers[2 * i]);
    append_number(text += ',', numbers[2 * i + 1]);
    text += '\n';
  }
  return text;
}

/// As catalogues are: two columns of seven are wanted, and the last is quoted.
std::string catalogue_text() {
  const std::vector<double> numbers = places();
  std::string text = "id,time,latitude,longitude,depth,mag,place\n";
  for (std::size_t i = 0; i < kRows; ++i) {
    text += "us" + std::to_string(i) + ",2020-01-01T12:34:56.789Z,";
    append_number(text, numbers[2 * i]);
    append_number(text += ',', numbers[2 * i + 1]);
    text += ",33.25,6.5,\"10 km N of Somewhere, Alaska\"\n";
  }
  return text;
}

std::string geojson_text() {
  const std::vector<double> numbers = places();
  std::string text = R"({"type": "FeatureCollection", "features": [)";
  for (std::size_t i = 0; i < kRows; ++i) {
    text += i == 0 ? "\n" : ",\n";
    text += R"({"type": "Feature", "geometry": {"type": "Point", "coordinates": [)";
    append_number(text, numbers[2 * i + 1]);
    append_number(text += ", ", numbers[2 * i]);
    text += R"(]}, "properties": {"mag": 6.5}})";
  }
  return text + "]}\n";
}

std::string npy_file() {
  const std::vector<double> numbers = places();
  std::string file = npy_header<double>({kRows, 2});
  return file.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
}

/// Unit vectors.
std::string vectors_file() {
  std::vector<float> numbers;
  Random random(2, Purpose::test, 0, 0);
  for (std::size_t i = 0; i < kRows; ++i) {
    const double z = 2 * random.uniform() - 1, angle = 6.28 * random.uniform(), r = std::sqrt(1 - z * z);
    for (const double x : {r * std::cos(angle), r * std::sin(angle), z})
      numbers.push_back(static_cast<float>(x));
  }
  std::string file = npy_header<float>({kRows, 3});
  return file.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
}

/// A folder that is gone at the end.
class Folder {
 public:
  Folder() { fs::create_directory(path_); }
  ~Folder() { fs::remove_all(path_); }
  /// Made by `bytes` the first time it is asked for, and packed by a command that leaves NAME.ending.
  template <class Bytes>
  std::string file(const std::string& name, Bytes&& bytes, const std::string& ending, const char* command) {
    const std::string path = (path_ / name).string();
    if (!fs::exists(path)) std::ofstream(path, std::ios::binary) << bytes();
    if (!ending.empty() && !fs::exists(path + ending) && std::system((command + (" " + path)).c_str()) != 0)
      return "";
    return path + ending;
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_ = fs::temp_directory_path() / ("riemflow_bench_" + std::to_string(::getpid()));
};
Folder& folder() {
  static Folder one;
  return one;
}

template <class Bytes>
void read(benchmark::State& state, const std::string& name, Bytes&& bytes, const std::string& ending = "",
          const char* command = "") {
  const std::string path = folder().file(name, bytes, ending, command);
  if (path.empty()) return state.SkipWithError("the command that packs is missing");
  ReadOptions options;
  options.manifold = "sphere:2";
  options.threads = static_cast<int>(state.range(0));
  Points<double> chunk;
  for (auto _ : state) {
    const auto source = open_points(path, options);
    std::size_t points = 0;
    while (source->next(10000, chunk)) points += chunk.size();
    benchmark::DoNotOptimize(source->sha256());
    if (points != kRows) state.SkipWithError("not all points were read");
  }
  // Of the bytes as they are unpacked.
  const auto size = fs::file_size(folder().file(name, bytes, "", ""));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(size));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRows));
}

void read_csv(benchmark::State& state) { read(state, "places.csv", csv_text); }
void read_csv_gz(benchmark::State& state) { read(state, "places.csv", csv_text, ".gz", "gzip -k"); }
void read_csv_zst(benchmark::State& state) { read(state, "places.csv", csv_text, ".zst", "zstd -qk"); }
void read_catalogue(benchmark::State& state) { read(state, "catalogue.csv", catalogue_text); }
void read_npy(benchmark::State& state) { read(state, "places.npy", npy_file); }
void read_vectors(benchmark::State& state) { read(state, "vectors.npy", vectors_file); }
void read_geojson(benchmark::State& state) { read(state, "places.geojson", geojson_text); }

/// Two columns: a line and a log-density of `digits` significant digits, 0 for as many as it has.
void write_rows(benchmark::State& state) {
  const auto digits = static_cast<int>(state.range(1));
  std::vector<double> numbers = places();
  for (std::size_t i = 0; i < kRows; ++i) numbers[2 * i] = static_cast<double>(i), numbers[2 * i + 1] /= 17;
  const std::string path = folder() / "scores.csv";
  for (auto _ : state)
    write_table(path, {{"line", true}, {"log_density"}}, digits, static_cast<int>(state.range(0)),
                [&](TableWriter& table) {
                  constexpr std::size_t kAtOnce = 2 * 16384;
                  for (std::size_t at = 0; at < numbers.size(); at += kAtOnce)
                    table.rows(std::span(numbers).subspan(at, std::min(kAtOnce, numbers.size() - at)));
                });
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(fs::file_size(path)));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRows));
}

void by_one_and_two(benchmark::internal::Benchmark* each) {
  each->Arg(1)->Arg(2)->ArgName("threads")->Unit(benchmark::kMillisecond)->UseRealTime();
}
BENCHMARK(read_csv)->Apply(by_one_and_two);
BENCHMARK(read_csv_gz)->Apply(by_one_and_two);
BENCHMARK(read_csv_zst)->Apply(by_one_and_two);
BENCHMARK(read_catalogue)->Apply(by_one_and_two);
BENCHMARK(read_npy)->Apply(by_one_and_two);
BENCHMARK(read_vectors)->Apply(by_one_and_two);
BENCHMARK(read_geojson)->Arg(1)->ArgName("threads")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(write_rows)
    ->ArgsProduct({{1, 2}, {0, 9}})
    ->ArgNames({"threads", "digits"})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace riemflow
