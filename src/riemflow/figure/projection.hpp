#pragma once
// The sphere of radius 1 on a plane, by PROJ. x grows eastwards, y northwards.

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "riemflow/figure/canvas.hpp"
#include "riemflow/figure/land.hpp"

namespace riemflow::figure {

enum class ProjectionKind { robinson, mollweide, plate_carree, orthographic };
/// As the tool takes them: "plate-carree". Throws Error(Fault::usage), with the names, for another.
ProjectionKind projection_kind(const std::string& name);

/// A unit vector, as manifold/earth.hpp has them.
using Vec3 = std::array<double, 3>;
Vec3 vector_of(LatLon place);
LatLon place_of(const Vec3& vector);

class Projection {
 public:
  /// centre: of a world map the longitude alone counts.
  Projection(ProjectionKind kind, LatLon centre);
  ~Projection();

  ProjectionKind kind() const { return kind_; }
  LatLon centre() const { return centre_; }
  /// Whether it shows the whole sphere, cut along the meridian opposite of the centre; else a half, cut at
  /// the horizon.
  bool world() const { return kind_ != ProjectionKind::orthographic; }

  /// Nothing beyond the horizon.
  std::optional<Vec2> forward(LatLon place) const;
  /// The same with the longitude relative to the centre: −180 and 180 are the two borders of a world map.
  std::optional<Vec2> forward_relative(LatLon place) const;
  /// Nothing outside of the map. The longitude is in [−180, 180).
  std::optional<LatLon> inverse(Vec2 point) const;

  /// Half its width and height: the map lies in [−x, x] × [−y, y].
  Vec2 half_size() const { return half_size_; }
  /// Its border, closed.
  Line outline() const;

 private:
  struct Transform;
  ProjectionKind kind_;
  LatLon centre_;
  std::unique_ptr<Transform> transform_;
  Vec2 half_size_;
};

}  // namespace riemflow::figure
