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

  /// What is wrong with a weight that is a finite number: it is below 0.
  static constexpr const char* kWeightExpected = "where a finite number from 0 is expected";
  static constexpr const char* kWeightAdvice = "give a number from 0, with 0 for a row that does not count";

  /// "latitude (column 2, 'lat')", for messages about number i of a row.
  std::string column_name(std::size_t i, const Table& table) const;
  /// "weight (column 3, 'mass')", of a table with weights.
  static std::string weight_name(const Table& table);
};

/// Fills in the table's column of weights, and columns, units, manifold and warnings of `assumptions`. Throws
/// Error where a choice must be made by the user, with the columns there are and how to choose.
Layout lay_out(Table& table, const ReadOptions& options, Assumptions& assumptions);

}  // namespace riemflow::io
