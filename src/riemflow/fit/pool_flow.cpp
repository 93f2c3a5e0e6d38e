#include "riemflow/fit/pool_flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "riemflow/core/stopwatch.hpp"
#include "riemflow/flow/cuda_flow.hpp"

namespace riemflow {
namespace {

/// Of the time; the rest is for the likelihood, whose steps are expensive and worth it. Beyond kFewDimensions
/// they are too expensive: their derivatives are as many.
constexpr double kMatchingShare = 0.25;
constexpr int kFewDimensions = 3;
constexpr long kMostMatching = 100'000, kMostTuning = 3000, kLeastTuning = 10, kTimedSteps = 10;
/// Of the time left that steps are planned for: solves grow longer as training goes on.
constexpr double kPlanned = 0.8;
/// Of the time, for one validation; of at least so many points.
constexpr double kValidationShare = 0.01;
constexpr std::size_t kLeastValidated = 64;

bool has_few_dimensions(const PoolFlow& job) {
  return job.manifold.on<float>()->dimension() <= kFewDimensions;
}

/// What a network sees of a point, and how much it is held back. Data with fine structure, such as
/// earthquakes, want waves; on smooth ones, such as torsion angles, waves learn the noise (docs/quality.md
/// has the figures).
struct Kind {
  InputLayer input;
  double weight_decay;
};
constexpr Kind kFine{InputLayer::fourier, 0.01}, kSmooth{InputLayer::linear, 0.1};
/// Beyond few dimensions: waves of any frequency are noise there, and decay has not helped.
constexpr Kind kMany{InputLayer::linear, 0};
/// Of the matching steps, for each kind that is tried; with fewer a trial would tell nothing.
constexpr long kTrialPart = 10, kLeastTrial = 100;
/// What the rest of the steps gains at most over a trial, in nats.
constexpr double kTrialBehind = 0.4;

/// Networks by experiment: in many dimensions the wider one pays; a GPU has room for batches.
FitConfig matching_config(const PoolFlow& job, const Kind& kind) {
  const bool few = has_few_dimensions(job), gpu = job.device == Device::cuda;
  FitConfig config;
  config.objective = Objective::flow_matching;
  config.flow.manifold = job.manifold;
  config.flow.field.width = gpu && !few ? 256 : 128;
  config.flow.field.depth = gpu && !few ? 5 : 4;
  config.flow.field.activation = Activation::swish;
  config.flow.field.input = kind.input;
  config.flow.field.frequency = 6;
  config.train.batch = gpu ? (few ? 512 : 2048) : 256;
  config.train.seed = job.seed;
  config.train.average = 0.999;
  config.train.adam.decay = kind.weight_decay;
  config.train.schedule = {Schedule::Shape::cosine, 5e-3, kMatchingSteps};
  config.patience = 0;
  return config;
}

void set_steps(FitConfig& config, long steps, long validations) {
  config.iterations = steps;
  config.train.schedule.iterations = std::max(2L, steps);
  config.validate_every = std::max(1L, steps / validations);
}

class FlowFit {
 public:
  FlowFit(const PoolFlow& job, double seconds, const FlowWatch& watch)
      : job_(job),
        seconds_(job.steps > 0 ? std::numeric_limits<double>::infinity() : seconds),
        watch_(watch) {
    become(has_few_dimensions(job) ? kFine : kMany);
    if (std::isfinite(seconds_))
      validated_ = std::clamp(static_cast<std::size_t>(kValidationShare * seconds_ / seconds_of_a_score(job)),
                              kLeastValidated, validated_);
  }

  std::optional<Model> operator()() {
    long steps = job_.steps > 0 ? job_.steps : kMatchingSteps;
    if (std::isfinite(seconds_))
      steps = std::clamp(static_cast<long>(matching_share() * seconds_ / seconds_a_matching_step()), 100L,
                         kMostMatching);
    if (has_few_dimensions(job_) && steps / kTrialPart >= kLeastTrial)
      if (choose_kind(steps / kTrialPart) > job_.hopeless + kTrialBehind) return std::nullopt;
    set_steps(config_, steps, 8);
    run("flow matching");
    if (best_ > job_.hopeless) return std::nullopt;
    if (going_ && has_few_dimensions(job_)) tune();
    if (!std::isfinite(best_)) return std::nullopt;
    return make_model<float>(*flow_, best_parameters_);
  }

 private:
  void become(const Kind& kind) {
    config_ = matching_config(job_, kind);
    flow_ = make_transport<float>(config_.flow, job_.seed, job_.threads, job_.device);
  }

