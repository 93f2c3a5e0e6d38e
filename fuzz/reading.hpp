#pragma once
// What must hold for any bytes whatever, read with any options: for the fuzzers, and for the tests that
// replay what they found.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "riemflow/core/error.hpp"
#include "riemflow/io/bytes.hpp"
#include "riemflow/io/open_format.hpp"
#include "riemflow/io/point_source.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow::fuzz {

[[noreturn]] inline void broken(const std::string& law) {
  std::fprintf(stderr, "broken: %s\n", law.c_str());
  std::abort();
}

constexpr std::size_t kWindow = 1 << 14;      // small, because making a large one would be most of the work
constexpr std::size_t kSmallWindow = 1 << 8;  // such that a file of a few rows has many pieces

struct Outcome {
  ReadPoints data;
  std::string error;  ///< empty if there was none
};

/// Any exception but Error leaves, and ends the fuzzer.
inline Outcome read(std::string_view bytes, ReadOptions options, std::size_t window, int threads,
                    std::size_t most_a_read, std::size_t chunk_size) {
  options.threads = threads;
  Outcome outcome;
  try {
    const auto source =
        io::open_format(io::Window(io::memory_bytes(bytes, most_a_read), window), "f", options);
    outcome.data.assumptions = source->assumptions();
    if (source->assumptions().sentences().empty()) broken("assumptions are stated");
    Points<double> chunk;
    std::vector<std::uint64_t> lines;
    Weights weights;
    while (source->next(chunk_size, chunk, &lines, &weights)) {
      if (chunk.size() != lines.size() || chunk.size() > chunk_size)
        broken("a chunk has a line for each point");
      if (weights.size() != (options.weights.empty() ? 0 : chunk.size()))
        broken("a chunk has a weight for each point, where they are asked for");
      for (const double weight : weights)
        if (!is_weight(weight)) broken("weights are finite and no less than 0");
      outcome.data.weights.insert(outcome.data.weights.end(), weights.begin(), weights.end());
      outcome.data.points.dimension = chunk.dimension;
      outcome.data.points.values.insert(outcome.data.points.values.end(), chunk.values.begin(),
                                        chunk.values.end());
      outcome.data.lines.insert(outcome.data.lines.end(), lines.begin(), lines.end());
    }
    outcome.data.skipped = source->skipped();
    outcome.data.remarks = source->remarks();
  } catch (const Error& e) {
    outcome.error = e.what();
    if (outcome.error.empty() || e.advice().empty()) broken("an error says what is wrong and what to do");
  }
  return outcome;
}

/// What one thread and several make of all bytes at once and of a few at a time is the same.
inline Outcome read_in_all_ways(std::string_view bytes, const ReadOptions& options, std::size_t window) {
  const Outcome whole = read(bytes, options, window, 1, SIZE_MAX, SIZE_MAX);
  const Outcome pieces = read(bytes, options, window, 3, 7, 3);
  if (whole.error != pieces.error) broken("errors do not depend on how a file is read");
  if (!whole.error.empty()) return whole;
  if (whole.data.points.values != pieces.data.points.values || whole.data.lines != pieces.data.lines ||
      whole.data.weights != pieces.data.weights || whole.data.skipped != pieces.data.skipped ||
      whole.data.remarks != pieces.data.remarks)
    broken("points do not depend on how a file is read");
  return whole;
}

/// Points are on their manifold, lines go forward, and reading in any way gives the same.
inline void check(std::string_view bytes, const ReadOptions& options) {
  read_in_all_ways(bytes, options, kSmallWindow);
  const Outcome whole = read_in_all_ways(bytes, options, kWindow);
  if (!whole.error.empty()) return;
  const auto manifold = parse_manifold<double>(whole.data.assumptions.manifold);
  if (manifold->ambient() != whole.data.points.dimension) broken("points are as long as the manifold says");
  for (std::size_t i = 0; i < whole.data.points.size(); ++i) {
    if (const auto defect = manifold->defect(whole.data.points[i]))
      broken("points are on the manifold: " + *defect);
    if (i > 0 && whole.data.lines[i] < whole.data.lines[i - 1]) broken("lines go forward");
  }
}

inline ReadOptions options(std::string format, std::string manifold, std::string columns = "",
                           Units units = Units::automatic, bool skip_invalid = false,
                           std::string weights = "") {
  ReadOptions result;
  result.format = std::move(format);
  result.manifold = std::move(manifold);
  result.columns = std::move(columns);
  result.units = units;
  result.skip_invalid = skip_invalid;
  result.weights = std::move(weights);
  return result;
}

inline void check_csv(std::string_view bytes) {
  check(bytes, options("csv", ""));
  check(bytes, options("csv", "", "", Units::automatic, true));
  check(bytes, options("csv", "sphere:2", "", Units::radians));
  check(bytes, options("tsv", "torus:2", "2,1", Units::automatic, true));
  check(bytes, options("csv", "ball:2", "lat,lon"));
  check(bytes, options("csv", "euclidean:3"));
  check(bytes, options("csv", "", "", Units::automatic, true, "3"));
  check(bytes, options("csv", "torus:1", "", Units::automatic, false, "lat"));
}

inline void check_npy(std::string_view bytes) {
  check(bytes, options("npy", ""));
  check(bytes, options("npy", "sphere:2", "", Units::automatic, true));
  check(bytes, options("npy", "torus:2"));
  check(bytes, options("npy", "euclidean:1"));
  check(bytes, options("npy", "ball:2", "2,1"));
  check(bytes, options("npy", "euclidean:2", "", Units::automatic, true, "3"));
}

inline void check_geojson(std::string_view bytes) {
  check(bytes, options("geojson", ""));
  check(bytes, options("geojson", "sphere:2,K=0.25", "", Units::degrees, true));
  check(bytes, options("geojson", "", "", Units::automatic, true, "w"));
}

}  // namespace riemflow::fuzz
