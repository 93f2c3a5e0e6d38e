#include "riemflow/engine/cuda_flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>
#include <vector>

#include "riemflow/core/error.hpp"
#include "riemflow/density/base.hpp"
#include "riemflow/density/draws.hpp"
#include "riemflow/density/rounded.hpp"
#include "riemflow/engine/cuda/device_array.cuh"
#include "riemflow/engine/cuda/pack.cuh"
#include "riemflow/engine/cuda/problem.cuh"
#include "riemflow/engine/cuda/recording.cuh"
#include "riemflow/engine/cuda/update.cuh"
#include "riemflow/engine/flow.hpp"
#include "riemflow/field/vector_field.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow {
namespace {

using cuda::DeviceArray, cuda::must;

/// Of a solve whose steps are kept; more fail.
constexpr std::size_t kMostSteps = 160, kLeastSteps = 16;
/// Of a multiprocessor, at once.
constexpr int kBlocksThatLearn = 4, kBlocksThatScore = 8;
/// Groups of points of a block: of a batch as few as there are, so that it is spread wide.
constexpr int kGroupsThatLearn = 1, kGroupsThatScore = 1;

class CudaFlow final : public Transport<float>, public ResidentTraining<float> {
 public:
  CudaFlow(const FlowConfig& config, std::uint64_t seed)
      : config_(config),
        manifold_(parse_manifold<float>(config.manifold)),
        base_(default_base<float>(manifold_)),
        field_(manifold_, config.field),
        parameters_(field_.initial_parameters(seed)),
        working_(field_.working_size()),
        host_(config, seed, 1) {
    validate(config);
    must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    cudaDeviceProp properties{};
    must(cudaGetDeviceProperties(&properties, 0), "properties");
    processors_ = properties.multiProcessorCount;
    tape_budget_ = properties.totalGlobalMem / 4 / sizeof(float);
    problem_ = cuda::describe(config_, field_);
    packed_size_ = static_cast<std::size_t>(cuda::place_packed(problem_));
  }
  ~CudaFlow() override { cudaStreamDestroy(stream_); }

  const FlowConfig& config() const override { return config_; }
  const Manifold<float>& manifold() const override { return *manifold_; }
  int threads() const override { return 1; }
  std::span<float> parameters() override { return parameters_; }
  std::span<const float> parameters() const override { return parameters_; }
  ParameterLayout layout() const override { return field_.layout(); }
  void set_tolerance(double rtol, double atol) override {
    host_.set_tolerance(rtol, atol);
    config_.solver = host_.config().solver;
  }

  using Transport<float>::log_prob;
  using Transport<float>::sample_base;
  using Transport<float>::nll_gradient;

  LogProb<float> log_prob(const Points<float>& points, const NoiseKey& key) override {
    this->check(points);
    LogProb<float> result;
    result.values.resize(points.size());
    result.base_points = Points<float>(points.size(), points.dimension);
    result.summary.points = points.size();
    if (points.size() == 0) return result;
    cuda::Problem problem = problem_for(points.size(), jets(), kGroupsThatScore);
    problem.from = 1;
    problem.to = 0;
    run(problem, cuda::kDensity, points, noise_of(points.size(), key), kBlocksThatScore * processors_);
    values_.download(result.values.data(), points.size(), stream_);
    ends_.download(result.base_points.values.data(), result.base_points.values.size(), stream_);
    finish(problem, points, result.summary, [&](const Points<float>& few, std::size_t first, SolveSummary& summary) {
      // One by one: with Hutchinson's estimate each has the noise of point 0, one as good as another.
      for (std::size_t i = 0; i < few.size(); ++i) {
        Points<float> one(1, few.dimension);
        std::copy(few[i].begin(), few[i].end(), one[0].begin());
        const LogProb<float> alone = host().log_prob(one, {key.seed, key.iteration});
        result.values[first + i] = alone.values[0];
        std::copy(alone.base_points[0].begin(), alone.base_points[0].end(), result.base_points[first + i].begin());
        add_alone(alone.summary, first + i, summary);
      }
    });
    return result;
  }

