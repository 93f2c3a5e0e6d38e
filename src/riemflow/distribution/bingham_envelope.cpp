#include "riemflow/distribution/bingham_envelope.hpp"

#include <cmath>
#include <numbers>

#include "riemflow/distribution/bingham_constants.hpp"

namespace riemflow {

BinghamEnvelope::BinghamEnvelope(const Eigen::VectorXd& gaps) : gaps_(gaps), b_(2 * bingham_saddle(gaps)) {
  deviations_ = (1 + 2 * gaps_.array() / b_).rsqrt();
  const double D = static_cast<double>(gaps.size());
  log_most_ = 0.5 * D * std::log(D / b_) - 0.5 * (D - b_);
}

Eigen::VectorXd BinghamEnvelope::draw(Random& random) const {
  const double D = static_cast<double>(gaps_.size());
  Eigen::VectorXd y(gaps_.size());
  for (;;) {
    for (Eigen::Index i = 0; i < y.size(); ++i) y[i] = deviations_[i] * random.normal();
    y.normalize();
    const double t = gaps_.dot(y.cwiseAbs2());
    if (std::log(random.uniform()) <= 0.5 * D * std::log1p(2 * t / b_) - t - log_most_) return y;
  }
}

double BinghamEnvelope::acceptance(double log_mass) const {
  const double D = static_cast<double>(gaps_.size());
  const double log_sphere = std::log(2.0) + 0.5 * D * std::log(std::numbers::pi) - std::lgamma(0.5 * D);
  return std::exp(log_mass - log_most_ - log_sphere - deviations_.array().log().sum());
}

}  // namespace riemflow
