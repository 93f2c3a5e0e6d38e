#pragma once
// The member "crs" of GeoJSON before RFC 7946: other coordinates than longitude and latitude in degrees.

#include "riemflow/io/json_tokens.hpp"

namespace riemflow::io {

/// Reads the value of "crs" that begins with `first`. Throws Error (bad_data) with its place unless it is
/// null, CRS84 or EPSG:4326.
void check_crs(JsonTokens& tokens, JsonTokens::Token first);

}  // namespace riemflow::io
