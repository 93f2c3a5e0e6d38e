#pragma once
// Textures with closed forms: de la Vallée Poussin's density around an orientation, and what it is averaged
// over a group.

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "riemflow/figure/texture.hpp"

namespace riemflow::figure {

inline rotation::Quaternion<double> orientation(double phi1, double Phi, double phi2) {
  constexpr double degree = std::numbers::pi / 180;
  return rotation::from_bunge({degree * phi1, degree * Phi, degree * phi2});
}

/// In multiples of the uniform one: C cos^2κ(ω/2), C = B(3/2, 1/2)/B(3/2, κ + 1/2), at the angle ω from the
/// middle. Its pole density is (1 + κ) ((1 + cos ∠(y, R h))/2)^κ, for one h.
struct Peak {
  rotation::Quaternion<double> middle;
  double kappa, share = 1;
};
/// At half of its height at the angle `half_width`, degrees.
inline double kappa_of(double half_width) {
  return 0.5 * std::log(0.5) / std::log(std::cos(half_width / 2 * std::numbers::pi / 180));
}
inline double pole_of_peak(double kappa, double cosine) {
  return (1 + kappa) * std::pow((1 + cosine) / 2, kappa);
}

/// The rest of the shares is uniform.
inline Texture texture_of(const std::string& group, std::vector<Peak> peaks) {
  Texture texture;
  texture.group = crystal_group(group);
  const auto order = static_cast<double>(texture.group.elements.size());
  texture.log_uniform = std::log(order / (8 * std::numbers::pi * std::numbers::pi));
  texture.log_density = [peaks = std::move(peaks), group = texture.group, order,
                         log_uniform = texture.log_uniform](const Points<double>& rotations) {
    std::vector<double> logs;
    for (std::size_t i = 0; i < rotations.size(); ++i) {
      const auto q = rotations[i];
      double sum = 1;
      for (const Peak& peak : peaks) {
        const double log_c =
            std::lgamma(0.5) - std::lgamma(2) - std::lgamma(peak.kappa + 0.5) + std::lgamma(peak.kappa + 2);
        double mean = 0;
        for (const auto& s : group.elements) {
          const auto a = rotation::product(peak.middle, s);
          const double cosine = std::abs(a[0] * q[0] + a[1] * q[1] + a[2] * q[2] + a[3] * q[3]);
          mean += std::exp(log_c + 2 * peak.kappa * std::log(cosine)) / order;
        }
        sum += peak.share * (mean - 1);
      }
      logs.push_back(log_uniform + std::log(sum));
    }
    return logs;
  };
  return texture;
}

}  // namespace riemflow::figure
