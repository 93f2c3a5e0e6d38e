#pragma once
// The polygons of a GeoJSON file (RFC 7946): of Polygon and MultiPolygon, alone, in a GeometryCollection,
// Feature or FeatureCollection.

#include <string>
#include <string_view>
#include <vector>

#include "riemflow/manifold/earth_polygon.hpp"

namespace riemflow {

struct GeoPolygons {
  std::vector<Polygon> polygons;
  std::vector<std::string> remarks;  ///< what else was met: lines, points, features without a geometry
};

/// "-" is standard input. Throws Error (no_input, bad_data), with line and column, for what is not GeoJSON,
/// members that stand twice, coordinate systems other than CRS84, rings of fewer than four positions or not
/// closed, holes that are not inside the first ring or overlap, latitudes beyond ±90 and longitudes beyond
/// ±360, and if there is no polygon.
GeoPolygons read_geojson_polygons(const std::string& path);
/// The same of text; `name` stands in messages.
GeoPolygons read_geojson_polygons_in(std::string_view text, const std::string& name);

/// All its polygons as one region, with what else was met among its remarks.
EarthRegion region_of(const GeoPolygons& found, const std::string& name);

}  // namespace riemflow
