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
#include "riemflow/flow/density.hpp"
#include "riemflow/io/point_source.hpp"
#include "riemflow/model/failures.hpp"

namespace riemflow {

/// Points computed at a time; a multiple of kLanes, so that tiles are those of the whole.
inline constexpr std::size_t kChunk = 16384;

struct Scores {
  RunningMean log_density;  ///< of the points that did not fail
  Failures failures;
  std::uint64_t points = 0;
  std::uint64_t solves = 0, evaluations = 0;
};

/// see(lines, log_densities) for each chunk in order, NaN where a point failed. Throws Error(Fault::bad_data)
/// as the source does, and for a point that rounding to T takes off the manifold.
template <class T>
Scores score_points(
    Density<T>& density, PointSource& source, TaskObserver& observer,
    const std::function<void(std::span<const std::uint64_t>, std::span<const T>)>& see = nullptr);

/// Of a file of text the lines, of an array the rows; 0 where that is not known without reading it all.
double rows_about(const PointSource& source);

/// Points in the precision of a flow. Throws Error(Fault::bad_data), naming the first, where rounding takes
/// one off the manifold: it can be too near the rim of a ball for a float to tell.
template <class T>
Points<T> rounded(const Manifold<T>& manifold, const Points<double>& points,
                  std::span<const std::uint64_t> lines, const Assumptions& assumptions);

}  // namespace riemflow
