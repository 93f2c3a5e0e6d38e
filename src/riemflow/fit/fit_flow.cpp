#include <algorithm>
#include <cmath>

#include "riemflow/core/cancel.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/core/stopwatch.hpp"
#include "riemflow/distribution/base.hpp"
#include "riemflow/distribution/draws.hpp"
#include "riemflow/distribution/learned_mixture.hpp"
#include "riemflow/fit/checkpoint.hpp"
#include "riemflow/fit/fit_kinds.hpp"
#include "riemflow/fit/provenance.hpp"
#include "riemflow/model/flow_density.hpp"
#include "riemflow/model/kernel_density.hpp"

namespace riemflow {
namespace {

/// Of the model, by which a fit to a target is validated and, with others, judged in the end.
constexpr std::size_t kValidationDraws = 1000, kFinalDraws = 10000, kFewDraws = 100;
/// Of a time limit, for the scores in the end.
constexpr double kMostForScores = 0.5;
/// Share of a target's mass; less is in the tails.
constexpr double kMostMissed = 0.02;

template <class T>
class FlowRun {
 public:
  FlowRun(const DataSet& data, const FitOptions& options, Observer& observer, const Model* resume)
      : data_(data),
        options_(options),
        observer_(observer),
        resume_(resume),
        config_(fit_config(options, data.manifold, data.split.training.size())),
        flow_(begun()),
        fit_(data.target ? Fit<T>(*flow_, config_, data.target, kValidationDraws)
                         : Fit<T>(*flow_, config_, part_of<T>(data.points, data.split.training),
                                  part_of<T>(data.points, data.split.validation), data.split_weights())) {
    if (resume != nullptr) fit_.restore(fit_state<T>(*resume));
  }

  FitResult operator()() {
    const double limit = seconds_of(options_.time_limit);
    const auto start = Clock::now();
    observer_.checkpoint(checkpoint(fit_.state()));
    auto saved = Clock::now();
    observer_.begin({"", config_.iterations + config_.finetune, limit});
    const auto out_of_time = [&] {
      return observer_.cancelled() || seconds_since(start) >= limit - seconds_for_scores(limit);
    };
    while (!fit_.done() && !out_of_time()) {
      try {
        const CancelScope scope(out_of_time);
        fit_.advance([&](const FitProgress& progress) { observer_.step(in_units(progress), ""); });
      } catch (const Cancelled&) {  // a long step: as if it had not begun
        break;
      }
      if (seconds_since(saved) < options_.checkpoint_every) continue;
      observer_.checkpoint(checkpoint(fit_.state()));
      saved = Clock::now();
    }
    observer_.end_stage();
    const FitState<T> state = fit_.state();
    if (observer_.cancelled() && !fit_.done()) return interrupted(state);
    FitResult result;
    result.stopped = !fit_.done()                 ? "time limit"
                     : !fit_.divergence().empty() ? "divergence"
                     : fit_.out_of_patience()     ? "patience"
                                                  : "iterations";
    try {
      const CancelScope scope([&] { return observer_.cancelled(); });
      fit_.finish();
      refuse_or_say_divergence();
      result.progress = in_units(fit_.progress());
      result.parameters = flow_->parameters().size();
      score_test(result, limit - seconds_since(start));
    } catch (const Cancelled&) {
      return interrupted(state);
    }
    result.model = described(flow_->parameters(), state);
    result.model->metadata["provenance"] = provenance(data_, options_, result.progress, &result).dump();
    result.seconds = seconds_since(start);
    return result;
  }

 private:
  /// Nats of densities in the units of the data. A loss of flow matching has no such.
  FitProgress in_units(FitProgress progress) const {
    const double unit = data_.log_unit();
    const bool likelihood =
        config_.objective == Objective::likelihood || progress.iteration > config_.iterations;
    if (likelihood) progress.loss += unit;
    progress.validation += unit;
    progress.best += unit;
    return progress;
  }

  Device device() const { return options_.device; }

