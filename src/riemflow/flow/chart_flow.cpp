#include "riemflow/flow/chart_flow.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/pulled_back.hpp"

namespace riemflow {
namespace {

/// The failures of a part of the points, numbered as among all of them.
void renumber(std::vector<Failure>& failures, const std::vector<std::size_t>& origin) {
  for (Failure& failure : failures) failure.point = origin[failure.point];
}

void add_missing(std::vector<Failure>& failures, const std::vector<std::size_t>& missing) {
  for (const std::size_t point : missing) failures.push_back({point, Status::off_chart});
  std::stable_sort(failures.begin(), failures.end(),
                   [](const Failure& a, const Failure& b) { return a.point < b.point; });
}

}  // namespace

FlowConfig chart_coordinates(FlowConfig config) {
  const std::shared_ptr<const Manifold<double>> manifold = config.manifold.on<double>();
  make_chart_map<double>(name_of(config.model), manifold);  // says why, where there is none
  config.model = ModelKind::riemannian;
  config.manifold = "euclidean:" + std::to_string(manifold->dimension());
  return config;
}

template <class T>
ChartFlow<T>::ChartFlow(const FlowConfig& config, std::uint64_t seed, int threads, Device device)
    : config_(config),
      chart_(make_chart_map<T>(name_of(config.model), config.manifold.on<T>())),
      flow_(make_transport<T>(chart_coordinates(config), seed, threads, device)) {}

template <class T>
void ChartFlow<T>::set_tolerance(double rtol, double atol) {
  flow_->set_tolerance(rtol, atol);
  config_.solver = flow_->config().solver;
}

template <class T>
typename ChartFlow<T>::Charted ChartFlow<T>::charted(const Points<T>& points) const {
  this->check(points);
  Mapped<T> mapped = chart_->to_chart(points);
  Charted result;
  result.points.dimension = chart_->dimension();
  result.missing = std::move(mapped.missing);
  auto next = result.missing.begin();
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (next != result.missing.end() && *next == i) {
      ++next;
      continue;
    }
    const auto y = mapped.points[i];
    result.points.values.insert(result.points.values.end(), y.begin(), y.end());
    result.log_volume.push_back(mapped.log_volume[i]);
    result.origin.push_back(i);
  }
  return result;
}

template <class T>
Carried<T> ChartFlow<T>::on_manifold(Carried<T> path) const {
  std::vector<std::size_t> lost;
  for (Points<T>& frame : path.frames) {
    Mapped<T> mapped = chart_->to_manifold(frame);
    frame = std::move(mapped.points);
    lost = std::move(mapped.missing);
  }
  // What the solver lost already is known.
  std::erase_if(lost, [&](std::size_t point) {
    return std::any_of(path.summary.failures.begin(), path.summary.failures.end(),
                       [&](const Failure& failure) { return failure.point == point; });
  });
  add_missing(path.summary.failures, lost);
  return path;
}

template <class T>
LogProb<T> ChartFlow<T>::log_prob(const Points<T>& points, const NoiseKey& key) {
  const Charted y = charted(points);
  const LogProb<T> own = flow_->log_prob(y.points, key);
  LogProb<T> result;
  result.summary = own.summary;
  result.summary.points = points.size();
  renumber(result.summary.failures, y.origin);
  result.values.assign(points.size(), -std::numeric_limits<T>::infinity());
  result.base_points = Points<T>(points.size(), points.dimension);
  std::fill(result.base_points.values.begin(), result.base_points.values.end(),
            std::numeric_limits<T>::quiet_NaN());
  const Points<T> base = chart_->to_manifold(own.base_points).points;
  for (std::size_t i = 0; i < y.origin.size(); ++i) {
    result.values[y.origin[i]] = static_cast<T>(static_cast<double>(own.values[i]) - y.log_volume[i]);
    std::copy(base[i].begin(), base[i].end(), result.base_points[y.origin[i]].begin());
  }
  return result;
}

template <class T>
LogProbGradient ChartFlow<T>::compute_log_prob_gradient(const Points<T>& points) {
  const Charted y = charted(points);
  const LogProbGradient own = flow_->log_prob_gradient(y.points);
  LogProbGradient result;
  result.summary = own.summary;
  result.summary.points = points.size();
  renumber(result.summary.failures, y.origin);
  result.values.assign(points.size(), -std::numeric_limits<double>::infinity());
  result.gradients = Points<double>(points.size(), points.dimension);
  std::fill(result.gradients.values.begin(), result.gradients.values.end(),
            std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < y.origin.size(); ++i) {
    const std::size_t point = y.origin[i];
    result.values[point] = static_cast<double>(static_cast<T>(own.values[i] - y.log_volume[i]));
    chart_->push_covector(points[point], own.gradients[i], -1, result.gradients[point]);
  }
  return result;
}

