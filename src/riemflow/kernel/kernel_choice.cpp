#include "riemflow/kernel/kernel_choice.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "riemflow/core/error.hpp"
#include "riemflow/kernel/kernel_search.hpp"

namespace riemflow {
namespace {

constexpr std::size_t kMostQueries = 2048, kFewQueries = 512;
/// Recipes that a whole search tries, of one shape, and the fewest that a further rung is worth.
constexpr double kWholeSearch = 80, kFewSteps = 8;
/// More centres than these are searched as if time were short: a recipe for a sample is one for all.
constexpr std::size_t kManyCentres = 100'000;

int neighbours_of(const KernelRecipe& recipe) {
  return std::max(recipe.shape == KernelShape::one ? 0 : recipe.neighbours,
                  recipe.shape == KernelShape::anisotropic ? recipe.shape_neighbours : 0);
}

/// Shapes searched one after the other; where time is limited or centres are many, on samples of the centres
/// first.
class KernelLadder {
 public:
  KernelLadder(const std::shared_ptr<const Manifold<double>>& manifold, const Points<double>& points,
               const Points<double>& validation, const std::vector<std::size_t>& groups, Executor* executor,
               const SearchTime& time, const SplitWeights& weights)
      : manifold_(manifold),
        points_(points),
        validation_(validation),
        groups_(groups),
        executor_(executor),
        watch_(time),
        least_centres_(time.least_centres),
        weights_(weights) {}

