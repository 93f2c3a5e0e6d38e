#pragma once
// The search for the recipe of a kernel density that scores best, on one set of centres: steps from neighbour
// to neighbour on the grid of recipes.

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "riemflow/core/stopwatch.hpp"
#include "riemflow/kernel/kernel_choice.hpp"

namespace riemflow {

/// A place on the grid of recipes that a search steps over.
struct RecipePlace {
  static constexpr std::array kNeighbours = {2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64};
  static constexpr std::array kShrinkages = {0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0};
  static constexpr double kAdaptivityStep = 0.125;
  static constexpr int kMostAdaptivity = 12;

  double log_scale = 0;
  int neighbours = 5, adaptivity = 5, shape_neighbours = 6, shrinkage = 6;  ///< steps on the grid
};

/// Without ε.
KernelRecipe recipe_of(KernelShape shape, const RecipePlace& place, int most_neighbours);

/// A place among `from` centres as it is among `to`: bandwidths go with n^{−1/(d+4)}, and the k-th neighbour
/// of a point was the kn/m-th among more.
RecipePlace among(RecipePlace place, std::size_t from, std::size_t to, int dimension);

/// The time of a search for a kernel density as its parts ask for it.
class SearchWatch {
 public:
  /// Ends an evaluation that would take longer than there is.
  struct OutOfTime {};

  explicit SearchWatch(const SearchTime& time) : time_(time) {}

  double elapsed() const { return time_.elapsed ? time_.elapsed() : seconds_since(start_); }
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

  const SearchTime& time_;
  Clock::time_point start_ = Clock::now();
  std::atomic<bool> begun_ = false;
  int evaluations_ = 0;
};

class KernelSearch {
 public:
  /// Points to score recipes by: `validation` and, where that is small, folds of the points
  /// (kernel/kernel_choice.hpp). watch: must outlive the search.
  KernelSearch(const std::shared_ptr<const Manifold<double>>& manifold, const Points<double>& points,
               const Points<double>& validation, const std::vector<std::size_t>& groups,
               std::size_t most_queries, Executor* executor, SearchWatch& watch,
               const SplitWeights& weights = {});

  /// Equal ones among them.
  std::size_t size() const { return points_; }
  KernelData& data() { return data_; }
  /// Points that a recipe is scored by; none where there are too few centres.
  std::size_t queries() const;

  /// What is known of a shape: the best place, as it is on so many centres.
  struct Leader {
    KernelShape shape;
    RecipePlace place = {};
    KernelRecipe recipe = {};          ///< of the place
    std::size_t centres = 0;           ///< 0: nothing is known
    std::vector<double> scores = {};   ///< of each rung that was searched
    double seconds = 0;                ///< of one query
    bool whole = false, last = false;  ///< whether any search, and the last one, came to its end
    int evaluations = 0;
  };

  /// Moves the leader to the best place that is found by `deadline` from the best of `starts`, or from a
  /// coarse look over all places. Always to some place, if it had none.
  void improve(Leader& leader, const std::vector<RecipePlace>& starts, bool everywhere, double deadline);

 private:
  /// A density's points, and points to score it by.
  struct Fold {
    KernelData data;
    Points<double> queries;
    std::vector<double> weights, log_wide;
  };

  /// Mean log-likelihood with the best ε, which is left in `wide`.
  double score(const RecipePlace& place, double& wide);
  bool out_of_time() const { return !(watch_.elapsed() < deadline_); }
  bool try_place(const RecipePlace& place);
  /// From a tenth of the mean distance to the nearest neighbour to a hundred times that.
  void scan(RecipePlace place);
  /// Steps to better neighbours until there are none; `step` of log scale.
  void climb(double step);

  KernelData data_;
  std::size_t points_;
  Executor* executor_;
  SearchWatch& watch_;
  std::vector<Fold> folds_;
  KernelShape shape_ = KernelShape::one;
  RecipePlace at_;
  double score_ = 0, wide_ = 0, deadline_ = 0;
  int evaluations_ = 0;
};

}  // namespace riemflow