template <class T>
Points<T> ChartFlow<T>::sample_base(std::size_t n, std::uint64_t seed, std::uint64_t iteration,
                                    std::uint64_t first) const {
  return chart_->to_manifold(flow_->sample_base(n, seed, iteration, first)).points;
}

template <class T>
std::vector<double> ChartFlow<T>::log_base(const Points<T>& points) const {
  const Charted y = charted(points);
  const std::vector<double> own = flow_->log_base(y.points);
  std::vector<double> values(points.size(), -std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < own.size(); ++i) values[y.origin[i]] = own[i] - y.log_volume[i];
  return values;
}

template <class T>
Carried<T> ChartFlow<T>::carry(const Points<T>& points, const std::vector<double>& times) {
  const Charted y = charted(points);
  const Carried<T> own = on_manifold(flow_->carry(y.points, times));
  Carried<T> result;
  result.summary = own.summary;
  result.summary.points = points.size();
  renumber(result.summary.failures, y.origin);
  add_missing(result.summary.failures, y.missing);
  for (const Points<T>& frame : own.frames) {
    Points<T>& all = result.frames.emplace_back(points.size(), points.dimension);
    std::fill(all.values.begin(), all.values.end(), std::numeric_limits<T>::quiet_NaN());
    for (std::size_t i = 0; i < y.origin.size(); ++i)
      std::copy(frame[i].begin(), frame[i].end(), all[y.origin[i]].begin());
  }
  result.frames.front() = points;
  return result;
}

template <class T>
Carried<T> ChartFlow<T>::draw_paths(std::size_t n, std::uint64_t seed, std::uint64_t first,
                                    const std::vector<double>& times) {
  return on_manifold(flow_->draw_paths(n, seed, first, times));
}

template <class T>
Loss ChartFlow<T>::compute_gradient(const Batch<T>& batch, std::span<T> out, const GradientOptions& options) {
  return std::visit([&](const auto& one) { return gradient(one, out, options); }, batch);
}

template <class T>
Loss ChartFlow<T>::gradient(const LikelihoodBatch<T>& batch, std::span<T> out,
                            const GradientOptions& options) {
  const Charted y = charted(batch.points);
  Loss loss = flow_->gradient_of(LikelihoodBatch{y.points}, out, options);
  double volume = 0;
  std::size_t counted = 0;
  auto failure = loss.summary.failures.begin();
  for (std::size_t i = 0; i < y.log_volume.size(); ++i) {
    if (failure != loss.summary.failures.end() && failure->point == i) {
      ++failure;
      continue;
    }
    volume += y.log_volume[i];
    ++counted;
  }
  volume /= static_cast<double>(counted);
  loss.total += volume;
  loss.likelihood += volume;
  loss.summary.points = batch.size();
  renumber(loss.summary.failures, y.origin);
  add_missing(loss.summary.failures, y.missing);
  return loss;
}

template <class T>
Loss ChartFlow<T>::gradient(const MatchingBatch<T>& batch, std::span<T> out, const GradientOptions& options) {
  const Charted y = charted(batch.points);
  Loss loss = flow_->gradient_of(MatchingBatch{y.points}, out, options);
  loss.summary.points = batch.size();
  add_missing(loss.summary.failures, y.missing);
  return loss;
}

template <class T>
Loss ChartFlow<T>::gradient(const ReverseKlBatch& batch, std::span<T> out, const GradientOptions& options) {
  const auto chart = make_chart_map<double>(chart_->kind(), config_.manifold.on<double>());
  const auto pulled_back = std::make_shared<PulledBack>(batch.target, chart);
  return flow_->gradient_of(ReverseKlBatch{batch.draws, pulled_back}, out, options);
}

template <class T>
std::vector<ResidentOutcome> ChartFlow<T>::train(const ResidentSteps<T>& steps, ResidentState<T> state) {
  // Those that the steps need alone: the data may be many more.
  Points<T> picked(steps.picks.size(), steps.data.dimension);
  for (std::size_t i = 0; i < steps.picks.size(); ++i) {
    const auto point = steps.data[steps.picks[i]];
    std::copy(point.begin(), point.end(), picked[i].begin());
  }
  const Charted y = charted(picked);
  if (!y.missing.empty()) return {};
  std::vector<std::uint32_t> in_order(steps.picks.size());
  std::iota(in_order.begin(), in_order.end(), 0u);
  const Points<T> no_group(0, y.points.dimension);  // as in gradient
  return flow_->resident()->train(
      {y.points, steps.group == nullptr ? std::span<const double>(y.log_volume) : std::span<const double>(),
       steps.batch, std::move(in_order), steps.rates, steps.beta1, steps.beta2, steps.epsilon, steps.clip,
       steps.decay, steps.average, steps.seed, steps.first, steps.group == nullptr ? nullptr : &no_group},
      state);
}

template class ChartFlow<float>;
template class ChartFlow<double>;

}  // namespace riemflow