  /// As the fit begins; a run that is resumed brings its own parameters. Over a kernel density a flow begins
  /// at rest: as that density.
  std::unique_ptr<Transport<T>> begun() {
    auto flow = make_transport<T>(config_.flow, options_.seed, options_.threads, device(), base());
    for (const auto* part : {&data_.split.training, &data_.split.validation, &data_.split.test})
      check(*part, flow->manifold());
    require(config_.flow.base.kind == BaseKind::standard || config_.train.adam.decay == 0,
            "‹weight-decay› beside a base that is learned", "it would spread the base out: give one of them");
    require(!data_.target || data_.target->can_sample() || config_.forward_start == 0,
            fmt::format("‹forward-start› {} with a target that cannot be drawn from", config_.forward_start),
            "give ‹forward-start› 0, or draws of the target");
    if (resume_ == nullptr) tell_of_radius(flow->manifold());
    if (flow->exact_base() != nullptr) stand_still(*flow);
    if (resume_ == nullptr && !data_.target && flow->config().base.kind == BaseKind::vmf_mixture)
      start_base(*flow);
    return flow;
  }
  /// A new network has speeds of about 1, and normal bases are of variance 1, whatever the curvature.
  void tell_of_radius(const Manifold<T>& manifold) const {
    constexpr double kMostCurvature = 1e3;
    for (const Factor<T>& factor : manifold.factors()) {
      const double K = std::abs(factor.manifold->curvature());
      if (K == 0 || (K <= kMostCurvature && K >= 1 / kMostCurvature)) continue;
      observer_.tell(
          "Warning: a flow begins with steps of about one unit of length, and {} has a radius of {:.3g}: "
          "what it "
          "learns there may be far off. Give points in units near the radius, with K near {}.",
          factor.manifold->name(), 1 / std::sqrt(K), factor.manifold->curvature() > 0 ? 1 : -1);
    }
  }
  static void stand_still(Transport<T>& flow) {
    const ParameterLayout layout = flow.layout();
    for (const ParameterBlock& block : layout.blocks())
      if (block.name.starts_with("output."))
        std::fill_n(flow.parameters().begin() + static_cast<std::ptrdiff_t>(block.offset), block.size(),
                    T(0));
  }
  /// A learned base begins at the mixture that fits the data best, with a field that stands still, so that
  /// the flow begins as that mixture: by EM from mixture_start, the best on the validation points taken.
  /// Throws Error where there are fewer distinct points than components.
  void start_base(Transport<T>& flow) const {
    const Points<double> training = part_of<double>(data_.points, data_.split.training);
    Executor executor(flow.threads());
    const SplitWeights weights = data_.split_weights();
    const MixtureParameters start =
        mixture_start(training, static_cast<std::size_t>(flow.config().base.components), options_.seed, {},
                      weights.training);
    MixtureEmConfig config;
    config.patience = 50;
    const MixtureFit fit = fit_mixture_em(
        start, training, part_of<double>(data_.points, data_.split.validation), config, executor, weights);
    const std::vector<T> found = LearnedMixture<T>::parameters_of(fit.parameters);
    std::copy_backward(found.begin(), found.end(), flow.parameters().end());  // behind those of the field
    stand_still(flow);
  }
  /// A kernel density is fitted once: a run that is resumed has it from its checkpoint.
  std::shared_ptr<const Distribution<double>> base() {
    if (options_.base != "kde") return nullptr;
    if (resume_ != nullptr) return kernels_of(*resume_);
    const KernelFit fit = choose_kernels(data_, options_, 1.0 / 3, observer_);
    const auto kernels = std::make_shared<KernelMixture>(data_.manifold.on<double>(), fit.parameters);
    const KernelDensity density(kernels, options_.threads);
    observer_.tell("Base: {}; its validation NLL is {:.4f} nats.",
                   text_of({fit.recipe, fit.parameters.size()}),
                   data_.log_unit() - density.log_prob(part_of<double>(data_.points, data_.split.validation))
                                          .mean(data_.weights_of(data_.split.validation)));
    return kernels;
  }

  /// Names a point that its rounding to T takes off the manifold by its line.
  void check(const std::vector<std::size_t>& part, const Manifold<T>& manifold) const {
    const Points<T> points = part_of<T>(data_.points, part);
    for (std::size_t i = 0; i < points.size(); ++i)
      if (const auto defect = manifold.defect(points[i]))
        throw Error(fmt::format("{}, {} {}: {}", data_.name, data_.line_word, data_.lines[part[i]], *defect),
                    "use ‹precision› double", Fault::bad_data)
            .at({data_.name, data_.lines[part[i]]});
  }

  /// The densities of a model are exact, however it was trained.
  FlowConfig exact_config() const {
    FlowConfig config = config_.flow;
    config.divergence = {};
    config.regularisation = {};
    return config;
  }

  Model described(std::span<const T> parameters, const FitState<T>& state) const {
    Model model = make_model<T>(*flow_, parameters);
    model.config = exact_config();
    model.state = state_tensors(state);
    describe(model, data_, options_);
    return model;
  }

  FitResult interrupted(const FitState<T>& state) const {
    FitResult result;
    result.model = checkpoint(state);
    result.progress = in_units(state.progress);
    result.stopped = "interrupted";
    return result;
  }

  Model checkpoint(const FitState<T>& state) const {
    // Before the first validation there is no best: the current parameters are.
    const bool validated = !std::isnan(state.progress.best);
    Model model = described(validated ? state.best_parameters : state.parameters, state);
    model.metadata["provenance"] = provenance(data_, options_, in_units(state.progress), nullptr).dump();
    return model;
  }

  /// The flow with the exact divergence; null if it has that already.
  std::unique_ptr<Transport<T>> exact_flow() const {
    if (flow_->exact()) return nullptr;
    auto exact = make_transport<T>(exact_config(), 0, options_.threads, device(), flow_->exact_base());
    std::copy(flow_->parameters().begin(), flow_->parameters().end(), exact->parameters().begin());
    return exact;
  }

  /// To be left over by the training.
  double seconds_for_scores(double limit) const {
    const std::size_t points = data_.target ? 2 * kFinalDraws : data_.split.test.size();
    return std::min(kMostForScores * limit, fit_.seconds_to_finish(points));
  }

