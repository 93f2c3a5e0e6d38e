#include "riemflow/manifold/whole.hpp"

#include <cmath>
#include <numbers>

#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

/// Coordinates of one factor: its axes, with how many pieces a first look takes, and its map.
struct Part {
  struct Axis {
    double low, high;
    int pieces;
  };
  std::vector<Axis> axes;
  PatchMap map;
};

/// x = the point of the unit sphere S^d at the angles φ; returns Π sin^{d−i} φ_i.
double from_angles(int d, const double* angle, double* x) {
  double sines = 1, volume = 1;
  for (int i = 0; i < d; ++i) {
    x[i] = sines * std::cos(angle[i]);
    sines *= std::sin(angle[i]);
    if (i + 1 < d) volume *= std::abs(sines);
  }
  x[d] = sines;
  return volume;
}

/// Angles of S^d: the last goes all the way round.
void add_angles(int d, std::vector<Part::Axis>& axes) {
  for (int i = 1; i < d; ++i) axes.push_back({0, std::numbers::pi, 6});
  if (d > 0) axes.push_back({-std::numbers::pi, std::numbers::pi, 10});
}

Part sphere(int d, double K) {
  Part part;
  add_angles(d, part.axes);
  const double R = 1 / std::sqrt(K);
  part.map = [d, R](const double* u, double* x) {
    const double volume = from_angles(d, u, x);
    for (int i = 0; i <= d; ++i) x[i] *= R;
    return volume * std::pow(R, d);
  };
  return part;
}

Part torus(int d) {
  Part part;
  for (int i = 0; i < d; ++i) part.axes.push_back({-std::numbers::pi, std::numbers::pi, 8});
  part.map = [d](const double* u, double* x) {
    for (int i = 0; i < d; ++i) x[i] = u[i];
    return 1.0;
  };
  return part;
}

/// x = t/(1 − t²); returns dx/dt.
double stretch(double t, double& x) {
  const double gap = (1 - t) * (1 + t);
  x = t / gap;
  return (1 + t * t) / (gap * gap);
}

/// The t of x: the root of x t² + t − x in (−1, 1), without cancellation.
double unstretch(double x) { return 2 * x / (1 + std::sqrt(1 + 4 * x * x)); }

Part euclidean(int d) {
  Part part;
  for (int i = 0; i < d; ++i) part.axes.push_back({-1, 1, 8});
  part.map = [d](const double* u, double* x) {
    double volume = 1;
    for (int i = 0; i < d; ++i) volume *= stretch(u[i], x[i]);
    return volume;
  };
  return part;
}

Part ball(int d, double K, double reach) {
  Part part;
  const double R = 1 / std::sqrt(-K), end = unstretch(reach * R);
  part.axes.push_back({d == 1 ? -end : 0, end, d == 1 ? 8 : 6});
  add_angles(d - 1, part.axes);
  part.map = [d, R](const double* u, double* x) {
    double r;
    double volume = stretch(u[0], r);
    double direction[kMostCoordinates] = {1};
    if (d > 1) volume *= from_angles(d - 1, u + 1, direction) * std::pow(R * std::sinh(r / R), d - 1);
    const double radius = R * std::tanh(r / (2 * R));
    for (int i = 0; i < d; ++i) x[i] = radius * direction[i];
    return volume;
  };
  return part;
}

Part part_of(const Factor<double>& factor, double reach) {
  const int d = factor.manifold->dimension();
  switch (factor.geometry) {
    case Geometry::sphere:
      return sphere(d, factor.curvature);
    case Geometry::torus:
      return torus(d);
    case Geometry::euclidean:
      return euclidean(d);
    case Geometry::ball:
      return ball(d, factor.curvature, reach);
    case Geometry::covered:
      break;
  }
  throw Error("a factor of unknown geometry", "this is a bug: please report it", Fault::internal);
}

}  // namespace

bool has_patches(const Manifold<double>& manifold) { return manifold.dimension() <= kMostCoordinates; }

std::vector<Patch> whole_manifold(const Manifold<double>& manifold, double reach) {
  require(has_patches(manifold),
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
    Part part = part_of(factor, reach);
    placed.push_back({std::move(part.map), patch.dimension, factor.row});
    for (const Part::Axis& axis : part.axes) {
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