  Points<float> sample_base(std::size_t n, std::uint64_t seed, std::uint64_t iteration,
                            std::uint64_t first) const override {
    return draws_of(*base_, n, seed, iteration, first);
  }
  std::vector<double> log_base(const Points<float>& points) const override {
    return log_densities_of(*base_, points);
  }

  Carried<float> carry(const Points<float>& points, const std::vector<double>& times) override {
    require(times.size() >= 2, "a path was asked for at " + std::to_string(times.size()) + " times",
            "give at least 2");
    this->check(points);
    Carried<float> result;
    result.frames.assign(times.size(), points);
    result.summary.points = points.size();
    if (points.size() == 0) return result;
    cuda::Problem problem = problem_for(points.size(), 1, kGroupsThatScore);
    for (std::size_t f = 1; f < times.size(); ++f) {
      require(times[f] != times[f - 1], "two times of a path are equal", "give each once");
      problem.from = times[f - 1];
      problem.to = times[f];
      run(problem, cuda::kDensity, result.frames[f - 1], {}, kBlocksThatScore * processors_);
      ends_.download(result.frames[f].values.data(), result.frames[f].values.size(), stream_);
      finish(problem, points, result.summary, [&](const Points<float>& few, std::size_t first, SolveSummary& summary) {
        for (std::size_t i = 0; i < few.size(); ++i) {
          Points<float> one(1, few.dimension);
          std::copy(result.frames[f - 1][first + i].begin(), result.frames[f - 1][first + i].end(), one[0].begin());
          if (!std::isfinite(one[0][0])) continue;  // failed before
          const Carried<float> alone = host().carry(one, {times[f - 1], times[f]});
          std::copy(alone.frames[1][0].begin(), alone.frames[1][0].end(), result.frames[f][first + i].begin());
          add_alone(alone.summary, first + i, summary);
        }
      });
    }
    return result;
  }

  Loss nll_gradient(const Points<float>& points, std::span<float> gradient,
                    const GradientOptions& options) override {
    this->check(points);
    require_room(points.size(), gradient.size());
    cuda::Problem problem = problem_for(points.size(), jets(), kGroupsThatLearn);
    problem.from = 1;
    problem.to = 0;
    problem.mean_square = true;
    buffers_.first_step = first_step(options.first_step);
    const std::size_t blocks =
        run(problem, cuda::kGradient, points, noise_of(points.size(), options.key), kBlocksThatLearn * processors_);
    pull(blocks, gradient);
    return losses(problem, -1, gradient, [&](std::size_t i) { return -values_host_[i]; });
  }

