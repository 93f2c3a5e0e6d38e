#include "riemflow/flow/cuda_flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/base.hpp"
#include "riemflow/distribution/draws.hpp"
#include "riemflow/distribution/rounded.hpp"
#include "riemflow/distribution/uniform.hpp"
#include "riemflow/flow/cuda/training.cuh"
#include "riemflow/flow/flow.hpp"
#include "riemflow/flow/field/vector_field.hpp"

namespace riemflow {
namespace {

class CudaFlow final : public Transport<float> {
 public:
  CudaFlow(const FlowConfig& config, std::uint64_t seed)
      : config_(config),
        manifold_(config.manifold.on<float>()),
        base_(default_base<float>(manifold_)),
        field_(manifold_, config.field),
        parameters_(field_.initial_parameters(seed)),
        working_(field_.working_size()),
        host_(config, seed, 1),
        work_(config, field_),
        parts_{config_, field_, *base_, dynamic_cast<const Uniform<float>*>(base_.get()) != nullptr, parameters_, work_},
        training_(parts_) {
    validate(config);
  }

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

  LogProb<float> log_prob(const Points<float>& points, const NoiseKey& key) override {
    this->check(points);
    LogProb<float> result;
    result.values.resize(points.size());
    result.base_points = Points<float>(points.size(), points.dimension);
    result.summary.points = points.size();
    if (points.size() == 0) return result;
    cuda::Problem problem = solves(points.size(), parts_.jets(), cuda::kGroupsThatScore);
    run(problem, cuda::kDensity, points, probes(points.size(), key), cuda::kBlocksThatScore * work_.processors);
    work_.values.download(result.values.data(), points.size(), work_.stream);
    work_.ends.download(result.base_points.values.data(), result.base_points.values.size(), work_.stream);
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
    this->check_path(points, times);
    Carried<float> result;
    result.frames.assign(times.size(), points);
    result.summary.points = points.size();
    if (points.size() == 0) return result;
    cuda::Problem problem = solves(points.size(), 1, cuda::kGroupsThatScore);
    for (std::size_t f = 1; f < times.size(); ++f) {
      problem.from = times[f - 1];
      problem.to = times[f];
      run(problem, cuda::kDensity, result.frames[f - 1], {}, cuda::kBlocksThatScore * work_.processors);
      work_.ends.download(result.frames[f].values.data(), result.frames[f].values.size(), work_.stream);
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

  ResidentTraining<float>* resident() override { return &training_; }

 private:
  /// On the host: values agree with log_prob to the tolerance, not to the bit.
  LogProbGradient compute_log_prob_gradient(const Points<float>& points) override {
    return host().log_prob_gradient(points);
  }

  Loss compute_gradient(const Batch<float>& batch, std::span<float> out, const GradientOptions& options) override {
    Loss loss = std::visit([&](const auto& one) { return gradient(one, out, options); }, batch);
    // The host solves the points of a tile that failed one by one.
    return loss.summary.ok() ? loss : host().gradient_of(batch, out, options);
  }

  Loss gradient(const LikelihoodBatch<float>& batch, std::span<float> out, const GradientOptions& options) {
    const Points<float>& points = batch.points;
    cuda::Problem problem = solves(points.size(), parts_.jets(), cuda::kGroupsThatLearn);
    problem.mean_square = true;
    work_.buffers.first_step = first_step(options.first_step);
    const std::size_t blocks =
        run(problem, cuda::kGradient, points, probes(points.size(), options.key), cuda::kBlocksThatLearn * work_.processors);
    pull(blocks, out);
    return losses(problem, -1, [&](std::size_t i) { return -values_host_[i]; });
  }

  Loss gradient(const ReverseKlBatch& batch, std::span<float> out, const GradientOptions& options) {
    const std::size_t n = batch.draws;
    const Rounded<float> target(batch.target);
    const Points<float> start = sample_base(n, options.key.seed, options.key.iteration, 0);
    cuda::Problem problem = solves(n, parts_.jets(), cuda::kGroupsThatLearn);
    problem.from = 0;
    problem.to = 1;
    problem.mean_square = true;
    work_.buffers.first_step = first_step(options.first_step);
    const std::vector<float> noise = probes(n, options.key);
    const std::size_t blocks = run(problem, cuda::kKeep, start, noise, problem.tiles);
    Points<float> ends(n, start.dimension);
    work_.ends.download(ends.values.data(), ends.values.size(), work_.stream);
    values_host_.resize(n);
    work_.values.download(values_host_.data(), n, work_.stream);
    work_.wait();
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
    work_.buffers.bars = work_.bars.upload(bars, work_.stream);
    cuda::must(cuda::run_solve(problem, work_.buffers, cuda::kBackward, static_cast<int>(blocks), work_.stream), "kernel");
    pull(blocks, out);
    return losses(problem, 1, [&](std::size_t i) { return divergence[i]; });
  }

  Loss gradient(const MatchingBatch<float>& batch, std::span<float> out, const GradientOptions& options) {
    const Points<float>& points = batch.points;
    require(batch.weights == nullptr, "weights of a group of points on the GPU", "give a group that was drawn by them", Fault::internal);
    std::vector<std::uint32_t> all(points.size());
    std::iota(all.begin(), all.end(), 0u);
    Executor alone(1);
    const cuda::DrawnPaths paths = cuda::draw_paths(*manifold_, *base_, points, all, points.size(), options.key, alone);
    cuda::Problem problem = work_.matching(points.size());
    cuda::Buffers& b = work_.buffers;
    const std::size_t blocks = work_.reserve(problem, cuda::kBlocksThatLearn * work_.processors, cuda::kMatch);
    upload_working();
    b.points = work_.points.upload(paths.points, work_.stream);
    b.times = work_.times.upload(paths.times, work_.stream);
    float* targets = work_.targets.upload(paths.velocities, work_.stream);
    b.targets = targets;
    cuda::DeviceEnds ends;
    ends.upload(parts_, batch.group == nullptr ? Points<float>{} : *batch.group);
    ends.run(problem, b.points, b.times, targets, work_.stream);
    work_.run(problem, cuda::kMatch, blocks);
    pull(blocks, out);
    return losses(problem, -1, [&](std::size_t i) { return -values_host_[i]; });
  }

  /// In device memory; null if none is known.
  const double* first_step(double known) {
    return known > 0 ? work_.first_step.upload(&known, 1, work_.stream) : nullptr;
  }
  std::vector<float> probes(std::size_t points, const NoiseKey& key) const {
    return cuda::draw_probes(config_.divergence, manifold_->ambient(), points, key);
  }
  cuda::Problem solves(std::size_t points, int jets, int groups) const {
    return work_.solves(points, jets, groups, config_.solver);
  }

  void upload_working() {
    field_.prepare(parameters_, working_.data());
    work_.buffers.working = work_.working.upload(working_.data(), field_.working_size(), work_.stream);
  }

  /// Starts the solves of the points on at most `most_blocks` blocks; returns the number of blocks.
  std::size_t run(cuda::Problem& problem, cuda::Mode mode, const Points<float>& points, const std::vector<float>& noise,
                  int most_blocks) {
    const std::size_t blocks = work_.reserve(problem, most_blocks, mode);
    upload_working();
    cuda::Buffers& b = work_.buffers;
    b.points = work_.points.upload(points.values, work_.stream);
    b.noise = noise.empty() ? nullptr : work_.noise.upload(noise, work_.stream);
    work_.run(problem, mode, blocks);
    b.first_step = nullptr;
    return blocks;
  }

  /// The gradient of the parameters from those of the blocks.
  void pull(std::size_t blocks, std::span<float> gradient) {
    const std::size_t size = field_.working_size();
    cuda::must(cuda::run_reduce(work_.buffers.gradients, static_cast<int>(blocks), static_cast<int>(size),
                                work_.sum.reserve(size), 0, nullptr, work_.stream),
               "kernel");
    working_bar_.resize(size);
    work_.sum.download(working_bar_.data(), size, work_.stream);
    work_.wait();
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
    work_.reports.download(reports_host_.data(), reports_host_.size(), work_.stream);
    work_.wait();
  }
  SolveReport solve_report(std::size_t tile) const {
    const cuda::Report& r = reports_host_[tile];
    return {cuda::status_of(r.status), r.evaluations, r.accepted, r.rejected, r.first_step};
  }

  /// sign: that of dt. Where a tile failed the loss and the gradient are of no use: the summary says so.
  template <class Value>
  Loss losses(const cuda::Problem& problem, double sign, const Value& value) {
    const auto points = static_cast<std::size_t>(problem.points), size = static_cast<std::size_t>(problem.tile);
    values_host_.resize(points);
    energy_host_.resize(points);
    if (sign < 0) work_.values.download(values_host_.data(), points, work_.stream);
    work_.energy.download(energy_host_.data(), points, work_.stream);
    read_reports(problem);
    Loss loss;
    loss.summary.points = points;
    for (std::size_t tile = 0; tile < reports_host_.size(); ++tile) {
      const SolveReport report = solve_report(tile);
      loss.summary.add(report);
      if (report.status != Status::ok) loss.summary.failures.push_back({tile * size, report.status});
    }
    for (std::size_t i = 0; i < points; ++i) {
      loss.likelihood += static_cast<double>(value(i));
      loss.kinetic += sign * static_cast<double>(energy_host_[i]);
    }
    loss.likelihood /= static_cast<double>(points);
    loss.kinetic /= static_cast<double>(points);
    loss.total = loss.likelihood + config_.regularisation.kinetic * loss.kinetic;
    return loss;
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
  cuda::Workspace work_;
  cuda::FlowParts parts_;
  cuda::Training training_;
  std::vector<cuda::Report> reports_host_;
  std::vector<float> values_host_, energy_host_, working_bar_;
};

}  // namespace

std::unique_ptr<Transport<float>> make_cuda_flow(const FlowConfig& config, std::uint64_t seed) {
  const std::string reason = why_not_cuda(config);
  require(reason.empty(), "the GPU cannot compute this flow: " + reason, "use ‹device› cpu");
  return std::make_unique<CudaFlow>(config, seed);
}

}  // namespace riemflow
