#include <algorithm>
#include <cmath>
#include <limits>

#include "riemflow/core/error.hpp"
#include "riemflow/core/stopwatch.hpp"
#include "riemflow/fit/fit_kinds.hpp"
#include "riemflow/fit/provenance.hpp"
#include "riemflow/io/duplicates.hpp"
#include "riemflow/model/mixture_density.hpp"

namespace riemflow {
namespace {

/// On the unit sphere, whatever the radius of the data's.
Points<double> unit_points(Points<double> unit) {
  for (std::size_t i = 0; i < unit.size(); ++i) {
    double square = 0;
    for (const double x : unit[i]) square += x * x;
    for (double& x : unit[i]) x /= std::sqrt(square);
  }
  return unit;
}

class MixtureRun {
 public:
  MixtureRun(const DataSet& data, const FitOptions& options, Observer& observer)
      : data_(data), settings_(options), observer_(observer), executor_(settings_.threads) {
    require(data.target == nullptr, "‹target› with ‹model› vmf-mixture",
            "a mixture learns from data: give a file, or another ‹model›");
    require_sphere(*data.manifold);
    const auto sphere = data.manifold.on<double>();
    unit_ = data.log_unit() + std::log(static_cast<double>(data.lifts)) -
            0.5 * sphere->dimension() * std::log(sphere->kernel_form().curvature);
    training_ = unit_points(data.with_lifts(data.split.training));
    validation_ = unit_points(data.with_lifts(data.split.validation));
    weights_ = {data.weights_of(data.first_lifts(data.split.training)),
                data.weights_of(data.first_lifts(data.split.validation))};
    components_ = components();
    rates_ = settings_.rates.empty() ? std::vector<double>{settings_.rate} : numbers_of(settings_.rates);
    // Epochs, batches and what must not be said twice: as of a flow.
    config_ = fit_config(settings_, data.manifold, training_.size() / data.lifts);
  }

  FitResult operator()() {
    const auto start = Clock::now();
    const double limit = seconds_of(settings_.time_limit);
    FitProgress progress;
    progress.best = std::numeric_limits<double>::infinity();
    const auto fits = static_cast<long>(components_.size() * (is_em() ? 1 : rates_.size()));
    observer_.begin({"", fits * config_.iterations, limit});
    const MixtureWatch watch = [&](const MixtureProgress& p) {
      const long before = static_cast<long>(p.run) * config_.iterations;
      progress.iteration = before + p.epoch;
      progress.loss = p.training + unit_;
      progress.validation = p.validation + unit_;
      progress.validated = p.validated;
      progress.rate = p.rate;
      if (p.best + unit_ < progress.best) {
        progress.best = p.best + unit_;
        progress.best_iteration = before + p.best_epoch;
      }
      observer_.step(progress, is_em() ? fmt::format("{} components", p.components)
                                       : fmt::format("{} components at rate {:g}", p.components, p.rate));
      return !observer_.cancelled() && seconds_since(start) < limit;
    };
    const MixtureSearch search =
        is_em() ? grid_search_em(training_, validation_, components_, em_config(watch), executor_, weights_)
                : grid_search(training_, validation_, {rates_, components_}, adam_config(watch), executor_,
                              weights_);
    observer_.end_stage();
    FitResult result;
    result.progress = progress;
    result.progress.iteration = static_cast<long>(search.fit.training.size());
    result.progress.best = search.fit.validation + unit_;
    result.progress.best_iteration = search.fit.best;
    result.search = search.scores;
    for (MixtureScore& score : result.search) score.validation += unit_;
    result.chosen = search.chosen;
    if (search.stopped && observer_.cancelled()) {
      result.stopped = "interrupted";
      result.model = model_of(search.fit.parameters, result, nullptr);
      return result;
    }
    result.stopped = search.stopped                                    ? "time limit"
                     : result.progress.iteration >= config_.iterations ? "iterations"
                     : is_em() && !ran_out_of_patience(search.fit)     ? "convergence"
                                                                       : "patience";
    score_test(search.fit.parameters, result);
    result.model = model_of(search.fit.parameters, result, &result);
    result.seconds = seconds_since(start);
    return result;
  }