  Loss reverse_kl_gradient(std::size_t n, const Distribution<float>& target, std::span<float> gradient,
                           const GradientOptions& options) override {
    require(target.ambient() == manifold_->ambient(),
            "the target " + target.name() + " is not on " + manifold_->name(), "give a target on the flow's manifold");
    require_room(n, gradient.size());
    const Points<float> start = sample_base(n, options.key.seed, options.key.iteration, 0);
    cuda::Problem problem = problem_for(n, jets(), kGroupsThatLearn);
    problem.from = 0;
    problem.to = 1;
    problem.mean_square = true;
    buffers_.first_step = first_step(options.first_step);
    const std::vector<float> noise = noise_of(n, options.key);
    const std::size_t blocks = run(problem, cuda::kKeep, start, noise, problem.tiles);
    Points<float> ends(n, start.dimension);
    ends_.download(ends.values.data(), ends.values.size(), stream_);
    values_host_.resize(n);
    values_.download(values_host_.data(), n, stream_);
    check_stream();
    // KL = log p₀(z) − ∫ div f dt − log target(x), mean over draws; the target on the host, whatever it is.
    const auto rows = static_cast<std::size_t>(start.dimension + 2);
    std::vector<float> bars(n * rows);
    std::vector<double> divergence(n);
    const std::vector<double> log_start = log_base(start);
    const auto weight = 1.0f / static_cast<float>(n);
    std::vector<Pack<float>> x(static_cast<std::size_t>(ends.dimension)), slope = x;
    for (std::size_t t = 0; t < ends.tiles(); ++t) {
      ends.load_tile(t, x.data());
      const Pack<float> log_target = target.log_density_gradient(x.data(), slope.data());
      for (int l = 0; l < ends.lanes(t); ++l) {
        const std::size_t i = t * kLanes + static_cast<std::size_t>(l);
        for (std::size_t c = 0; c < x.size(); ++c) bars[i * rows + c] = -weight * slope[c][l];
        bars[i * rows + x.size()] = -weight;
        bars[i * rows + x.size() + 1] = static_cast<float>(config_.regularisation.kinetic) * weight;
        divergence[i] = log_start[i] - static_cast<double>(values_host_[i]) - static_cast<double>(log_target[l]);
      }
    }
    buffers_.bars = bars_.upload(bars, stream_);
    must(cuda::run_solve(problem, buffers_, cuda::kBackward, static_cast<int>(blocks), stream_), "kernel");
    pull(blocks, gradient);
    return losses(problem, 1, gradient, [&](std::size_t i) { return divergence[i]; });
  }

  ResidentTraining<float>* resident() override { return this; }

  std::vector<ResidentOutcome> train(const ResidentSteps<float>& steps, ResidentState<float> state) override {
    const std::size_t n = steps.batch, k = steps.size(), size = parameters_.size();
    cuda::Problem problem = problem_for(n, jets(), kGroupsThatLearn);
    problem.from = 1;
    problem.to = 0;
    problem.mean_square = true;
    std::vector<float> noise;
    for (std::size_t t = 0; t < k; ++t) {
      const std::vector<float> own = noise_of(n, {steps.seed, steps.first + t});
      noise.insert(noise.end(), own.begin(), own.end());
    }
    const std::vector<float> offsets(steps.offsets.begin(), steps.offsets.end());
    cuda::Carry carry{state.adam_steps, state.average_steps, state.first_step};

    const auto blocks = static_cast<int>(reserve(problem, kBlocksThatLearn * processors_, cuda::kGradient));
    cuda::Buffers& b = buffers_;
    b.points = points_.upload(steps.data.values, stream_);
    const std::uint32_t* picks = picks_.upload(steps.picks, stream_);
    const double* rates = rates_.upload(steps.rates, stream_);
    const float* noises = noise.empty() ? nullptr : noise_.upload(noise, stream_);
    cuda::Carry* carried = carry_.reserve(k + 1);
    carry_.upload(&carry, 1, stream_);
    ResidentOutcome* outcomes = outcomes_.reserve(k);
    b.working = working_device_.reserve(field_.working_size());
    cuda::Update update{};
    int columns = 0;
    for (const InputBlock& input : field_.input_blocks()) columns += input.parameter_columns;
    update.rows = {config_.field.width, columns, field_.features(), problem.distance,
                   std::sqrt(std::abs(field_.input_blocks().front().curvature))};
    update.size = static_cast<int>(size);
    update.beta1 = steps.beta1;
    update.beta2 = steps.beta2;
    update.epsilon = steps.epsilon;
    update.clip = steps.clip;
    update.decay = steps.average;
    update.kinetic = config_.regularisation.kinetic;
    update.parameters = parameters_device_.upload(parameters_, stream_);
    update.sum = sum_.reserve(field_.working_size());
    update.squares = squares_.reserve(static_cast<std::size_t>(cuda::reduce_blocks(problem.working_size)));
    update.mean = mean_.upload(state.mean, stream_);
    update.square = square_.upload(state.square, stream_);
    update.average = state.average.empty() ? nullptr : average_.upload(state.average, stream_);
    update.working = working_device_.data();
    update.offsets = offsets.empty() ? nullptr : offsets_.upload(offsets, stream_);

    must(cuda::run_prepare(update, stream_), "kernel");
    const auto dense = static_cast<int>(field_.input_dense().weight);  // behind it the two vectors are the same
    stretch_.run(stream_, std::tuple(problem, b, update, picks, noises, rates, carried, outcomes, k, blocks), [&] {
      for (std::size_t t = 0; t < k; ++t) {
        b.first_step = &carried[t].first_step;
        b.picks = picks + t * n;
        b.noise = noises == nullptr ? nullptr : noises + t * (noise.size() / k);
        must(cuda::run_pack(problem, b.working, packed_.data(), stream_), "kernel");
        must(cuda::run_solve(problem, b, cuda::kGradient, blocks, stream_), "kernel");
        must(cuda::run_reduce(b.gradients, blocks, problem.working_size, update.sum, dense, update.squares, stream_), "kernel");
        must(cuda::run_update(update, problem, b, rates + t, carried + t, carried + t + 1, outcomes + t, stream_), "kernel");
      }
    });
    b.picks = nullptr;
    b.first_step = nullptr;
    check_stream();  // a copy that had to wait would keep other runs from launching

    std::vector<ResidentOutcome> result(k);
    outcomes_.download(result.data(), k, stream_);
    parameters_device_.download(parameters_.data(), size, stream_);
    mean_.download(state.mean.data(), size, stream_);
    square_.download(state.square.data(), size, stream_);
    if (!state.average.empty()) average_.download(state.average.data(), size, stream_);
    carry_.download(&carry, 1, stream_, k);
    check_stream();
    state.adam_steps = static_cast<long>(carry.adam_steps);
    state.average_steps = static_cast<long>(carry.average_steps);
    state.first_step = carry.first_step;
    return result;
  }

