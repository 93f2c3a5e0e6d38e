#pragma once
// Log-densities of a stream of points: a chunk is computed while the next one is read, so that memory does
// not grow with the file.

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "riemflow/core/running_mean.hpp"
#include "riemflow/core/task_observer.hpp"
#include "riemflow/io/point_source.hpp"
#include "riemflow/model/density.hpp"
#include "riemflow/model/failures.hpp"

namespace riemflow {

/// Points computed at a time; a multiple of kLanes, so that tiles are those of the whole.
inline constexpr std::size_t kChunk = 16384;

struct Scores {
  RunningMean log_density;  ///< of the points that did not fail, by their weights where the source has some
  Failures failures;
  std::uint64_t points = 0;
  std::uint64_t weightless = 0;  ///< of weight 0: not in the mean
  std::uint64_t solves = 0, evaluations = 0;
};

/// For each chunk in order; NaN where a point failed.
using SeeScores =
    std::function<void(std::span<const std::uint64_t> lines, std::span<const double> log_densities)>;
/// Throws Error(Fault::bad_data) as the source does, as require_density_at, and where all weights are 0.
Scores score_points(const Density& density, PointSource& source, TaskObserver& observer,
                    const SeeScores& see = nullptr);

/// About how many points a source has of which `points` were a share of the file; 0 where that is not known.
inline double points_about(std::uint64_t points, double share) {
  return share > 0 ? static_cast<double>(points) / share : 0;
}

/// Throws Error(Fault::bad_data), naming the first, where a point is not on the manifold in the precision of
/// the density: it can be too near the rim of a ball for a float to tell.
void require_density_at(const Density& density, const Points<double>& points,
                        std::span<const std::uint64_t> lines, const Assumptions& assumptions);

}  // namespace riemflow
