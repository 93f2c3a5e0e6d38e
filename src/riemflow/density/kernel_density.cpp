#include "riemflow/density/kernel_density.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "riemflow/core/error.hpp"
#include "riemflow/density/von_mises_fisher_constants.hpp"

namespace riemflow {
namespace {

double mean_log_prob(const Points<double>& data, double kappa, double share, const Points<double>& points) {
  const std::vector<double> values = KernelDensity(data, kappa, share).log_prob(points);
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

KernelDensity::KernelDensity(Points<double> data, double kappa, double uniform_share)
    : data_(std::move(data)), kappa_(kappa), uniform_share_(uniform_share) {
  require(data_.size() > 0, "a kernel density was asked for with no points", "give at least one");
  require(kappa > 0 && std::isfinite(kappa), "the kernel's concentration is " + std::to_string(kappa),
          "give a positive number");
  require(uniform_share > 0 && uniform_share < 1, "the uniform share is " + std::to_string(uniform_share),
          "give a number between 0 and 1 (0.01 is usual)");
}

std::vector<double> KernelDensity::log_prob(const Points<double>& points) const {
  const int d = data_.dimension - 1;
  const double log_bump = von_mises_fisher_constants(d, kappa_).log_peak +
                          std::log((1 - uniform_share_) / static_cast<double>(data_.size()));
  const double background = uniform_share_ * std::exp(von_mises_fisher_constants(d, 0).log_peak);
  require(points.dimension == data_.dimension || points.values.empty(),
          "the points have " + std::to_string(points.dimension) + " coordinates",
          "the kernel density has " + std::to_string(data_.dimension), Fault::bad_data);
  std::vector<double> values(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto x = points[i];
    double sum = 0;
    for (std::size_t j = 0; j < data_.size(); ++j) {
      const auto y = data_[j];
      // κ(⟨x, y⟩ − 1) = −κ|x − y|²/2, without the cancellation.
      double square = 0;
      for (std::size_t c = 0; c < x.size(); ++c) square += (x[c] - y[c]) * (x[c] - y[c]);
      const double exponent = -0.5 * kappa_ * square;
      if (exponent > -700) sum += std::exp(exponent);
    }
    // log(e^a + e^b) from the larger of the two: a bump's peak may be beyond the range of double.
    const double bumps = std::log(sum) + log_bump, floor = std::log(background);
    values[i] = std::max(bumps, floor) + std::log1p(std::exp(-std::abs(bumps - floor)));
  }
  return values;
}

KernelDensity KernelDensity::with_best_bandwidth(Points<double> data, const Points<double>& validation,
                                                 double uniform_share) {
  require(validation.size() > 0, "a bandwidth cannot be chosen without validation points",
          "give at least one");
  const auto score = [&](double log10_kappa) {
    return mean_log_prob(data, std::pow(10, log10_kappa), uniform_share, validation);
  };
  double best = 0, best_score = score(0);
  for (int i = 1; i <= 28; ++i) {
    const double candidate = 0.25 * i, value = score(candidate);
    if (value > best_score) {
      best = candidate;
      best_score = value;
    }
  }
  const double golden = (std::sqrt(5.0) - 1) / 2;
  double low = std::max(0.0, best - 0.25), high = best + 0.25;
  for (int i = 0; i < 10; ++i) {
    const double a = high - golden * (high - low), b = low + golden * (high - low);
    if (score(a) > score(b))
      high = b;
    else
      low = a;
  }
  return KernelDensity(std::move(data), std::pow(10, 0.5 * (low + high)), uniform_share);
}

}  // namespace riemflow
