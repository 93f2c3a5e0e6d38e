#include "riemflow/fit/kernel_learner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace riemflow {
namespace {

/// More points than these are learned from by a sample of so many.
constexpr std::size_t kMostLearned = 12'000;

/// The order of a split's points is random: those at equal steps are a sample.
std::vector<std::size_t> sample_of(const std::vector<std::size_t>& rows, std::size_t n) {
  std::vector<std::size_t> sample(n);
  for (std::size_t i = 0; i < n; ++i) sample[i] = rows[i * rows.size() / n];
  return sample;
}

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
    : data_(data), folds_(folds), executor_(executor), manifold_(data.manifold.on<double>()) {
  const bool few = folds.size() > 1, many = folds.front().training.size() > kMostLearned;
  const int trained = LearnedKernels::kNeighbours, seen = LearnedKernels::kSeenNeighbours;
  for (const Fold& fold : folds) training_.push_back(centres_of(fold.training, many ? seen : trained, ask));
  known_ = centres_of(data.split.known(), few ? trained : seen, ask);
  if (many) sample_ = centres_of(sample_of(folds.front().training, kMostLearned), trained, ask);
}

KernelLearner::Centres KernelLearner::centres_of(const std::vector<std::size_t>& rows, int neighbours,
                                                 const std::function<void()>& ask) const {
  Centres centres;
  centres.data = std::make_unique<const KernelData>(manifold_, part(rows), neighbours, &executor_, ask,
                                                    data_.weights_of(rows));
  centres.kernels = std::make_unique<const LearnedKernels>(*centres.data, &executor_);
  for (const std::uint32_t origin : centres.data->origins())
    centres.groups.push_back(data_.groups[rows[origin]]);
  return centres;
}

std::shared_ptr<const KernelMixture> KernelLearner::density_of(const Centres& centres,
                                                               const KernelNetwork& network) const {
  return std::make_shared<const KernelMixture>(manifold_, centres.kernels->parameters(network));
}

KernelLearner::Result KernelLearner::untrained() const {
  LearnOptions options;
  options.steps = 0;
  return learn(options);
}

KernelLearner::Result KernelLearner::learn(const LearnOptions& options) const {
  const bool few = folds_.size() > 1;
  const std::size_t networks = few ? folds_.size() + 1 : 1;
  Result result;
  bool going = true;
  std::size_t number = 0;
  const auto fit = [&](const Centres& centres, const ValidationPoints& validation) {
    LearnOptions own = options;
    own.seed = options.seed + 1000 * number;
    own.seconds = options.seconds / static_cast<double>(networks);
    own.progress = [&](LearnStep step) {
      step.done += static_cast<long>(number) * step.of;
      step.of *= static_cast<long>(networks);
      return going = !options.progress || options.progress(step);
    };
    const LearnedFit fitted = learn_kernels(*centres.kernels, validation, own, &executor_, centres.groups);
    ++number;
    result.steps += fitted.steps;
    result.best_step = fitted.best_step;
    return fitted.network;
  };
  KernelNetwork network = options.start;
  for (std::size_t f = 0; f < folds_.size() && going; ++f) {
    const std::vector<std::size_t>& held_out = folds_[f].held_out;
    ValidationPoints validation;
    if (!few && options.steps > 0) validation = {part(held_out), data_.weights_of(held_out)};
    network = fit(sample_.data ? sample_ : training_[f], validation);
    if (!going && few) break;  // that of a fold serves all points
    const std::vector<double> scores =
        density_of(training_[f], network)->log_prob(part(held_out), &executor_);
    result.held_out.insert(result.held_out.end(), scores.begin(), scores.end());
  }
  if (few && going) network = fit(known_, {});
  result.density = density_of(known_, network);
  return result;
}

}  // namespace riemflow
