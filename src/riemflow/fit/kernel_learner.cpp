#include "riemflow/fit/kernel_learner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "riemflow/core/stopwatch.hpp"
#include "riemflow/fit/lifted.hpp"

namespace riemflow {
namespace {

/// More points than these are many.
constexpr std::size_t kMostLearned = 12'000;
/// What a density of many points takes, in times of the tree of its centres.
constexpr double kDensity = 8;

}  // namespace

std::string KernelLearner::why_not(const DataSet& data, const std::vector<Fold>& folds) {
  for (const Factor<double>& factor : data.manifold.on<double>()->factors())
    if (factor.manifold->kernel_form().family == KernelForm::Family::none)
      return factor.manifold->name() + " has no kernels";
  constexpr std::size_t kLeast = 3;
  for (const Fold& fold : folds) {
    std::set<std::vector<double>> different;
    for (const std::size_t i : fold.training) {
      const auto point = data.points[i];
      different.emplace(point.begin(), point.end());
      if (different.size() >= kLeast) break;
    }
    if (different.size() < kLeast)
      return fmt::format("{} different training points are too few", different.size());
  }
  return {};
}

KernelLearner::KernelLearner(const DataSet& data, const std::vector<Fold>& folds, Executor& executor,
                             const std::function<void()>& ask)
    : data_(data),
      folds_(folds),
      executor_(executor),
      ask_(ask ? ask : [] {}),
      manifold_(data.manifold.on<double>()),
      many_(folds.front().training.size() > kMostLearned) {
  if (many_) return;
  const bool folded = folds.size() > 1;
  const int trained = LearnedKernels::kNeighbours, seen = LearnedKernels::kSeenNeighbours;
  for (const Fold& fold : folds) training_.push_back(few_centres(fold.training, trained));
  known_ = few_centres(data.split.known(), folded ? trained : seen);
}

std::shared_ptr<const KernelLearner::Centres> KernelLearner::few_centres(const std::vector<std::size_t>& rows,
                                                                         int neighbours) const {
  auto centres = std::make_shared<Centres>();
  centres->data = std::make_unique<const KernelData>(manifold_, part(rows), neighbours, &executor_, ask_,
                                                     data_.weights_of(rows));
  centres->kernels = std::make_unique<const LearnedKernels>(*centres->data, &executor_);
  for (const std::uint32_t origin : centres->data->origins())
    centres->groups.push_back(data_.groups[rows[origin]]);
  return centres;
}

std::shared_ptr<const KernelLearner::Centres> KernelLearner::many_centres(
    const std::vector<std::size_t>& rows, Use use) const {
  const auto start = Clock::now();
  auto centres = std::make_shared<Centres>();
  centres->data =
      std::make_unique<const KernelData>(manifold_, part(rows), 0, &executor_, ask_, data_.weights_of(rows));
  // Of many that are equal there may be few.
  if (centres->data->size() <= kMostLearned) return few_centres(rows, LearnedKernels::kNeighbours);
  centres->seconds = seconds_since(start);
  for (const std::uint32_t origin : centres->data->origins())
    centres->groups.push_back(data_.groups[rows[origin]]);
  KernelPatches::Options options;
  if (use == Use::apply) options.patches = 0;
  options.groups = centres->groups;
  options.ask = ask_;
  centres->patches = std::make_unique<const KernelPatches>(*centres->data, options, &executor_);
  return centres;
}

std::shared_ptr<const KernelLearner::Centres> KernelLearner::centres_of(std::optional<std::size_t> fold,
                                                                        Use use) const {
  if (!many_) return fold ? training_[*fold] : known_;
  return many_centres(fold ? folds_[*fold].training : data_.split.known(), use);
}

/// Of centres that are lifts those on one sheet, for each of its points; all where they are not symmetric.
std::function<double(std::size_t)> KernelLearner::one_sheet(const KernelData& centres) const {
  if (data_.lifts == 1) return nullptr;
  const std::shared_ptr<const Covering> covering = (*data_.space)->covering();
  std::vector<double> shares(centres.size());
  double sum = 0;
  in_pieces(&executor_, centres.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t times = first_lifts_at(*covering, centres.centres()[i]);
      if (times > 0) shares[i] = 1 / static_cast<double>(times);
    }
  });
  for (std::size_t i = 0; i < centres.size(); ++i) sum += shares[i] * centres.weights()[i];
  if (!is_one_sheet(*covering, sum)) return nullptr;
  return [shares = std::move(shares)](std::size_t centre) { return shares[centre]; };
}

