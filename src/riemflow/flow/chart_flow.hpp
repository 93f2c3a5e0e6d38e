#pragma once
// A flow on R^d carried along a chart c to a manifold: the naive, wrapped and stereographic models,
//   log p(x) = log p_R(y) − log vol_c(y),   y = c⁻¹(x)
// (manifold/chart_map.hpp). Its field, its solves and its gradients are those of the flow on R^d.
//
// A point without coordinates (the projection point of a stereographic model, alone) has log p = −∞, which is
// the limit: a normal base leaves nothing there. A draw without an image (outside the ball, of a naive model)
// is NaN and a failure.

#include <utility>

#include "riemflow/flow/transport.hpp"
#include "riemflow/manifold/chart_map.hpp"

namespace riemflow {

/// The configuration of the flow on R^d.
FlowConfig chart_coordinates(FlowConfig config);

template <class T>
class ChartFlow final : public Transport<T>, public ResidentTraining<T> {
 public:
  explicit ChartFlow(const FlowConfig& config, std::uint64_t seed = 0, int threads = 0,
                     Device device = Device::cpu);

  const FlowConfig& config() const override { return config_; }
  const Manifold<T>& manifold() const override { return chart_->manifold(); }
  int threads() const override { return flow_->threads(); }
  std::span<T> parameters() override { return flow_->parameters(); }
  std::span<const T> parameters() const override { return std::as_const(*flow_).parameters(); }
  ParameterLayout layout() const override { return flow_->layout(); }
  void set_tolerance(double rtol, double atol) override;
  Transport<T>& coordinates() override { return *flow_; }
  ResidentTraining<T>* resident() override { return flow_->resident() == nullptr ? nullptr : this; }
  std::vector<ResidentOutcome> train(const ResidentSteps<T>& steps, ResidentState<T> state) override;

  using Transport<T>::log_prob;
  using Transport<T>::sample_base;
  LogProb<T> log_prob(const Points<T>& points, const NoiseKey& key) override;
  Points<T> sample_base(std::size_t n, std::uint64_t seed, std::uint64_t iteration,
                        std::uint64_t first) const override;
  std::vector<double> log_base(const Points<T>& points) const override;
  Carried<T> carry(const Points<T>& points, const std::vector<double>& times) override;
  Carried<T> draw_paths(std::size_t n, std::uint64_t seed, std::uint64_t first,
                        const std::vector<double>& times) override;

 private:
  /// (Dc⁻¹)ᵀ(∇ log p_R − ∇ log vol_c), the flow's part in its precision, the chart's in double. NaN for
  /// points without coordinates.
  LogProbGradient compute_log_prob_gradient(const Points<T>& points) override;
  Loss compute_gradient(const Batch<T>& batch, std::span<T> gradient,
                        const GradientOptions& options) override;
  Loss gradient(const LikelihoodBatch<T>& batch, std::span<T> out, const GradientOptions& options);
  /// On R^d: along straight lines of the chart.
  Loss gradient(const MatchingBatch<T>& batch, std::span<T> out, const GradientOptions& options);
  Loss gradient(const ReverseKlBatch& batch, std::span<T> out, const GradientOptions& options);
  /// The points that have coordinates, those coordinates, and their volumes.
  struct Charted {
    Points<T> points;
    std::vector<double> log_volume;
    std::vector<std::size_t> origin;   ///< of each, among all points
    std::vector<std::size_t> missing;  ///< the others
  };
  Charted charted(const Points<T>& points) const;
  /// Frames on R^d as frames on the manifold; a path whose last frame has no image failed.
  Carried<T> on_manifold(Carried<T> path) const;

  FlowConfig config_;
  std::shared_ptr<const ChartMap<T>> chart_;
  std::unique_ptr<Transport<T>> flow_;
};

}  // namespace riemflow
