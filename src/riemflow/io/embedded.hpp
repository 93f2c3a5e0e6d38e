#pragma once
// Data compiled into the library.

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

}  // namespace riemflow
