#include "riemflow/figure/texture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "riemflow/core/error.hpp"

namespace riemflow::figure {
namespace {

constexpr std::size_t kPieceOfRotations = 16'384;

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

ColourBar multiples_bar(const std::vector<double>& multiples) {
  double high = 2;
  for (const double value : multiples)
    if (std::isfinite(value)) high = std::max(high, value);
  ColourBar bar;
  bar.label = "multiples of random (m.r.d.)";
  bar.scale = {0, high, false};
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
  if (!(high - low > 0.05)) return levels;
  if (high >= 6) {
    for (double level = 1; level < high; level *= 2) levels.push_back(level);
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
