#pragma once
// The search for the recipe of a kernel density that scores best, on one set of centres: steps from neighbour
// to neighbour on the grid of recipes.

#include <memory>
#include <vector>

#include "riemflow/kernel/kernel_data.hpp"
#include "riemflow/kernel/recipe_place.hpp"
#include "riemflow/kernel/search_watch.hpp"

namespace riemflow {

class KernelSearch {
 public:
  /// Points to score recipes by: `validation` and, where that is small, folds of the points
  /// (kernel/kernel_choice.hpp). watch: must outlive the search.
  KernelSearch(const std::shared_ptr<const Manifold<double>>& manifold, const Points<double>& points,
               const Points<double>& validation, const std::vector<std::size_t>& groups,
               std::size_t most_queries, ThreadPool* pool, SearchWatch& watch);

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
  /// As KernelMixture::log_prob, asking for the time now and then.
  std::vector<double> log_densities(const KernelMixture& density, const Points<double>& queries);
  bool out_of_time() const { return !(watch_.elapsed() < deadline_); }
  bool try_place(const RecipePlace& place);
  /// From a tenth of the mean distance to the nearest neighbour to a hundred times that.
  void scan(RecipePlace place);
  /// Steps to better neighbours until there are none; `step` of log scale.
  void climb(double step);

  KernelData data_;
  std::size_t points_;
  ThreadPool* pool_;
  SearchWatch& watch_;
  std::vector<Fold> folds_;
  KernelShape shape_ = KernelShape::one;
  RecipePlace at_;
  double score_ = 0, wide_ = 0, deadline_ = 0;
  int evaluations_ = 0;
};

}  // namespace riemflow
