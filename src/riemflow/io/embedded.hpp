#pragma once
// Data compiled into the library.

#include <span>
#include <string_view>

#include "riemflow/core/points.hpp"

namespace riemflow {

/// data/significant_earthquakes.csv as it is: year,latitude,longitude with a header line.
std::string_view embedded_earthquakes_csv();

/// data/torsions.csv as it is: residue_class,phi_deg,psi_deg with a header line.
std::string_view embedded_torsions_csv();

/// The earthquakes as unit vectors on S².
template <class T>
Points<T> embedded_earthquakes();

/// Degrees to a unit vector: (cos φ cos λ, cos φ sin λ, sin φ), φ latitude, λ longitude.
template <class T>
void unit_vector(double latitude, double longitude, std::span<T> point);

}  // namespace riemflow
