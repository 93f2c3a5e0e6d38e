#pragma once
// "Perhaps you meant …?" for names typed by people.

#include <span>
#include <string>
#include <string_view>

namespace riemflow {

/// Insertions, deletions and replacements that make b of a.
int edit_distance(std::string_view a, std::string_view b);

/// The known name at most two edits away from `typed`, the nearest first; empty if there is none.
std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> known);

}  // namespace riemflow
