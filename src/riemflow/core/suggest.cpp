#include "riemflow/core/suggest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace riemflow {

int edit_distance(std::string_view a, std::string_view b) {
  // row[j]: distance of the first i letters of a to the first j of b.
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    int diagonal = std::exchange(row[0], static_cast<int>(i) + 1);
    for (std::size_t j = 0; j < b.size(); ++j)
      diagonal = std::exchange(row[j + 1],
                               std::min({row[j + 1] + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0 : 1)}));
  }
  return row.back();
}

std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> known) {
  std::string_view best;
  int least = 3;
  for (std::string_view name : known) {
    const int distance = edit_distance(typed, name);
    if (distance >= least) continue;
    least = distance;
    best = name;
  }
  return best;
}

}  // namespace riemflow
