#include "riemflow/fit/mixture_learner.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "riemflow/core/stopwatch.hpp"
#include "riemflow/fit/pooling.hpp"
#include "riemflow/kernel/normal_mixture.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow {
namespace {

/// Numbers of normals; in haste fewer of them.
constexpr int kComponents[] = {1, 2, 5, 10, 20, 40, 80, 160}, kInHaste[] = {1, 10, 40};
/// Points that each normal has, at least.
constexpr std::size_t kPointsANormal = 10;
/// Starts of each number: one for so many seconds. The mean of more is better on average, whatever the data,
/// because −log is convex.
constexpr double kSecondsAStart = 0.5, kMostStarts = 8;
/// Steps at most; steps from one look at the validation points to the next, and so many that none was better
/// for; steps where no validation points can tell; and what a step gains, in nats, of a mixture that stays
/// as it is.
constexpr long kMostSteps = 150, kLook = 4, kPatience = 24, kUnseenSteps = 40;
constexpr double kConverged = 2e-6;
/// So many normals know all but fine structure.
constexpr int kCoarse = 10;
/// Twice as many normals that are worse than the best before by so many nats are too many.
constexpr double kTooMany = 0.02;
/// Learned from a sample of so many points.
constexpr std::size_t kMostSampled = 20'000;

/// The mean of several.
KernelParameters mean_mixture(const std::vector<KernelParameters>& mixtures) {
  KernelParameters mean = mixtures.front();
  double wide = 0;
  for (const KernelParameters& mixture : mixtures)
    wide += mixture.wide / static_cast<double>(mixtures.size());
  mean.weights.clear();
  for (const KernelParameters& mixture : mixtures) {
    const double share = (1 - mixture.wide) / ((1 - wide) * static_cast<double>(mixtures.size()));
    for (const double weight : mixture.weights) mean.weights.push_back(share * weight);
    if (&mixture == &mixtures.front()) continue;
    const auto add = [](std::vector<double>& to, const std::vector<double>& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    add(mean.centres.values, mixture.centres.values);
    add(mean.bandwidths, mixture.bandwidths);
    add(mean.shapes, mixture.shapes);
  }
  mean.wide = wide;
  return mean;
}

}  // namespace

MixtureLearner::MixtureLearner(const DataSet& data, const std::vector<Fold>& folds, Executor& executor,
                               const std::function<void()>& ask)
    : data_(data),
      folds_(folds),
      executor_(executor),
      ask_(ask ? ask : [] {}),
      manifold_(data.manifold.on<double>()),
      covering_(data.lifts > 1 ? (*data.space)->covering() : nullptr) {
  const auto centres_of = [&](std::vector<std::size_t> rows) {
    // A normal stands for its images, so that one lift a point will do.
    if (covering_) std::erase_if(rows, [&](std::size_t row) { return row % covering_->sheets() != 0; });
    const std::size_t n = std::min(rows.size(), kMostSampled);
    for (std::size_t i = 0; i < n; ++i) rows[i] = rows[i * rows.size() / n];
    rows.resize(n);
    return std::make_unique<const KernelData>(manifold_, part_of<double>(data.points, rows), 1, &executor,
                                              ask, data.weights_of(rows));
  };
  for (const Fold& fold : folds) training_.push_back(centres_of(fold.training));
  if (folds.size() > 1) known_ = centres_of(data.split.known());
}

std::vector<MixtureLearner::Mixture> MixtureLearner::learn(const Options& options) const {
  const auto start = Clock::now();
  std::size_t fewest = known_ ? known_->size() : training_.front()->size();
  for (const auto& data : training_) fewest = std::min(fewest, data->size());
  std::vector<Mixture> mixtures;
  std::vector<std::size_t> held_out;
  for (const Fold& fold : folds_) held_out.insert(held_out.end(), fold.held_out.begin(), fold.held_out.end());
  const Weights weights = data_.weights_of(held_out);
  double best = std::numeric_limits<double>::infinity(), each = 0, gain = 0;
  const int starts = static_cast<int>(std::clamp(options.seconds / kSecondsAStart, 1.0, kMostStarts));
  const std::span<const int> numbers =
      options.seconds < kSecondsAStart ? std::span<const int>(kInHaste) : kComponents;
  for (std::size_t number = 0; number < numbers.size(); ++number) {
    const int components = numbers[number];
    const auto begun = Clock::now();
    if (components > 1 && static_cast<std::size_t>(components) * kPointsANormal > fewest) break;
    if (!mixtures.empty() && seconds_since(start) + 2 * each > options.seconds) break;
    if (options.progress && !options.progress(number, numbers.size())) break;
    // One start will do where so many normals are as yet behind whatever they do.
    const bool behind = std::isfinite(best) && best > options.hopeless;
    mixtures.push_back(
        {components, mixture_of(components, behind ? 1 : starts, options.seed + 100 * number)});
    const double nll = mean_score(mixtures.back().learned.held_out, weights).nll;
    // Data of many modes gain the most from the last of them: what gains more than the number before, or
    // would come near by gaining as much again, goes on.
    const double gain_before = std::exchange(gain, best - nll);
    const bool out_of_reach = gain < gain_before && nll - std::max(gain, gain_before) > options.hopeless;
    if (behind ? components >= kCoarse && out_of_reach : nll > best + kTooMany) break;
    best = std::min(best, nll);
    each = seconds_since(begun);
  }
  return mixtures;
}

KernelLearner::Result MixtureLearner::mixture_of(int components, int starts, std::uint64_t seed) const {
  KernelLearner::Result result;
  const bool few = folds_.size() > 1;
  const auto part = [&](const std::vector<std::size_t>& rows) { return part_of<double>(data_.points, rows); };
  const auto fit = [&](const KernelData& data, const Fold* validation, std::uint64_t number) {
    NormalMixture mixture(data, components, seed + number, &executor_, covering_);
    KernelParameters kept;
    double best = -std::numeric_limits<double>::infinity();
    long best_step = 0;
    const long most = validation ? kMostSteps : kUnseenSteps;
    double before = -std::numeric_limits<double>::infinity();
    for (long step = 1; step <= most; ++step) {
      ask_();
      const double likelihood = mixture.step();
      ++result.steps;
      if (likelihood < before + kConverged && step % kLook == 1) break;
      before = likelihood;
      if (!validation || step % kLook != 0) continue;
      KernelParameters now = mixture.parameters();
      const double score =
          weighted_mean(KernelMixture(manifold_, now).log_prob(part(validation->held_out), &executor_),
                        data_.weights_of(validation->held_out));
      if (score > best) {
        best = score;
        best_step = step;
        kept = std::move(now);
      } else if (step - best_step > kPatience) {
        break;
      }
    }
    result.best_step = validation ? best_step : most;
    return kept.weights.empty() ? mixture.parameters() : kept;
  };
  const auto mean_fit = [&](const KernelData& data, const Fold* validation, std::uint64_t number) {
    std::vector<KernelParameters> all;
    for (int start = 0; start < starts; ++start) {
      all.push_back(fit(data, validation, 10 * number + static_cast<std::uint64_t>(start)));
      if (components == 1) break;  // wherever it starts
    }
    return std::make_shared<const KernelMixture>(manifold_, mean_mixture(all));
  };
  for (std::size_t f = 0; f < folds_.size(); ++f) {
    result.density = mean_fit(*training_[f], few ? nullptr : &folds_[f], f);
    const std::vector<double> scores = result.density->log_prob(part(folds_[f].held_out), &executor_);
    result.held_out.insert(result.held_out.end(), scores.begin(), scores.end());
  }
  if (few) result.density = mean_fit(*known_, nullptr, folds_.size());
  return result;
}

}  // namespace riemflow
