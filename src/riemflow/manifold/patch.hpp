#pragma once
// A part of a manifold in coordinates: a box of R^d, d ≤ 3, its map into the manifold, and what a unit of
// coordinate volume becomes there. Parts that overlap in their boundaries only make up a region.

#include <array>
#include <functional>
#include <memory>
#include <vector>

namespace riemflow {

inline constexpr int kMostCoordinates = 3;

/// point = the image of the coordinates u; returns √|G| ≥ 0 there, the Riemannian volume of a unit of
/// coordinate volume.
using PatchMap = std::function<double(const double* u, double* point)>;

struct Patch {
  int dimension = 0;
  std::array<double, kMostCoordinates> low{}, high{};
  std::shared_ptr<const PatchMap> map;
};

/// One factor of a patch: its axes, with how many pieces a first look takes, and its map.
struct PatchPart {
  struct Axis {
    double low, high;
    int pieces;
  };
  std::vector<Axis> axes;
  PatchMap map;
};

/// The patch cut into pieces[0] × pieces[1] × … equal boxes.
std::vector<Patch> cut(const Patch& patch, const std::array<int, kMostCoordinates>& pieces);

/// [0, end] of R in so many pieces.
std::vector<Patch> interval(double end, int pieces);

}  // namespace riemflow
