#include "riemflow/density/kernel_choice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "riemflow/core/error.hpp"
#include "riemflow/core/fold_numbers.hpp"
#include "riemflow/density/base.hpp"
#include "riemflow/density/draws.hpp"

namespace riemflow {
namespace {

constexpr std::size_t kMostQueries = 2048, kFolds = 5;
/// Validation points that are enough to choose by. Of fewer, 27 of the volcanoes, the best recipe overfits.
constexpr std::size_t kEnough = 300;
/// ε is between these. While recipes are compared, log p is right to kTolerance.
constexpr double kLeastWide = 1e-4, kMostWide = 0.5, kTolerance = 1e-3;
constexpr std::array kNeighbours = {2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64};
constexpr std::array kShrinkages = {0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0};
constexpr double kAdaptivityStep = 0.125;
constexpr int kMostAdaptivity = 12;

/// A place on the grid of recipes.
struct Place {
  double log_scale = 0;
  int neighbours = 5, adaptivity = 5, shape_neighbours = 6, shrinkage = 6;

  auto operator<=>(const Place&) const = default;
};

/// A density's points, and points to score it by.
struct Fold {
  KernelData data;
  Points<double> queries;
  std::vector<double> weights, log_wide;
};

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

class Search {
 public:
  Search(const std::shared_ptr<const Manifold<double>>& manifold, const Points<double>& points,
         const Points<double>& validation, ThreadPool* pool, const std::vector<std::size_t>& groups)
      : data_(manifold, points, kNeighbours.back(), pool), pool_(pool) {
    const auto wide = default_base<double>(manifold);
    const auto add = [&](const KernelData& data, const Points<double>& from, const auto& weight) {
      Fold fold{data, Points<double>(), {}, {}};
      const std::size_t most = kMostQueries / (folds_.empty() && validation.size() > 0 ? 1 : kFolds);
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
    if (validation.size() > 0) add(data_, validation, [](std::size_t) { return 1.0; });
    if (validation.size() >= kEnough || (validation.size() > 0 && n < 2 * kFolds)) return;
    require(n >= 2 * kFolds,
            "a bandwidth cannot be chosen by " + std::to_string(n) + " different points alone",
            "give validation points, or more points");
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
    for (std::size_t f = 0; f < folds; ++f) {
      Points<double> kept, held;
      kept.dimension = held.dimension = points.dimension;
      std::vector<double> weights;
      for (std::size_t i = 0; i < n; ++i) {
        const auto point = data_.centres()[order[i]];
        const bool out = fold_of[i] == f;
        Points<double>& to = out ? held : kept;
        const double copies = std::round(data_.weights()[order[i]] * static_cast<double>(points.size()));
        if (out) weights.push_back(copies);
        for (double copy = 0; copy < (out ? 1 : copies); ++copy)
          to.values.insert(to.values.end(), point.begin(), point.end());
      }
      add(KernelData(manifold, kept, kNeighbours.back(), pool), held,
          [&](std::size_t i) { return weights[i]; });
    }
  }

  KernelFit best(KernelShape shape) {
    shape_ = shape;
    score_ = -std::numeric_limits<double>::infinity();
    // Anisotropic kernels begin where local ones ended. Others have a coarse look along the scale first,
    // local ones from two places: data of two scales (pixels of one fire, and fires) have two summits.
    if (shape == KernelShape::anisotropic && settled_) {
      try_place(at_);
      climb(0.2);
    } else if (shape == KernelShape::one) {
      scan({});
    } else {
      scan({});
      climb(0.2);
      const Place first = at_;
      const double score = std::exchange(score_, -std::numeric_limits<double>::infinity()), wide = wide_;
      scan({.neighbours = 1, .adaptivity = 7});
      climb(0.2);
      if (score > score_) {
        at_ = first;
        score_ = score;
        wide_ = wide;
      }
    }
    climb(0.05);
    climb(0.0125);
    settled_ = shape == KernelShape::local;
    KernelFit fit;
    fit.recipe = recipe(at_);
    fit.recipe.wide = wide_;
    fit.parameters = data_.parameters(fit.recipe);
    fit.score = score_;
    fit.evaluations = evaluations_;
    return fit;
  }

 private:
  KernelRecipe recipe(const Place& place) const {
    KernelRecipe result;
    result.shape = shape_;
    result.scale = std::exp(place.log_scale);
    if (shape_ == KernelShape::one) return result;
    result.neighbours = std::min(kNeighbours[static_cast<std::size_t>(place.neighbours)],
                                 std::max(1, data_.most_neighbours()));
    result.adaptivity = kAdaptivityStep * place.adaptivity;
    if (shape_ == KernelShape::local) return result;
    result.shape_neighbours = std::min(kNeighbours[static_cast<std::size_t>(place.shape_neighbours)],
                                       std::max(1, data_.most_neighbours()));
    result.shrinkage = kShrinkages[static_cast<std::size_t>(place.shrinkage)];
    return result;
  }

  /// Mean log-likelihood with the best ε, which is left in `wide`.
  double score(const Place& place, double& wide) {
    KernelRecipe candidate = recipe(place);
    candidate.wide = kLeastWide;
    std::vector<Query> queries;
    for (Fold& fold : folds_) {
      const KernelDensity density(data_.manifold(), fold.data.parameters(candidate), kTolerance);
      const std::vector<double> log_p = density.log_prob(fold.queries, pool_);
      for (std::size_t i = 0; i < log_p.size(); ++i)
        queries.emplace_back(log_p[i], fold.log_wide[i], fold.weights[i]);
    }
    ++evaluations_;

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

  bool try_place(const Place& place) {
    double wide = 0;
    const double value = score(place, wide);
    if (!(value > score_)) return false;
    at_ = place;
    score_ = value;
    wide_ = wide;
    return true;
  }

  /// From a tenth of the mean distance to the nearest neighbour to a hundred times that.
  void scan(Place place) {
    const double start = std::log(data_.mean_distance(1));
    for (double step = -2.5; step <= 5; step += 0.5) {
      place.log_scale = start + step;
      try_place(place);
    }
  }

  /// Steps to better neighbours until there are none; `step` of log scale.
  void climb(double step) {
    for (bool better = true; better;) {
      better = false;
      for (const double direction : {-step, step}) {
        Place next = at_;
        next.log_scale += direction;
        while (try_place(next)) {
          better = true;
          next.log_scale += direction;
        }
      }
      if (step < 0.1) continue;
      const auto move = [&](int Place::*axis, int most) {
        for (const int direction : {-1, 1})
          for (bool moved = true; moved;) {
            moved = false;
            for (const double stretch : {0.0, -step, step}) {
              Place next = at_;
              next.*axis += direction;
              next.log_scale += stretch;
              if (next.*axis < 0 || next.*axis > most) continue;
              if (try_place(next)) better = moved = true;
            }
          }
      };
      if (shape_ == KernelShape::one) continue;
      move(&Place::adaptivity, kMostAdaptivity);
      move(&Place::neighbours, static_cast<int>(kNeighbours.size()) - 1);
      if (shape_ == KernelShape::local) continue;
      move(&Place::shrinkage, static_cast<int>(kShrinkages.size()) - 1);
      move(&Place::shape_neighbours, static_cast<int>(kNeighbours.size()) - 1);
    }
  }

  KernelData data_;
  ThreadPool* pool_;
  std::vector<Fold> folds_;
  KernelShape shape_ = KernelShape::one;
  bool settled_ = false;  // whether at_ is the best place of local kernels
  Place at_;
  double score_ = 0, wide_ = 0;
  int evaluations_ = 0;
};

}  // namespace

KernelFit fit_kernel_density(std::shared_ptr<const Manifold<double>> manifold, const Points<double>& points,
                             const Points<double>& validation, std::optional<KernelShape> shape,
                             ThreadPool* pool, const std::vector<std::size_t>& groups) {
  Search search(manifold, points, validation, pool, groups);
  KernelFit best = search.best(KernelShape::one);
  if (shape == KernelShape::one) return best;
  for (const KernelShape next : {KernelShape::local, KernelShape::anisotropic}) {
    KernelFit fit = search.best(next);
    if (shape == next) return fit;
    if (fit.score > best.score) best = std::move(fit);
  }
  return best;
}

std::vector<KernelFit> fit_kernel_densities(std::shared_ptr<const Manifold<double>> manifold,
                                            const Points<double>& points, const Points<double>& validation,
                                            ThreadPool* pool, const std::function<bool()>& enough,
                                            const std::vector<std::size_t>& groups) {
  Search search(manifold, points, validation, pool, groups);
  std::vector<KernelFit> fits;
  for (const KernelShape shape : {KernelShape::one, KernelShape::local, KernelShape::anisotropic}) {
    if (!fits.empty() && enough && enough()) break;
    KernelFit fit = search.best(shape);
    const bool round = shape == KernelShape::anisotropic && fit.recipe.shrinkage == kShrinkages.back();
    if (!round) fits.push_back(std::move(fit));
  }
  return fits;
}

}  // namespace riemflow
