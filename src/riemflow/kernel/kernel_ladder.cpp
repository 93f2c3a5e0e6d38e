#include "riemflow/kernel/kernel_ladder.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

constexpr std::size_t kMostQueries = 2048, kFewQueries = 512;
/// The smallest sample of the centres.
constexpr std::size_t kLeastCentres = 100;
/// Recipes that a whole search tries, of one shape, and the fewest that a further rung is worth.
constexpr double kWholeSearch = 80, kFewSteps = 8;

int neighbours_of(const KernelRecipe& recipe) {
  return std::max(recipe.shape == KernelShape::one ? 0 : recipe.neighbours,
                  recipe.shape == KernelShape::anisotropic ? recipe.shape_neighbours : 0);
}

}  // namespace

std::vector<KernelSearch::Leader> KernelLadder::operator()(const std::vector<KernelShape>& shapes) {
  for (const KernelShape shape : shapes) leaders_.push_back({shape});
  std::vector<std::size_t> rungs{points_.size()};
  while (watch_.limited() && rungs.back() / kRung >= kLeastCentres) rungs.push_back(rungs.back() / kRung);
  for (; !rungs.empty(); rungs.pop_back()) {
    const bool top = rungs.size() == 1;
    if (!worth(top)) break;
    const double begun = watch_.elapsed();
    try {
      auto search = std::make_unique<KernelSearch>(manifold_, sample(rungs.back()), validation_,
                                                   groups_of(rungs.back()), queries_, pool_, watch_);
      const std::size_t distinct = search->data().size();
      require(search->queries() > 0 || !top,
              "a bandwidth cannot be chosen by " + std::to_string(distinct) + " different points alone",
              "give validation points, or more points");
      if (search->queries() == 0) continue;
      last_ = std::move(search);
      const double before = std::exchange(build_, watch_.elapsed() - begun);
      if (before > 0) growth_ = std::clamp(build_ / before, 1.0 * kRung, 1.0 * kRung * kRung);
      watch_.begin();
      climb(*last_, top);
    } catch (const SearchWatch::OutOfTime&) {
      break;
    }
  }
  return usable();
}

KernelParameters KernelLadder::parameters(const KernelRecipe& recipe) {
  if (last_->size() == points_.size()) return last_->data().parameters(recipe);
  return KernelData(manifold_, points_, neighbours_of(recipe), pool_).parameters(recipe);
}

bool KernelLadder::worth(bool top) {
  queries_ = top ? kMostQueries : kFewQueries;
  const KernelSearch::Leader& first = leaders_.front();
  if (first.centres == 0) return true;
  const auto seconds = [&] {
    return growth_ * build_ + kFewSteps * kRung * first.seconds * static_cast<double>(queries_);
  };
  if (seconds() > watch_.left()) queries_ = kFewQueries;
  return seconds() <= watch_.left();
}

void KernelLadder::climb(KernelSearch& search, bool top) {
  const auto queries = static_cast<double>(search.queries());
  std::optional<RecipePlace> round;  // of local kernels, on this rung
  for (std::size_t s = 0; s < leaders_.size(); ++s) {
    KernelSearch::Leader& leader = leaders_[s];
    const bool first = leader.centres == 0;
    // Half of the time that there is for the shape, but on the last rung all of it.
    const double share = watch_.left() / static_cast<double>((leaders_.size() - s) * (top ? 1 : 2));
    const double seconds = first ? 0
                                 : leader.seconds * queries * static_cast<double>(search.size()) /
                                       static_cast<double>(leader.centres);
    if (!first && kFewSteps * seconds > share) continue;
    std::vector<RecipePlace> starts;
    if (!first) starts.push_back(among(leader.place, leader.centres, search.size(), manifold_->dimension()));
    if (leader.shape == KernelShape::anisotropic && round) starts.push_back(*round);
    const bool everywhere = starts.empty() || (top && leader.shape != KernelShape::anisotropic &&
                                               kWholeSearch * seconds <= share);
    search.improve(leader, starts, everywhere, watch_.elapsed() + share);
    if (leader.shape == KernelShape::local) round = leader.place;
  }
}

std::vector<KernelSearch::Leader> KernelLadder::usable() const {
  const std::size_t n = points_.size();
  std::vector<KernelSearch::Leader> found;
  for (KernelSearch::Leader leader : leaders_) {
    if (leader.centres == 0) continue;
    const double ratio = static_cast<double>(n) / static_cast<double>(leader.centres);
    if (leader.centres < n) {
      leader.place = among(leader.place, leader.centres, n, manifold_->dimension());
      const double wide = leader.recipe.wide;
      leader.recipe = recipe_of(leader.shape, leader.place, RecipePlace::kNeighbours.back());
      leader.recipe.wide = wide;
      leader.seconds *= ratio;
      leader.last = false;
      const double all =
          build_ * std::pow(growth_, std::log(static_cast<double>(n) / static_cast<double>(last_->size())) /
                                         std::log(1.0 * kRung));
      const double neighbours = all * neighbours_of(leader.recipe) / RecipePlace::kNeighbours.back();
      if (!found.empty() && (!leader.whole || neighbours > std::max(0.0, watch_.left()))) continue;
    }
    found.push_back(std::move(leader));
  }
  return found;
}

Points<double> KernelLadder::sample(std::size_t n) const {
  if (n == points_.size()) return points_;
  Points<double> part(n, points_.dimension);
  for (std::size_t i = 0; i < n; ++i) {
    const auto from = points_[i * points_.size() / n];
    std::copy(from.begin(), from.end(), part[i].begin());
  }
  return part;
}

std::vector<std::size_t> KernelLadder::groups_of(std::size_t n) const {
  std::vector<std::size_t> part;
  if (groups_.empty()) return part;
  for (std::size_t i = 0; i < n; ++i) part.push_back(groups_[i * points_.size() / n]);
  return part;
}

}  // namespace riemflow
