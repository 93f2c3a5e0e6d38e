#pragma once
// The rotations that take a direction h of the crystals to a direction y of the sample are a circle, the
// fibre over y: pole densities are means over fibres.

#include <vector>

#include "riemflow/core/points.hpp"
#include "riemflow/manifold/crystal_group.hpp"

namespace riemflow::figure {

using Direction = rotation::Vector<double>;

inline double inner_product(const Direction& a, const Direction& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Direction opposite(const Direction& a) { return {-a[0], -a[1], -a[2]}; }
Direction of_length_one(const Direction& a);

/// The rotation with R h = y by the shortest way; where they are more than a right angle apart, from −h after
/// half a turn.
rotation::Quaternion<double> turn_between(const Direction& h, const Direction& y);

/// What a group makes of a direction of length 1.
struct PoleFibres {
  std::vector<Direction> ends;  ///< h; and −h where no turn of the group makes it of h
  double period = 0;            ///< of angles around h: 2π, fewer where the group has turns around it
  std::vector<Direction> axes;  ///< that cannot be told from h, of ±a one
  /// (R turn) ends[end], over all of these, are the directions ±R s h, each once.
  struct ToEnd {
    rotation::Quaternion<double> turn;
    std::size_t end;
  };
  std::vector<ToEnd> ways;
};
PoleFibres pole_fibres(const CrystalGroup& group, const Direction& h);

}  // namespace riemflow::figure
