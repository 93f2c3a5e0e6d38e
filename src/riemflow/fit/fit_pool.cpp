#include <algorithm>
#include <atomic>
#include <cmath>

#include "riemflow/core/cancel.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/core/stopwatch.hpp"
#include "riemflow/distribution/base.hpp"
#include "riemflow/distribution/draws.hpp"
#include "riemflow/fit/fit_kinds.hpp"
#include "riemflow/fit/kernel_learner.hpp"
#include "riemflow/fit/mixture_learner.hpp"
#include "riemflow/fit/pool_flow.hpp"
#include "riemflow/fit/pooling.hpp"
#include "riemflow/fit/provenance.hpp"
#include "riemflow/kernel/kernel_choice.hpp"
#include "riemflow/model/held_out.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow {
namespace {

/// Networks of learned kernels whose mean is the member: many of few points, where each is quick and they
/// differ most.
constexpr long kNetworks = 2, kNetworksOfFew = 4;
/// Of the time, for them: where flows may follow, and where none does.
constexpr double kLearningShare = 0.5, kLearningAlone = 0.6;
/// Where there is less for all of them one has it all.
constexpr double kOneNetworkSeconds = 8;
/// Flows want so many seconds at least. Mixtures and flows want a gain of so many nats of held-out points
/// that did not choose the weights: of a flow whoever uses the model pays for a solve at every point.
constexpr double kLeastFlowSeconds = 10, kLeastGain = 0.001, kLeastFlowGain = 0.003;
/// Behind the kernels, in nats, after flow matching or with ten normals: neither steps by likelihood nor
/// more normals have ever made up for that much. In many dimensions both are worth their while from farther
/// behind.
constexpr double kHopeless = 0.3;
constexpr int kNearKernels = 3;
/// A flow more for each of these, up to kMostFlows: seeds that err in different places.
constexpr double kSecondsOfAFlow = 120, kSecondsOnAGpu = 25;
constexpr long kMostFlows = 4;
/// Points that are scored, of the held-out ones and of the test: so many for a second of the limit, and so
/// many at least.
constexpr double kScoredASecond = 2000;
constexpr std::size_t kLeastScored = 200;
/// Of the time, for the recipes of kernel densities, and for mixtures of normals where more may follow.
constexpr double kSearchShare = 0.2, kMixtureShare = 0.2;
/// After an interrupt: what can be scored by then is kept.
constexpr double kGraceSeconds = 0.4;
/// Of all scored points by one flow: the end of each stage of its training is one.
constexpr double kScoringPasses = 4;

class PoolRun {
 public:
  PoolRun(const DataSet& data, const FitOptions& options, Observer& observer)
      : data_(data),
        options_(options),
        observer_(observer),
        manifold_(data.manifold.on<double>()),
        folds_(data.folds()),
        executor_(options.threads),
        limit_(seconds_of(options.time_limit)) {
    require(data.target == nullptr, "‹target› with ‹model› pool",
            "a pool learns from data: give a file, or another ‹model›");
    Device device = options.device;
    if (device == Device::automatic)
      device = why_no_pool_flow_on_gpu(data.manifold).empty() ? Device::cuda : Device::cpu;
    how_ = {0, options.threads, device};
    // A flow has no folds.
    if (!has_kernels()) folds_.resize(1);
    test_rows_ = choose_scored();
    test_ = part(test_rows_);
    test_weights_ = data_.weights_of(test_rows_);
  }

  FitResult operator()() {
    try {
      const CancelScope scope([this] { return cancelled_for(kGraceSeconds); });
      return fit();
    } catch (const Cancelled&) {
      return interrupted();
    }
  }

 private:
  FitResult fit() {
    const bool few = folds_.size() > 1;
    if (few)
      observer_.tell(
          "{} validation points are few: the weights are chosen by {} folds of the {} training and "
          "validation points.",
          data_.split.validation.size() / data_.lifts, folds_.size(),
          data_.split.known().size() / data_.lifts);
    if (!has_kernels()) {
      observer_.tell("{} has no kernels: the pool is of flows alone.", manifold_->name());
      add_flows();
      if (observer_.cancelled()) return interrupted();
      require(!contenders_.empty(), "no flow could be fitted in the time that there was",
              "give more ‹time-limit›", Fault::numerical);
      return save(true);
    }
    const std::string no_kernels = KernelLearner::why_not(data_, folds_);
    if (no_kernels.empty()) {
      add_learned(few);
      add_mixtures(few);
    }
    // The recipe of a kernel density is chosen by the points that choose the weights: it gets too much. Where
    // there are few points it helps all the same (docs/quality.md).
    if (few || !no_kernels.empty()) add_kernels();
    if (flows_may_follow(few)) add_flows();
    return observer_.cancelled() ? interrupted() : save(true);
  }

