#include "riemflow/model/pool_density.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "riemflow/core/error.hpp"
#include "riemflow/core/random.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow {
namespace {

/// Of a pool's error, the flows' part: of the others more is known for next to nothing.
constexpr double kFlowsPart = 0.8;
/// A member that weighs next to nothing is looked at all the same.
constexpr double kLeastExact = 0.05;

std::shared_ptr<const Manifold<double>> common_manifold(const std::vector<std::shared_ptr<Density>>& members,
                                                        const std::vector<double>& weights) {
  require(!members.empty() && members.size() == weights.size(),
          fmt::format("a pool of {} members and {} weights", members.size(), weights.size()),
          "give at least one member, and a weight for each");
  return members.front()->shared_manifold();
}

/// log Σ_m exp(log w_m + log p_m) a point, one member after the other: exp(shift)·sum of those so far, shift
/// their largest term.
class PoolSum {
 public:
  explicit PoolSum(std::size_t points)
      : shift_(points, -std::numeric_limits<double>::infinity()), sum_(points, 0) {}

  /// also(i, before, share), unless null: what the sum of point i so far and the member's own density were
  /// multiplied by.
  void add(double weight, const std::vector<double>& values, const SolveSummary& summary,
           const std::function<void(std::size_t i, double before, double share)>& also) {
    for (const Failure& failure : summary.failures) failed_.emplace(failure.point, failure.status);
    summary_.add(summary);
    const double log_weight = std::log(weight);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double term = log_weight + values[i];
      double before = 1, share = 0;
      if (term > shift_[i]) {
        before = std::exp(shift_[i] - term);
        share = 1;
        shift_[i] = term;
      } else if (term > -std::numeric_limits<double>::infinity() || std::isnan(term)) {
        share = std::exp(term - shift_[i]);  // NaN stays
      }
      sum_[i] = sum_[i] * before + share;
      if (also) also(i, before, share);
    }
  }

  double operator[](std::size_t i) const { return sum_[i]; }
  /// log 0 where no member has any; NaN where one failed.
  std::vector<double> log_sum() const {
    std::vector<double> values(sum_.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = sum_[i] == 0 ? shift_[i] : shift_[i] + std::log(sum_[i]);
    for (const auto& [point, status] : failed_) values[point] = std::numeric_limits<double>::quiet_NaN();
    return values;
  }
  SolveSummary summary() const {
    SolveSummary all = summary_;
    all.points = sum_.size();
    all.failures.clear();
    for (const auto& [point, status] : failed_) all.failures.push_back({point, status});
    return all;
  }

 private:
  std::vector<double> shift_, sum_;
  std::map<std::size_t, Status> failed_;
  SolveSummary summary_;
};

}  // namespace

PoolDensity::PoolDensity(std::vector<std::shared_ptr<Density>> members, std::vector<double> weights)
    : Density(common_manifold(members, weights), members.empty() ? 0 : members.front()->threads()),
      members_(std::move(members)),
      weights_(std::move(weights)) {
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

bool PoolDensity::exact() const {
  return std::all_of(members_.begin(), members_.end(), [](const auto& member) { return member->exact(); });
}

std::optional<std::string> PoolDensity::defect(std::span<const double> point) const {
  for (const auto& member : members_)
    if (auto why = member->defect(point)) return why;
  return std::nullopt;
}

double PoolDensity::tolerance() const {
  double loosest = 0;
  for (const auto& member : members_) loosest = std::max(loosest, member->tolerance());
  return loosest;
}

void PoolDensity::set_tolerance(double tolerance) {
  for (const auto& member : members_) member->set_tolerance(tolerance);
}

void PoolDensity::add_parts(double weight, std::vector<DensityPart>& parts) const {
  for (std::size_t m = 0; m < size(); ++m) members_[m]->add_parts(weight * weights_[m], parts);
}

LogProb<double> PoolDensity::evaluate(const Points<double>& points, const NoiseKey& key) const {
  PoolSum sum(points.size());
  LogProb<double> result;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const LogProb<double> own = members_[m]->log_prob(points, key);
    sum.add(weights_[m], own.values, own.summary, nullptr);
  }
  result.values = sum.log_sum();
  result.summary = sum.summary();
  return result;
}

LogProbGradient PoolDensity::evaluate_gradient(const Points<double>& points) const {
  PoolSum sum(points.size());
  LogProbGradient result;
  result.gradients = Points<double>(points.size(), manifold().ambient());
  for (std::size_t m = 0; m < members_.size(); ++m) {
    LogProbGradient own = members_[m]->log_prob_gradient(points);
    // What has a density has not failed: a gradient that is no number counts by the member's share.
    std::erase_if(own.summary.failures,
                  [&](const Failure& failure) { return std::isfinite(own.values[failure.point]); });
    sum.add(weights_[m], own.values, own.summary, [&](std::size_t i, double before, double share) {
      const std::span<double> all = result.gradients[i];
      for (std::size_t c = 0; c < all.size(); ++c)
        all[c] = (before > 0 ? before * all[c] : 0) + (share > 0 ? share * own.gradients[i][c] : share);
    });
  }
  result.values = sum.log_sum();
  result.summary = sum.summary();
  for (std::size_t i = 0; i < points.size(); ++i)
    for (double& slope : result.gradients[i])
      slope = std::isfinite(result.values[i]) ? slope / sum[i] : std::numeric_limits<double>::quiet_NaN();
  return result;
}

Carried<double> PoolDensity::draw(std::size_t n, std::uint64_t seed, std::uint64_t first) const {
  std::vector<std::vector<std::size_t>> draws(size());  // of each member
  for (std::size_t i = 0; i < n; ++i) {
    double left = Random(seed, Purpose::pool_member, 0, first + i).uniform();
    std::size_t m = 0;
    while (m + 1 < size() && left >= weights_[m]) left -= weights_[m++];
    draws[m].push_back(i);
  }
  Points<double> points(n, manifold().ambient());
  Carried<double> result;
  for (std::size_t m = 0; m < size(); ++m) {
    if (draws[m].empty()) continue;
    const Carried<double> drawn = members_[m]->sample(n, seed, first);
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

Mass PoolDensity::mass(const MassOptions& options) const {
  const std::vector<DensityPart> all = parts();
  double count[2] = {0, 0}, flow_weight = 0;
  for (const DensityPart& part : all) {
    count[part.flow() != nullptr] += 1;
    if (part.flow() != nullptr) flow_weight += part.weight;
  }
  Mass mass;
  for (const DensityPart& part : all) {
    const bool is_flow = part.flow() != nullptr;
    const double share = is_flow ? kFlowsPart : 1 - kFlowsPart;
    MassOptions one = options;
    one.cubature.absolute =
        std::min(kLeastExact, share * options.cubature.absolute / (count[is_flow] * part.weight));
    if (is_flow)
      one.cubature.evaluations = static_cast<std::size_t>(static_cast<double>(options.cubature.evaluations) *
                                                          part.weight / flow_weight);
    Mass own = part.any().mass(one);
    own.integral.error = own.bound();
    mass.integral.add(own.integral, part.weight);
  }
  mass.integral.converged =
      mass.integral.error <= std::max(options.cubature.absolute, options.cubature.relative);
  return mass;
}

}  // namespace riemflow
