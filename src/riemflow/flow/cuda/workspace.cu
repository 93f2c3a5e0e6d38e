#include "riemflow/flow/cuda/workspace.cuh"

#include <algorithm>

#include "riemflow/flow/cuda/pack.cuh"

namespace riemflow::cuda {
namespace {

/// Of a solve whose steps are kept; more fail.
constexpr std::size_t kMostSteps = 160, kLeastSteps = 16;

}  // namespace

Workspace::Workspace(const FlowConfig& config, const VectorField<float>& field)
    : problem_(describe(config, field)), working_size_(field.working_size()) {
  must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  cudaDeviceProp properties{};
  must(cudaGetDeviceProperties(&properties, 0), "properties");
  processors = properties.multiProcessorCount;
  tape_budget_ = properties.totalGlobalMem / 4 / sizeof(float);
  packed_size_ = static_cast<std::size_t>(place_packed(problem_));
}

Problem Workspace::solves(std::size_t n, int jets, int groups, const SolverOptions& solver) const {
  Problem problem = problem_;
  problem.points = static_cast<int>(n);
  arrange(problem, jets, groups);
  problem.from = 1;
  problem.to = 0;
  problem.rtol = solver.rtol;
  problem.atol = solver.atol;
  problem.max_evaluations = solver.max_evaluations;
  problem.mean_square = false;
  return problem;
}

Problem Workspace::matching(std::size_t n) const {
  Problem problem = problem_;
  problem.points = static_cast<int>(n);
  problem.matching = true;
  arrange(problem, 1, kGroupsThatLearn);
  return problem;
}

std::size_t Workspace::reserve(Problem& problem, int most_blocks, Mode mode) {
  const auto n = static_cast<std::size_t>(problem.points), tiles = static_cast<std::size_t>(problem.tiles);
  auto blocks = std::min(tiles, static_cast<std::size_t>(most_blocks));
  Buffers& b = buffers;
  b.packed = packed_.reserve(packed_size_);
  b.values = values.reserve(n);
  b.energy = energy.reserve(n);
  b.ends = ends.reserve(n * static_cast<std::size_t>(problem.ambient));
  b.reports = reports.reserve(tiles);
  if (mode == kDensity) return blocks;
  const Size size = kSizes[problem.size];
  const auto evaluation = static_cast<std::size_t>(problem.tape_floats(size.coordinates, size.lanes));
  if (mode == kMatch) {
    b.tape_size = kRing * evaluation;
  } else {
    const std::size_t fits = tape_budget_ / (kStages * evaluation);  // steps of all blocks
    if (mode != kKeep) blocks = std::clamp<std::size_t>(fits / kLeastSteps, 1, blocks);
    const std::size_t most = std::clamp<std::size_t>(fits / blocks, 1, kMostSteps);
    problem.most_steps = static_cast<int>(most);
    b.tape_size = evaluation * (most * kStages + 1);
    b.steps = steps_.reserve(blocks * most);
    b.unprojected = unprojected_.reserve(blocks * most * static_cast<std::size_t>(problem.tile * size.lanes));
  }
  b.tape = tape_.reserve(blocks * b.tape_size);
  b.ring = ring_.reserve(blocks * kRing * static_cast<std::size_t>(problem.ring_floats()));
  b.gradients = gradients.reserve(blocks * working_size_);
  return blocks;
}

void Workspace::run(const Problem& problem, Mode mode, std::size_t blocks) {
  must(run_pack(problem, buffers.working, packed_.data(), stream), "kernel");
  must(run_solve(problem, buffers, mode, static_cast<int>(blocks), stream), "kernel");
}

}  // namespace riemflow::cuda
