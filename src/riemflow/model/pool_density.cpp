#include "riemflow/model/pool_density.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "riemflow/core/error.hpp"
#include "riemflow/core/random.hpp"

namespace riemflow {

template <class T>
PoolDensity<T>::PoolDensity(std::vector<std::unique_ptr<Density<T>>> members, std::vector<double> weights)
    : members_(std::move(members)), weights_(std::move(weights)) {
  require(!members_.empty() && members_.size() == weights_.size(),
          fmt::format("a pool of {} members and {} weights", members_.size(), weights_.size()),
          "give at least one member, and a weight for each");
  double total = 0;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    require(
        members_[m]->manifold().name() == manifold().name(),
        fmt::format("a pool of densities on {} and {}", manifold().name(), members_[m]->manifold().name()),
        "its members must be on one manifold");
    require(weights_[m] > 0 && weights_[m] <= 1 + 1e-9, fmt::format("weight {} is {}", m, weights_[m]),
            "leave out members that have none");
    total += weights_[m];
  }
  require(std::abs(total - 1) <= 1e-9, fmt::format("the weights add up to {}", total), "they must to 1");
}

template <class T>
bool PoolDensity<T>::exact() const {
  return std::all_of(members_.begin(), members_.end(), [](const auto& member) { return member->exact(); });
}

template <class T>
void PoolDensity<T>::set_tolerance(double rtol, double atol) {
  for (const auto& member : members_)
    if (auto* flow = dynamic_cast<Transport<T>*>(member.get())) flow->set_tolerance(rtol, atol);
}

template <class T>
LogProb<T> PoolDensity<T>::log_prob(const Points<T>& points, const NoiseKey& key) {
  const std::size_t n = points.size();
  LogProb<T> result;
  // exp(shift)·sum = Σ over the members so far, shift their largest term: one member in memory at a time.
  std::vector<double> shift(n, -std::numeric_limits<double>::infinity()), sum(n, 0);
  std::map<std::size_t, Status> failed;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const LogProb<T> own = members_[m]->log_prob(points, key);
    for (const Failure& failure : own.summary.failures) failed.emplace(failure.point, failure.status);
    result.summary.add(own.summary);
    const double log_weight = std::log(weights_[m]);
    for (std::size_t i = 0; i < n; ++i) {
      const double term = log_weight + static_cast<double>(own.values[i]);
      if (term > shift[i]) {
        sum[i] = sum[i] * std::exp(shift[i] - term) + 1;
        shift[i] = term;
      } else if (term > -std::numeric_limits<double>::infinity() || std::isnan(term)) {
        sum[i] += std::exp(term - shift[i]);  // NaN stays
      }
    }
  }
  result.values.resize(n);
  for (std::size_t i = 0; i < n; ++i)  // log 0 where no member has any
    result.values[i] = static_cast<T>(sum[i] == 0 ? shift[i] : shift[i] + std::log(sum[i]));
  result.summary.points = n;
  result.summary.failures.clear();
  for (const auto& [point, status] : failed) {
    result.values[point] = std::numeric_limits<T>::quiet_NaN();
    result.summary.failures.push_back({point, status});
  }
  return result;
}

template <class T>
Carried<T> PoolDensity<T>::sample(std::size_t n, std::uint64_t seed, std::uint64_t first) {
  std::vector<std::vector<std::size_t>> draws(size());  // of each member
  for (std::size_t i = 0; i < n; ++i) {
    double left = Random(seed, Purpose::pool_member, 0, first + i).uniform();
    std::size_t m = 0;
    while (m + 1 < size() && left >= weights_[m]) left -= weights_[m++];
    draws[m].push_back(i);
  }
  Points<T> points(n, manifold().ambient());
  Carried<T> result;
  for (std::size_t m = 0; m < size(); ++m) {
    if (draws[m].empty()) continue;
    const Carried<T> drawn = members_[m]->sample(n, seed, first);
    for (const std::size_t i : draws[m]) {
      const auto from = drawn.frames.back()[i];
      std::copy(from.begin(), from.end(), points[i].begin());
    }
    SolveSummary summary = drawn.summary;
    std::erase_if(summary.failures, [&](const Failure& failure) {
      return !std::binary_search(draws[m].begin(), draws[m].end(), failure.point);
    });
    result.summary.add(summary);
  }
  std::sort(result.summary.failures.begin(), result.summary.failures.end(),
            [](const Failure& a, const Failure& b) { return a.point < b.point; });
  result.summary.points = n;
  result.frames.push_back(std::move(points));
  return result;
}

template class PoolDensity<float>;
template class PoolDensity<double>;

}  // namespace riemflow