  std::shared_ptr<const Distribution<float>> target_of(
      std::shared_ptr<const Distribution<double>> target) const override {
    return std::make_shared<Rounded<float>>(std::move(target));
  }

 private:
  void check_stream() { must(cudaStreamSynchronize(stream_), "kernel"); }

  int jets() const {
    return 1 + (exact() ? manifold_->dimension() : config_.divergence.probes);
  }

  cuda::Problem problem_for(std::size_t points, int jets, int groups) const {
    cuda::Problem problem = problem_;
    problem.points = static_cast<int>(points);
    cuda::arrange(problem, jets, groups);
    problem.rtol = config_.solver.rtol;
    problem.atol = config_.solver.atol;
    problem.max_evaluations = config_.solver.max_evaluations;
    problem.mean_square = false;
    return problem;
  }

  /// The probes that Flow draws, [point][coordinate · k + probe]; empty if exact.
  std::vector<float> noise_of(std::size_t points, const NoiseKey& key) const {
    if (exact()) return {};
    const auto size = static_cast<std::size_t>(manifold_->ambient()) * static_cast<std::size_t>(config_.divergence.probes);
    std::vector<float> noise(points * size);
    for (std::size_t i = 0; i < points; ++i) {
      Random random(key.seed, Purpose::divergence_noise, key.iteration, i);
      for (std::size_t c = 0; c < size; ++c)
        noise[i * size + c] = static_cast<float>(
            config_.divergence.noise == Noise::rademacher ? random.rademacher() : random.normal());
    }
    return noise;
  }

  /// In device memory; null if none is known.
  const double* first_step(double known) {
    return known > 0 ? first_step_.upload(&known, 1, stream_) : nullptr;
  }