std::shared_ptr<const KernelMixture> KernelLearner::density_of(const Centres& centres,
                                                               const KernelNetwork& network) const {
  return std::make_shared<const KernelMixture>(
      manifold_, centres.kernels ? centres.kernels->parameters(network)
                                 : centres.patches->parameters(network, one_sheet(*centres.data)));
}

std::vector<double> KernelLearner::log_prob(const KernelMixture& density,
                                            const std::vector<std::size_t>& rows) const {
  if (!many_ || data_.lifts == 1) return density.log_prob(part(rows), &executor_);
  // Kernels on one sheet are seen from all lifts of a point.
  const std::size_t lifts = data_.lifts;
  const std::vector<double> above = density.log_prob(data_.with_lifts(rows), &executor_);
  std::vector<double> scores;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto first = above.begin() + static_cast<std::ptrdiff_t>(i * lifts);
    const double most = *std::max_element(first, first + static_cast<std::ptrdiff_t>(lifts));
    double sum = 0;
    for (std::size_t s = 0; s < lifts; ++s) sum += std::exp(first[static_cast<std::ptrdiff_t>(s)] - most);
    scores.push_back(most + std::log(sum / static_cast<double>(lifts)));
  }
  return scores;
}

KernelLearner::Result KernelLearner::untrained() const {
  LearnOptions options;
  options.steps = 0;
  return learn(options);
}

KernelLearner::Result KernelLearner::learn(const LearnOptions& options) const {
  const auto start = Clock::now();
  const bool folded = folds_.size() > 1;
  const std::size_t networks = folded ? folds_.size() + 1 : 1;
  Result result;
  bool going = true;
  std::size_t number = 0;
  // The time of many points goes into trees and densities too: those of a fold's and those of all.
  const auto seconds_for = [&](const Centres& centres) {
    if (!many_) return options.seconds / static_cast<double>(networks);
    const double left = options.seconds - seconds_since(start),
                 density = centres.seconds * (1 + kDensity / static_cast<double>(data_.lifts));
    return left / static_cast<double>(networks - number) -
           (number + 1 < networks || folded ? 1 : 2) * density;
  };
  const Use use = options.steps > 0 ? Use::learn : Use::apply;
  const auto fit = [&](const Centres& centres, const ValidationPoints& validation) {
    LearnOptions own = options;
    own.seed = options.seed + 1000 * number;
    own.seconds = seconds_for(centres);
    own.progress = [&](LearnStep step) {
      step.done += static_cast<long>(number) * step.of;
      step.of *= static_cast<long>(networks);
      return going = !options.progress || options.progress(step);
    };
    const LearnedFit fitted =
        centres.patches
            ? learn_kernels(PatchCourse(*centres.patches, validation), own)
            : learn_kernels(FreshCourse(*centres.kernels, validation, &executor_, centres.groups), own);
    ++number;
    result.steps += fitted.steps;
    result.best_step = fitted.best_step;
    return fitted.network;
  };
  KernelNetwork network = options.start;
  for (std::size_t f = 0; f < folds_.size() && going; ++f) {
    const std::vector<std::size_t>& held_out = folds_[f].held_out;
    ValidationPoints validation;
    if (!folded && options.steps > 0) validation = {part(held_out), data_.weights_of(held_out)};
    const std::shared_ptr<const Centres> training = centres_of(f, use);
    network = fit(*training, validation);
    if (!going && folded) break;  // that of a fold serves all points
    const std::vector<double> scores = log_prob(*density_of(*training, network), held_out);
    result.held_out.insert(result.held_out.end(), scores.begin(), scores.end());
  }
  const std::shared_ptr<const Centres> known = centres_of(std::nullopt, folded && going ? use : Use::apply);
  if (folded && going) network = fit(*known, {});
  result.density = density_of(*known, network);
  return result;
}

}  // namespace riemflow
