#include "riemflow/kernel/kernel_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "riemflow/core/error.hpp"
#include "riemflow/core/fold_numbers.hpp"
#include "riemflow/distribution/base.hpp"
#include "riemflow/distribution/draws.hpp"

namespace riemflow {
namespace {

constexpr std::size_t kFolds = 5;
/// Different points that choose alone: without one there are two centres.
constexpr std::size_t kLeast = 3;
constexpr std::size_t kPointsBetweenLooks = 32;  // at the time
/// Validation points that are enough to choose by. Of fewer, 27 of the volcanoes, the best recipe overfits.
constexpr std::size_t kEnough = 300;
/// ε is between these. While recipes are compared, log p is right to kTolerance.
constexpr double kLeastWide = 1e-4, kMostWide = 0.5, kTolerance = 1e-3;

/// p = (1 − ε)k + ε p₀ at a point as a function of ε, k = Σ w K. Off the origin of R^d the two are e^{10⁶}
/// and more apart: only the ratio of the smaller to the larger is formed.
struct Query {
  /// log p of the density with ε = kLeastWide, and log p₀.
  Query(double log_p, double log_wide, double weight_of_it) : weight(weight_of_it) {
    const double rest = 1 - kLeastWide * std::exp(log_wide - log_p);  // (1 − ε)k/p
    const double log_kernels = rest > 0 ? log_p + std::log(rest) - std::log1p(-kLeastWide) : -INFINITY;
    log_larger = std::max(log_kernels, log_wide);
    kernels = std::exp(log_kernels - log_larger);
    base = std::exp(log_wide - log_larger);
  }
  double log_density(double e) const { return log_larger + std::log((1 - e) * kernels + e * base); }
  /// d log p/dε
  double slope(double e) const { return (base - kernels) / ((1 - e) * kernels + e * base); }

