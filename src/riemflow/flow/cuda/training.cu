#include "riemflow/flow/cuda/training.cuh"

#include <algorithm>
#include <cmath>
#include <thread>
#include <tuple>

namespace riemflow::cuda {
namespace {

/// That draw paths, a few: runs side by side have as many each.
int drawing_threads() { return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 4); }

}  // namespace

void DeviceEnds::upload(const FlowParts& flow, const Points<float>& group) {
  const PathEnds<float> ends(flow.field.manifold(), flow.uniform_base, group);
  ends_ = {};
  if (ends.empty()) return;
  ends_ = {values_.upload(ends.values().data(), ends.values().size(), flow.work.stream), ends.size(),
           flow.field.manifold().ambient(), ends.radius()};
  flow.work.wait();  // the host's copy ends here
}

void DeviceEnds::run(const Problem& problem, const float* points, const float* times, float* targets,
                     cudaStream_t stream) const {
  if (ends_.n > 0) must(run_mean_velocities(ends_, problem.points, points, times, targets, stream), "kernel");
}

Training::Training(FlowParts flow) : flow_(flow), executor_(drawing_threads()) {}

Update Training::make_update(const ResidentSteps<float>& steps, const ResidentState<float>& state,
                             const Problem& problem) {
  Workspace& work = flow_.work;
  const cudaStream_t stream = work.stream;
  Update update{};
  int columns = 0;
  for (const InputBlock<float>& input : flow_.field.input_blocks()) columns += input.parameter_columns;
  update.rows = {flow_.config.field.width, columns, flow_.field.features(), problem.distance,
                 std::sqrt(std::abs(flow_.field.manifold().factors().front().manifold->curvature()))};
  update.size = static_cast<int>(flow_.parameters.size());
  update.beta1 = steps.beta1;
  update.beta2 = steps.beta2;
  update.epsilon = steps.epsilon;
  update.clip = steps.clip;
  update.weight_decay = steps.decay;
  update.decay = steps.average;
  update.kinetic = flow_.config.regularisation.kinetic;
  update.parameters = parameters_.upload(flow_.parameters, stream);
  update.sum = work.sum.reserve(flow_.field.working_size());
  update.squares = squares_.reserve(static_cast<std::size_t>(reduce_blocks(problem.working_size)));
  update.mean = mean_.upload(state.mean, stream);
  update.square = square_.upload(state.square, stream);
  update.average = state.average.empty() ? nullptr : average_.upload(state.average, stream);
  update.working = work.working.reserve(flow_.field.working_size());
  return update;
}

std::vector<ResidentOutcome> Training::train(const ResidentSteps<float>& steps, ResidentState<float> state) {
  const std::size_t n = steps.batch, k = steps.size(), size = flow_.parameters.size();
  const bool matching = steps.group != nullptr;
  Workspace& work = flow_.work;
  const cudaStream_t stream = work.stream;
  Buffers& b = work.buffers;
  const Mode mode = matching ? kMatch : kGradient;
  Problem problem =
      matching ? work.matching(n) : work.solves(n, flow_.jets(), kGroupsThatLearn, flow_.config.solver);
  problem.mean_square = true;
  const auto blocks = static_cast<int>(work.reserve(problem, kBlocksThatLearn * work.processors, mode));

  // What the steps read, one after the other.
  std::vector<float> noise, offsets(steps.offsets.begin(), steps.offsets.end());
  DrawnPaths paths;
  const float *noises = nullptr, *times = nullptr, *points = nullptr;
  float* targets = nullptr;
  const std::uint32_t* picks = nullptr;
  const auto ambient = static_cast<std::size_t>(problem.ambient);
  if (matching) {
    paths = draw_paths(flow_.field.manifold(), flow_.base, steps.data, steps.picks, n, {steps.seed, steps.first}, executor_);
    ends_.upload(flow_, *steps.group);
    times = work.times.upload(paths.times, stream);
    points = work.points.upload(paths.points, stream);
    targets = work.targets.upload(paths.velocities, stream);
  } else {
    for (std::size_t t = 0; t < k; ++t) {
      const std::vector<float> own = draw_probes(flow_.config.divergence, problem.ambient, n, {steps.seed, steps.first + t});
      noise.insert(noise.end(), own.begin(), own.end());
    }
    noises = noise.empty() ? nullptr : work.noise.upload(noise, stream);
    points = work.points.upload(steps.data.values, stream);
    picks = picks_.upload(steps.picks, stream);
  }
  const double* rates = rates_.upload(steps.rates, stream);
  Carry carry{state.adam_steps, state.average_steps, state.first_step};
  Carry* carried = carry_.reserve(k + 1);
  carry_.upload(&carry, 1, stream);
  ResidentOutcome* outcomes = outcomes_.reserve(k);
  Update update = make_update(steps, state, problem);
  update.offsets = offsets.empty() ? nullptr : offsets_.upload(offsets, stream);
  b.working = update.working;
  b.points = points;

  must(run_prepare(update, stream), "kernel");
  const auto dense = static_cast<int>(flow_.field.input_dense().weight);  // behind it the two vectors are the same
  const auto all = std::tuple(problem, b, update, ends_.ends(), picks, noises, times, targets, rates, carried, outcomes, k, blocks);
  stretch_.run(stream, all, [&] {
    for (std::size_t t = 0; t < k; ++t) {
      if (matching) {
        b.points = points + t * n * ambient;
        b.times = times + t * paths.padded;
        b.targets = targets + t * n * ambient;
        ends_.run(problem, b.points, b.times, targets + t * n * ambient, stream);
      } else {
        b.first_step = &carried[t].first_step;
        b.picks = picks + t * n;
        b.noise = noises == nullptr ? nullptr : noises + t * (noise.size() / k);
      }
      work.run(problem, mode, static_cast<std::size_t>(blocks));
      must(run_reduce(b.gradients, blocks, problem.working_size, update.sum, dense, update.squares, stream), "kernel");
      must(run_update(update, problem, b, rates + t, carried + t, carried + t + 1, outcomes + t, stream), "kernel");
    }
  });
  b.picks = nullptr;
  b.first_step = nullptr;
  work.wait();  // a copy that had to wait would keep other runs from launching

  std::vector<ResidentOutcome> result(k);
  outcomes_.download(result.data(), k, stream);
  parameters_.download(flow_.parameters.data(), size, stream);
  mean_.download(state.mean.data(), size, stream);
  square_.download(state.square.data(), size, stream);
  if (!state.average.empty()) average_.download(state.average.data(), size, stream);
  carry_.download(&carry, 1, stream, k);
  work.wait();
  state.adam_steps = static_cast<long>(carry.adam_steps);
  state.average_steps = static_cast<long>(carry.average_steps);
  state.first_step = carry.first_step;
  return result;
}

}  // namespace riemflow::cuda
