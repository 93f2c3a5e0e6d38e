#pragma once
// A place on the grid of recipes that a search for a kernel density steps over.

#include <array>
#include <compare>
#include <cstddef>

#include "riemflow/kernel/kernel_data.hpp"

namespace riemflow {

struct RecipePlace {
  static constexpr std::array kNeighbours = {2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64};
  static constexpr std::array kShrinkages = {0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0};
  static constexpr double kAdaptivityStep = 0.125;
  static constexpr int kMostAdaptivity = 12;

  double log_scale = 0;
  int neighbours = 5, adaptivity = 5, shape_neighbours = 6, shrinkage = 6;  ///< steps on the grid

  auto operator<=>(const RecipePlace&) const = default;
};

/// Without ε.
KernelRecipe recipe_of(KernelShape shape, const RecipePlace& place, int most_neighbours);

/// A place among `from` centres as it is among `to`: bandwidths go with n^{−1/(d+4)}, and the k-th neighbour
/// of a point was the kn/m-th among more.
RecipePlace among(RecipePlace place, std::size_t from, std::size_t to, int dimension);

}  // namespace riemflow
