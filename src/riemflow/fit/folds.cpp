#include "riemflow/fit/folds.hpp"

#include <algorithm>
#include <set>

#include "riemflow/core/fold_numbers.hpp"

namespace riemflow {
namespace {

constexpr std::size_t kFewValidation = 150, kMostFolds = 5;

}  // namespace

std::vector<Fold> folds_of(const Split& split, const std::vector<std::size_t>& groups) {
  if (split.validation.size() >= kFewValidation) return {{split.training, split.validation}};
  std::vector<std::size_t> all = split.training, own;
  all.insert(all.end(), split.validation.begin(), split.validation.end());
  for (const std::size_t i : all) own.push_back(groups[i]);
  const std::size_t n = std::min(kMostFolds, std::set(own.begin(), own.end()).size());
  // The split is random already: the order of its points is as good as any.
  const std::vector<std::size_t> numbers = fold_numbers(own, n);
  std::vector<Fold> folds(n);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t k = 0; k < n; ++k)
      (numbers[i] == k ? folds[k].held_out : folds[k].training).push_back(all[i]);
  return folds;
}

}  // namespace riemflow
