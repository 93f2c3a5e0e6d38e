#pragma once
// How a file was understood, as fields for programs and as sentences for people.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "riemflow/io/read_options.hpp"

namespace riemflow {

struct Assumptions {
  struct Column {
    std::string meaning;  ///< "latitude", "x", "angle 1", …
    std::size_t number;   ///< from 1
    std::string name;     ///< in the header; empty without
  };

  std::string path;
  std::string format;             ///< "csv", "tsv", "npy", "geojson"
  std::string layout;             ///< "comma-separated text", "16 rows of 3 float64 numbers", …
  char delimiter = 0;             ///< of text; ' ' is any run of spaces and tabs
  bool decimal_comma = false;     ///< 1,5 is one and a half
  std::uint64_t header_line = 0;  ///< 0: none
  std::vector<Column> columns;
  std::optional<Column>
      weight;  ///< of the points; number 0: a property of GeoJSON's features. None: they count alike
  std::string columns_how;         ///< "by name", "as chosen", …
  Units units = Units::automatic;  ///< automatic where no column is an angle
  std::string manifold;            ///< as parse_manifold takes it
  bool manifold_inferred = false;
  std::string coordinates;   ///< how a row becomes a point
  std::string row = "line";  ///< what `lines` counts: "line", "row" (NPY), "feature" (GeoJSON)
  std::vector<std::string> warnings;

  /// Format, columns with units, weights, manifold, then the warnings.
  std::vector<std::string> sentences() const;
};

/// The column of weights as a setting names it: by its name, or by its number where it has none.
std::string setting_of(const Assumptions::Column& column);

/// Where a point came from: "quakes.csv:17", or "points.npy: row 17" where rows are not lines.
std::string place_of(const Assumptions& assumptions, std::uint64_t line);

}  // namespace riemflow