  /// By a short training of each, which is thrown away; the better one's validation.
  double choose_kind(long steps) {
    const double fine = trial(kFine, "trial of Fourier features", steps),
                 smooth = trial(kSmooth, "trial of a linear input", steps);
    become(smooth < fine ? kSmooth : kFine);
    return std::min(fine, smooth);
  }
  double trial(const Kind& kind, const char* name, long steps) {
    become(kind);
    set_steps(config_, steps, 1);
    run(name);
    best_parameters_.clear();
    return std::exchange(best_, std::numeric_limits<double>::infinity());
  }

  /// Trains, and keeps what it found if that is the best so far.
  void run(const char* stage) {
    config_.validation_points = validated_;
    Fit<float> fit(*flow_, config_, job_.training, job_.held_out, job_.weights);
    while (!fit.done() && going_)
      fit.advance([&](const FitProgress& progress) {
        going_ = going_ && watch_(stage, progress, config_.iterations) && seconds_since(start_) < seconds_;
      });
    fit.finish();
    if (fit.progress().best < best_) {
      best_ = fit.progress().best;
      best_parameters_.assign(flow_->parameters().begin(), flow_->parameters().end());
    } else if (!best_parameters_.empty()) {
      std::copy(best_parameters_.begin(), best_parameters_.end(), flow_->parameters().begin());
    }
  }

  void tune() {
    config_.objective = Objective::likelihood;
    config_.train.schedule.rate = 5e-3;
    long steps = job_.steps > 0 ? std::max(1L, job_.steps / 10) : kTuningSteps;
    if (std::isfinite(seconds_)) {
      const double left = kPlanned * (seconds_ - seconds_since(start_));
      steps = std::min(static_cast<long>(left / seconds_a_tuning_step()), kMostTuning);
    }
    if (steps < kLeastTuning && job_.steps == 0) return;
    set_steps(config_, steps, 8);
    run(kLikelihoodStage);
  }

  double matching_share() const { return has_few_dimensions(job_) ? kMatchingShare : kPlanned; }

  /// Steps of a training that is thrown away.
  double seconds_a_matching_step() {
    const std::vector<float> kept(flow_->parameters().begin(), flow_->parameters().end());
    Trainer<float> trainer(*flow_, config_.train);
    MatchingObjective<float> matching(*flow_, job_.training, config_.train, nullptr, 0, job_.weights);
    const auto steps = [&](long n) {
      while (trainer.iteration() < n) trainer.steps(matching, n - trainer.iteration());
    };
    steps(kTimedSteps);
    const auto begun = Clock::now();
    steps(2 * kTimedSteps);
    std::copy(kept.begin(), kept.end(), flow_->parameters().begin());
    return std::max(1e-6, seconds_since(begun) / kTimedSteps);
  }

  /// Of the density that flow matching left, whose solves are about as long as they will be.
  double seconds_a_tuning_step() {
    flow_->set_tolerance(config_.train_tolerance, config_.train_tolerance);
    const std::size_t batch = std::min(config_.train.batch, job_.training.size());
    Points<float> points(batch, job_.training.dimension);
    std::copy_n(job_.training.values.begin(), points.values.size(), points.values.begin());
    std::vector<float> gradient(flow_->parameters().size());
    const auto begun = Clock::now();
    flow_->gradient_of(LikelihoodBatch{points}, gradient);
    const double seconds = seconds_since(begun);
    // Where no step of tuning fits into the time, this is the flow that is saved.
    flow_->set_tolerance(config_.flow.solver.rtol, config_.flow.solver.atol);
    return std::max(1e-6, seconds);
  }

  const PoolFlow& job_;
  double seconds_;
  const FlowWatch& watch_;
  FitConfig config_;
  std::unique_ptr<Transport<float>> flow_;
  Clock::time_point start_ = Clock::now();
  bool going_ = true;
  std::size_t validated_ = 1000;  // points, in each validation but the last
  double best_ = std::numeric_limits<double>::infinity();
  std::vector<float> best_parameters_;
};

}  // namespace

std::string why_no_pool_flow_on_gpu(const Space& manifold) {
  const PoolFlow job{manifold, {}, {}, 0, 1, Device::cuda};
  return why_not_cuda(matching_config(job, has_few_dimensions(job) ? kFine : kMany).flow);
}

double seconds_of_a_score(const PoolFlow& job) {
  const FitConfig config = matching_config(job, has_few_dimensions(job) ? kFine : kMany);
  const auto flow = make_transport<float>(config.flow, job.seed, job.threads, job.device);
  const std::size_t n = std::min(job.held_out.size(), static_cast<std::size_t>(kLanes * flow->threads()));
  Points<float> points(n, job.held_out.dimension);
  std::copy_n(job.held_out.values.begin(), points.values.size(), points.values.begin());
  const auto begun = Clock::now();
  flow->log_prob(points);
  return 2 * seconds_since(begun) / static_cast<double>(n);
}

std::optional<Model> fit_pool_flow(const PoolFlow& job, double seconds, const FlowWatch& watch) {
  return FlowFit(job, seconds, watch)();
}

}  // namespace riemflow