  double weight, log_larger, kernels, base;  ///< k and p₀ over the larger of them
};

}  // namespace

KernelRecipe recipe_of(KernelShape shape, const RecipePlace& place, int most_neighbours) {
  const auto neighbours = [&](int index) {
    return std::min(RecipePlace::kNeighbours[static_cast<std::size_t>(index)], std::max(1, most_neighbours));
  };
  KernelRecipe result;
  result.shape = shape;
  result.scale = std::exp(place.log_scale);
  if (shape == KernelShape::one) return result;
  result.neighbours = neighbours(place.neighbours);
  result.adaptivity = RecipePlace::kAdaptivityStep * place.adaptivity;
  if (shape == KernelShape::local) return result;
  result.shape_neighbours = neighbours(place.shape_neighbours);
  result.shrinkage = RecipePlace::kShrinkages[static_cast<std::size_t>(place.shrinkage)];
  return result;
}

RecipePlace among(RecipePlace place, std::size_t from, std::size_t to, int dimension) {
  const double ratio = static_cast<double>(to) / static_cast<double>(from);
  place.log_scale -= std::log(ratio) / (dimension + 4);
  for (int* index : {&place.neighbours, &place.shape_neighbours}) {
    const double wanted = ratio * RecipePlace::kNeighbours[static_cast<std::size_t>(*index)];
    int best = 0;
    for (int i = 1; i < static_cast<int>(RecipePlace::kNeighbours.size()); ++i)
      if (std::abs(std::log(RecipePlace::kNeighbours[static_cast<std::size_t>(i)] / wanted)) <
          std::abs(std::log(RecipePlace::kNeighbours[static_cast<std::size_t>(best)] / wanted)))
        best = i;
    *index = best;
  }
  return place;
}

KernelSearch::KernelSearch(const std::shared_ptr<const Manifold<double>>& manifold,
                           const Points<double>& points, const Points<double>& validation,
                           const std::vector<std::size_t>& groups, std::size_t most_queries,
                           Executor* executor, SearchWatch& watch, const SplitWeights& weights)
    : data_(manifold, points, RecipePlace::kNeighbours.back(), executor, watch.ask, weights.training),
      points_(points.size()),
      executor_(executor),
      watch_(watch) {
  const auto wide = default_base<double>(manifold);
  const auto add = [&](const KernelData& data, const Points<double>& from, const auto& weight) {
    Fold fold{data, Points<double>(), {}, {}};
    const std::size_t most = most_queries / (folds_.empty() && validation.size() > 0 ? 1 : kFolds);
    const std::size_t n = std::min(from.size(), most);
    fold.queries = Points<double>(n, from.dimension);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = i * from.size() / n;
      std::copy_n(from[at].begin(), from.dimension, fold.queries[i].begin());
      fold.weights.push_back(weight(at));
    }
    fold.log_wide = log_densities_of(*wide, fold.queries);
    folds_.push_back(std::move(fold));
  };
  const std::size_t n = data_.size();
  if (validation.size() > 0)
    add(data_, validation, [&](std::size_t i) { return weight_of(weights.validation, i); });
  if (validation.size() >= kEnough || n < (validation.size() > 0 ? 2 * kFolds : kLeast)) return;
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random random(0, Purpose::split, 0, 1);
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  std::vector<std::size_t> group_of(order);  // of the centres in that order
  if (!groups.empty())
    for (std::size_t i = 0; i < n; ++i) group_of[i] = groups[data_.origins()[order[i]]];
  const std::size_t folds = std::min(kFolds, std::set(group_of.begin(), group_of.end()).size());
  require(folds > 1, "a bandwidth cannot be chosen by points that are all one group",
          "give validation points, or a shorter distance for groups");
  const std::vector<std::size_t> fold_of = fold_numbers(group_of, folds);
  const bool weighted = !weights.training.empty();
  const double total = total_weight(weights.training, points.size());
  for (std::size_t f = 0; f < folds; ++f) {
    Points<double> kept, held;
    kept.dimension = held.dimension = points.dimension;
    Weights kept_weights, held_weights;
    for (std::size_t i = 0; i < n; ++i) {
      const auto point = data_.centres()[order[i]];
      const bool out = fold_of[i] == f;
      Points<double>& to = out ? held : kept;
      // Without weights a centre is as many points as it stands for.
      const double own = data_.weights()[order[i]] * total, copies = weighted ? 1 : std::round(own);
      if (out) held_weights.push_back(weighted ? own : copies);
      if (!out && weighted) kept_weights.push_back(own);
      for (double copy = 0; copy < (out ? 1 : copies); ++copy)
        to.values.insert(to.values.end(), point.begin(), point.end());
    }
    add(KernelData(manifold, kept, RecipePlace::kNeighbours.back(), executor, watch.ask, kept_weights), held,
        [&](std::size_t i) { return held_weights[i]; });
  }
}

std::size_t KernelSearch::queries() const {
  std::size_t sum = 0;
  for (const Fold& fold : folds_) sum += fold.queries.size();
  return sum;
}

void KernelSearch::improve(Leader& leader, const std::vector<RecipePlace>& starts, bool everywhere,
                           double deadline) {
  shape_ = leader.shape;
  score_ = -std::numeric_limits<double>::infinity();
  deadline_ = deadline;
  evaluations_ = 0;
  at_ = RecipePlace{.log_scale = std::log(data_.mean_distance(1)) + 1};
  wide_ = KernelRecipe().wide;
  const double begun = watch_.elapsed();
  for (const RecipePlace& start : starts) try_place(start);
  if (starts.empty()) try_place(at_);  // the ends of the scale are no place to be cut off at
  // Anisotropic kernels begin where local ones ended. Others have a coarse look along the scale first,
  // local ones from two places: data of two scales (pixels of one fire, and fires) have two summits.
  if (everywhere) scan({});
  if (everywhere && shape_ == KernelShape::local) {
    climb(0.2);
    const RecipePlace first = at_;
    const double score = std::exchange(score_, -std::numeric_limits<double>::infinity()), wide = wide_;
    scan({.neighbours = 1, .adaptivity = 7});
    climb(0.2);
    if (score > score_) {
      at_ = first;
      score_ = score;
      wide_ = wide;
    }
  }
  if (!everywhere) climb(0.2);
  climb(0.05);
  climb(0.0125);
  const bool ended = !out_of_time();
  leader.whole = leader.whole || ended;
  leader.last = ended;
  leader.evaluations += evaluations_;
  if (evaluations_ > 0)
    leader.seconds = (watch_.elapsed() - begun) / evaluations_ / static_cast<double>(queries());
  if (leader.centres > 0 && !std::isfinite(score_)) return;  // nothing was learned here
  leader.place = at_;
  leader.recipe = recipe_of(shape_, at_, data_.most_neighbours());
  leader.recipe.wide = wide_;
  leader.centres = points_;
  leader.scores.push_back(score_);
}

