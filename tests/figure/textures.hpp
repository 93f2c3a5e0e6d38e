#pragma once
// Textures with closed forms: de la Vallée Poussin's density around an orientation, and what it is averaged
// over a group.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "riemflow/figure/fibre.hpp"
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
  return (1 + kappa) * std::pow((1 + std::clamp(cosine, -1.0, 1.0)) / 2, kappa);
}

/// What the peaks come to within a group, at y.
inline double pole_of_peaks(const CrystalGroup& group, const std::vector<Peak>& peaks, const Direction& h,
                            const Direction& y) {
  double sum = 1;
  for (const Peak& peak : peaks) {
    double mean = 0;
    for (const auto& s : group.elements) {
      const double c = inner_product(rotation::rotated(rotation::product(peak.middle, s), h), y);
      mean += (pole_of_peak(peak.kappa, c) + pole_of_peak(peak.kappa, -c)) / 2;
    }
    sum += peak.share * (mean / static_cast<double>(group.elements.size()) - 1);
  }
  return sum;
}

/// Of the density that texture_of has: cos²(ω/2) of a peak is Beta(κ + 1/2, 3/2), about any axis.
inline Points<double> draws_of_peaks(const CrystalGroup& group, const std::vector<Peak>& peaks,
                                     std::size_t n) {
  std::mt19937_64 engine(7);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  std::uniform_int_distribution<std::size_t> element(0, group.elements.size() - 1);
  Points<double> draws(0, 4);
  for (std::size_t i = 0; i < n; ++i) {
    std::array<double, 4> q{};
    for (double& x : q) x = normal(engine);
    double share = uniform(engine);
    auto peak = peaks.begin();
    while (peak != peaks.end() && share > peak->share) share -= (peak++)->share;
    if (peak == peaks.end()) {
      add_orientation(draws, rotation::unit(q));
      continue;
    }
    std::gamma_distribution<double> along(peak->kappa + 0.5), across(1.5);
    const double a = along(engine), b = across(engine), sine = std::sqrt(b / (a + b)),
                 length = std::hypot(q[1], q[2], q[3]);
    const Orientation turn{std::sqrt(a / (a + b)), sine * q[1] / length, sine * q[2] / length,
                           sine * q[3] / length};
    add_orientation(
        draws, rotation::product(rotation::product(peak->middle, turn), group.elements[element(engine)]));
  }
  return draws;
}

/// The rest of the shares is uniform.
inline Texture texture_of(const std::string& group, const std::vector<Peak>& peaks) {
  Texture texture;
  texture.group = crystal_group(group);
  if (!peaks.empty())
    texture.draws = [peaks, group = texture.group](std::size_t n) { return draws_of_peaks(group, peaks, n); };
  const auto order = static_cast<double>(texture.group.elements.size());
  texture.log_uniform = std::log(order / (8 * std::numbers::pi * std::numbers::pi));
  texture.log_density = [peaks, group = texture.group, order,
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