  std::vector<KernelSearch::Leader> operator()(const std::vector<KernelShape>& shapes) {
    for (const KernelShape shape : shapes) leaders_.push_back({shape});
    std::vector<std::size_t> rungs{points_.size()};
    while ((watch_.limited() || many()) && rungs.back() / kRung >= least_centres_)
      rungs.push_back(rungs.back() / kRung);
    for (; !rungs.empty(); rungs.pop_back()) {
      const bool top = rungs.size() == 1;
      if (!worth(top)) break;
      const double begun = watch_.elapsed();
      try {
        const std::size_t n = rungs.back();
        auto search = std::make_unique<KernelSearch>(
            manifold_, sample(n), validation_, sampled(groups_, n), queries_, executor_, watch_,
            SplitWeights{sampled(weights_.training, n), weights_.validation});
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

  /// With all points as centres.
  KernelParameters parameters(const KernelRecipe& recipe) {
    if (last_->size() == points_.size()) return last_->data().parameters(recipe);
    return KernelData(manifold_, points_, neighbours_of(recipe), executor_, {}, weights_.training)
        .parameters(recipe);
  }

 private:
  /// Where time is short, recipes are searched on a sample of the centres first, of the fewest or up to kRung
  /// times as many, and what was found there is mended on samples kRung times as large while there is time.
  static constexpr std::size_t kRung = 4;

  bool many() const { return points_.size() > kManyCentres; }

  /// Whether a rung more can be built, and climbed a little, in the time that is left; sets its queries.
  bool worth(bool top) {
    queries_ = top ? kMostQueries : kFewQueries;
    const KernelSearch::Leader& first = leaders_.front();
    if (first.centres == 0) return true;
    const auto seconds = [&] {
      return growth_ * build_ + kFewSteps * kRung * first.seconds * static_cast<double>(queries_);
    };
    if (seconds() > watch_.left()) queries_ = kFewQueries;
    return seconds() <= watch_.left();
  }

  void climb(KernelSearch& search, bool top) {
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
      if (!first)
        starts.push_back(among(leader.place, leader.centres, search.size(), manifold_->dimension()));
      if (leader.shape == KernelShape::anisotropic && round) starts.push_back(*round);
      const bool everywhere = starts.empty() || (top && !many() && leader.shape != KernelShape::anisotropic &&
                                                 kWholeSearch * seconds <= share);
      search.improve(leader, starts, everywhere, watch_.elapsed() + share);
      if (leader.shape == KernelShape::local) round = leader.place;
    }
  }

  /// The leaders as they are among all centres: the first, and those whose search came to an end somewhere
  /// and whose neighbours can be found in the time that is left.
  std::vector<KernelSearch::Leader> usable() const {
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

  Points<double> sample(std::size_t n) const {
    if (n == points_.size()) return points_;
    Points<double> part(n, points_.dimension);
    for (std::size_t i = 0; i < n; ++i) {
      const auto from = points_[i * points_.size() / n];
      std::copy(from.begin(), from.end(), part[i].begin());
    }
    return part;
  }

  /// What these points have, one each or none at all.
  template <class V>
  std::vector<V> sampled(const std::vector<V>& all, std::size_t n) const {
    std::vector<V> part;
    if (all.empty()) return part;
    for (std::size_t i = 0; i < n; ++i) part.push_back(all[i * points_.size() / n]);
    return part;
  }

  std::shared_ptr<const Manifold<double>> manifold_;
  const Points<double>&points_, &validation_;
  const std::vector<std::size_t>& groups_;  // of the points; none: each is one
  Executor* executor_;
  SearchWatch watch_;
  std::size_t least_centres_;
  const SplitWeights& weights_;
  std::vector<KernelSearch::Leader> leaders_;
  std::unique_ptr<KernelSearch> last_;
  std::size_t queries_ = 0;
  double build_ = 0, growth_ = 1.5 * kRung;  // seconds of the last rung, and what the next one takes over it
};

KernelFit fit_of(const KernelSearch::Leader& leader, int evaluations) {
  return {leader.recipe, {}, leader.scores.back(), evaluations, leader.seconds, leader.last};
}

/// By the scores on the last rung that both have been on.
bool better(const KernelSearch::Leader& a, const KernelSearch::Leader& b) {
  const std::size_t rungs = std::min(a.scores.size(), b.scores.size());
  return a.scores[rungs - 1] > b.scores[rungs - 1];
}

}  // namespace

KernelFit fit_kernel_density(std::shared_ptr<const Manifold<double>> manifold, const Points<double>& points,
                             const Points<double>& validation, std::optional<KernelShape> shape,
                             Executor* executor, const std::vector<std::size_t>& groups,
                             const SearchTime& time, const SplitWeights& weights) {
  KernelLadder ladder(manifold, points, validation, groups, executor, time, weights);
  std::vector<KernelShape> shapes;
  if (!shape || shape == KernelShape::one) shapes.push_back(KernelShape::one);
  if (shape != KernelShape::one) shapes.push_back(KernelShape::local);
  if (!shape || shape == KernelShape::anisotropic) shapes.push_back(KernelShape::anisotropic);
  const std::vector<KernelSearch::Leader> leaders = ladder(shapes);
  const KernelSearch::Leader* best = shape ? &leaders.back() : &leaders.front();
  int evaluations = 0;
  for (const KernelSearch::Leader& leader : leaders) {
    evaluations += leader.evaluations;
    if (!shape && better(leader, *best)) best = &leader;
  }
  KernelFit fit = fit_of(*best, evaluations);
  fit.parameters = ladder.parameters(fit.recipe);
  return fit;
}

std::vector<KernelFit> fit_kernel_densities(std::shared_ptr<const Manifold<double>> manifold,
                                            const Points<double>& points, const Points<double>& validation,
                                            Executor* executor, const std::vector<std::size_t>& groups,
                                            const SearchTime& time, const SplitWeights& weights) {
  KernelLadder ladder(manifold, points, validation, groups, executor, time, weights);
  std::vector<KernelFit> fits;
  for (const KernelSearch::Leader& leader :
       ladder({KernelShape::one, KernelShape::local, KernelShape::anisotropic})) {
    const bool round = leader.shape == KernelShape::anisotropic &&
                       leader.recipe.shrinkage == RecipePlace::kShrinkages.back();
    if (!round) fits.push_back(fit_of(leader, leader.evaluations));
  }
  return fits;
}

}  // namespace riemflow