  /// Makes room for the solves of a problem on at most `most_blocks` blocks, in mode kKeep as many; returns the number of
  /// blocks. Where there is a tape, the problem is told how many steps it has room for.
  std::size_t reserve(cuda::Problem& problem, int most_blocks, cuda::Mode mode) {
    const auto n = static_cast<std::size_t>(problem.points), tiles = static_cast<std::size_t>(problem.tiles);
    auto blocks = std::min(tiles, static_cast<std::size_t>(most_blocks));
    cuda::Buffers& b = buffers_;
    b.packed = packed_.reserve(packed_size_);
    b.values = values_.reserve(n);
    b.energy = energy_.reserve(n);
    b.ends = ends_.reserve(n * static_cast<std::size_t>(problem.ambient));
    b.reports = reports_.reserve(tiles);
    if (mode == cuda::kDensity) return blocks;
    const cuda::Size size = cuda::kSizes[problem.size];
    const auto evaluation = static_cast<std::size_t>(problem.tape_floats(size.coordinates, size.lanes));
    const std::size_t fits = tape_budget_ / (cuda::kStages * evaluation);  // steps of all blocks
    if (mode != cuda::kKeep) blocks = std::clamp<std::size_t>(fits / kLeastSteps, 1, blocks);
    const std::size_t steps = std::clamp<std::size_t>(fits / blocks, 1, kMostSteps);
    problem.most_steps = static_cast<int>(steps);
    b.tape_size = evaluation * (steps * cuda::kStages + 1);
    b.tape = tape_.reserve(blocks * b.tape_size);
    b.steps = steps_.reserve(blocks * steps);
    b.unprojected = unprojected_.reserve(blocks * steps * static_cast<std::size_t>(problem.tile * size.lanes));
    b.ring = ring_.reserve(blocks * cuda::kRing * static_cast<std::size_t>(problem.ring_floats()));
    b.gradients = gradients_.reserve(blocks * field_.working_size());
    return blocks;
  }

  /// Starts the solves of the points on at most `most_blocks` blocks; returns the number of blocks.
  std::size_t run(cuda::Problem& problem, cuda::Mode mode, const Points<float>& points, const std::vector<float>& noise,
                  int most_blocks) {
    field_.prepare(parameters_, working_.data());
    const std::size_t blocks = reserve(problem, most_blocks, mode);
    cuda::Buffers& b = buffers_;
    b.working = working_device_.upload(working_.data(), field_.working_size(), stream_);
    b.points = points_.upload(points.values, stream_);
    b.noise = noise.empty() ? nullptr : noise_.upload(noise, stream_);
    must(cuda::run_pack(problem, b.working, packed_.data(), stream_), "kernel");
    must(cuda::run_solve(problem, b, mode, static_cast<int>(blocks), stream_), "kernel");
    b.first_step = nullptr;
    return blocks;
  }

  /// The gradient of the parameters from those of the blocks.
  void pull(std::size_t blocks, std::span<float> gradient) {
    const std::size_t size = field_.working_size();
    sum_.reserve(size);
    must(cuda::run_reduce(buffers_.gradients, static_cast<int>(blocks), static_cast<int>(size), sum_.reserve(size), 0, nullptr, stream_),
         "kernel");
    working_bar_.resize(size);
    sum_.download(working_bar_.data(), size, stream_);
    check_stream();
    field_.pull_back(parameters_, working_bar_.data(), gradient);
  }

  /// Waits; counts the solves; and has the points of the tiles that failed solved one by one on the host.
  template <class Again>
  void finish(const cuda::Problem& problem, const Points<float>& points, SolveSummary& summary, const Again& again) {
    const auto size = static_cast<std::size_t>(problem.tile);
    read_reports(problem);
    for (std::size_t tile = 0; tile < reports_host_.size(); ++tile) {
      summary.add(solve_report(tile));
      if (reports_host_[tile].status == cuda::kOk) continue;
      const std::size_t first = tile * size, n = std::min(size, points.size() - first);
      Points<float> few(n, points.dimension);
      for (std::size_t i = 0; i < n; ++i) std::copy(points[first + i].begin(), points[first + i].end(), few[i].begin());
      again(few, first, summary);
    }
  }
  static void add_alone(SolveSummary alone, std::size_t point, SolveSummary& summary) {
    for (Failure& failure : alone.failures) failure.point = point;
    summary.add(alone);
  }

