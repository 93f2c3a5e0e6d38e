#pragma once
// Where figures come from.

#include <string>
#include <utility>
#include <vector>

namespace riemflow {

/// "AMD EPYC 9R14, 2 cores"
std::string machine_name();

/// What the caller adds to the header of results, such as the commit: names and texts.
using Notes = std::vector<std::pair<std::string, std::string>>;

}  // namespace riemflow