  /// With the pool of what there is.
  FitResult interrupted() {
    FitResult result = std::move(last_);
    result.stopped = "interrupted";
    return result;
  }
  /// What can be scored in a moment is kept.
  bool cancelled_for(double seconds) const {
    if (!observer_.cancelled()) return false;
    double never = -1;
    const double now = seconds_since(start_);
    cancelled_at_.compare_exchange_strong(never, now);
    return now - cancelled_at_ >= seconds;
  }

  bool has_kernels() const {
    const auto factors = manifold_->factors();
    return std::none_of(factors.begin(), factors.end(), [](const Factor<double>& factor) {
      return factor.manifold->kernel_form().family == KernelForm::Family::none;
    });
  }

  Points<double> part(const std::vector<std::size_t>& rows) const {
    return part_of<double>(data_.points, rows);
  }
  bool out_of_time() const { return observer_.cancelled() || seconds_since(start_) >= limit_; }

  /// The shipped network as it is first: a density that needs no training. Then networks trained on the set,
  /// each from there; of many points, where a density takes longer than its training, one.
  void add_learned(bool few) {
    ObservedTask task(observer_, "Learned kernels", 1);
    const KernelLearner learner(data_, folds_, executor_, [this] { give_up_if_interrupted(); });
    contenders_.push_back({"learned kernels", {}, {}, {}, false});
    if (!learner.many()) {
      add_network(learner, learner.untrained());
      save(false);
    }
    const double until = (flows_may_follow(few) ? kLearningShare : kLearningAlone) * limit_;
    const long networks = learner.many() ? 1 : few ? kNetworksOfFew : kNetworks;
    for (long i = 0; i < networks; ++i) {
      const double left = until - seconds_since(start_);
      // A second network that is half trained is worth less than the first one's time.
      const bool wanted = left > 0 && (i == 0 || left >= 0.5 * (until / static_cast<double>(networks)));
      if (!wanted && !contenders_.front().models.empty()) break;
      LearnOptions how;
      how.steps = options_.kernel_steps;
      how.seed = options_.seed + 100'000 * static_cast<std::uint64_t>(i);
      how.seconds = i == 0 && until < kOneNetworkSeconds ? left : left / static_cast<double>(networks - i);
      LearningLog log(data_.log_unit());
      how.progress = [&](const LearnStep& step) {
        task.reach(static_cast<double>(i) + static_cast<double>(step.done) / static_cast<double>(step.of),
                   static_cast<double>(networks));
        ++iterations_;
        observer_.logged(fmt::format("learned kernels, network {}", i + 1), log.progress_of(step));
        return !observer_.cancelled();
      };
      KernelLearner::Result learned = learner.learn(how);
      give_up_if_interrupted();
      if (i == 0) contenders_.front() = {"learned kernels", {}, {}, {}, false};
      add_network(learner, std::move(learned));
      save(false);
    }
  }

  /// In few dimensions what they added on the CPU did not pay for what they cost (docs/quality.md): they are
  /// fitted there if asked for, or where a GPU makes them quick.
  bool flows_may_follow(bool few) const {
    const bool wanted = manifold_->dimension() > kNearKernels || options_.flow_steps > 0 ||
                        how_.device == Device::cuda || contenders_.empty();
    return wanted && !few && (contenders_.empty() || !(limit_ * (1 - kLearningShare) < kLeastFlowSeconds));
  }

  /// One more of the first contender, which is the mean of its networks.
  void add_network(const KernelLearner& learner, KernelLearner::Result learned) {
    network_scores_.resize(contenders_.front().models.size());
    network_tests_.resize(contenders_.front().models.size());
    network_tests_.push_back(in_units(learner.log_prob(*learned.density, test_rows_)));
    network_scores_.push_back(in_units(std::move(learned.held_out)));
    Contender& contender = contenders_.front();
    Model model = make_model(data_.manifold, std::move(learned.density));
    model.config.model = ModelKind::kernels;
    contender.models.push_back(with_units(std::move(model)));
    contender.validation = mean_of(network_scores_);
    if (test_.size() > 0) contender.test = mean_of(network_tests_);
  }

