#include "riemflow/model/score_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>

#include "riemflow/core/error.hpp"
#include "riemflow/core/pieces.hpp"
#include "riemflow/io/data_file.hpp"
#include "riemflow/manifold/covering.hpp"

namespace riemflow {

void require_density_at(const Density& density, const Points<double>& points,
                        std::span<const std::uint64_t> lines, const Assumptions& assumptions) {
  for (std::size_t i = 0; i < points.size(); ++i)
    if (const auto defect = density.defect(points[i])) {
      const Manifold<double>& manifold = density.manifold();
      const bool beyond = manifold.covering() != nullptr && manifold.covering()->defect(points[i].data());
      throw Error(fmt::format("{}: {}", place_of(assumptions, lines[i]), *defect),
                  manifold.defect(points[i]) ? "correct or remove it"
                  : beyond                   ? "remove it"
                                             : "remove it, or use a model of precision double",
                  Fault::bad_data);
    }
}

Scores score_points(const Density& density, PointSource& source, TaskObserver& observer,
                    const SeeScores& see) {
  struct Chunk {
    Points<double> points;
    std::vector<std::uint64_t> lines;
    Weights weights;
    double share = 0;  ///< of the file, up to its last point

    bool read(PointSource& source, std::size_t most) {
      const bool any = source.next(most, points, &lines, &weights);
      share = source.share_done();
      return any;
    }
  };
  Chunk now, next;
  Scores scores;
  NoiseKey key;
  ObservedTask progress(observer, "Score");
  Pieces pieces;
  bool more = now.read(source, pieces.next());
  double unit =
      0;  // the first weight above 0: of weights their proportion alone is meant, and their cubes are summed
  while (more) {
    // After the chunks that it writes to: its destructor waits.
    std::future<bool> reading =
        std::async(std::launch::async, [&, n = pieces.next()] { return next.read(source, n); });
    require_density_at(density, now.points, now.lines, source.assumptions());
    const LogProb<double> result = density.log_prob(now.points, key);
    for (std::size_t i = 0; i < result.values.size(); ++i) {
      double weight = weight_of(now.weights, i);
      if (unit == 0) unit = weight;
      if (!now.weights.empty() && weight > 0) weight /= unit;
      if (!(weight > 0))
        ++scores.weightless;
      else if (!std::isnan(result.values[i]))
        scores.log_density.add(result.values[i], weight);
    }
    for (const Failure& failure : result.summary.failures)
      scores.failures.add([&] { return place_of(source.assumptions(), now.lines[failure.point]); },
                          failure.status);
    scores.points += result.values.size();
    scores.solves += result.summary.solves;
    scores.evaluations += static_cast<std::uint64_t>(result.summary.evaluations);
    if (see) see(now.lines, result.values);
    progress.reach(static_cast<double>(scores.points), points_about(scores.points, now.share));
    ++key.iteration;  // noise is named by the chunk and the point's number in it
    more = reading.get();
    std::swap(now, next);
  }
  if (scores.weightless == scores.points) refuse_no_weight(source.assumptions(), scores.points);
  return scores;
}

}  // namespace riemflow
