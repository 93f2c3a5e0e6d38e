#pragma once
// Which columns of a table make a point, of which manifold, and how.

#include "riemflow/io/assumptions.hpp"
#include "riemflow/io/recipe.hpp"
#include "riemflow/io/table.hpp"

namespace riemflow::io {

struct Layout {
  std::vector<std::size_t> columns;   ///< from 0, in the order of the recipe's numbers
  std::vector<std::string> meanings;  ///< of each: "latitude", "x", "angle 1"
  std::vector<bool> angular;          ///< of each: in the units of angles
  Recipe recipe;

  /// "latitude (column 2, 'lat')", for messages about number i of a row.
  std::string column_name(std::size_t i, const Table& table) const;
};

/// Fills in columns, units, manifold and warnings of `assumptions`. Throws Error where a choice must be made
/// by the user, with the columns there are and how to choose.
Layout lay_out(const Table& table, const ReadOptions& options, Assumptions& assumptions);

}  // namespace riemflow::io
