#include "riemflow/model/score_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>

#include "riemflow/core/error.hpp"
#include "riemflow/core/pieces.hpp"
#include "riemflow/io/data_file.hpp"

namespace riemflow {

template <class T>
Points<T> rounded(const Manifold<T>& manifold, const Points<double>& points,
                  std::span<const std::uint64_t> lines, const Assumptions& assumptions) {
  Points<T> result = converted<T>(points);
  for (std::size_t i = 0; i < result.size(); ++i)
    if (const auto defect = manifold.defect(result[i]))
      throw Error(fmt::format("{}: in the model's precision, {}, the point is not on {}: {}",
                              place_of(assumptions, lines[i]), sizeof(T) == 4 ? "float" : "double",
                              manifold.name(), *defect),
                  sizeof(T) == 4 ? "remove it, or use a model of precision double" : "correct or remove it",
                  Fault::bad_data);
  return result;
}

double rows_about(const PointSource& source) {
  const Assumptions& about = source.assumptions();
  if (about.format == "npy") return std::strtod(about.layout.c_str(), nullptr);
  std::error_code none;
  if (about.format == "geojson" || !std::filesystem::is_regular_file(about.path, none)) return 0;
  std::ifstream file(about.path, std::ios::binary);
  std::vector<char> buffer(1 << 20);
  double lines = 0;
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())), file.gcount() > 0)
    lines += static_cast<double>(std::count(buffer.begin(), buffer.begin() + file.gcount(), '\n'));
  return lines;
}

template <class T>
Scores score_points(Density<T>& density, PointSource& source, TaskObserver& observer,
                    const std::function<void(std::span<const std::uint64_t>, std::span<const T>)>& see) {
  struct Chunk {
    Points<double> points;
    std::vector<std::uint64_t> lines;
  };
  Chunk now, next;
  Scores scores;
  NoiseKey key;
  ObservedTask progress(observer, "Score", rows_about(source));
  Pieces pieces;
  bool more = source.next(pieces.next(), now.points, &now.lines);
  while (more) {
    // After the chunks that it writes to: its destructor waits.
    std::future<bool> reading = std::async(
        std::launch::async, [&, n = pieces.next()] { return source.next(n, next.points, &next.lines); });
    const LogProb<T> result =
        density.log_prob(rounded(density.manifold(), now.points, now.lines, source.assumptions()), key);
    for (const T value : result.values)
      if (!std::isnan(value)) scores.log_density.add(value);
    for (const Failure& failure : result.summary.failures)
      scores.failures.add([&] { return place_of(source.assumptions(), now.lines[failure.point]); },
                          failure.status);
    scores.points += result.values.size();
    scores.solves += result.summary.solves;
    scores.evaluations += static_cast<std::uint64_t>(result.summary.evaluations);
    if (see) see(now.lines, result.values);
    progress.advance(static_cast<double>(result.values.size()));
    ++key.iteration;  // noise is named by the chunk and the point's number in it
    more = reading.get();
    std::swap(now, next);
  }
  return scores;
}

template Points<float> rounded(const Manifold<float>&, const Points<double>&, std::span<const std::uint64_t>,
                               const Assumptions&);
template Points<double> rounded(const Manifold<double>&, const Points<double>&,
                                std::span<const std::uint64_t>, const Assumptions&);
template Scores score_points(
    Density<float>&, PointSource&, TaskObserver&,
    const std::function<void(std::span<const std::uint64_t>, std::span<const float>)>&);
template Scores score_points(
    Density<double>&, PointSource&, TaskObserver&,
    const std::function<void(std::span<const std::uint64_t>, std::span<const double>)>&);

}  // namespace riemflow
