#pragma once
// How fast this machine trains and evaluates the paper's earthquake setting: S², 3 × 64 tanh, exact
// divergence, dopri5, on the embedded earthquakes.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "riemflow/core/task_observer.hpp"
#include "riemflow/flow/device.hpp"

namespace riemflow {

struct IterationTiming {
  int threads = 0;
  double milliseconds = 0, evaluations = 0, gflops = 0;  ///< medians: an iteration, a solve
  double peak_gflops = 0;                                ///< fused multiply-adds on registers, all threads
  double loss = 0;                                       ///< in the end
};
/// Forward, backward and Adam at 1e-3, batches of 400; over the second half of the iterations, when the flow
/// has left the uniform density.
IterationTiming time_iteration(int threads, int iterations);

struct MatchingOptions {
  int threads = 0, width = 128, depth = 4;
  std::size_t batch = 256;
  long iterations = 200;  ///< of flow matching; a tenth as many by likelihood from there
  Device device = Device::cpu;
};
struct MatchingTiming {
  int threads = 0;
  double matching_ms = 0, matching_gflops = 0, likelihood_ms = 0, evaluations = 0;  ///< medians a step
};
/// The same network and batches on S², float, swish, fourier input; likelihood by dopri5 at 1e-3.
MatchingTiming time_matching(const MatchingOptions& options);

struct ScoreTiming {
  int threads = 0;
  double seconds = 0, reading = 0;  ///< all of it; reading alone, nothing computed
  std::uint64_t points = 0, failed = 0;
  double evaluations = 0, nll = 0;  ///< a solve; the mean
};
struct ScoreTimings {
  std::size_t bytes = 0;  ///< of the CSV text
  std::vector<ScoreTiming> runs;
};
/// Log-densities at 1e-5 of so many points from CSV in memory, after a little training, because a flow at its
/// random start is nearly the identity: with one thread and with one for each core.
ScoreTimings time_score(std::uint64_t points, std::uint64_t iterations);

/// A stretch of a training on the GPU, everything included.
struct GpuTraining {
  double milliseconds = 0, evaluations = 0, loss = 0, teraflops = 0;  ///< a step
};
struct GpuScore {
  std::size_t points = 0, failed = 0;
  double seconds = 0, evaluations = 0, teraflops = 0;  ///< median; a solve
};
/// Under a name such as "batches", "400"; of seeds side by side the seconds of all.
struct GpuTiming {
  std::vector<std::string> name;
  std::variant<GpuTraining, GpuScore, double> measured;
};
/// Timed on the host, copies included. Throws Error where there is no GPU.
std::vector<GpuTiming> time_gpu(TaskObserver& observer);

}  // namespace riemflow
