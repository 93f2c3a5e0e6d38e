// Reading a file of a million points from the disk, end to end: open_points, then chunks of 10 000.

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "riemflow/core/random.hpp"
#include "riemflow/io/npy.hpp"
#include "riemflow/io/number.hpp"
#include "riemflow/io/point_source.hpp"

namespace riemflow {
namespace {

constexpr std::size_t kRows = 1000000;

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

/// As catalogues are: two columns of six are wanted.
std::string catalogue_text() {
  const std::vector<double> numbers = places();
  std::string text = "id,time,latitude,longitude,depth,mag\n";
  for (std::size_t i = 0; i < kRows; ++i) {
    text += "us" + std::to_string(i) + ",2020-01-01T12:34:56.789Z,";
    append_number(text, numbers[2 * i]);
    append_number(text += ',', numbers[2 * i + 1]);
    text += ",33.25,6.5\n";
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

void read(benchmark::State& state, const std::string& name, const std::string& bytes,
          const ReadOptions& options = {}) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("riemflow_bench_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const std::string path = (folder / name).string();
  std::ofstream(path, std::ios::binary) << bytes;
  Points<double> chunk;
  for (auto _ : state) {
    const auto source = open_points(path, options);
    std::size_t points = 0;
    while (source->next(10000, chunk)) points += chunk.size();
    if (points != kRows) state.SkipWithError("not all points were read");
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRows));
  std::filesystem::remove_all(folder);
}

void read_csv(benchmark::State& state) { read(state, "places.csv", csv_text()); }
void read_catalogue(benchmark::State& state) { read(state, "catalogue.csv", catalogue_text()); }
void read_geojson(benchmark::State& state) { read(state, "places.geojson", geojson_text()); }
void read_npy(benchmark::State& state) {
  const std::vector<double> numbers = places();
  std::string file = npy_header<double>({kRows, 2});
  file.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
  ReadOptions options;
  options.manifold = "sphere:2";
  read(state, "places.npy", file, options);
}
BENCHMARK(read_csv)->Unit(benchmark::kMillisecond);
BENCHMARK(read_catalogue)->Unit(benchmark::kMillisecond);
BENCHMARK(read_geojson)->Unit(benchmark::kMillisecond);
BENCHMARK(read_npy)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace riemflow
