#pragma once
// Columns by the names people give them, and by what the user asked for.

#include <string>
#include <string_view>
#include <vector>

#include "riemflow/io/read_options.hpp"
#include "riemflow/io/table.hpp"

namespace riemflow::io {

/// "1 'time', 2 'latitude', …", or "1, 2, …" without names.
std::string listed_columns(const Table& table);

enum class Meaning { none, latitude, longitude, x, y, z, phi, psi, angle };

struct Named {
  Meaning meaning = Meaning::none;
  Units units = Units::automatic;  ///< where the name says them, as phi_deg and "lat (rad)" do
  bool reversed = false;           ///< a longitude west or a latitude south: "lon_w", "Longitude (°W)"
  /// A declination: a latitude beside a right ascension, but a longitude beside an inclination.
  bool doubtful = false;
};

/// Case, spaces, underscores and what else stands in brackets do not matter.
Named meaning_of(std::string_view name);

/// Which of two columns of a place is the latitude, by their names.
enum class Order { unknown, as_given, exchanged };
/// as_given: the first is the latitude.
Order order_by_names(std::string_view first, std::string_view second);

/// The entries of ReadOptions::columns, trimmed.
std::vector<std::string> split_columns(const std::string& columns);

/// Index from 0 of the one column that `entry` names, or numbers from 1. setting: whose value it is, for
/// messages. Throws Error as find_columns.
std::size_t find_column(const std::string& setting, const std::string& entry, const Table& table);

/// Indices from 0 of the columns asked for, in that order. Throws Error, usage for what cannot be understood
/// or is given twice, bad_data for what this table does not have.
std::vector<std::size_t> find_columns(const std::string& columns, const Table& table);

}  // namespace riemflow::io