  /// As many draws of the model as `seconds` have room for, by the time that a few take.
  std::size_t final_draws(const Density& density, double seconds) const {
    if (std::isinf(seconds)) return kFinalDraws;
    const auto start = Clock::now();
    score_against(density, *data_.target, kFewDraws, options_.seed + 1);
    const double few = seconds_since(start) + 1e-6;
    return static_cast<std::size_t>(
        std::clamp(kFewDraws * seconds / (1.5 * few), 1.0 * kFewDraws, 1.0 * kFinalDraws));
  }

  void score_test(FitResult& result, double seconds) {
    const auto reference = default_base<T>(data_.manifold.on<T>());
    result.reference = flow_->manifold().compact() ? "uniform density" : reference->name();
    if (data_.target) {
      const std::unique_ptr<Transport<T>> exact = exact_flow();
      const FlowDensity flow = seen_as_density(exact ? *exact : *flow_);
      const std::size_t draws = final_draws(flow, seconds);
      result.target = score_against(flow, *data_.target, draws, options_.seed + 1);
      result.failed_test_points = result.target->failed;
      if (result.target->failed > 0)
        observer_.tell("Warning: {} of {} draws failed.", result.target->failed, draws);
      if (data_.target->can_sample()) {
        result.cover = cover_of(flow, *data_.target, draws, options_.seed + 1);
        warn_of_missed(*result.cover);
      }
    }
    if (data_.split.test.empty()) return;
    const Points<T> test = part_of<T>(data_.points, data_.split.test);
    const Weights weights = data_.weights_of(data_.split.test);
    const double unit = data_.log_unit();
    result.reference_nll = unit - weighted_mean(log_densities_of(*reference, test), weights);
    const std::unique_ptr<Transport<T>> exact = exact_flow();
    const LogProb<T> scored = (exact ? *exact : *flow_).log_prob(test);
    result.test_nll = unit - scored.mean(weights);
    result.test_error = scored.standard_error(weights);
    result.failed_test_points = scored.summary.failures.size();
    for (const Failure& failure : scored.summary.failures)
      observer_.tell("Warning: test point of {}, {} {}: {}.", data_.name, data_.line_word,
                     data_.lines[data_.split.test[failure.point]], explain(failure.status));
  }

  void warn_of_missed(const TargetCover& cover) const {
    if (cover.failed > 0)
      observer_.tell(
          "Warning: at {} of {} draws of the target the model has no density that can be computed.",
          cover.failed, cover.failed + cover.draws);
    if (cover.missed_share > kMostMissed)
      observer_.tell(
          "Warning: the model misses about {:.{}f} % of the target's mass: it has less than a tenth of the "
          "target's density there, and reverse KL cannot see it. Give a longer ‹forward-start› (it is {}), "
          "more ‹iterations›, or another ‹seed›.",
          100 * cover.missed_share, cover.missed_share < 0.1 ? 1 : 0, config_.forward_start);
  }

  /// A training with steps that had no finite gradient, and no finite validation, is refused: what it would
  /// write is of no use. One that the time limit ended before its first validation, or whose solver is too
  /// narrow for the validation points, has its parameters as they are.
  void refuse_or_say_divergence() const {
    const FitProgress& p = fit_.progress();
    const std::string why = fit_.divergence();
    const std::string advice =
        fmt::format("a smaller ‹rate› (it is {:g}) or ‹clip› 1 helps",
                    p.iteration <= config_.iterations ? config_.train.schedule.rate : config_.finetune_rate);
    if (!why.empty() && std::isfinite(p.best))
      observer_.tell(
          "Warning: training diverged at iteration {}: {}. The best model, of iteration {}, is kept; {}.",
          p.iteration, why, p.best_iteration, advice);
    if (!std::isfinite(p.best) && (!why.empty() || (std::isinf(p.best) && p.skipped > 0)))
      throw Error(why.empty()
                      ? fmt::format("no validation of {} iterations was finite", p.iteration)
                      : fmt::format("training diverged at iteration {}: {}, and no validation was finite",
                                    p.iteration, why),
                  advice, Fault::numerical);
  }

  const DataSet& data_;
  const FitOptions& options_;
  Observer& observer_;
  const Model* resume_;
  FitConfig config_;
  std::unique_ptr<Transport<T>> flow_;
  Fit<T> fit_;
};

}  // namespace

std::string why_not_on_gpu(const FitOptions& settings, const Space& manifold) {
  const FitConfig config = fit_config(settings, manifold, 1);
  if (settings.precision == "double") return "the GPU computes in float, not in double";
  if (settings.base == "kde") return "the GPU has no kernel density as a base";
  try {
    make_transport<float>(config.flow, 0, 1, Device::cuda);
  } catch (const Error& error) {
    return error.problem();
  }
  return "";
}

FitResult fit_flow(const DataSet& data, const FitOptions& options, Observer& observer, const Model* resume) {
  if (options.precision == "double") return FlowRun<double>(data, options, observer, resume)();
  return FlowRun<float>(data, options, observer, resume)();
}

}  // namespace riemflow