  static std::vector<double> mean_of(const std::vector<std::vector<double>>& log_densities) {
    const auto n = static_cast<double>(log_densities.size());
    return pooled_log_densities(log_densities, std::vector<double>(log_densities.size(), 1 / n));
  }

  /// A contender for each number of normals.
  void add_mixtures(bool few) {
    if (!contenders_.empty() && out_of_time()) return;
    ObservedTask task(observer_, "Mixtures of normals", 1);
    const MixtureLearner learner(data_, folds_, executor_, [this] { give_up_if_interrupted(); });
    MixtureLearner::Options how;
    how.seed = options_.seed;
    how.seconds = limit_ - seconds_since(start_);
    if (few || flows_may_follow(few)) how.seconds = std::min(how.seconds, kMixtureShare * limit_);
    how.hopeless = hopeless();
    how.progress = [&](std::size_t done, std::size_t of) {
      task.reach(static_cast<double>(done), static_cast<double>(of));
      return true;
    };
    for (MixtureLearner::Mixture& mixture : learner.learn(how)) {
      Contender contender{fmt::format("mixture of {} normals", mixture.components), {}, {}, {}, true};
      contender.validation = std::move(mixture.learned.held_out);
      contender.test = mixture.learned.density->log_prob(test_, &executor_);
      contender.models.push_back(make_model(data_.manifold, std::move(mixture.learned.density)));
      contender.models.front().config.model = ModelKind::normal_mixture;
      add(std::move(contender));
    }
    leave_out_what_does_not_pay(ModelKind::normal_mixture, "mixtures of normals", kLeastGain);
    save(false);
  }

  /// Recipes by cross-validation; then, since a recipe is a few numbers, with all points that are known as
  /// centres.
  void add_kernels() {
    const std::vector<std::size_t> known = data_.split.known();
    ObservedTask task(observer_, "Kernel densities", 1);
    const double begun = seconds_since(start_);
    const auto elapsed = [this, begun] {
      give_up_if_interrupted();
      return seconds_since(start_) - begun;
    };
    const std::vector<KernelFit> fits =
        fit_kernel_densities(manifold_, part(known), {}, &executor_, data_.groups_of(known),
                             {kSearchShare * limit_, elapsed, [&](double share) { task.reach(share, 1); }},
                             {data_.weights_of(known), {}});
    int neighbours = 0;
    for (const KernelFit& fit : fits)
      if (fit.recipe.shape != KernelShape::one)
        neighbours = std::max({neighbours, fit.recipe.neighbours, fit.recipe.shape_neighbours});
    // Neighbours are found once for all recipes: of each fold's points and, last, of all.
    std::vector<KernelData> centres;
    const auto ask = [this] { give_up_if_interrupted(); };
    const auto add_centres = [&](const std::vector<std::size_t>& rows) {
      centres.emplace_back(manifold_, part(rows), neighbours, &executor_, ask, data_.weights_of(rows));
    };
    for (const Fold& fold : folds_) add_centres(fold.training);
    add_centres(known);
    for (const KernelFit& fit : fits) {
      Contender contender{fmt::format("kernel density, {}", name_of(fit.recipe.shape)), {}, {}, {}, false};
      for (std::size_t k = 0; k < folds_.size(); ++k) {
        const KernelMixture own(manifold_, centres[k].parameters(fit.recipe));
        const std::vector<double> scores = own.log_prob(part(folds_[k].held_out), &executor_);
        contender.validation.insert(contender.validation.end(), scores.begin(), scores.end());
      }
      const auto all =
          std::make_shared<const KernelMixture>(manifold_, centres.back().parameters(fit.recipe));
      contender.test = all->log_prob(test_, &executor_);
      contender.models.push_back(make_model(data_.manifold, all));
      add(std::move(contender));
    }
    save(false);
  }

  void give_up_if_interrupted() const {
    if (observer_.cancelled()) throw Cancelled{};
  }

