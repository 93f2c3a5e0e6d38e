#pragma once
// How the numbers of a row become a point, and what can be wrong with them.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "riemflow/manifold/manifold.hpp"

namespace riemflow::io {

/// Why a row is no point.
struct Complaint {
  /// Index of the number that is wrong, counted as in Recipe; nothing if it takes the whole row.
  std::optional<std::size_t> number;
  /// Follows "latitude is '123'", or "the point" for a whole row.
  std::string problem;
  std::string advice;
};

/// One factor of a manifold after the other.
struct Recipe {
  enum class Kind {
    degrees_on_sphere,  ///< latitude, longitude → R (cos φ cos λ, cos φ sin λ, sin φ)
    radians_on_sphere,
    vector_on_sphere,  ///< norm R to 1e-3 relative, rescaled to R
    angle_in_degrees,  ///< each to [−π, π); at most kMostTurns, beyond which little of the angle is left
    angle_in_radians,
    modest_radians,  ///< the same, but only up to 2π, beyond which degrees are the likelier unit
    in_ball,         ///< norm < R
    notated,         ///< as the part's notation says; of angles in radians
    notated_in_degrees,
    anything
  };
  struct Part {
    Kind kind;
    int numbers;      ///< taken from the row
    int coordinates;  ///< of the point
    double radius = 1;
    /// What to do about a latitude out of range whose longitude would be one; empty if they cannot be
    /// swapped.
    std::string swap_advice = {};
    /// Of a place: the latitude counts south, the longitude west. Then numbers below 0 are refused: a column
    /// of "west" with signs may mean either.
    bool south = false, west = false;
    std::shared_ptr<const Notation> notation = nullptr;  ///< of the two kinds above
  };
  std::vector<Part> parts;

  int coordinates() const;

  /// `row`: finite values, those of all parts; point: coordinates(), undefined after a complaint.
  std::optional<Complaint> make(const double* row, double* point) const;
};

constexpr double kNormTolerance = 1e-3;
constexpr double kMostTurns = 1e6;

}  // namespace riemflow::io