double KernelSearch::score(const RecipePlace& place, double& wide) {
  KernelRecipe candidate = recipe_of(shape_, place, data_.most_neighbours());
  candidate.wide = kLeastWide;
  std::vector<Query> queries;
  for (Fold& fold : folds_) {
    const KernelMixture density(data_.manifold(), fold.data.parameters(candidate), kTolerance);
    std::vector<double> log_p(fold.queries.size());
    in_pieces(executor_, log_p.size(), kPointsBetweenLooks, [&](std::size_t begin, std::size_t end) {
      watch_.ask();
      for (std::size_t i = begin; i < end; ++i) log_p[i] = density.log_density_at(fold.queries[i]);
    });
    for (std::size_t i = 0; i < log_p.size(); ++i)
      queries.emplace_back(log_p[i], fold.log_wide[i], fold.weights[i]);
  }
  ++evaluations_;
  watch_.tell();

  // The likelihood is concave in ε: halve where its slope changes sign.
  double low = std::log(kLeastWide), high = std::log(kMostWide);
  for (int step = 0; step < 30; ++step) {
    const double middle = 0.5 * (low + high), e = std::exp(middle);
    double slope = 0;
    for (const Query& query : queries) slope += query.weight * query.slope(e);
    (slope > 0 ? low : high) = middle;
  }
  wide = std::exp(0.5 * (low + high));
  double sum = 0, total = 0;
  for (const Query& query : queries) {
    sum += query.weight * query.log_density(wide);
    total += query.weight;
  }
  return sum / total;
}

bool KernelSearch::try_place(const RecipePlace& place) {
  if (out_of_time()) return false;
  double wide = 0, value = 0;
  try {
    value = score(place, wide);
  } catch (const SearchWatch::OutOfTime&) {
    return false;
  }
  if (!(value > score_)) return false;
  at_ = place;
  score_ = value;
  wide_ = wide;
  return true;
}

void KernelSearch::scan(RecipePlace place) {
  const double start = std::log(data_.mean_distance(1));
  for (double step = -2.5; step <= 5; step += 0.5) {
    place.log_scale = start + step;
    try_place(place);
  }
}

void KernelSearch::climb(double step) {
  for (bool better = true; better;) {
    better = false;
    for (const double direction : {-step, step}) {
      RecipePlace next = at_;
      next.log_scale += direction;
      while (try_place(next)) {
        better = true;
        next.log_scale += direction;
      }
    }
    if (step < 0.1) continue;
    const auto move = [&](int RecipePlace::*axis, int most) {
      for (const int direction : {-1, 1})
        for (bool moved = true; moved;) {
          moved = false;
          for (const double stretch : {0.0, -step, step}) {
            RecipePlace next = at_;
            next.*axis += direction;
            next.log_scale += stretch;
            if (next.*axis < 0 || next.*axis > most) continue;
            if (try_place(next)) better = moved = true;
          }
        }
    };
    if (shape_ == KernelShape::one) continue;
    move(&RecipePlace::adaptivity, RecipePlace::kMostAdaptivity);
    move(&RecipePlace::neighbours, static_cast<int>(RecipePlace::kNeighbours.size()) - 1);
    if (shape_ == KernelShape::local) continue;
    move(&RecipePlace::shrinkage, static_cast<int>(RecipePlace::kShrinkages.size()) - 1);
    move(&RecipePlace::shape_neighbours, static_cast<int>(RecipePlace::kNeighbours.size()) - 1);
  }
}

}  // namespace riemflow