 private:
  bool is_em() const { return settings_.optimizer == "em"; }

  /// Of the list, those that the data can bear; a single number must be one of them.
  std::vector<std::size_t> components() const {
    const std::vector<std::size_t> wanted = counts_of(settings_.components);
    const std::size_t distinct = distinct_points();
    std::vector<std::size_t> possible;
    std::copy_if(wanted.begin(), wanted.end(), std::back_inserter(possible),
                 [&](std::size_t K) { return K <= distinct; });
    require(
        !possible.empty(),
        fmt::format("‹components› {}: there are {} distinct training points", settings_.components, distinct),
        "use no more components than distinct points", Fault::bad_data);
    if (possible.size() < wanted.size())
      observer_.tell(
          "Of ‹components› {} those above {}, the number of distinct training points, are left out.",
          settings_.components, distinct);
    return possible;
  }

  /// Of training.
  std::size_t distinct_points() const {
    const Points<double> firsts = part_of<double>(data_.points, data_.first_lifts(data_.split.training));
    return firsts.size() - count_duplicates(*data_.manifold, firsts);
  }

  MixtureBounds bounds() const { return {.kappa_ceiling = settings_.max_concentration}; }

  MixtureAdamConfig adam_config(const MixtureWatch& watch) const {
    MixtureAdamConfig config;
    config.schedule = config_.train.schedule.shape;
    config.epochs = config_.iterations;  // of one step each: progress and validations count steps
    config.steps = 1;
    config.batch = settings_.batch;
    config.validate_every = settings_.validate_every;
    config.patience = settings_.patience;
    config.seed = settings_.seed;
    config.lifts = data_.lifts;
    config.adam = config_.train.adam;
    config.bounds = bounds();
    config.watch = watch;
    return config;
  }

  MixtureEmConfig em_config(const MixtureWatch& watch) const {
    MixtureEmConfig config;
    config.iterations = config_.iterations;
    config.patience = settings_.patience * settings_.validate_every;
    config.seed = settings_.seed;
    config.lifts = data_.lifts;
    config.bounds = bounds();
    config.watch = watch;
    return config;
  }

  bool ran_out_of_patience(const MixtureFit& fit) const {
    return settings_.patience > 0 &&
           static_cast<long>(fit.training.size()) - fit.best >= settings_.patience * settings_.validate_every;
  }

  Model model_of(const MixtureParameters& mixture, FitResult& result, const FitResult* finished) const {
    Model model = make_model(data_.manifold, VonMisesFisherMixture<double>(mixture).parameters());
    describe(model, data_, settings_);
    model.metadata["provenance"] = provenance(data_, settings_, result.progress, finished).dump();
    result.parameters = numbers_in(model);
    return model;
  }

  void score_test(const MixtureParameters& mixture, FitResult& result) const {
    result.reference = "uniform density";
    if (data_.split.test.empty()) return;
    MixtureDensity density(data_.manifold, mixture, settings_.threads);
    const LogProb<double> scored = density.log_prob(part_of<double>(data_.points, data_.split.test));
    const Weights weights = data_.weights_of(data_.split.test);
    result.test_nll = -scored.mean(weights);
    result.test_error = scored.standard_error(weights);
    result.reference_nll = data_.log_unit() + density.manifold().log_volume();
  }

  const DataSet& data_;
  const FitOptions& settings_;
  Observer& observer_;
  Executor executor_;
  Points<double> training_, validation_;
  SplitWeights weights_;
  /// What an NLL per volume of the data's space has above that of the sum over lifts on the unit sphere: d
  /// log R, R = 1/√K, and log J.
  double unit_ = 0;
  std::vector<std::size_t> components_;
  std::vector<double> rates_;
  FitConfig config_;
};

}  // namespace

FitResult fit_mixture(const DataSet& data, const FitOptions& options, Observer& observer) {
  return MixtureRun(data, options, observer)();
}

}  // namespace riemflow