  /// So many of the validation points, and of the test points, which are returned, as there is time for.
  std::vector<std::size_t> choose_scored() {
    std::vector<std::size_t> test = data_.split.test;
    if (!std::isfinite(limit_)) return test;
    const auto most =
        std::max(kLeastScored, static_cast<std::size_t>(std::min(1e9, kScoredASecond * limit_)));
    std::size_t all = 0, kept = 0;
    const auto sample = [&](std::vector<std::size_t>& rows) {
      const std::size_t n = std::min(most, rows.size());
      all += rows.size();
      kept += n;
      for (std::size_t i = 0; i < n; ++i) rows[i] = rows[i * rows.size() / n];
      rows.resize(n);
    };
    for (Fold& fold : folds_) sample(fold.held_out);
    sample(test);
    if (kept < all)
      observer_.tell("For want of time {} of the {} validation and test points are scored.", kept, all);
    return test;
  }
  /// Points, of validation and test.
  std::size_t scored() const { return test_.size() + held_out().size(); }
  /// Of all folds, as they are scored.
  std::vector<std::size_t> held_out() const {
    std::vector<std::size_t> rows;
    for (const Fold& fold : folds_) rows.insert(rows.end(), fold.held_out.begin(), fold.held_out.end());
    return rows;
  }

  /// As many as there is time for, and those that pay.
  void add_flows() {
    const double left = limit_ - seconds_since(start_);
    if (left < kLeastFlowSeconds && !contenders_.empty()) return;
    flow_score_ = std::isfinite(limit_) ? seconds_of_a_score(flow_job(0)) : 0;
    const double seconds_of_a_flow = how_.device == Device::cuda ? kSecondsOnAGpu : kSecondsOfAFlow;
    const long flows =
        std::isfinite(left) ? std::clamp(static_cast<long>(left / seconds_of_a_flow), 1L, kMostFlows) : 1;
    double last = 0;  // seconds of a flow
    for (long i = 0; i < kMostFlows && !out_of_time(); ++i) {
      // More than were planned where they were quicker than planned.
      if (i >= flows && !(limit_ - seconds_since(start_) > last && std::isfinite(limit_))) break;
      const auto begun = Clock::now();
      if (!add_flow(i, std::max(flows, i + 1))) break;
      last = seconds_since(begun);
      save(false);
    }
    leave_out_what_does_not_pay(ModelKind::riemannian, "flows", kLeastFlowGain);
  }

  /// Whether there is one.
  bool add_flow(long number, long flows) {
    const double left =
        limit_ - seconds_since(start_) - kScoringPasses * flow_score_ * static_cast<double>(scored());
    const double seconds = left / static_cast<double>(flows - number);
    if (seconds <= 0) return false;
    Contender contender{fmt::format("flow {}", number + 1), {}, {}, {}, false};
    const std::optional<Model> model = train(flow_job(number), seconds, contender.name);
    if (!model) {
      if (!observer_.cancelled())
        observer_.tell("Without {}: its training has not come near the kernels.", contender.name);
      return false;
    }
    const ObservedTask task(observer_, fmt::format("Scores of {}", contender.name));
    contender.validation = log_densities_of_model(*model, how_, part(folds_.front().held_out));
    if (test_.size() > 0) contender.test = log_densities_of_model(*model, how_, test_);
    contender.models.push_back(*model);
    add(std::move(contender));
    return true;
  }

  /// Of a kind, all or none: what they gain is known from points that have not chosen the weights.
  void leave_out_what_does_not_pay(ModelKind kind, const char* what, double least) {
    const Weights weights = data_.weights_of(held_out());
    std::vector<Contender> without;
    for (const Contender& contender : contenders_)
      if (contender.models.front().config.model != kind) without.push_back(contender);
    if (without.empty() || without.size() == contenders_.size()) return;
    const double gain = unseen_nll(without, weights) - unseen_nll(contenders_, weights);
    if (gain >= least) return;
    observer_.tell("Without {}: they gain {:.4f} nats on the held-out points, and {} is the least.", what,
                   std::max(0.0, gain), least);
    contenders_ = std::move(without);
  }

  /// In the units of the data from here on: its scores and its models.
  void add(Contender contender) {
    contender.validation = in_units(std::move(contender.validation));
    contender.test = in_units(std::move(contender.test));
    for (Model& model : contender.models) model = with_units(std::move(model));
    contenders_.push_back(std::move(contender));
  }
  std::vector<double> in_units(std::vector<double> scores) const {
    for (double& score : scores) score -= data_.log_unit();
    return scores;
  }
  Model with_units(Model model) const {
    keep_standardisation(model, data_.standardisation);
    return model;
  }

