#include "riemflow/figure/texture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "riemflow/core/error.hpp"

namespace riemflow::figure {
namespace {

constexpr std::size_t kPieceOfRotations = 16'384;
constexpr std::size_t kProbes = 1000;
constexpr double kProbeStep = 0.02 * std::numbers::pi / 180;
constexpr double kSteepestOfNormal = 3.368;  // √ of the 99 % quantile of χ² with three degrees of freedom
constexpr double kDeepestColours = 1e4;

}  // namespace

std::vector<double> multiples_of_uniform(const Texture& texture, const Points<double>& rotations) {
  std::vector<double> result;
  result.reserve(rotations.size());
  for (std::size_t from = 0; from < rotations.size(); from += kPieceOfRotations) {
    const std::size_t n = std::min(kPieceOfRotations, rotations.size() - from);
    Points<double> piece;
    piece.dimension = 4;
    const auto begin = rotations.values.begin() + static_cast<std::ptrdiff_t>(4 * from);
    piece.values.assign(begin, begin + static_cast<std::ptrdiff_t>(4 * n));
    const std::vector<double> logs = texture.log_density(piece);
    require(logs.size() == n, fmt::format("a density has {} values at {} points", logs.size(), n),
            "return one for each point", Fault::internal);
    for (const double value : logs) result.push_back(std::exp(value - texture.log_uniform));
  }
  return result;
}

// By central differences, which are exact for normals: log p at R exp(±ε e_k).
double finest_width(const Texture& texture) {
  if (!texture.draws) return kBroad;
  const Points<double> probes = texture.draws(kProbes);
  Points<double> around(0, 4);
  for (std::size_t i = 0; i < probes.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k)
      for (const double side : {-kProbeStep, kProbeStep}) {
        rotation::Vector<double> turn{};
        turn[k] = side;
        add_orientation(around, rotation::product(orientation_at(probes, i), rotation::from_vector(turn)));
      }
  const std::vector<double> logs = texture.log_density(around);
  std::vector<double> slopes;
  for (std::size_t i = 0; i < probes.size(); ++i) {
    double square = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double slope = (logs[6 * i + 2 * k + 1] - logs[6 * i + 2 * k]) / (2 * kProbeStep);
      square += slope * slope;
    }
    if (std::isfinite(square)) slopes.push_back(std::sqrt(square));
  }
  if (slopes.empty()) return kBroad;
  const auto steepest = slopes.end() - 1 - static_cast<std::ptrdiff_t>(slopes.size() / 100);
  std::nth_element(slopes.begin(), steepest, slopes.end());
  return std::min(kBroad, kSteepestOfNormal / *steepest);
}

ColourBar multiples_bar(const std::vector<double>& multiples, std::optional<bool> log_scale) {
  double low = INFINITY, high = 2;
  for (const double value : multiples)
    if (std::isfinite(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  ColourBar bar;
  bar.label = "multiples of random (m.r.d.)";
  bar.scale = {0, high, false};
  if (!log_scale.value_or(high > kSharp)) return bar;
  const double from = std::min(std::max(low, high / kDeepestColours), high / 2);
  bar.scale = {from, high, true};
  bar.open_below = low < from * (1 - 1e-9);
  return bar;
}

std::vector<double> multiples_levels(const std::vector<double>& multiples) {
  double low = INFINITY, high = -INFINITY;
  for (const double value : multiples)
    if (std::isfinite(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  std::vector<double> levels;
  if (!(high - low > 0.05) || high > kSharp) return levels;
  if (high >= 6) {
    for (const double level : {1, 2, 5, 10, 20, 50})
      if (level < high) levels.push_back(level);
    return levels;
  }
  double step = 1;
  for (const double finer : {0.5, 0.25, 0.2, 0.1, 0.05, 0.02})
    if ((high - low) / finer <= 6.01) step = finer;
  for (double k = std::ceil(low / step); k * step < high; ++k)
    if (k * step > low) levels.push_back(k * step);
  return levels;
}

Pen multiples_pen(double level) {
  return {kInk, 0.5, std::abs(level - 1) < 1e-9 ? std::vector<double>{2.5, 1.5} : std::vector<double>{}};
}

std::string multiples_key(const std::vector<double>& levels) {
  std::string text;
  for (const double level : levels)
    text += fmt::format("{}{}{}", text.empty() ? "contours at " : ", ", short_number(level),
                        std::abs(level - 1) < 1e-9 ? " (broken)" : "");
  return text;
}

}  // namespace riemflow::figure
