#pragma once
// The ways to write a point of a manifold in columns, factor by factor: the notations of a factor that has
// some (manifold/manifold.hpp); of a sphere latitude and longitude, or a vector; else its coordinates.
//
// Names of columns say which of them a factor has, in any order and among others. They are those that the
// tool writes (coordinates.hpp), other names that a notation goes by, and what names of places mean. Where
// several factors would have a name, the number of the factor stands behind its stem: w_1, x_2_1.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "riemflow/io/table.hpp"
#include "riemflow/manifold/manifold.hpp"

namespace riemflow::io {

/// How one factor is written.
struct Writing {
  std::shared_ptr<const Notation> notation = nullptr;  ///< of a factor with notations
  bool latitude = false;                               ///< of a sphere: latitude and longitude
};

/// How all factors are written, and the columns that hold them, in order.
struct Reading {
  std::vector<Writing> writings;
  std::vector<std::size_t> columns;
  std::vector<bool> named;  ///< of each factor: the names of its columns say so; else their order
};

/// A factor of the manifold has notations.
bool has_notations(const Manifold<double>& manifold);

/// How each factor is written where nothing else is asked for.
std::vector<Writing> usual_writings(const Manifold<double>& manifold);
/// Of all factors in order: "w", "x", "y", "z"; "latitude", "longitude"; "x_1". Each name once.
std::vector<std::string> column_names(const Manifold<double>& manifold, const std::vector<Writing>& writings);
/// One way to write a point for each number of columns that it may have, the usual one first.
std::vector<std::vector<Writing>> writings_by_count(const Manifold<double>& manifold);

/// These columns by their order, written in the usual way of those that take as many; nothing if none does.
/// Throws Error where it is not known which factor has how many of them.
std::optional<Reading> in_their_order(const Manifold<double>& manifold, const Table& table,
                                      const std::vector<std::size_t>& columns);

/// As many factors as the columns' names tell, and the others by the order of what is left: all of that, or,
/// unless all columns are `asked` for, all that hold nothing but numbers. Nothing if no name tells. Throws
/// Error where what is left does not fit, unless they are asked for.
std::optional<Reading> by_names(const Manifold<double>& manifold, const Table& table,
                                const std::vector<std::size_t>& columns, bool asked);

/// What is to be said of factors with notations that were read by the order of columns with other names.
struct Doubt {
  std::string problem, advice;
  bool contradicts;  ///< a name is that of another number, and does not only say nothing
};
std::vector<Doubt> doubts_of(const Manifold<double>& manifold, const Table& table, const Reading& reading);

/// A space whose numbers some of the columns are called after, as phi1, Phi and phi2 are after rotations.
struct Suggestion {
  std::string space, grouped;  ///< as SpaceExample
  std::string notation;
  std::vector<std::size_t> columns;
};
std::optional<Suggestion> space_named_by(const Table& table, const std::vector<std::size_t>& columns);

}  // namespace riemflow::io
