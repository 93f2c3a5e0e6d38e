#include "riemflow/kernel/recipe_place.hpp"

#include <algorithm>
#include <cmath>

namespace riemflow {

KernelRecipe recipe_of(KernelShape shape, const RecipePlace& place, int most_neighbours) {
  const auto neighbours = [&](int index) {
    return std::min(RecipePlace::kNeighbours[static_cast<std::size_t>(index)], std::max(1, most_neighbours));
  };
  KernelRecipe result;
  result.shape = shape;
  result.scale = std::exp(place.log_scale);
  if (shape == KernelShape::one) return result;
  result.neighbours = neighbours(place.neighbours);
  result.adaptivity = RecipePlace::kAdaptivityStep * place.adaptivity;
  if (shape == KernelShape::local) return result;
  result.shape_neighbours = neighbours(place.shape_neighbours);
  result.shrinkage = RecipePlace::kShrinkages[static_cast<std::size_t>(place.shrinkage)];
  return result;
}

RecipePlace among(RecipePlace place, std::size_t from, std::size_t to, int dimension) {
  const double ratio = static_cast<double>(to) / static_cast<double>(from);
  place.log_scale -= std::log(ratio) / (dimension + 4);
  for (int* index : {&place.neighbours, &place.shape_neighbours}) {
    const double wanted = ratio * RecipePlace::kNeighbours[static_cast<std::size_t>(*index)];
    int best = 0;
    for (int i = 1; i < static_cast<int>(RecipePlace::kNeighbours.size()); ++i)
      if (std::abs(std::log(RecipePlace::kNeighbours[static_cast<std::size_t>(i)] / wanted)) <
          std::abs(std::log(RecipePlace::kNeighbours[static_cast<std::size_t>(best)] / wanted)))
        best = i;
    *index = best;
  }
  return place;
}

}  // namespace riemflow
