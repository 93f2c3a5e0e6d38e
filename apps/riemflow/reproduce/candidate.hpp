#pragma once
// A flow in training, as the density of the manifold that it is judged by: exact divergence, points in
// double.

#include <memory>
#include <vector>

#include "riemflow/density/chart_map.hpp"
#include "riemflow/engine/flow.hpp"

namespace riemflow::app {

class Candidate {
 public:
  /// chart: where the flow is one on R^d; null: it is on the manifold itself.
  Candidate(const FlowConfig& config, std::shared_ptr<const ChartMap<double>> chart, int threads = 1);

  void take(std::span<const float> parameters);

  /// log p of points of the manifold, NaN where it failed; adds to `failed`.
  std::vector<double> log_prob(const Points<double>& points);
  /// The same of the base, which is what the flow is while its field is 0.
  std::vector<double> base_log_prob(const Points<double>& points);
  /// Draws that have an image, on the manifold; the others count as failed.
  Points<double> sample(std::size_t n, std::uint64_t seed);

  /// ∫ p over the manifold, by cubature to 5e-4.
  double mass();
  /// The same over R^d, for a flow that is on it: more than on the manifold if the chart has no room for all.
  double mass_of_chart();
  bool has_outside() const { return chart_ != nullptr && !chart_->everywhere(); }

  double evaluations = 0;  ///< a solve, of the last log_prob
  std::size_t failed = 0;

 private:
  std::shared_ptr<const ChartMap<double>> chart_;
  Flow<float> flow_;
};

template <class To, class From>
Points<To> rounded_points(const Points<From>& points) {
  Points<To> result(points.size(), points.dimension);
  for (std::size_t i = 0; i < points.values.size(); ++i) result.values[i] = static_cast<To>(points.values[i]);
  return result;
}

}  // namespace riemflow::app
