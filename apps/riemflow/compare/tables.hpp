#pragma once
// A comparison as Markdown, CSV and JSON.

#include <nlohmann/json.hpp>

#include "riemflow/fit/compare.hpp"

namespace riemflow::app {

/// "fit --preset paper --model stereographic"
std::string command_of(const Method& method, const Manifold<double>& manifold);

/// A table for each protocol, and what its numbers are, for a reader who has nothing else.
std::string tables_of(const std::vector<Summary>& summaries);
/// Lines protocol,method,…, with a header before the first.
std::string csv_of(const std::vector<Summary>& summaries);
nlohmann::ordered_json json_of(const Summary& summary);

}  // namespace riemflow::app
