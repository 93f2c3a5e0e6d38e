#pragma once
// What a space says of itself as data, each thing once, in its header; who needs it asks for it and never
// which space it is. What a space has not is `none`, and refused by name where it is asked for.

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "riemflow/core/enum_names.hpp"

namespace riemflow {

/// A way to write a point as numbers in columns.
struct Notation {
  std::string name;                  ///< as a sentence has it: "unit quaternions (w x y z)"
  std::vector<std::string> columns;  ///< their usual names, lower case
  bool angular = false;              ///< angles: degrees or radians in files, radians here
  /// point = that of the numbers; or why there is none, as "the determinant is −1, a reflection".
  std::function<std::optional<std::string>(const double* numbers, double* point)> read;
  std::function<void(const double* point, double* numbers)> write;
  /// Other names that the columns go by, each set in their order.
  std::vector<std::vector<std::string>> also = {};
  /// What is unusual about numbers that are taken all the same, as "Phi is -20°, outside of 0 to 180":
  /// columns may be swapped. Empty if nothing is.
  std::function<std::string(const double* numbers)> doubt = {};
};

/// What the numbers of a point are where they stand in columns themselves, in spaces without notations.
struct ColumnForm {
  enum class Kind {
    plain,   ///< any numbers, x_1 … x_n
    angles,  ///< angle_1 … angle_n, in degrees or radians, wrapped to [−π, π)
    vector,  ///< x_1 … x_n of norm `radius`, to which they are rescaled
    inside   ///< x_1 … x_n of a norm below `radius`
  };
  /// Latitude and longitude in place of a vector of three: taken where there are two columns, or written too.
  enum class Places { none, taken, usual };
  Kind kind = Kind::plain;
  double radius = 1;
  Places places = Places::none;
};

/// What densities of a space are shown as: by pairs of coordinates of samples, where it has no picture of its
/// own. Of rotations, `group` is that of the crystal, by its name. `axes`: on the cover's globe, each point
/// at both of its ends. `cover`: as the cover, isometric and of one sheet.
struct Picture {
  enum class Kind { pairs, globe, axes, torus, disk, plane, rotations, cover };
  Kind kind = Kind::pairs;
  std::string group = {};
};
constexpr auto names_of(Picture::Kind) {
  return std::to_array<std::string_view>(
      {"pairs", "globe", "axes", "torus", "disk", "plane", "rotations", "cover"});
}
/// What is drawn, as a sentence has it.
constexpr std::string_view words_of(Picture::Kind kind) {
  switch (kind) {
    case Picture::Kind::pairs:
      return "its samples by pairs of coordinates";
    case Picture::Kind::globe:
    case Picture::Kind::axes:
      return "a map";
    case Picture::Kind::torus:
    case Picture::Kind::plane:
      return "its coordinates";
    case Picture::Kind::disk:
    case Picture::Kind::cover:
      return "the hyperbolic disk";
    case Picture::Kind::rotations:
      return "pole figures, sections or the turns by axis and angle";
  }
  return "";
}

/// Axes to draw a space of one or two dimensions over: the coordinates of flat ones, longitude and latitude.
struct DrawnAxis {
  std::string name, unit;  ///< "longitude", "degrees"; no unit: ""
  double low, high;        ///< infinite: as far as there are points
  bool periodic = false;
};
struct DrawnCoordinates {
  std::vector<DrawnAxis> axes;
  /// point = that of the coordinates; returns the volume of a unit of them there.
  std::function<double(const double* coordinates, double* point)> place;
  /// Where a point is drawn, one place after another: both ends of an axis.
  std::function<std::vector<double>(const double* point)> places;
};

/// What a flow starts from where nothing else is said (distribution/base.hpp).
enum class DefaultBase {
  none,
  uniform,
  normal,         ///< of the coordinates, whose volume is that of R^d
  wrapped_normal  ///< of hyperbolic space
};

/// How the kernels of kernel densities measure and bend (kernel/kernel_space.hpp, kernel/kernels.hpp).
struct KernelForm {
  enum class Family {
    none,
    chord,      ///< of a sphere of curvature K, |x| = 1/√K
    circles,    ///< each coordinate an arc of a circle of its own, of radius `radius`
    normal,     ///< of R^d
    hyperbolic  ///< of the ball of curvature K
  };
  Family family = Family::none;
  double curvature = 0;
  double radius = 1;
};

/// The formulas that a GPU has (flow/cuda/geometry.cuh): those of R^d, T^d, S^d, B^d and of matrices, each
/// with the base and the features of that space (flow/device_formulas.hpp), its velocity, projection and
/// seeds.
enum class DeviceFormulas { none, flat, circles, sphere, ball, orthonormal, projectors };
/// What they must know of a space of matrices (manifold/embedded.hpp): the metric is `metric`·tr(UᵀV), the
/// mean curvature vector bend·x + shift·I; projectors have trace `rank`.
struct MatrixForm {
  int rows = 0, columns = 0, rank = 0;
  double metric = 1, bend = 0, shift = 0;
};

/// The charts by which a flow on R^d is one on a space (manifold/chart_map.hpp).
enum class ChartKind { stereographic, wrapped, naive };
constexpr auto names_of(ChartKind) {
  return std::to_array<std::string_view>({"stereographic", "wrapped", "naive"});
}

/// Why there is none of what was asked for, and what to do instead.
struct Refusal {
  std::string reason, advice;
};

}  // namespace riemflow
