#include "riemflow/model/pool_density.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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
  return parse_manifold<double>(members.front()->manifold().name());
}

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
  const std::size_t n = points.size();
  LogProb<double> result;
  // exp(shift)·sum = Σ over the members so far, shift their largest term: one member in memory at a time.
  std::vector<double> shift(n, -std::numeric_limits<double>::infinity()), sum(n, 0);
  std::map<std::size_t, Status> failed;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const LogProb<double> own = members_[m]->log_prob(points, key);
    for (const Failure& failure : own.summary.failures) failed.emplace(failure.point, failure.status);
    result.summary.add(own.summary);
    const double log_weight = std::log(weights_[m]);
    for (std::size_t i = 0; i < n; ++i) {
      const double term = log_weight + own.values[i];
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
    result.values[i] = sum[i] == 0 ? shift[i] : shift[i] + std::log(sum[i]);
  result.summary.points = n;
  result.summary.failures.clear();
  for (const auto& [point, status] : failed) {
    result.values[point] = std::numeric_limits<double>::quiet_NaN();
    result.summary.failures.push_back({point, status});
  }
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
