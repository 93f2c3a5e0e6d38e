#pragma once
// Points as columns for people to read: the inverse of what the readers do.
//
//   spaces with notations         as the first of these says, angles in degrees
//   others, as ColumnForm says:
//     places are usual (sphere:2)  latitude, longitude, in degrees
//     angles (torus:d)             angle_1 … angle_d, in degrees
//     all else                     x_1 … x_n, as they are
//
// In a product, names that more than one factor would have get the number of the factor after the stem:
// latitude_1, latitude_2; x_2_1 is x_1 of factor 2; so do all if x_1, x of factor 1, were another's too. A
// table with these names, read back with the manifold given, holds the same points to rounding.

#include <span>
#include <string>
#include <vector>

#include "riemflow/manifold/manifold.hpp"

namespace riemflow {

/// Each name once.
std::vector<std::string> coordinate_names(const Manifold<double>& manifold);
/// Which of them are degrees.
std::vector<bool> coordinates_in_degrees(const Manifold<double>& manifold);

/// `out`, as long as coordinate_names: latitude in [−90, 90], longitude in [−180, 180) and 0 at the poles,
/// angles in [−180, 180). NaN where `point` is NaN.
void to_coordinates(const Manifold<double>& manifold, std::span<const double> point, std::span<double> out);

/// "latitude", "angle" or "x": what the names of a factor without notations begin with.
const char* stem_of(const Factor<double>& factor);

/// This factor is written as latitude and longitude.
bool has_latitude(const Factor<double>& factor);

}  // namespace riemflow
