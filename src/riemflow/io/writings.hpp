#pragma once
// The ways to write a point of a manifold in columns, where factors have notations to choose from
// (manifold/manifold.hpp); a sphere beside them is latitude and longitude or a vector.

#include <memory>
#include <string>
#include <vector>

#include "riemflow/io/table.hpp"
#include "riemflow/manifold/manifold.hpp"

namespace riemflow::io {

/// How one factor is written.
struct Writing {
  std::shared_ptr<const Notation> notation = nullptr;  ///< of a covered factor
  bool latitude = false;                               ///< of a sphere: latitude and longitude
};

/// A factor of the manifold has notations.
bool has_notations(const Manifold<double>& manifold);
/// All ways to write a manifold that has notations, one Writing a factor, the usual ones first.
std::vector<std::vector<Writing>> writings_of(const Manifold<double>& manifold);
/// The names of its columns; those that several factors would have end in _ and the factor's number.
std::vector<std::string> column_names(const Manifold<double>& manifold, const std::vector<Writing>& writings);
/// The columns of these names, or of others that mean the same (euler1 for phi1, qw for w, lat); empty unless
/// each is there once.
std::vector<std::size_t> columns_named(const Table& table, const std::vector<std::string>& names);

/// The columns in the order of a notation whose names are theirs: w x y z for columns x y z w. As they are
/// where no notation has these names.
std::vector<std::size_t> in_order_of_names(const Manifold<double>& manifold, const Table& table,
                                           const std::vector<std::size_t>& columns);

/// What so many columns of any manifold hold: of several notations the one that their names say, else the
/// usual one. Empty if none takes as many.
std::vector<Writing> writings_of_columns(const Manifold<double>& manifold, const Table& table,
                                         const std::vector<std::size_t>& columns);

}  // namespace riemflow::io
