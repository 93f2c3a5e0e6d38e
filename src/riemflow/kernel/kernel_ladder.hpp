#pragma once
// The search for a kernel density in the time that there is: on samples of the centres first, then on more.

#include <memory>
#include <vector>

#include "riemflow/kernel/kernel_search.hpp"

namespace riemflow {

/// Shapes searched one after the other; where time is limited, on samples of the centres first.
class KernelLadder {
 public:
  KernelLadder(const std::shared_ptr<const Manifold<double>>& manifold, const Points<double>& points,
               const Points<double>& validation, const std::vector<std::size_t>& groups, ThreadPool* pool,
               const SearchTime& time)
      : manifold_(manifold),
        points_(points),
        validation_(validation),
        groups_(groups),
        pool_(pool),
        watch_(time) {}

  std::vector<KernelSearch::Leader> operator()(const std::vector<KernelShape>& shapes);

  /// With all points as centres.
  KernelParameters parameters(const KernelRecipe& recipe);

 private:
  /// Where time is short, recipes are searched on a sample of the centres first, of a hundred or up to kRung
  /// times as many, and what was found there is mended on samples kRung times as large while there is time.
  static constexpr std::size_t kRung = 4;

  /// Whether a rung more can be built, and climbed a little, in the time that is left; sets its queries.
  bool worth(bool top);

  void climb(KernelSearch& search, bool top);

  /// The leaders as they are among all centres: the first, and those whose search came to an end somewhere
  /// and whose neighbours can be found in the time that is left.
  std::vector<KernelSearch::Leader> usable() const;

  Points<double> sample(std::size_t n) const;
  std::vector<std::size_t> groups_of(std::size_t n) const;

  std::shared_ptr<const Manifold<double>> manifold_;
  const Points<double>&points_, &validation_;
  const std::vector<std::size_t>& groups_;  // of the points; none: each is one
  ThreadPool* pool_;
  SearchWatch watch_;
  std::vector<KernelSearch::Leader> leaders_;
  std::unique_ptr<KernelSearch> last_;
  std::size_t queries_ = 0;
  double build_ = 0, growth_ = 1.5 * kRung;  // seconds of the last rung, and what the next one takes over it
};

}  // namespace riemflow
