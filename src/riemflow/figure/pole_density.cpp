#include "riemflow/figure/pole_density.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace riemflow::figure {
namespace {

using Rotation = rotation::Quaternion<double>;

double inner_product(const Direction& a, const Direction& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Direction opposite(const Direction& a) { return {-a[0], -a[1], -a[2]}; }
Direction of_length_one(const Direction& a) {
  const double length = std::hypot(a[0], a[1], a[2]);
  return {a[0] / length, a[1] / length, a[2] / length};
}
bool same_direction(const Direction& a, const Direction& b) { return inner_product(a, b) > 1 - 1e-9; }

Direction cross_product(const Direction& a, const Direction& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// A rotation with R h = y: by the shortest way, (1 + h·y, h×y)/…; where they are more than a right angle
/// apart, which would cancel at the end, from −h after half a turn.
Rotation turn_between(const Direction& h, const Direction& y) {
  const double c = inner_product(h, y);
  if (c < 0) {
    const Direction thin = std::abs(h[0]) < 0.6 ? Direction{1, 0, 0} : Direction{0, 1, 0};
    const Direction axis = of_length_one(cross_product(h, thin));
    return rotation::product(turn_between(opposite(h), y), {0, axis[0], axis[1], axis[2]});
  }
  const Direction v = cross_product(h, y);
  return rotation::unit({1 + c, v[0], v[1], v[2]});
}

/// How many turns of the group leave h where it is.
int turns_around(const CrystalGroup& group, const Direction& h) {
  return static_cast<int>(std::count_if(group.elements.begin(), group.elements.end(), [&](const Rotation& s) {
    return same_direction(rotation::rotated(s, h), h);
  }));
}
bool has_turn_to_opposite(const CrystalGroup& group, const Direction& h) {
  return std::any_of(group.elements.begin(), group.elements.end(),
                     [&](const Rotation& s) { return same_direction(rotation::rotated(s, h), opposite(h)); });
}

}  // namespace

std::vector<CrystalDirection> usual_directions(const CrystalGroup& group) {
  const double half_root_3 = std::numbers::sqrt3 / 2;
  const Direction x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  if (group.name == "23" || group.name == "432")
    return {{"{100}", x}, {"{110}", of_length_one({1, 1, 0})}, {"{111}", of_length_one({1, 1, 1})}};
  if (group.name == "4" || group.name == "422")
    return {{"{001}", z}, {"{100}", x}, {"{110}", of_length_one({1, 1, 0})}};
  // With a₁ = x and a₂ at 120° the normal of (101̄0), at a right angle to a₂, is at 30°, that of (112̄0) at
  // 60°.
  if (group.name == "3" || group.name == "32" || group.name == "6" || group.name == "622")
    return {{"{0001}", z}, {"{101̄0}", {half_root_3, 0.5, 0}}, {"{112̄0}", {0.5, half_root_3, 0}}};
  if (group.name == "222") return {{"{100}", x}, {"{010}", y}, {"{001}", z}};
  return {{"crystal x", x}, {"crystal y", y}, {"crystal z", z}};
}

std::vector<double> pole_density(const Texture& texture, const Direction& direction,
                                 std::span<const Direction> y, int around) {
  const Direction h = of_length_one(direction);
  const int fold = turns_around(texture.group, h);
  const auto places = static_cast<std::size_t>(std::max(1, (around + fold - 1) / fold));
  std::vector<Direction> ends = {h};
  if (!has_turn_to_opposite(texture.group, h)) ends.push_back(opposite(h));

  // As many directions at a time as make some ten thousand rotations.
  const std::size_t on_fibres = ends.size() * places,
                    at_a_time = std::max<std::size_t>(1, 32'768 / on_fibres);
  std::vector<double> result;
  for (std::size_t from = 0; from < y.size(); from += at_a_time) {
    const std::size_t n = std::min(at_a_time, y.size() - from);
    Points<double> rotations(n * on_fibres, 4);
    std::size_t next = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (const Direction& end : ends) {
        const Rotation first = turn_between(end, y[from + i]);
        for (std::size_t k = 0; k < places; ++k) {
          const double angle =
              2 * std::numbers::pi / fold * static_cast<double>(k) / static_cast<double>(places);
          const Rotation R = rotation::canonical(rotation::product(first, rotation::from_axis(end, angle)));
          std::copy(R.begin(), R.end(), rotations[next++].begin());
        }
      }
    const std::vector<double> density = multiples_of_uniform(texture, rotations);
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0, known = 0;
      for (std::size_t k = 0; k < on_fibres; ++k)
        if (const double value = density[i * on_fibres + k]; !std::isnan(value)) {
          sum += value;
          ++known;
        }
      result.push_back(sum / known);
    }
  }
  return result;
}

Direction direction_at(Vec2 p) {
  const double square = p.x * p.x + p.y * p.y, scale = std::sqrt(std::max(0.0, 2 - square));
  return {scale * p.x, scale * p.y, 1 - square};
}

Vec2 place_of_direction(const Direction& upper) {
  const double scale = 1 / std::sqrt(1 + upper[2]);
  return {scale * upper[0], scale * upper[1]};
}

DiscLattice pole_lattice(const Texture& texture, const Direction& h, int across, int around) {
  DiscLattice lattice(across + 6);
  const int n = lattice.n;
  std::vector<Direction> y;
  for (int iy = 0; iy < n; ++iy)
    for (int ix = 0; ix < n; ++ix)
      if (lattice.has_value(ix, iy)) y.push_back(direction_at(lattice.place(ix, iy)));
  const std::vector<double> density = pole_density(texture, h, y, around);
  std::size_t next = 0;
  for (int iy = 0; iy < n; ++iy)
    for (int ix = 0; ix < n; ++ix)
      if (lattice.has_value(ix, iy)) lattice.at(ix, iy) = density[next++];
  return lattice;
}

std::vector<Direction> poles_of(const CrystalGroup& group, const Direction& direction,
                                const Points<double>& rotations) {
  const Direction h = of_length_one(direction);
  std::vector<Direction> axes;
  for (const Rotation& s : group.elements) {
    const Direction other = rotation::rotated(s, h);
    if (std::none_of(axes.begin(), axes.end(), [&](const Direction& known) {
          return same_direction(known, other) || same_direction(known, opposite(other));
        }))
      axes.push_back(other);
  }
  std::vector<Direction> poles;
  for (std::size_t i = 0; i < rotations.size(); ++i)
    for (const Direction& axis : axes) {
      const auto q = rotations[i];
      const Direction pole = rotation::rotated(Rotation{q[0], q[1], q[2], q[3]}, axis);
      poles.push_back(pole[2] < 0 ? opposite(pole) : pole);
    }
  return poles;
}

}  // namespace riemflow::figure
