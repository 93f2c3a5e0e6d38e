#include "riemflow/model/flow_density.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "riemflow/manifold/on_manifold.hpp"

namespace riemflow {
namespace {

template <class T>
LogProb<double> in_double(LogProb<T> own) {
  if constexpr (std::is_same_v<T, double>)
    return own;
  else
    return {
        {own.values.begin(), own.values.end()}, converted<double>(own.base_points), std::move(own.summary)};
}

template <class T>
Carried<double> in_double(Carried<T> own) {
  if constexpr (std::is_same_v<T, double>) {
    return own;
  } else {
    Carried<double> result;
    for (const Points<T>& frame : own.frames) result.frames.push_back(converted<double>(frame));
    result.summary = std::move(own.summary);
    return result;
  }
}

/// Farther than this rounding is another point: near the rim of a ball the next one that floats know.
constexpr double kElsewhere = 0.01;

/// Points that rounded_onto has taken elsewhere.
template <class T>
std::vector<std::size_t> unresolved(const Manifold<double>& manifold, const Points<double>& points,
                                    const Points<T>& rounded) {
  std::vector<std::size_t> moved;
  std::vector<Pack<double>> x(static_cast<std::size_t>(points.dimension)), y(x.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    bool projected = false;
    for (std::size_t c = 0; c < x.size(); ++c) {
      projected |= rounded[i][c] != static_cast<T>(points[i][c]);
      x[c] = Pack<double>(points[i][c]);
      y[c] = Pack<double>(static_cast<double>(rounded[i][c]));
    }
    if (projected && !(manifold.distance(x.data(), y.data())[0] <= kElsewhere)) moved.push_back(i);
  }
  return moved;
}

/// They have failed.
void fail(const std::vector<std::size_t>& points, std::vector<double>& values, SolveSummary& summary) {
  for (const std::size_t i : points) {
    if (!std::isnan(values[i])) summary.failures.push_back({i, Status::unresolved});
    values[i] = std::numeric_limits<double>::quiet_NaN();
  }
  std::sort(summary.failures.begin(), summary.failures.end(),
            [](const Failure& a, const Failure& b) { return a.point < b.point; });
}

}  // namespace

FlowDensity::FlowDensity(std::shared_ptr<Transport<float>> flow, Standardisation standardisation)
    : Density(flow->config().manifold.on<double>(), flow->threads(), std::move(standardisation)),
      flow_(std::move(flow)) {}

FlowDensity::FlowDensity(std::shared_ptr<Transport<double>> flow, Standardisation standardisation)
    : Density(flow->config().manifold.on<double>(), flow->threads(), std::move(standardisation)),
      flow_(std::move(flow)) {}

const FlowConfig& FlowDensity::config() const {
  return std::visit([](const auto& flow) -> const FlowConfig& { return flow->config(); }, flow_);
}

bool FlowDensity::exact() const { return config().divergence.estimator == DivergenceEstimator::exact; }

std::optional<std::string> FlowDensity::defect(std::span<const double> point) const {
  if (auto why = Density::defect(point)) return why;
  Points<double> own(0, static_cast<int>(point.size()));
  own.values.assign(point.begin(), point.end());
  own = standardisation().standardised(own);
  return std::visit(
      [&]<class T>(const std::shared_ptr<Transport<T>>& flow) -> std::optional<std::string> {
        const auto why = flow->manifold().defect(converted<T>(own)[0]);
        if (!why) return std::nullopt;
        return fmt::format("in the model's precision, {}, the point is not on {}: {}",
                           sizeof(T) == 4 ? "float" : "double", manifold().name(), *why);
      },
      flow_);
}

void FlowDensity::set_tolerance(double tolerance) {
  with_transport([&](auto& flow) { flow.set_tolerance(tolerance, tolerance); });
}

LogProb<double> FlowDensity::evaluate(const Points<double>& points, const NoiseKey& key) const {
  return with_transport([&]<class T>(Transport<T>& flow) {
    const Points<T> rounded = rounded_onto<T>(flow.manifold(), points);
    LogProb<double> result = in_double(flow.log_prob(rounded, key));
    fail(unresolved(manifold(), points, rounded), result.values, result.summary);
    return result;
  });
}

LogProbGradient FlowDensity::evaluate_gradient(const Points<double>& points) const {
  return with_transport([&]<class T>(Transport<T>& flow) {
    const Points<T> rounded = rounded_onto<T>(flow.manifold(), points);
    LogProbGradient result = flow.log_prob_gradient(rounded);
    const std::vector<std::size_t> moved = unresolved(manifold(), points, rounded);
    fail(moved, result.values, result.summary);
    for (const std::size_t i : moved)
      std::fill(result.gradients[i].begin(), result.gradients[i].end(),
                std::numeric_limits<double>::quiet_NaN());
    return result;
  });
}

Carried<double> FlowDensity::draw(std::size_t n, std::uint64_t seed, std::uint64_t first) const {
  return with_transport([&](auto& flow) { return in_double(flow.sample(n, seed, first)); });
}

Points<double> FlowDensity::sample_base(std::size_t n, std::uint64_t seed, std::uint64_t first) const {
  return standardisation().in_units(
      with_transport([&](auto& flow) { return converted<double>(flow.sample_base(n, seed, 0, first)); }));
}

std::vector<double> FlowDensity::log_base(const Points<double>& points) const {
  const Points<double> own = standardisation().standardised(points);
  std::vector<double> values =
      with_transport([&]<class T>(Transport<T>& flow) { return flow.log_base(converted<T>(own)); });
  for (double& value : values) value -= standardisation().log_scale();
  return values;
}

Carried<double> FlowDensity::carry(const Points<double>& points, const std::vector<double>& times) const {
  const Points<double> own = standardisation().standardised(points);
  Carried<double> path = in_units(with_transport([&]<class T>(Transport<T>& flow) {
    return in_double(flow.carry(rounded_onto<T>(flow.manifold(), own), times));
  }));
  path.frames.front() = points;
  return path;
}

Carried<double> FlowDensity::draw_paths(std::size_t n, std::uint64_t seed, std::uint64_t first,
                                        const std::vector<double>& times) const {
  return in_units(
      with_transport([&](auto& flow) { return in_double(flow.draw_paths(n, seed, first, times)); }));
}

Mass FlowDensity::mass(const MassOptions& options) const {  // a mass has no unit
  return with_transport([&](auto& flow) { return flow_mass(flow, options); });
}

}  // namespace riemflow
