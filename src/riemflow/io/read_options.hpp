#pragma once
// What a user may say about a data file; everything left out is found in the file, and stated.

#include <string>

#include "riemflow/core/enum_names.hpp"

namespace riemflow {

enum class Units { automatic, degrees, radians };
constexpr auto names_of(Units) { return std::to_array<std::string_view>({"auto", "degrees", "radians"}); }

struct ReadOptions {
  /// Names or numbers from 1, as in "lat,lon", "4,5", "3-9"; empty: by the names in the header.
  std::string columns;
  /// Of latitudes, longitudes and angles. automatic: degrees, unless a column's name says otherwise; radians
  /// for angles in an NPY file.
  Units units = Units::automatic;
  /// Leave out rows that are no point, and count them, instead of stopping at the first.
  bool skip_invalid = false;
  /// As parse_manifold takes it; empty: inferred from the columns.
  std::string manifold;
  /// "csv", "tsv", "npy" or "geojson"; empty: by content, then by the name of the file.
  std::string format;
  /// The column of the points' weights, by name or number from 1; of GeoJSON a property of the features by
  /// its name. Empty: the points count alike.
  std::string weights = "";
  /// That read; 0: one for each core. The points are the same.
  int threads = 0;
};

}  // namespace riemflow
