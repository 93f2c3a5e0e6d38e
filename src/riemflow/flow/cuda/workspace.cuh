#pragma once
// The device memory of a flow's solves, and how many blocks share it.

#include "riemflow/flow/flow_config.hpp"
#include "riemflow/flow/cuda/device_array.cuh"
#include "riemflow/flow/cuda/problem.cuh"

namespace riemflow::cuda {

/// Of a multiprocessor, at once.
constexpr int kBlocksThatLearn = 4, kBlocksThatScore = 8;
/// Groups of points of a block: of a batch as few as there are, so that it is spread wide.
constexpr int kGroupsThatLearn = 1, kGroupsThatScore = 1;

class Workspace {
 public:
  Workspace(const FlowConfig& config, const VectorField<float>& field);
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace() { cudaStreamDestroy(stream); }

  /// Solves of so many points with so many jets, from 1 to 0; or, without jets, matching.
  Problem solves(std::size_t points, int jets, int groups, const SolverOptions& solver) const;
  Problem matching(std::size_t points) const;

  /// Makes room in `buffers` for a problem on at most `most_blocks` blocks, in mode kKeep as many; returns the number of
  /// blocks. Where there is a tape, the problem is told how many steps it has room for.
  std::size_t reserve(Problem& problem, int most_blocks, Mode mode);
  /// Packs buffers.working, and starts the problem.
  void run(const Problem& problem, Mode mode, std::size_t blocks);
  void wait() { must(cudaStreamSynchronize(stream), "kernel"); }

  cudaStream_t stream = nullptr;
  int processors = 1;
  Buffers buffers{};
  DeviceArray<float> working, points, noise, values, energy, ends, bars, times, targets, gradients, sum;
  DeviceArray<double> first_step;
  DeviceArray<Report> reports;

 private:
  Problem problem_;
  std::size_t working_size_, packed_size_, tape_budget_;  // budget: floats
  DeviceArray<float4> packed_;
  DeviceArray<float> tape_, ring_, unprojected_;
  DeviceArray<double2> steps_;
};

}  // namespace riemflow::cuda
