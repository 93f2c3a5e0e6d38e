#include "riemflow/kernel/learned_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "riemflow/core/error.hpp"
#include "riemflow/core/random.hpp"
#include "riemflow/distribution/base.hpp"
#include "riemflow/distribution/draws.hpp"

namespace riemflow {
namespace {

/// First widths, as multiples of the distance to the eighth neighbour; first ε.
constexpr double kLeastWidth = 0.12, kMostWidth = 3, kFirstWide = 0.011;
/// Points that stand for all that are not near.
constexpr std::size_t kFar = 160;

}  // namespace

LearnedKernels::LearnedKernels(const KernelData& data, Executor* executor)
    : data_(data),
      executor_(executor),
      neighbourhoods_(
          (require(data.size() >= 3, fmt::format("learned kernels of {} different points", data.size()),
                   "give three at least"),
           data),
          executor),
      teacher_(*data.space(), executor) {
  log_wide_ = log_densities_of(*default_base<double>(data.manifold()), data.centres());
}

KernelNetwork LearnedKernels::network(std::uint64_t seed) {
  KernelNetwork network({Looks::kFeatures, 32, SaidKernels::kOutputs, kKernels + 1}, seed);
  for (std::size_t s = 0; s < kSaid; ++s)
    network.extra()[s] =
        std::log(kLeastWidth) + static_cast<double>(s) / (kSaid - 1) * std::log(kMostWidth / kLeastWidth);
  network.extra()[kSaid] = std::log(kFirstWide / (1 - kFirstWide));
  return network;
}

LearnedKernels::HeldOut LearnedKernels::hold_out(double share, std::size_t most, std::uint64_t seed,
                                                 std::uint64_t step,
                                                 const std::vector<std::size_t>& groups) const {
  const std::size_t n = size();
  // At least one is held out, and two are centres.
  const auto wanted =
      std::clamp<std::size_t>(static_cast<std::size_t>(share * static_cast<double>(n)), 1, n - 2);
  std::vector<std::vector<std::uint32_t>> together;
  if (!groups.empty()) {
    together.resize(*std::max_element(groups.begin(), groups.end()) + 1);
    for (std::size_t i = 0; i < n; ++i) together[groups[i]].push_back(static_cast<std::uint32_t>(i));
    std::erase_if(together, [](const auto& group) { return group.empty(); });
  }
  std::vector<std::uint32_t> order(groups.empty() ? n : together.size());
  std::iota(order.begin(), order.end(), 0u);
  HeldOut held{std::vector<bool>(n), {}};
  Random random(seed, Purpose::batch, step, 0);
  for (std::size_t k = 0; k < order.size() && held.scored.size() < wanted; ++k) {
    std::swap(order[k], order[k + random.below(order.size() - k)]);
    if (groups.empty()) {
      held.scored.push_back(order[k]);
    } else if (held.scored.size() + together[order[k]].size() <= n - 2) {
      held.scored.insert(held.scored.end(), together[order[k]].begin(), together[order[k]].end());
    }
  }
  for (const std::uint32_t i : held.scored) held.out[i] = true;
  if (held.scored.size() > most) held.scored.resize(most);
  if (n > static_cast<std::size_t>(data_.most_neighbours()) + 1)
    while (held.far.size() < kFar)
      if (const auto other = static_cast<std::uint32_t>(random.below(n)); !held.out[other])
        held.far.push_back(other);
  return held;
}

double LearnedKernels::loss(const KernelNetwork& network, const HeldOut& held,
                            std::span<double> gradient) const {
  std::vector<std::uint32_t> rows, near, far;
  KernelLesson lesson;
  lesson.looks = neighbourhoods_.look(held.out, rows);
  lesson.centres = centres();
  lesson.all = lesson.looks.size();
  near.reserve(held.scored.size() * static_cast<std::size_t>(data_.most_neighbours()));
  for (const std::uint32_t i : held.scored) {
    const std::size_t first = near.size();
    for (int k = 1; k <= data_.most_neighbours(); ++k)
      if (const std::uint32_t row = rows[data_.neighbour(i, k)]; row != MetricTree::kNone)
        near.push_back(row);
    const double last = data_.most_neighbours() > 0 ? data_.distance(i, data_.most_neighbours()) : 0;
    lesson.points.push_back({neighbourhoods_.centre(i),
                             data_.weights()[i],
                             log_wide_[i],
                             {near.data() + first, near.size() - first},
                             last * last});
  }
  for (const std::uint32_t i : held.far) far.push_back(rows[i]);
  lesson.far = far;
  return teacher_.loss(network, lesson, gradient);
}

KernelParameters LearnedKernels::parameters(const KernelNetwork& network) const {
  std::vector<std::uint32_t> rows;
  const Looks looks = neighbourhoods_.look(std::vector<bool>(size()), rows);
  const KernelSpeaker& speaker = teacher_.speaker();
  const SaidKernels said = speaker.say(network, looks, centres(), true, executor_);
  KernelParameters result;
  result.centres.dimension = data_.centres().dimension;
  result.wide = said.wide;
  speaker.append(said, looks, centres(), KernelSpeaker::log_sum_of_centres(said), KernelSpeaker::kLeastWeight,
                 result);
  // Of sum 1 without those that were left out.
  const double sum = std::accumulate(result.weights.begin(), result.weights.end(), 0.0);
  for (double& weight : result.weights) weight /= sum;
  return result;
}

}  // namespace riemflow
