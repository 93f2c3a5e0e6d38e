#include "riemflow/fit/split.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "riemflow/core/error.hpp"
#include "riemflow/core/fold_numbers.hpp"
#include "riemflow/core/random.hpp"

namespace riemflow {

SplitShares parse_split(std::string_view text) {
  SplitShares shares{};
  std::string_view rest = text;
  bool good = true;
  for (std::size_t i = 0; i < 3 && good; ++i) {
    const std::size_t end = i < 2 ? rest.find('/') : rest.size();
    good = end != rest.npos;
    if (!good) break;
    const auto [stop, code] = std::from_chars(rest.data(), rest.data() + end, shares[i]);
    good = code == std::errc() && stop == rest.data() + end && std::isfinite(shares[i]) && shares[i] >= 0;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  require(good && shares[0] > 0 && shares[1] > 0, "'" + std::string(text) + "' is not a split",
          "give the shares of training, validation and test as in 80/10/10; the first two above 0");
  return shares;
}

Split split_points(const std::vector<std::size_t>& groups, const SplitShares& shares, std::uint64_t seed) {
  // Groups in random order, then filled into the parts until each has its number of points.
  std::map<std::size_t, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < groups.size(); ++i) members[groups[i]].push_back(i);
  std::vector<const std::vector<std::size_t>*> order;
  for (const auto& [group, points] : members) order.push_back(&points);
  Random random(seed, Purpose::split, 0, 0);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);

  const double total = shares[0] + shares[1] + shares[2];
  const auto share_of = [&](double share) {
    return static_cast<std::size_t>(std::llround(static_cast<double>(groups.size()) * share / total));
  };
  const std::size_t want_test = share_of(shares[2]), want_validation = share_of(shares[1]);
  Split split;
  for (const std::vector<std::size_t>* points : order) {
    std::vector<std::size_t>& part = split.test.size() < want_test               ? split.test
                                     : split.validation.size() < want_validation ? split.validation
                                                                                 : split.training;
    part.insert(part.end(), points->begin(), points->end());
  }
  for (std::vector<std::size_t>* part : {&split.training, &split.validation, &split.test})
    std::sort(part->begin(), part->end());
  require(!split.training.empty() && !split.validation.empty() && (shares[2] == 0 || !split.test.empty()),
          std::to_string(groups.size()) + " points in " + std::to_string(members.size()) +
              " groups are too few for this split",
          "give more data, or other shares (‹split›)", Fault::bad_data);
  return split;
}

std::vector<Fold> folds_of(const Split& split, const std::vector<std::size_t>& groups, std::size_t rows) {
  constexpr std::size_t kFewValidation = 150, kMostFolds = 5;
  if (split.validation.size() >= kFewValidation * rows) return {{split.training, split.validation}};
  const std::vector<std::size_t> all = split.known();
  std::vector<std::size_t> own;
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
