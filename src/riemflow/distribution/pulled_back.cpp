#include "riemflow/distribution/pulled_back.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "riemflow/core/error.hpp"
#include "riemflow/manifold/common.hpp"

namespace riemflow {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

PulledBack::PulledBack(std::shared_ptr<const Distribution<double>> target,
                       std::shared_ptr<const ChartMap<double>> chart)
    : target_(std::move(target)), chart_(std::move(chart)) {
  require(target_ != nullptr && chart_ != nullptr, "a pulled back density without a target or a chart",
          "pass both");
  require(target_->ambient() == chart_->manifold().ambient(),
          fmt::format("the target {} has {} numbers per point, {} has {}", target_->name(),
                      target_->ambient(), chart_->manifold().name(), chart_->manifold().ambient()),
          "use a target of the chart's manifold");
}

std::string PulledBack::name() const { return fmt::format("{}({})", chart_->kind(), target_->name()); }

/// `gradient` may be null.
Pack<double> PulledBack::evaluate(const Pack<double>* y, Pack<double>* gradient) const {
  const int d = ambient();
  const auto D = static_cast<std::size_t>(target_->ambient());
  std::vector<Pack<double>> x(D), x_bar(D);
  const LaneMask exists = chart_->to_manifold(y, x.data());
  const LaneMask number = finite(d, y);

  const Pack<double> log_target = gradient == nullptr ? target_->log_density(x.data())
                                                      : target_->log_density_gradient(x.data(), x_bar.data());
  Pack<double> log_p = log_target + chart_->log_volume(y);
  for (std::size_t l = 0; l < kLanes; ++l)
    if (!exists.lane[l]) log_p.lane[l] = number.lane[l] && !chart_->everywhere() ? -kInfinity : kNoNumber;

  if (gradient != nullptr) {
    chart_->backward(y, x_bar.data(), Pack<double>(1), gradient);
    for (int i = 0; i < d; ++i) gradient[i] = select(exists, gradient[i], Pack<double>(kNoNumber));
  }
  return log_p;
}

void PulledBack::sample(Random& random, Pack<double>* y, int lane) const {
  std::vector<Pack<double>> x(static_cast<std::size_t>(target_->ambient()), Pack<double>(0));
  std::vector<Pack<double>> at(static_cast<std::size_t>(ambient()));
  for (int draws = 0; draws < 100; ++draws) {
    target_->sample(random, x.data(), 0);
    if (chart_->to_chart(x.data(), at.data()).lane[0]) break;
  }
  for (int i = 0; i < ambient(); ++i) y[i][lane] = at[static_cast<std::size_t>(i)][0];
}

}  // namespace riemflow
