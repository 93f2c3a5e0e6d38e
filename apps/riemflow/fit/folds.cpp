#include "apps/riemflow/fit/folds.hpp"

#include <algorithm>

namespace riemflow::app {
namespace {

constexpr std::size_t kFewValidation = 150, kFolds = 5;

}  // namespace

std::vector<Fold> folds_of(const Split& split) {
  if (split.validation.size() >= kFewValidation) return {{split.training, split.validation}};
  std::vector<std::size_t> all = split.training;
  all.insert(all.end(), split.validation.begin(), split.validation.end());
  const std::size_t n = std::min(kFolds, all.size());
  std::vector<Fold> folds(n);
  // The split is random already: every n-th of its points is as good as any.
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t k = 0; k < n; ++k)
      (i % n == k ? folds[k].held_out : folds[k].training).push_back(all[i]);
  return folds;
}

}  // namespace riemflow::app
