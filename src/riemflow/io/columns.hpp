#pragma once
// Columns by the names people give them, and by what the user asked for.

#include <string>
#include <string_view>
#include <vector>

#include "riemflow/io/read_options.hpp"
#include "riemflow/io/table.hpp"

namespace riemflow::io {

enum class Meaning { none, latitude, longitude, x, y, z, phi, psi, angle };

struct Named {
  Meaning meaning = Meaning::none;
  Units units = Units::automatic;  ///< where the name says them, as phi_deg and "lat (rad)" do
};

/// Case, spaces, underscores and what stands in brackets do not matter.
Named meaning_of(std::string_view name);

/// The entries of ReadOptions::columns, trimmed.
std::vector<std::string> split_columns(const std::string& columns);

/// Indices from 0 of the columns asked for, in that order. Throws Error, usage for what cannot be understood
/// or is given twice, bad_data for what this table does not have.
std::vector<std::size_t> find_columns(const std::string& columns, const Table& table);

}  // namespace riemflow::io
