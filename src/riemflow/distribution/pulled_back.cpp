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

template <class To, class From>
Pack<To> converted(const Pack<From>& from) {
  Pack<To> to;
  for (int l = 0; l < kLanes; ++l) to[l] = static_cast<To>(from[l]);
  return to;
}

}  // namespace

template <class T>
PulledBack<T>::PulledBack(std::shared_ptr<const Distribution<double>> target,
                          std::shared_ptr<const ChartMap<double>> chart)
    : target_(std::move(target)), chart_(std::move(chart)) {
  require(target_ != nullptr && chart_ != nullptr, "a pulled back density without a target or a chart",
          "pass both");
  require(target_->ambient() == chart_->manifold().ambient(),
          fmt::format("the target {} has {} numbers per point, {} has {}", target_->name(),
                      target_->ambient(), chart_->manifold().name(), chart_->manifold().ambient()),
          "use a target of the chart's manifold");
}

template <class T>
std::string PulledBack<T>::name() const {
  return fmt::format("{}({})", chart_->kind(), target_->name());
}

/// `gradient` may be null.
template <class T>
Pack<T> PulledBack<T>::evaluate(const Pack<T>* y, Pack<T>* gradient) const {
  const int d = ambient();
  const auto D = static_cast<std::size_t>(target_->ambient());
  std::vector<Pack<double>> at(static_cast<std::size_t>(d)), x(D), x_bar(D);
  for (std::size_t i = 0; i < at.size(); ++i) at[i] = converted<double>(y[i]);
  const LaneMask exists = chart_->to_manifold(at.data(), x.data());
  const LaneMask number = finite(d, at.data());

  const Pack<double> log_target = gradient == nullptr ? target_->log_density(x.data())
                                                      : target_->log_density_gradient(x.data(), x_bar.data());
  Pack<double> log_p = log_target + chart_->log_volume(at.data());
  for (std::size_t l = 0; l < kLanes; ++l)
    if (!exists.lane[l]) log_p.lane[l] = number.lane[l] && !chart_->everywhere() ? -kInfinity : kNoNumber;

  if (gradient != nullptr) {
    std::vector<Pack<double>> y_bar(at.size());
    chart_->backward(at.data(), x_bar.data(), Pack<double>(1), y_bar.data());
    for (std::size_t i = 0; i < at.size(); ++i)
      gradient[i] = converted<T>(select(exists, y_bar[i], Pack<double>(kNoNumber)));
  }
  return converted<T>(log_p);
}

template <class T>
Pack<T> PulledBack<T>::log_density(const Pack<T>* y) const {
  return evaluate(y, nullptr);
}

template <class T>
Pack<T> PulledBack<T>::log_density_gradient(const Pack<T>* y, Pack<T>* gradient) const {
  return evaluate(y, gradient);
}

template <class T>
void PulledBack<T>::sample(Random& random, Pack<T>* y, int lane) const {
  std::vector<Pack<double>> x(static_cast<std::size_t>(target_->ambient()), Pack<double>(0));
  std::vector<Pack<double>> at(static_cast<std::size_t>(ambient()));
  for (int draws = 0; draws < 100; ++draws) {
    target_->sample(random, x.data(), 0);
    if (chart_->to_chart(x.data(), at.data()).lane[0]) break;
  }
  for (int i = 0; i < ambient(); ++i) y[i][lane] = static_cast<T>(at[static_cast<std::size_t>(i)][0]);
}

template class PulledBack<float>;
template class PulledBack<double>;

}  // namespace riemflow
