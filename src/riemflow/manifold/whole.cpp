#include "riemflow/manifold/whole.hpp"

#include <array>

#include "riemflow/core/error.hpp"

namespace riemflow {

bool has_patches(const Manifold<double>& manifold) {
  if (manifold.dimension() > kMostCoordinates) return false;
  for (const Factor<double>& factor : manifold.factors())
    if (!factor.manifold->part(1)) return false;
  return true;
}

std::vector<Patch> whole_manifold(const Manifold<double>& manifold, double reach) {
  require(manifold.dimension() <= kMostCoordinates,
          manifold.name() + " has " + std::to_string(manifold.dimension()) + " dimensions",
          "integrals over coordinates are for at most 3; use samples");
  struct Placed {
    PatchMap map;
    int axis, row;
  };
  std::vector<Placed> placed;
  Patch patch;
  std::array<int, kMostCoordinates> pieces{1, 1, 1};
  for (const Factor<double>& factor : manifold.factors()) {
    std::optional<PatchPart> part = factor.manifold->part(reach);
    require(part.has_value(), factor.manifold->name() + " has no patches",
            "use samples for integrals over all of it");
    placed.push_back({std::move(part->map), patch.dimension, factor.row});
    for (const PatchPart::Axis& axis : part->axes) {
      const auto a = static_cast<std::size_t>(patch.dimension++);
      patch.low[a] = axis.low;
      patch.high[a] = axis.high;
      pieces[a] = manifold.dimension() == 3 ? (axis.pieces + 1) / 2 : axis.pieces;
    }
  }
  patch.map = std::make_shared<const PatchMap>([placed](const double* u, double* x) {
    double volume = 1;
    for (const Placed& part : placed) volume *= part.map(u + part.axis, x + part.row);
    return volume;
  });
  return cut(patch, pieces);
}

}  // namespace riemflow
