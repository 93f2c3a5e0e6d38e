#include "riemflow/engine/cuda_flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "riemflow/core/error.hpp"
#include "riemflow/density/base.hpp"
#include "riemflow/density/draws.hpp"
#include "riemflow/density/rounded.hpp"
#include "riemflow/engine/cuda/device_array.cuh"
#include "riemflow/engine/cuda/problem.cuh"
#include "riemflow/engine/cuda/update.cuh"
#include "riemflow/engine/flow.hpp"
#include "riemflow/field/vector_field.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow {
namespace {

using cuda::DeviceArray, cuda::must;

/// Of a solve whose steps are kept; more fail.
constexpr int kMostSteps = 160;
/// That a multiprocessor holds at once: of their shared memory, 110 KB, it has room for two.
constexpr int kBlocksThatLearn = 2;

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
    problem_ = cuda::describe(config_, field_);
    problem_.most_steps = kMostSteps;
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
    cuda::Problem problem = problem_for(points.size(), jets());
    problem.from = 1;
    problem.to = 0;
    const std::size_t tiles = run(problem, cuda::kDensity, points, noise_of(points.size(), key), 8 * processors_);
    values_.download(result.values.data(), points.size(), stream_);
    ends_.download(result.base_points.values.data(), result.base_points.values.size(), stream_);
    finish(tiles, points, result.summary, [&](const Points<float>& few, std::size_t first, SolveSummary& summary) {
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
    cuda::Problem problem = problem_for(points.size(), 1);
    for (std::size_t f = 1; f < times.size(); ++f) {
      require(times[f] != times[f - 1], "two times of a path are equal", "give each once");
      problem.from = times[f - 1];
      problem.to = times[f];
      const std::size_t tiles = run(problem, cuda::kDensity, result.frames[f - 1], {}, 8 * processors_);
      ends_.download(result.frames[f].values.data(), result.frames[f].values.size(), stream_);
      finish(tiles, points, result.summary, [&](const Points<float>& few, std::size_t first, SolveSummary& summary) {
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
    cuda::Problem problem = problem_for(points.size(), jets());
    problem.from = 1;
    problem.to = 0;
    problem.mean_square = true;
    buffers_.first_step = first_step(options.first_step);
    const std::size_t tiles =
        run(problem, cuda::kGradient, points, noise_of(points.size(), options.key), kBlocksThatLearn * processors_);
    pull(static_cast<int>(std::min<std::size_t>(tiles, static_cast<std::size_t>(kBlocksThatLearn * processors_))), gradient);
    return losses(tiles, points.size(), -1, gradient, [&](std::size_t i) { return -values_host_[i]; });
  }

  Loss reverse_kl_gradient(std::size_t n, const Distribution<float>& target, std::span<float> gradient,
                           const GradientOptions& options) override {
    require(target.ambient() == manifold_->ambient(),
            "the target " + target.name() + " is not on " + manifold_->name(), "give a target on the flow's manifold");
    require_room(n, gradient.size());
    const Points<float> start = sample_base(n, options.key.seed, options.key.iteration, 0);
    cuda::Problem problem = problem_for(n, jets());
    problem.from = 0;
    problem.to = 1;
    problem.mean_square = true;
    buffers_.first_step = first_step(options.first_step);
    const std::vector<float> noise = noise_of(n, options.key);
    const std::size_t tiles = run(problem, cuda::kKeep, start, noise, static_cast<int>((n + 3) / 4));
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
    must(cuda::run_solve(problem, buffers_, cuda::kBackward, static_cast<int>(tiles), stream_), "kernel");
    pull(static_cast<int>(tiles), gradient);
    return losses(tiles, n, 1, gradient, [&](std::size_t i) { return divergence[i]; });
  }

  ResidentTraining<float>* resident() override { return this; }

  std::vector<ResidentOutcome> train(const ResidentSteps<float>& steps, ResidentState<float> state) override {
    const std::size_t n = steps.batch, k = steps.size(), size = parameters_.size();
    cuda::Problem problem = problem_for(n, jets());
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

    const auto blocks = static_cast<int>(reserve(problem, n, kBlocksThatLearn * processors_, true));
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
    const InputBlock& input = field_.input_blocks().front();
    update.rows = {config_.field.width, input.parameter_columns, input.features, input.distance ? problem.distance : -1,
                   std::sqrt(std::abs(input.curvature))};
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
    for (std::size_t t = 0; t < k; ++t) {
      b.first_step = &carried[t].first_step;
      b.picks = picks + t * n;
      b.noise = noises == nullptr ? nullptr : noises + t * (noise.size() / k);
      must(cuda::run_solve(problem, b, cuda::kGradient, blocks, stream_), "kernel");
      must(cuda::run_reduce(b.gradients, blocks, problem.working_size, update.sum, dense, update.squares, stream_), "kernel");
      must(cuda::run_update(update, problem, b, rates + t, carried + t, carried + t + 1, outcomes + t, stream_), "kernel");
    }
    b.picks = nullptr;
    b.first_step = nullptr;

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

  cuda::Problem problem_for(std::size_t points, int jets) const {
    cuda::Problem problem = problem_;
    problem.points = static_cast<int>(points);
    problem.jets = jets;
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

  /// Makes room for the solves of n points on at most `most_blocks` blocks; returns the number of blocks. learns:
  /// with tape and gradients.
  std::size_t reserve(const cuda::Problem& problem, std::size_t n, int most_blocks, bool learns) {
    const std::size_t tiles = (n + cuda::kPoints - 1) / cuda::kPoints;
    const auto blocks = std::min<std::size_t>(tiles, static_cast<std::size_t>(most_blocks));
    cuda::Buffers& b = buffers_;
    b.values = values_.reserve(n);
    b.energy = energy_.reserve(n);
    b.ends = ends_.reserve(n * static_cast<std::size_t>(problem.ambient));
    b.reports = reports_.reserve(tiles);
    if (!learns) return blocks;
    b.tape_size = static_cast<std::size_t>(cuda::tape_floats(problem.jets, problem.ambient)) *
                  (kMostSteps * cuda::kStages + 1);
    b.tape = tape_.reserve(blocks * b.tape_size);
    b.steps = steps_.reserve(blocks * kMostSteps);
    b.unprojected = unprojected_.reserve(blocks * kMostSteps * 32);
    b.gradients = gradients_.reserve(blocks * field_.working_size());
    return blocks;
  }

  /// Starts the solves of the points on at most `most_blocks` blocks; returns the number of tiles.
  std::size_t run(const cuda::Problem& problem, cuda::Mode mode, const Points<float>& points,
                  const std::vector<float>& noise, int most_blocks) {
    field_.prepare(parameters_, working_.data());
    const std::size_t n = points.size(), blocks = reserve(problem, n, most_blocks, mode != cuda::kDensity);
    cuda::Buffers& b = buffers_;
    b.working = working_device_.upload(working_.data(), field_.working_size(), stream_);
    b.points = points_.upload(points.values, stream_);
    b.noise = noise.empty() ? nullptr : noise_.upload(noise, stream_);
    must(cuda::run_solve(problem, b, mode, static_cast<int>(blocks), stream_), "kernel");
    b.first_step = nullptr;
    return (n + cuda::kPoints - 1) / cuda::kPoints;
  }

  /// The gradient of the parameters from those of the blocks.
  void pull(int blocks, std::span<float> gradient) {
    const std::size_t size = field_.working_size();
    sum_.reserve(size);
    must(cuda::run_reduce(buffers_.gradients, blocks, static_cast<int>(size), sum_.reserve(size), 0, nullptr, stream_),
         "kernel");
    working_bar_.resize(size);
    sum_.download(working_bar_.data(), size, stream_);
    check_stream();
    field_.pull_back(parameters_, working_bar_.data(), gradient);
  }

  /// Waits; counts the solves; and has the points of the tiles that failed solved one by one on the host.
  template <class Again>
  void finish(std::size_t tiles, const Points<float>& points, SolveSummary& summary, const Again& again) {
    read_reports(tiles);
    for (std::size_t tile = 0; tile < tiles; ++tile) {
      summary.add(solve_report(tile));
      if (reports_host_[tile].status == cuda::kOk) continue;
      const std::size_t first = tile * cuda::kPoints, n = std::min<std::size_t>(cuda::kPoints, points.size() - first);
      Points<float> few(n, points.dimension);
      for (std::size_t i = 0; i < n; ++i) std::copy(points[first + i].begin(), points[first + i].end(), few[i].begin());
      again(few, first, summary);
    }
  }
  static void add_alone(SolveSummary alone, std::size_t point, SolveSummary& summary) {
    for (Failure& failure : alone.failures) failure.point = point;
    summary.add(alone);
  }

  void read_reports(std::size_t tiles) {
    reports_host_.resize(tiles);
    reports_.download(reports_host_.data(), tiles, stream_);
    check_stream();
  }
  SolveReport solve_report(std::size_t tile) const {
    const cuda::Report& r = reports_host_[tile];
    return {cuda::status_of(r.status), r.evaluations, r.accepted, r.rejected, r.first_step};
  }

  /// sign: that of dt. Points of tiles that failed are left out of the mean.
  template <class Value>
  Loss losses(std::size_t tiles, std::size_t points, double sign, std::span<float> gradient, const Value& value) {
    values_host_.resize(points);
    energy_host_.resize(points);
    if (sign < 0) values_.download(values_host_.data(), points, stream_);
    energy_.download(energy_host_.data(), points, stream_);
    read_reports(tiles);
    Loss loss;
    std::size_t counted = 0;
    for (std::size_t tile = 0; tile < tiles; ++tile) {
      const SolveReport report = solve_report(tile);
      loss.summary.add(report);
      for (std::size_t i = tile * cuda::kPoints; i < std::min(points, (tile + 1) * cuda::kPoints); ++i) {
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
  cuda::Problem problem_{};
  cuda::Buffers buffers_{};
  DeviceArray<float> working_device_, points_, noise_, values_, energy_, ends_, bars_, gradients_, tape_, unprojected_,
      sum_, parameters_device_, mean_, square_, average_, offsets_;
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