  /// NLL of the held-out points, in standardised units, that is too far behind the kernels.
  double hopeless() const {
    if (contenders_.empty() || manifold_->dimension() > kNearKernels)
      return std::numeric_limits<double>::infinity();
    return kHopeless - data_.log_unit() +
           mean_score(contenders_.front().validation, data_.weights_of(held_out())).nll;
  }

  PoolFlow flow_job(long number) const {
    const Fold& fold = folds_.front();
    return {data_.manifold,
            part_of<float>(data_.points, fold.training),
            part_of<float>(data_.points, fold.held_out),
            options_.seed + 1000 * static_cast<std::uint64_t>(number),
            options_.threads,
            how_.device,
            options_.flow_steps,
            {data_.weights_of(fold.training), data_.weights_of(fold.held_out)},
            hopeless()};
  }

  std::optional<Model> train(const PoolFlow& job, double seconds, const std::string& name) {
    std::string shown;
    const auto begun = Clock::now();
    const double unit = data_.log_unit();
    const auto model = fit_pool_flow(job, seconds, [&](const char* stage, FitProgress progress, long steps) {
      if (shown != stage) {
        if (!shown.empty()) observer_.end_stage();
        shown = stage;
        observer_.begin({fmt::format("{}, {}", name, stage), steps, seconds - seconds_since(begun)});
      }
      progress.validation += unit;
      progress.best += unit;
      if (std::string_view(stage) == kLikelihoodStage) progress.loss += unit;
      ++iterations_;
      observer_.step(progress, "");
      return !observer_.cancelled();
    });
    if (!shown.empty()) observer_.end_stage();
    return model;
  }

  FitResult save(bool finished) {
    const std::vector<std::size_t> rows = held_out();
    const Weights weights = data_.weights_of(rows);
    WeighedPool pool = weigh(contenders_, {weights, test_weights_});
    FitResult result;
    result.progress.iteration = result.progress.best_iteration = iterations_;
    result.progress.best = mean_score(pool.validation, weights).nll;
    result.stopped = out_of_time() ? "time limit" : "iterations";
    result.reference = manifold_->compact() ? "uniform density" : "base";
    if (!pool.test.empty()) {
      const MeanScore test = mean_score(pool.test, test_weights_);
      result.test_points = pool.test.size();
      result.test_nll = test.nll;
      result.test_error = test.error;
      result.failed_test_points = test.failed;
      result.reference_nll =
          data_.log_unit() -
          weighted_mean(log_densities_of(*default_base<double>(manifold_), test_), test_weights_);
    }
    result.parameters = numbers_in(pool.model);
    result.members = pool_rows(contenders_, pool);
    result.members_table = pool_table(contenders_, pool);
    describe(pool.model, data_, options_);
    nlohmann::ordered_json about = provenance(data_, options_, result.progress, finished ? &result : nullptr);
    about["members"] = json_of(result.members);
    pool.model.metadata["provenance"] = about.dump();
    keep_held_out(pool.model, {rows, pool.validation, weights});
    result.model = std::move(pool.model);
    result.seconds = seconds_since(start_);
    if (finished) return result;
    observer_.checkpoint(*result.model);
    return last_ = std::move(result);
  }

  const DataSet& data_;
  const FitOptions& options_;
  Observer& observer_;
  std::shared_ptr<const Manifold<double>> manifold_;
  std::vector<Fold> folds_;
  Executor executor_;
  double limit_;
  Evaluation how_;  // of the flows
  std::vector<std::size_t> test_rows_;
  Points<double> test_;
  Weights test_weights_;
  Clock::time_point start_ = Clock::now();
  std::vector<Contender> contenders_;
  std::vector<std::vector<double>> network_scores_, network_tests_;  // of the learned kernels' networks
  double flow_score_ = 0;                                            // seconds, of one point
  long iterations_ = 0;                                              // of all networks
  FitResult last_;                                                   // as last saved
  mutable std::atomic<double> cancelled_at_ = -1;
};

}  // namespace

FitResult fit_pool(const DataSet& data, const FitOptions& options, Observer& observer) {
  return PoolRun(data, options, observer)();
}

}  // namespace riemflow
