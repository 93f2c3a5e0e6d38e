#include <algorithm>
#include <atomic>
#include <cmath>
#include <set>

#include "riemflow/core/cancel.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/core/stopwatch.hpp"
#include "riemflow/distribution/base.hpp"
#include "riemflow/distribution/draws.hpp"
#include "riemflow/fit/fit_kinds.hpp"
#include "riemflow/fit/pool_flow.hpp"
#include "riemflow/fit/pooling.hpp"
#include "riemflow/fit/provenance.hpp"
#include "riemflow/kernel/kernel_choice.hpp"
#include "riemflow/manifold/parse.hpp"
#include "riemflow/model/held_out.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow {
namespace {

/// Kernels of one width have the wrong tails for data with more than one scale: each kernel density is there
/// as it was chosen and, for the weights to choose among, with its bandwidths times these.
constexpr double kWidths[] = {1, 0.3, 0.55, 1.8};
/// A flow more for each of these, up to kMostFlows: seeds that err in different places.
constexpr double kSecondsOfAFlow = 120, kSecondsOnAGpu = 25;
constexpr long kMostFlows = 4;
/// Of the time: what the search of the kernels' recipes may take, when the kernel densities must be ready,
/// and what all scores of one contender may take. At least so many points are scored.
constexpr double kSearchShare = 1.0 / 3, kKernelShare = 0.5, kScoreShare = 0.02;
constexpr std::size_t kLeastScored = 200;
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
        manifold_(parse_manifold<double>(data.manifold)),
        folds_(folds_of(data.split, data.groups)),
        executor_(options.threads),
        limit_(seconds_of(options.time_limit)) {
    require(data.target == nullptr, "‹target› with ‹model› pool",
            "a pool learns from data: give a file, or another ‹model›");
    Device device = options.device;
    if (device == Device::automatic)
      device = why_no_pool_flow_on_gpu(data.manifold).empty() ? Device::cuda : Device::cpu;
    how_ = {0, options.threads, device};
    take_test(data.split.test);
    known_ = data.split.known();
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
    if (folds_.size() > 1)
      observer_.tell(
          "{} validation points are few: the weights are chosen by {} folds of the {} training and "
          "validation points.",
          data_.split.validation.size(), folds_.size(), known_.size());
    add_kernels();
    save(false);
    const std::size_t kernels = contenders_.size();
    const double left = limit_ - seconds_since(start_);
    const double seconds_of_a_flow = how_.device == Device::cuda ? kSecondsOnAGpu : kSecondsOfAFlow;
    const long flows =
        std::isfinite(left) ? std::clamp(static_cast<long>(left / seconds_of_a_flow), 1L, kMostFlows) : 1;
    double last = 0;  // seconds of a flow
    for (long i = 0; i < kMostFlows && !out_of_time(); ++i) {
      // More than were planned where they were quicker than planned.
      if (i >= flows && !(limit_ - seconds_since(start_) > last && std::isfinite(limit_))) break;
      const auto begun = Clock::now();
      add_flow(i, std::max(flows, i + 1));
      last = seconds_since(begun);
      save(false);
    }
    if (contenders_.size() == kernels && !observer_.cancelled())
      observer_.tell(
          "No flow: {}.",
          flow_failed_
              ? "its training did not succeed"
              : fmt::format("there was no time for one; the kernel densities took {:.3g} of the {:.3g} s",
                            kernel_seconds_, limit_));
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

  Points<double> part(const std::vector<std::size_t>& rows) const {
    return part_of<double>(data_.points, rows);
  }
  void take_test(const std::vector<std::size_t>& rows) {
    test_ = part(rows);
    test_weights_ = data_.weights_of(rows);
  }
  bool out_of_time() const { return observer_.cancelled() || seconds_since(start_) >= limit_; }

  /// Recipes by validation, or by cross-validation where there are folds; then, since a recipe is a few
  /// numbers, with all points that are known as centres.
  void add_kernels() {
    const bool few = folds_.size() > 1;
    const std::vector<std::size_t> none, &learned = few ? known_ : folds_.front().training,
                                         &held_out = few ? none : folds_.front().held_out;
    const Points<double> training = part(learned), validation = few ? Points<double>() : part(held_out);
    std::vector<KernelFit> fits;
    {
      ObservedTask task(observer_, "Kernel densities", 1);
      const auto elapsed = [this] {
        give_up_if_interrupted();
        return seconds_since(start_);
      };
      fits =
          fit_kernel_densities(manifold_, training, validation, &executor_, data_.groups_of(learned),
                               {kSearchShare * limit_, elapsed, [&](double share) { task.reach(share, 1); }},
                               {data_.weights_of(learned), data_.weights_of(held_out)});
    }
    choose_scored(fits);
    int neighbours = 0;
    for (const KernelFit& fit : fits)
      if (fit.recipe.shape != KernelShape::one)
        neighbours = std::max({neighbours, fit.recipe.neighbours, fit.recipe.shape_neighbours});
    ObservedTask task(observer_, "Scores of kernel densities",
                      static_cast<double>(fits.size() * std::size(kWidths)));
    // Neighbours are found once for all recipes: of each fold's points and, last, of all.
    std::vector<KernelData> centres;
    const auto ask = [this] { give_up_if_interrupted(); };
    const auto add_centres = [&](const std::vector<std::size_t>& rows) {
      centres.emplace_back(manifold_, part(rows), neighbours, &executor_, ask, data_.weights_of(rows));
    };
    for (const Fold& fold : folds_) add_centres(fold.training);
    add_centres(known_);
    std::set<KernelShape> tried;
    for (const KernelFit& fit : fits) {
      double seconds = 2 * fit.seconds * static_cast<double>(scored());
      for (const double width : kWidths) {
        if (!contenders_.empty() && seconds_since(start_) + seconds > kKernelShare * limit_) break;
        const auto begun = Clock::now();
        KernelRecipe recipe = fit.recipe;
        recipe.scale *= width;
        add_kernels(centres, recipe,
                    fmt::format("kernel density, {}{}", name_of(recipe.shape),
                                width == 1 ? "" : fmt::format(" x{:g}", width)));
        seconds = seconds_since(begun);
        task.advance(1);
        contenders_.back().variant = width != 1;
        tried.insert(fit.recipe.shape);
        if (width == 1 && (best_kernel_ == kNone || nll(contenders_.size() - 1) < nll(best_kernel_)))
          best_kernel_ = contenders_.size() - 1;
      }
    }
    kernel_seconds_ = seconds_since(start_);
    say_untried(fits, tried);
  }

  /// A shape that a whole search has left out was round, and so another one again.
  void say_untried(const std::vector<KernelFit>& fits, const std::set<KernelShape>& tried) const {
    const bool whole = std::all_of(fits.begin(), fits.end(), [](const KernelFit& fit) { return fit.whole; });
    std::vector<std::string> names;
    for (const KernelShape shape : {KernelShape::local, KernelShape::anisotropic}) {
      const bool found = std::any_of(fits.begin(), fits.end(),
                                     [&](const KernelFit& fit) { return fit.recipe.shape == shape; });
      if (!tried.contains(shape) && (found || !whole)) names.emplace_back(name_of(shape));
    }
    if (!names.empty())
      observer_.tell("For want of time the kernel densities are without the {} one{}.",
                     fmt::join(names, " and the "), names.size() > 1 ? "s" : "");
  }

  void give_up_if_interrupted() const {
    if (observer_.cancelled()) throw Cancelled{};
  }

  /// So many of the validation points, and of the test points, as all contenders can be scored on in time.
  void choose_scored(const std::vector<KernelFit>& fits) {
    if (!std::isfinite(limit_)) return;
    double seconds = flow_score_ = seconds_of_a_score(flow_job(0, 0));  // of a point, by the slowest
    for (const KernelFit& fit : fits) seconds = std::max(seconds, 2 * fit.seconds);
    const auto most =
        std::max(kLeastScored, static_cast<std::size_t>(std::min(1e9, kScoreShare * limit_ / seconds)));
    const std::size_t all = scored();
    const auto sample = [&](std::vector<std::size_t>& rows) {
      const std::size_t n = std::min(most, rows.size());
      for (std::size_t i = 0; i < n; ++i) rows[i] = rows[i * rows.size() / n];
      rows.resize(n);
    };
    for (Fold& fold : folds_) sample(fold.held_out);
    std::vector<std::size_t> test = data_.split.test;
    sample(test);
    take_test(test);
    if (scored() < all)
      observer_.tell("For want of time {} of the {} validation and test points are scored.", scored(), all);
  }
  /// Points, of validation and test.
  std::size_t scored() const {
    std::size_t sum = test_.size();
    for (const Fold& fold : folds_) sum += fold.held_out.size();
    return sum;
  }
  void add_kernels(std::vector<KernelData>& centres, const KernelRecipe& recipe, std::string name) {
    Contender contender{std::move(name), {}, {}, {}, false};
    for (std::size_t k = 0; k < folds_.size(); ++k) {
      const KernelMixture own(manifold_, centres[k].parameters(recipe));
      const std::vector<double> scores = own.log_prob(part(folds_[k].held_out), &executor_);
      contender.validation.insert(contender.validation.end(), scores.begin(), scores.end());
    }
    const auto all = std::make_shared<const KernelMixture>(manifold_, centres.back().parameters(recipe));
    contender.test = all->log_prob(test_, &executor_);
    contender.models.push_back(make_model(data_.manifold, all));
    add(std::move(contender));
  }
  double nll(std::size_t contender) const {
    return mean_score(contenders_[contender].validation, data_.weights_of(held_out())).nll;
  }
  /// Of all folds, as they are scored.
  std::vector<std::size_t> held_out() const {
    std::vector<std::size_t> rows;
    for (const Fold& fold : folds_) rows.insert(rows.end(), fold.held_out.begin(), fold.held_out.end());
    return rows;
  }

  /// One flow a fold; their mean is the member. A fold without one leaves no member.
  void add_flow(long number, long flows) {
    const double left =
        limit_ - seconds_since(start_) - kScoringPasses * flow_score_ * static_cast<double>(scored());
    const double seconds = left / static_cast<double>((flows - number) * static_cast<long>(folds_.size()));
    if (seconds <= 0) return;
    Contender contender{fmt::format("flow {}", number + 1), {}, {}, {}, false};
    std::vector<std::vector<double>> tests;
    for (std::size_t k = 0; k < folds_.size(); ++k) {
      if (observer_.cancelled()) return;
      const PoolFlow job = flow_job(number, k);
      const std::optional<Model> model = train(job, seconds, contender.name, k);
      flow_failed_ = !model;
      if (!model) return;
      const ObservedTask task(observer_, fmt::format("Scores of {}", contender.name));
      const std::vector<double> scores = log_densities_of_model(*model, how_, part(folds_[k].held_out));
      contender.validation.insert(contender.validation.end(), scores.begin(), scores.end());
      if (test_.size() > 0) tests.push_back(log_densities_of_model(*model, how_, test_));
      contender.models.push_back(*model);
    }
    if (!tests.empty())
      contender.test = pooled_log_densities(
          tests, std::vector<double>(tests.size(), 1 / static_cast<double>(tests.size())));
    add(std::move(contender));
  }

  /// In the units of the data from here on: its scores and its models.
  void add(Contender contender) {
    const double unit = data_.standardisation.log_scale();
    for (auto* scores : {&contender.validation, &contender.test})
      for (double& score : *scores) score -= unit;
    for (Model& model : contender.models) keep_standardisation(model, data_.standardisation);
    contenders_.push_back(std::move(contender));
  }

  PoolFlow flow_job(long number, std::size_t fold) const {
    return {data_.manifold,
            part_of<float>(data_.points, folds_[fold].training),
            part_of<float>(data_.points, folds_[fold].held_out),
            options_.seed + 1000 * static_cast<std::uint64_t>(number) + fold,
            options_.threads,
            how_.device,
            options_.flow_steps,
            {data_.weights_of(folds_[fold].training), data_.weights_of(folds_[fold].held_out)}};
  }

  std::optional<Model> train(const PoolFlow& job, double seconds, const std::string& name, std::size_t fold) {
    std::string shown;
    const auto begun = Clock::now();
    const double unit = data_.standardisation.log_scale();
    const auto model = fit_pool_flow(job, seconds, [&](const char* stage, FitProgress progress, long steps) {
      if (shown != stage) {
        if (!shown.empty()) observer_.end_stage();
        shown = stage;
        std::string stage_name = fmt::format("{}, {}", name, stage);
        if (folds_.size() > 1) stage_name += fmt::format(", fold {}/{}", fold + 1, folds_.size());
        observer_.begin({stage_name, steps, seconds - seconds_since(begun)});
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
          data_.standardisation.log_scale() -
          weighted_mean(log_densities_of(*default_base<double>(manifold_), test_), test_weights_);
    }
    result.parameters = numbers_in(pool.model);
    result.members = pool_rows(contenders_, pool);
    result.members_table = pool_table(contenders_, pool);
    describe(pool.model, data_, options_);
    nlohmann::ordered_json about = provenance(data_, options_, result.progress, finished ? &result : nullptr);
    about["members"] = json_of(result.members);
    about["best_kernel_validation_nll"] = nll(best_kernel_);
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
  Points<double> test_;
  Weights test_weights_;
  std::vector<std::size_t> known_;  // training and validation
  Clock::time_point start_ = Clock::now();
  std::vector<Contender> contenders_;
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t best_kernel_ = kNone;             // of the contenders
  double kernel_seconds_ = 0, flow_score_ = 0;  // flow_score_: of one point
  bool flow_failed_ = false;
  long iterations_ = 0;  // of all flows
  FitResult last_;       // as last saved
  mutable std::atomic<double> cancelled_at_ = -1;
};

}  // namespace

FitResult fit_pool(const DataSet& data, const FitOptions& options, Observer& observer) {
  return PoolRun(data, options, observer)();
}

}  // namespace riemflow
