#include "riemflow/density/kernel_choice.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
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

constexpr std::size_t kMostQueries = 2048, kFewQueries = 512, kFolds = 5;
/// Validation points that are enough to choose by. Of fewer, 27 of the volcanoes, the best recipe overfits.
constexpr std::size_t kEnough = 300;
/// ε is between these. While recipes are compared, log p is right to kTolerance.
constexpr double kLeastWide = 1e-4, kMostWide = 0.5, kTolerance = 1e-3;
constexpr std::array kNeighbours = {2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64};
constexpr std::array kShrinkages = {0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0};
constexpr double kAdaptivityStep = 0.125;
constexpr int kMostAdaptivity = 12;
/// Where time is short, recipes are searched on a sample of the centres first, of this size or up to kRung
/// times it, and what was found there is mended on samples kRung times as large while there is time.
constexpr std::size_t kLeastCentres = 100, kRung = 4;
/// Recipes that a whole search tries, of one shape, and the fewest that a further rung is worth.
constexpr double kWholeSearch = 80, kFewSteps = 8;

/// A place on the grid of recipes.
struct Place {
  double log_scale = 0;
  int neighbours = 5, adaptivity = 5, shape_neighbours = 6, shrinkage = 6;

  auto operator<=>(const Place&) const = default;
};

/// Without ε.
KernelRecipe recipe_of(KernelShape shape, const Place& place, int most_neighbours) {
  const auto neighbours = [&](int index) {
    return std::min(kNeighbours[static_cast<std::size_t>(index)], std::max(1, most_neighbours));
  };
  KernelRecipe result;
  result.shape = shape;
  result.scale = std::exp(place.log_scale);
  if (shape == KernelShape::one) return result;
  result.neighbours = neighbours(place.neighbours);
  result.adaptivity = kAdaptivityStep * place.adaptivity;
  if (shape == KernelShape::local) return result;
  result.shape_neighbours = neighbours(place.shape_neighbours);
  result.shrinkage = kShrinkages[static_cast<std::size_t>(place.shrinkage)];
  return result;
}

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

/// Ends an evaluation that would take longer than there is.
struct OutOfTime {};

/// The time of a search as its parts ask for it.
class Watch {
 public:
  explicit Watch(const SearchTime& time) : time_(time) {}

  double elapsed() const { return time_.elapsed ? time_.elapsed() : seconds_since_start(); }
  double left() const { return time_.seconds - elapsed(); }
  bool limited() const { return std::isfinite(time_.seconds); }
  /// In the midst of work, from any thread: throws where there is no time left.
  std::function<void()> ask = [this] {
    if (!(elapsed() < time_.seconds) && begun_) throw OutOfTime{};
  };
  /// From here on `ask` may end what goes on: there is something to end with.
  void begin() { begun_ = true; }
  void tell() {
    ++evaluations_;
    if (time_.progress)
      time_.progress(std::min(0.99, limited() ? elapsed() / time_.seconds : evaluations_ / kUsualSearch));
  }

 private:
  /// Recipes of three shapes.
  static constexpr double kUsualSearch = 200;
  using Clock = std::chrono::steady_clock;
  double seconds_since_start() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  const SearchTime& time_;
  Clock::time_point start_ = Clock::now();
  std::atomic<bool> begun_ = false;
  int evaluations_ = 0;
};

