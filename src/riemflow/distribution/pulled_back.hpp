#pragma once
// A density of a manifold in the coordinates of a chart c, with respect to the volume of R^d:
//   log p(y) = log target(c(y)) + log vol_c(y).
// The reverse Kullback–Leibler divergence of a flow on R^d against it is that of the flow carried along c
// against the target.
//
// In double (distribution/rounded.hpp for others): float coordinates of the ball end at distance 14.5.
// Where y has no image, log p is −∞ if the chart has none there (outside the naive ball: no mass) and NaN if
// it is out of reach of the coordinates (manifold/chart_map.hpp); the gradient is NaN in both.

#include <memory>

#include "riemflow/distribution/distribution.hpp"
#include "riemflow/manifold/chart_map.hpp"

namespace riemflow {

class PulledBack final : public Distribution<double> {
 public:
  /// A target of the chart's manifold, else Error.
  PulledBack(std::shared_ptr<const Distribution<double>> target,
             std::shared_ptr<const ChartMap<double>> chart);

  std::string name() const override;
  int ambient() const override { return chart_->dimension(); }
  Pack<double> log_density(const Pack<double>* y) const override { return evaluate(y, nullptr); }
  Pack<double> log_density_gradient(const Pack<double>* y, Pack<double>* gradient) const override {
    return evaluate(y, gradient);
  }
  /// c⁻¹ of a draw of the target; another draw for one without coordinates, which has probability 0. NaN
  /// after 100 of them: the target then is an atom at the projection point, to rounding.
  void sample(Random& random, Pack<double>* y, int lane) const override;

 private:
  Pack<double> evaluate(const Pack<double>* y, Pack<double>* gradient) const;

  std::shared_ptr<const Distribution<double>> target_;
  std::shared_ptr<const ChartMap<double>> chart_;
};

}  // namespace riemflow