  void read_reports(const cuda::Problem& problem) {
    reports_host_.resize(static_cast<std::size_t>(problem.tiles));
    reports_.download(reports_host_.data(), reports_host_.size(), stream_);
    check_stream();
  }
  SolveReport solve_report(std::size_t tile) const {
    const cuda::Report& r = reports_host_[tile];
    return {cuda::status_of(r.status), r.evaluations, r.accepted, r.rejected, r.first_step};
  }

  /// sign: that of dt. Points of tiles that failed are left out of the mean.
  template <class Value>
  Loss losses(const cuda::Problem& problem, double sign, std::span<float> gradient, const Value& value) {
    const auto points = static_cast<std::size_t>(problem.points), size = static_cast<std::size_t>(problem.tile);
    values_host_.resize(points);
    energy_host_.resize(points);
    if (sign < 0) values_.download(values_host_.data(), points, stream_);
    energy_.download(energy_host_.data(), points, stream_);
    read_reports(problem);
    Loss loss;
    std::size_t counted = 0;
    for (std::size_t tile = 0; tile < reports_host_.size(); ++tile) {
      const SolveReport report = solve_report(tile);
      loss.summary.add(report);
      for (std::size_t i = tile * size; i < std::min(points, (tile + 1) * size); ++i) {
        if (report.status != Status::ok) {
          loss.summary.failures.push_back({i, report.status});
          continue;
        }
        ++counted;
        loss.likelihood += static_cast<double>(value(i));
        loss.kinetic += sign * static_cast<double>(energy_host_[i]);
      }
    }
    loss.summary.points = points;
    const auto n = static_cast<double>(counted);
    loss.likelihood /= n;
    loss.kinetic /= n;
    loss.total = loss.likelihood + config_.regularisation.kinetic * loss.kinetic;
    if (counted < points)
      for (float& g : gradient) g *= static_cast<float>(static_cast<double>(points) / n);
    return loss;
  }

  void require_room(std::size_t points, std::size_t gradient) const {
    require(points > 0, "a gradient was asked for with no points", "give at least one");
    require(gradient == parameters_.size(), "the gradient has room for " + std::to_string(gradient) + " numbers",
            "the flow has " + std::to_string(parameters_.size()) + " parameters");
  }

  /// The same flow on the host, for points that need to be solved alone.
  Flow<float>& host() {
    std::copy(parameters_.begin(), parameters_.end(), host_.parameters().begin());
    return host_;
  }

  FlowConfig config_;
  std::shared_ptr<const Manifold<float>> manifold_;
  std::shared_ptr<const Distribution<float>> base_;
  VectorField<float> field_;
  std::vector<float> parameters_;
  AlignedVector<float> working_;
  Flow<float> host_;
  cudaStream_t stream_ = nullptr;
  int processors_ = 1;
  std::size_t tape_budget_ = 0, packed_size_ = 0;
  cuda::Problem problem_{};
  cuda::Buffers buffers_{};
  DeviceArray<float> working_device_, points_, noise_, values_, energy_, ends_, bars_, gradients_, tape_, ring_, unprojected_,
      sum_, parameters_device_, mean_, square_, average_, offsets_;
  cuda::Recording stretch_;
  DeviceArray<float4> packed_;
  DeviceArray<std::uint32_t> picks_;
  DeviceArray<double> rates_, squares_;
  DeviceArray<cuda::Carry> carry_;
  DeviceArray<ResidentOutcome> outcomes_;
  DeviceArray<double2> steps_;
  DeviceArray<double> first_step_;
  DeviceArray<cuda::Report> reports_;
  std::vector<cuda::Report> reports_host_;
  std::vector<float> values_host_, energy_host_, working_bar_;
};

}  // namespace

std::unique_ptr<Transport<float>> make_cuda_flow(const FlowConfig& config, std::uint64_t seed) {
  const std::string reason = why_not_cuda(config);
  require(reason.empty(), "the GPU cannot compute this flow: " + reason, "use --device cpu");
  return std::make_unique<CudaFlow>(config, seed);
}

}  // namespace riemflow
