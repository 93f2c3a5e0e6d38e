#include "riemflow/figure/projection.hpp"

#include <fmt/format.h>
#include <proj.h>

#include <algorithm>
#include <cmath>

#include "riemflow/core/error.hpp"
#include "riemflow/core/suggest.hpp"
#include "riemflow/manifold/earth.hpp"

namespace riemflow::figure {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"robinson", "mollweide", "plate-carree", "orthographic"};
constexpr std::array<std::string_view, 4> kProjNames = {"robin", "moll", "eqc", "ortho"};

}  // namespace

ProjectionKind projection_kind(const std::string& name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found != kNames.end()) return static_cast<ProjectionKind>(found - kNames.begin());
  const std::string_view nearest = nearest_name(name, kNames);
  throw Error(fmt::format("there is no projection '{}'{}", name,
                          nearest.empty() ? "" : fmt::format(", perhaps you meant '{}'", nearest)),
              fmt::format("give one of {}", fmt::join(kNames, ", ")), Fault::usage);
}

Vec3 vector_of(LatLon place) {
  Vec3 x;
  unit_vector<double>(place.latitude, place.longitude, x);
  return x;
}

LatLon place_of(const Vec3& v) {
  return {std::atan2(v[2], std::hypot(v[0], v[1])) / kRadians, std::atan2(v[1], v[0]) / kRadians};
}

struct Projection::Transform {
  PJ_CONTEXT* context = nullptr;
  PJ* pj = nullptr;
  ~Transform() {
    proj_destroy(pj);
    proj_context_destroy(context);
  }
};

Projection::Projection(ProjectionKind kind, LatLon centre)
    : kind_(kind), centre_(centre), transform_(std::make_unique<Transform>()) {
  // PROJ wraps longitudes: that of the centre is subtracted here, so that −180 and 180 stay two borders.
  transform_->context = proj_context_create();
  proj_log_level(transform_->context, PJ_LOG_NONE);
  const std::string definition =
      fmt::format("+proj={} +R=1 +lon_0=0 +lat_0={}", kProjNames[static_cast<std::size_t>(kind)],
                  world() ? 0 : centre.latitude);
  transform_->pj = proj_create(transform_->context, definition.c_str());
  require(transform_->pj != nullptr, "PROJ does not know " + definition, "install PROJ 9", Fault::internal);
  half_size_ = world() ? Vec2{forward_relative({0, 180})->x, forward_relative({90, 0})->y} : Vec2{1, 1};
}

Projection::~Projection() = default;

std::optional<Vec2> Projection::forward(LatLon place) const {
  return forward_relative({place.latitude, wrapped(place.longitude - centre_.longitude)});
}

std::optional<Vec2> Projection::forward_relative(LatLon place) const {
  proj_errno_reset(transform_->pj);
  const PJ_COORD image = proj_trans(transform_->pj, PJ_FWD,
                                    proj_coord(place.longitude * kRadians, place.latitude * kRadians, 0, 0));
  if (!std::isfinite(image.xy.x) || !std::isfinite(image.xy.y)) return std::nullopt;
  return Vec2{image.xy.x, image.xy.y};
}

std::optional<LatLon> Projection::inverse(Vec2 point) const {
  if (std::abs(point.x) > half_size_.x || std::abs(point.y) > half_size_.y) return std::nullopt;
  proj_errno_reset(transform_->pj);
  const PJ_COORD place = proj_trans(transform_->pj, PJ_INV, proj_coord(point.x, point.y, 0, 0));
  const double longitude = place.lp.lam / kRadians, latitude = place.lp.phi / kRadians;
  if (!std::isfinite(longitude) || !std::isfinite(latitude) || std::abs(latitude) > 90) return std::nullopt;
  return LatLon{latitude, wrapped(longitude + centre_.longitude)};
}

Line Projection::outline() const {
  if (!world()) return ring({0, 0}, 1, 720);
  Line line{{}, true};
  for (int i = -180; i <= 180; ++i) line.points.push_back(*forward_relative({i / 2.0, 180}));
  for (int i = 180; i >= -180; --i) line.points.push_back(*forward_relative({i / 2.0, -180}));
  return line;
}

}  // namespace riemflow::figure
