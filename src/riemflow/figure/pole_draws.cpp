#include "riemflow/figure/pole_draws.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "riemflow/core/cancel.hpp"
#include "riemflow/figure/pole_density.hpp"
#include "riemflow/figure/texture.hpp"

namespace riemflow::figure {
namespace {

constexpr double kLeastWidth = 0.7;   // of a smooth, steps
constexpr double kMostWidth = 0.1;    // radii of the disc, about 8°
constexpr double kReach = 4;          // of a Gaussian, deviations
constexpr double kAgreement = 3;      // standard errors
constexpr double kBox = 1.0 / 12;     // the variance that counting in cells adds, steps²
constexpr double kCountedTo = -0.96;  // z of directions: beyond the rim as far as the largest smooth reaches

/// Numbers of a square, [iy][ix].
struct Square {
  int n;
  std::vector<float> values;
  explicit Square(int side)
      : n(side), values(static_cast<std::size_t>(side) * static_cast<std::size_t>(side)) {}
  float* row(int iy) { return values.data() + static_cast<std::size_t>(iy) * static_cast<std::size_t>(n); }
  const float* row(int iy) const {
    return values.data() + static_cast<std::size_t>(iy) * static_cast<std::size_t>(n);
  }
};

/// By a Gaussian of this deviation in steps; what lies outside counts as 0.
Square blurred(const Square& from, double deviation) {
  const int reach = static_cast<int>(std::ceil(kReach * deviation)), n = from.n;
  std::vector<float> weights(static_cast<std::size_t>(2 * reach + 1));
  double sum = 0;
  for (int k = -reach; k <= reach; ++k) sum += std::exp(-0.5 * k * k / (deviation * deviation));
  for (int k = -reach; k <= reach; ++k)
    weights[static_cast<std::size_t>(k + reach)] =
        static_cast<float>(std::exp(-0.5 * k * k / (deviation * deviation)) / sum);
  const auto weight = [&](int k) { return weights[static_cast<std::size_t>(k + reach)]; };
  Square across(n), result(n);
  for (int iy = 0; iy < n; ++iy) {
    give_up_if_asked();
    const float* source = from.row(iy);
    float* target = across.row(iy);
    for (int k = -reach; k <= reach; ++k) {
      const float w = weight(k);
      const int first = std::max(0, -k), last = std::min(n, n - k);
      for (int ix = first; ix < last; ++ix) target[ix] += w * source[ix + k];
    }
  }
  for (int iy = 0; iy < n; ++iy)
    for (int k = std::max(-reach, -iy); k <= std::min(reach, n - 1 - iy); ++k) {
      const float w = weight(k);
      const float* source = across.row(iy + k);
      float* target = result.row(iy);
      for (int ix = 0; ix < n; ++ix) target[ix] += w * source[ix];
    }
  return result;
}

/// α g_a + β g_b of Gaussians of variances a and b = 2a in steps², with the second moment 0, the cells'
/// included.
struct Smooth {
  double near, far, variance_per_count;
  explicit Smooth(double width) {
    const double a = width * width, b = 2 * a;
    near = (b + kBox) / (b - a);
    far = -(a + kBox) / (b - a);
    variance_per_count =
        (near * near / (4 * a) + far * far / (4 * b) + 2 * near * far / (2 * (a + b))) / std::numbers::pi;
  }
};

/// Poles a cell: of all axes, of both ends of each.
Square counts_of(const PoleFibres& fibres, const Points<double>& rotations, double step, int n) {
  Square counts(n);
  const int middle = n / 2;
  for (std::size_t i = 0; i < rotations.size(); ++i) {
    const auto R = orientation_at(rotations, i);
    for (const Direction& axis : fibres.axes) {
      const Direction pole = rotation::rotated(R, axis);
      for (const Direction& end : {pole, opposite(pole)}) {
        if (end[2] < kCountedTo) continue;
        const Vec2 place = place_of_direction(end);
        const int ix = middle + static_cast<int>(std::lround(place.x / step)),
                  iy = middle + static_cast<int>(std::lround(place.y / step));
        if (ix >= 0 && ix < n && iy >= 0 && iy < n) ++counts.row(iy)[ix];
      }
    }
  }
  return counts;
}

/// In poles a cell.
Square smoothed_by_choice(const Square& counts, double most_width) {
  const std::size_t cells = counts.values.size();
  Square result(counts.n);
  std::vector<float> low(cells, -INFINITY), high(cells, INFINITY);
  std::vector<char> agrees(cells, 1);
  double width = kLeastWidth;
  // The far Gaussian of a width is the near one of the next.
  Square near = blurred(counts, width);
  Square next = blurred(counts, width * std::numbers::sqrt2);
  for (; width <= most_width; width *= std::numbers::sqrt2) {
    const Smooth smooth(width);
    const auto one_count = static_cast<float>(1 / (4 * std::numbers::pi * width * width));
    for (std::size_t i = 0; i < cells; ++i) {
      if (agrees[i] == 0) continue;
      const auto value = static_cast<float>(smooth.near * near.values[i] + smooth.far * next.values[i]);
      const auto error = static_cast<float>(
          kAgreement * std::sqrt(std::max(near.values[i], one_count) * smooth.variance_per_count));
      low[i] = std::max(low[i], value - error);
      high[i] = std::min(high[i], value + error);
      if (low[i] > high[i])
        agrees[i] = 0;
      else
        result.values[i] = std::max(value, 0.0F);
    }
    near = std::move(next);
    next = blurred(counts, 2 * width);
  }
  return result;
}

}  // namespace

DiscLattice pole_lattice_of_draws(const PoleFibres& fibres, const Points<double>& rotations, int across) {
  DiscLattice lattice(across + 6);
  const double step = lattice.step();
  const int middle = static_cast<int>(std::ceil(std::numbers::sqrt2 / step)), n = 2 * middle + 1;
  const Square density = smoothed_by_choice(counts_of(fibres, rotations, step, n), kMostWidth / step);
  // A cell is this share of the disc, over which the poles of each axis and draw are 1.
  const double uniform =
      static_cast<double>(rotations.size() * fibres.axes.size()) * step * step / std::numbers::pi;
  const int shift = middle - lattice.n / 2;
  for (int iy = 0; iy < lattice.n; ++iy)
    for (int ix = 0; ix < lattice.n; ++ix)
      if (lattice.has_value(ix, iy)) lattice.at(ix, iy) = density.row(iy + shift)[ix + shift] / uniform;
  return lattice;
}

}  // namespace riemflow::figure