/// On so many of the centres.
class Search {
 public:
  Search(const std::shared_ptr<const Manifold<double>>& manifold, const Points<double>& points,
         const Points<double>& validation, const std::vector<std::size_t>& groups, std::size_t most_queries,
         ThreadPool* pool, Watch& watch)
      : data_(manifold, points, kNeighbours.back(), pool, watch.ask),
        points_(points.size()),
        pool_(pool),
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
    if (validation.size() > 0) add(data_, validation, [](std::size_t) { return 1.0; });
    if (validation.size() >= kEnough || (validation.size() > 0 && n < 2 * kFolds)) return;
    if (n < 2 * kFolds) return;
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
      add(KernelData(manifold, kept, kNeighbours.back(), pool, watch.ask), held,
          [&](std::size_t i) { return weights[i]; });
    }
  }

  /// Equal ones among them.
  std::size_t size() const { return points_; }
  KernelData& data() { return data_; }
  /// Points that a recipe is scored by; none where there are too few centres.
  std::size_t queries() const {
    std::size_t sum = 0;
    for (const Fold& fold : folds_) sum += fold.queries.size();
    return sum;
  }

  /// What is known of a shape: the best place, as it is on so many centres.
  struct Leader {
    KernelShape shape;
    Place place = {};
    KernelRecipe recipe = {};          ///< of the place
    std::size_t centres = 0;           ///< 0: nothing is known
    std::vector<double> scores = {};   ///< of each rung that was searched
    double seconds = 0;                ///< of one query
    bool whole = false, last = false;  ///< whether any search, and the last one, came to its end
    int evaluations = 0;
  };

  /// Moves the leader to the best place that is found by `deadline` from the best of `starts`, or from a
  /// coarse look over all places. Always to some place, if it had none.
  void improve(Leader& leader, const std::vector<Place>& starts, bool everywhere, double deadline) {
    shape_ = leader.shape;
    score_ = -std::numeric_limits<double>::infinity();
    deadline_ = deadline;
    evaluations_ = 0;
    at_ = Place{.log_scale = std::log(data_.mean_distance(1)) + 1};
    wide_ = KernelRecipe().wide;
    const double begun = watch_.elapsed();
    for (const Place& start : starts) try_place(start);
    if (starts.empty()) try_place(at_);  // the ends of the scale are no place to be cut off at
    // Anisotropic kernels begin where local ones ended. Others have a coarse look along the scale first,
    // local ones from two places: data of two scales (pixels of one fire, and fires) have two summits.
    if (everywhere) scan({});
    if (everywhere && shape_ == KernelShape::local) {
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

 private:
  /// Mean log-likelihood with the best ε, which is left in `wide`.
  double score(const Place& place, double& wide) {
    KernelRecipe candidate = recipe_of(shape_, place, data_.most_neighbours());
    candidate.wide = kLeastWide;
    std::vector<Query> queries;
    for (Fold& fold : folds_) {
      const KernelDensity density(data_.manifold(), fold.data.parameters(candidate), kTolerance);
      const std::vector<double> log_p = log_densities(density, fold.queries);
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

  /// As KernelDensity::log_prob, asking for the time now and then.
  std::vector<double> log_densities(const KernelDensity& density, const Points<double>& queries) {
    constexpr std::size_t kPiece = 32;
    std::vector<double> values(queries.size());
    const auto piece = [&](std::size_t p, int) {
      watch_.ask();
      for (std::size_t i = p * kPiece; i < std::min(queries.size(), (p + 1) * kPiece); ++i)
        values[i] = density.log_density_at(queries[i]);
    };
    const std::size_t pieces = (queries.size() + kPiece - 1) / kPiece;
    if (pool_ != nullptr)
      pool_->run(pieces, piece);
    else
      for (std::size_t p = 0; p < pieces; ++p) piece(p, 0);
    return values;
  }

  bool out_of_time() const { return !(watch_.elapsed() < deadline_); }

  bool try_place(const Place& place) {
    if (out_of_time()) return false;
    double wide = 0, value = 0;
    try {
      value = score(place, wide);
    } catch (const OutOfTime&) {
      return false;
    }
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
  std::size_t points_;
  ThreadPool* pool_;
  Watch& watch_;
  std::vector<Fold> folds_;
  KernelShape shape_ = KernelShape::one;
  Place at_;
  double score_ = 0, wide_ = 0, deadline_ = 0;
  int evaluations_ = 0;
};

/// A place among `from` centres as it is among `to`: bandwidths go with n^{−1/(d+4)}, and the k-th neighbour
/// of a point was the kn/m-th among more.
Place among(Place place, std::size_t from, std::size_t to, int dimension) {
  const double ratio = static_cast<double>(to) / static_cast<double>(from);
  place.log_scale -= std::log(ratio) / (dimension + 4);
  for (int* index : {&place.neighbours, &place.shape_neighbours}) {
    const double wanted = ratio * kNeighbours[static_cast<std::size_t>(*index)];
    int best = 0;
    for (int i = 1; i < static_cast<int>(kNeighbours.size()); ++i)
      if (std::abs(std::log(kNeighbours[static_cast<std::size_t>(i)] / wanted)) <
          std::abs(std::log(kNeighbours[static_cast<std::size_t>(best)] / wanted)))
        best = i;
    *index = best;
  }
  return place;
}

/// Shapes searched one after the other; where time is limited, on samples of the centres first.
class Ladder {
 public:
  Ladder(const std::shared_ptr<const Manifold<double>>& manifold, const Points<double>& points,
         const Points<double>& validation, const std::vector<std::size_t>& groups, ThreadPool* pool,
         const SearchTime& time)
      : manifold_(manifold),
        points_(points),
        validation_(validation),
        groups_(groups),
        pool_(pool),
        watch_(time) {}

  std::vector<Search::Leader> operator()(const std::vector<KernelShape>& shapes) {
    for (const KernelShape shape : shapes) leaders_.push_back({shape});
    std::vector<std::size_t> rungs{points_.size()};
    while (watch_.limited() && rungs.back() / kRung >= kLeastCentres) rungs.push_back(rungs.back() / kRung);
    for (; !rungs.empty(); rungs.pop_back()) {
      const bool top = rungs.size() == 1;
      if (!worth(top)) break;
      const double begun = watch_.elapsed();
      try {
        auto search = std::make_unique<Search>(manifold_, sample(rungs.back()), validation_,
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
      } catch (const OutOfTime&) {
        break;
      }
    }
    return usable();
  }

  /// With all points as centres.
  KernelParameters parameters(const KernelRecipe& recipe) {
    if (last_->size() == points_.size()) return last_->data().parameters(recipe);
    return KernelData(manifold_, points_, neighbours_of(recipe), pool_).parameters(recipe);
  }

 private:
  /// Whether a rung more can be built, and climbed a little, in the time that is left; sets its queries.
  bool worth(bool top) {
    queries_ = top ? kMostQueries : kFewQueries;
    const Search::Leader& first = leaders_.front();
    if (first.centres == 0) return true;
    const auto seconds = [&] {
      return growth_ * build_ + kFewSteps * kRung * first.seconds * static_cast<double>(queries_);
    };
    if (seconds() > watch_.left()) queries_ = kFewQueries;
    return seconds() <= watch_.left();
  }

  void climb(Search& search, bool top) {
    const auto queries = static_cast<double>(search.queries());
    std::optional<Place> round;  // of local kernels, on this rung
    for (std::size_t s = 0; s < leaders_.size(); ++s) {
      Search::Leader& leader = leaders_[s];
      const bool first = leader.centres == 0;
      // Half of the time that there is for the shape, but on the last rung all of it.
      const double share = watch_.left() / static_cast<double>((leaders_.size() - s) * (top ? 1 : 2));
      const double seconds = first ? 0
                                   : leader.seconds * queries * static_cast<double>(search.size()) /
                                         static_cast<double>(leader.centres);
      if (!first && kFewSteps * seconds > share) continue;
      std::vector<Place> starts;
      if (!first)
        starts.push_back(among(leader.place, leader.centres, search.size(), manifold_->dimension()));
      if (leader.shape == KernelShape::anisotropic && round) starts.push_back(*round);
      const bool everywhere = starts.empty() || (top && leader.shape != KernelShape::anisotropic &&
                                                 kWholeSearch * seconds <= share);
      search.improve(leader, starts, everywhere, watch_.elapsed() + share);
      if (leader.shape == KernelShape::local) round = leader.place;
    }
  }

  /// The leaders as they are among all centres: the first, and those whose search came to an end somewhere
  /// and whose neighbours can be found in the time that is left.
  std::vector<Search::Leader> usable() const {
    const std::size_t n = points_.size();
    std::vector<Search::Leader> found;
    for (Search::Leader leader : leaders_) {
      if (leader.centres == 0) continue;
      const double ratio = static_cast<double>(n) / static_cast<double>(leader.centres);
      if (leader.centres < n) {
        leader.place = among(leader.place, leader.centres, n, manifold_->dimension());
        const double wide = leader.recipe.wide;
        leader.recipe = recipe_of(leader.shape, leader.place, kNeighbours.back());
        leader.recipe.wide = wide;
        leader.seconds *= ratio;
        leader.last = false;
        const double all =
            build_ * std::pow(growth_, std::log(static_cast<double>(n) / static_cast<double>(last_->size())) /
                                           std::log(1.0 * kRung));
        const double neighbours = all * neighbours_of(leader.recipe) / kNeighbours.back();
        if (!found.empty() && (!leader.whole || neighbours > std::max(0.0, watch_.left()))) continue;
      }
      found.push_back(std::move(leader));
    }
    return found;
  }
  static int neighbours_of(const KernelRecipe& recipe) {
    return std::max(recipe.shape == KernelShape::one ? 0 : recipe.neighbours,
                    recipe.shape == KernelShape::anisotropic ? recipe.shape_neighbours : 0);
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
  std::vector<std::size_t> groups_of(std::size_t n) const {
    std::vector<std::size_t> part;
    if (groups_.empty()) return part;
    for (std::size_t i = 0; i < n; ++i) part.push_back(groups_[i * points_.size() / n]);
    return part;
  }

  std::shared_ptr<const Manifold<double>> manifold_;
  const Points<double>&points_, &validation_;
  const std::vector<std::size_t>& groups_;  // of the points; none: each is one
  ThreadPool* pool_;
  Watch watch_;
  std::vector<Search::Leader> leaders_;
  std::unique_ptr<Search> last_;
  std::size_t queries_ = kMostQueries;
  double build_ = 0, growth_ = 1.5 * kRung;  // seconds of the last rung, and what the next one takes over it
};
KernelFit fit_of(const Search::Leader& leader, int evaluations) {
  return {leader.recipe, {}, leader.scores.back(), evaluations, leader.seconds, leader.last};
}

/// By the scores on the last rung that both have been on.
bool better(const Search::Leader& a, const Search::Leader& b) {
  const std::size_t rungs = std::min(a.scores.size(), b.scores.size());
  return a.scores[rungs - 1] > b.scores[rungs - 1];
}

}  // namespace

KernelFit fit_kernel_density(std::shared_ptr<const Manifold<double>> manifold, const Points<double>& points,
                             const Points<double>& validation, std::optional<KernelShape> shape,
                             ThreadPool* pool, const std::vector<std::size_t>& groups,
                             const SearchTime& time) {
  Ladder ladder(manifold, points, validation, groups, pool, time);
  std::vector<KernelShape> shapes;
  if (!shape || shape == KernelShape::one) shapes.push_back(KernelShape::one);
  if (shape != KernelShape::one) shapes.push_back(KernelShape::local);
  if (!shape || shape == KernelShape::anisotropic) shapes.push_back(KernelShape::anisotropic);
  const std::vector<Search::Leader> leaders = ladder(shapes);
  const Search::Leader* best = shape ? &leaders.back() : &leaders.front();
  int evaluations = 0;
  for (const Search::Leader& leader : leaders) {
    evaluations += leader.evaluations;
    if (!shape && better(leader, *best)) best = &leader;
  }
  KernelFit fit = fit_of(*best, evaluations);
  fit.parameters = ladder.parameters(fit.recipe);
  return fit;
}

std::vector<KernelFit> fit_kernel_densities(std::shared_ptr<const Manifold<double>> manifold,
                                            const Points<double>& points, const Points<double>& validation,
                                            ThreadPool* pool, const std::vector<std::size_t>& groups,
                                            const SearchTime& time) {
  Ladder ladder(manifold, points, validation, groups, pool, time);
  std::vector<KernelFit> fits;
  for (const Search::Leader& leader :
       ladder({KernelShape::one, KernelShape::local, KernelShape::anisotropic})) {
    const bool round =
        leader.shape == KernelShape::anisotropic && leader.recipe.shrinkage == kShrinkages.back();
    if (!round) fits.push_back(fit_of(leader, leader.evaluations));
  }
  return fits;
}

}  // namespace riemflow
