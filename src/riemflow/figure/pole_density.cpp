#include "riemflow/figure/pole_density.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace riemflow::figure {

std::vector<double> pole_density(const Texture& texture, const Direction& direction,
                                 std::span<const Direction> y, int around) {
  const PoleFibres fibres = pole_fibres(texture.group, of_length_one(direction));
  const std::vector<Direction>& ends = fibres.ends;
  const auto places = static_cast<std::size_t>(
      std::max(1.0, std::ceil(around * fibres.period / (2 * std::numbers::pi) - 1e-9)));

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
        const Orientation first = turn_between(end, y[from + i]);
        for (std::size_t k = 0; k < places; ++k) {
          const double angle = fibres.period * static_cast<double>(k) / static_cast<double>(places);
          const Orientation R =
              rotation::canonical(rotation::product(first, rotation::from_axis(end, angle)));
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
  const std::vector<Direction> axes = pole_fibres(group, of_length_one(direction)).axes;
  std::vector<Direction> poles;
  for (std::size_t i = 0; i < rotations.size(); ++i)
    for (const Direction& axis : axes) {
      const auto q = rotations[i];
      const Direction pole = rotation::rotated(Orientation{q[0], q[1], q[2], q[3]}, axis);
      poles.push_back(pole[2] < 0 ? opposite(pole) : pole);
    }
  return poles;
}

}  // namespace riemflow::figure
