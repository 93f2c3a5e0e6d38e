#include "riemflow/figure/fibre.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace riemflow::figure {
namespace {

bool same_direction(const Direction& a, const Direction& b) { return inner_product(a, b) > 1 - 1e-9; }

Direction cross_product(const Direction& a, const Direction& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

}  // namespace

Direction of_length_one(const Direction& a) {
  const double length = std::hypot(a[0], a[1], a[2]);
  return {a[0] / length, a[1] / length, a[2] / length};
}

// (1 + h·y, h×y)/…, which would cancel where y is near −h.
rotation::Quaternion<double> turn_between(const Direction& h, const Direction& y) {
  const double c = inner_product(h, y);
  if (c < 0) {
    const Direction thin = std::abs(h[0]) < 0.6 ? Direction{1, 0, 0} : Direction{0, 1, 0};
    const Direction axis = of_length_one(cross_product(h, thin));
    return rotation::product(turn_between(opposite(h), y), {0, axis[0], axis[1], axis[2]});
  }
  const Direction v = cross_product(h, y);
  return rotation::unit({1 + c, v[0], v[1], v[2]});
}

PoleFibres pole_fibres(const CrystalGroup& group, const Direction& h) {
  PoleFibres result;
  result.ends = {h};
  int around = 0;
  bool over = false;
  for (const auto& s : group.elements) {
    const Direction image = rotation::rotated(s, h);
    around += same_direction(image, h);
    over = over || same_direction(image, opposite(h));
  }
  if (!over) result.ends.push_back(opposite(h));
  result.period = 2 * std::numbers::pi / around;
  std::vector<Direction> seen;
  for (const auto& s : group.elements) {
    const Direction image = rotation::rotated(s, h);
    const auto is_image = [&](const Direction& other) { return same_direction(other, image); };
    if (std::any_of(seen.begin(), seen.end(), is_image)) continue;
    seen.push_back(image);
    for (std::size_t end = 0; end < result.ends.size(); ++end) result.ways.push_back({s, end});
    if (std::none_of(result.axes.begin(), result.axes.end(),
                     [&](const Direction& a) { return is_image(a) || is_image(opposite(a)); }))
      result.axes.push_back(image);
  }
  return result;
}

}  // namespace riemflow::figure
