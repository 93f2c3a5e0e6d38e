#include "riemflow/figure/cut.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "riemflow/manifold/earth.hpp"

namespace riemflow::figure {
namespace {

constexpr double kStep = 1;  // longest piece of an arc that is drawn straight, degrees

double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// The point of the arc at share t of the chord.
Vec3 between(const Vec3& a, const Vec3& b, double t) {
  Vec3 c;
  for (std::size_t i = 0; i < 3; ++i) c[i] = a[i] + t * (b[i] - a[i]);
  const double length = std::sqrt(dot(c, c));
  for (double& x : c) x /= length;
  return c;
}

/// Unit vectors turned: of a world map so that the centre has longitude 0, of a view so that it is (0, 0, 1),
/// with x eastwards and y northwards there.
class Turn {
 public:
  explicit Turn(const Projection& projection) {
    const LatLon c = projection.centre();
    const SinCos phi = sincos_degrees(c.latitude), lambda = sincos_degrees(c.longitude);
    const Vec3 east = {-lambda.sin, lambda.cos, 0};
    if (projection.world())
      rows_ = {Vec3{lambda.cos, lambda.sin, 0}, east, Vec3{0, 0, 1}};
    else
      rows_ = {east, Vec3{-phi.sin * lambda.cos, -phi.sin * lambda.sin, phi.cos}, vector_of(c)};
  }
  Vec3 operator()(const Vec3& v) const { return {dot(rows_[0], v), dot(rows_[1], v), dot(rows_[2], v)}; }

 private:
  std::array<Vec3, 3> rows_;
};

/// Turned, and with points in between so that no arc is long.
std::vector<Vec3> dense(const SphereLine& line, const Turn& turn) {
  std::vector<Vec3> points;
  const std::size_t n = line.points.size();
  for (std::size_t i = 0; i < n + (line.closed ? 1 : 0); ++i) {
    const Vec3 next = turn(line.points[i % n]);
    if (!points.empty()) {
      const Vec3 last = points.back();
      const double angle = std::acos(std::clamp(dot(last, next), -1.0, 1.0)) / kRadians;
      const int pieces = static_cast<int>(std::ceil(angle / kStep));
      for (int k = 1; k < pieces; ++k) points.push_back(between(last, next, double(k) / pieces));
    }
    points.push_back(next);
  }
  return points;
}

/// Turned points of a world map. The border is y = 0, x < 0.
class WorldCutter {
 public:
  explicit WorldCutter(const Projection& projection) : projection_(projection) {}

  void add(const std::vector<Vec3>& points, Lines& result) const {
    Line piece;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (i > 0 && east(points[i - 1]) != east(points[i])) {
        const Vec3 &p = points[i - 1], &q = points[i];
        const double t = p[1] / (p[1] - q[1]);
        if (p[0] + t * (q[0] - p[0]) < 0) {
          const double latitude = place_of(between(p, q, t)).latitude;
          piece.points.push_back(*projection_.forward_relative({latitude, east(p) ? 180.0 : -180.0}));
          result.push_back(std::move(piece));
          piece = Line{{*projection_.forward_relative({latitude, east(q) ? 180.0 : -180.0})}};
        }
      }
      LatLon place = place_of(points[i]);
      if (place.longitude == -180 && east(points[i])) place.longitude = 180;  // y = −0
      piece.points.push_back(*projection_.forward_relative(place));
    }
    result.push_back(std::move(piece));
  }

 private:
  static bool east(const Vec3& v) { return v[1] >= 0; }
  const Projection& projection_;
};

/// Turned points of a view: z is the depth, x and y are the projection.
void add_visible(const std::vector<Vec3>& points, Lines& result) {
  Line piece;
  const auto end_piece = [&] {
    if (piece.points.size() > 1) result.push_back(std::move(piece));
    piece = {};
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3& q = points[i];
    if (i > 0 && (points[i - 1][2] >= 0) != (q[2] >= 0)) {
      const Vec3& p = points[i - 1];
      const Vec3 c = between(p, q, p[2] / (p[2] - q[2]));
      piece.points.push_back({c[0], c[1]});
    }
    if (q[2] >= 0)
      piece.points.push_back({q[0], q[1]});
    else
      end_piece();
  }
  end_piece();
}

/// A ring of the plane of longitude and latitude, x and y; the longitudes relative to the centre go on beyond
/// ±180. A ring around the pole is closed along −90.
std::vector<Vec2> unrolled(const std::vector<LatLon>& ring, double centre) {
  std::vector<Vec2> points;
  double x = wrapped(ring[0].longitude - centre);
  for (std::size_t i = 0; i < ring.size(); ++i) {
    if (i > 0) x += wrapped(ring[i].longitude - ring[i - 1].longitude);
    points.push_back({x, ring[i].latitude});
  }
  x += wrapped(ring[0].longitude - ring.back().longitude);
  if (std::abs(x - points[0].x) > 180) {
    points.push_back({x, ring[0].latitude});
    points.push_back({x, -90});
    points.push_back({points[0].x, -90});
  }
  return points;
}

/// What lies on the side of x = border where (x − border) · side ≥ 0 (Sutherland and Hodgman).
std::vector<Vec2> clipped(const std::vector<Vec2>& ring, double border, double side) {
  std::vector<Vec2> result;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const Vec2 &p = ring[(i + ring.size() - 1) % ring.size()], &q = ring[i];
    const double before = (p.x - border) * side, after = (q.x - border) * side;
    if ((before >= 0) != (after >= 0))
      result.push_back({border, p.y + (q.y - p.y) * before / (before - after)});
    if (after >= 0) result.push_back(q);
  }
  return result;
}

void add_filled_world(const Projection& projection, const std::vector<LatLon>& ring, Lines& result) {
  const std::vector<Vec2> whole = unrolled(ring, projection.centre().longitude);
  const auto [west, east] =
      std::minmax_element(whole.begin(), whole.end(), [](const Vec2& a, const Vec2& b) { return a.x < b.x; });
  const double first = std::ceil((-180 - east->x) / 360), last = std::floor((180 - west->x) / 360);
  for (double turn = first; turn <= last; ++turn) {
    std::vector<Vec2> shifted = whole;
    for (Vec2& p : shifted) p.x += 360 * turn;
    const std::vector<Vec2> part = clipped(clipped(shifted, -180, 1), 180, -1);
    if (part.size() < 3) continue;
    Line image{{}, true};
    for (std::size_t i = 0; i < part.size(); ++i) {
      const Vec2 &p = part[i], &q = part[(i + 1) % part.size()];
      const double span = std::max(std::abs(q.x - p.x), std::abs(q.y - p.y));
      const int pieces = std::max(1, static_cast<int>(std::ceil(span / kStep)));
      for (int k = 0; k < pieces; ++k) {
        const double t = double(k) / pieces;
        image.points.push_back(*projection.forward_relative({p.y + t * (q.y - p.y), p.x + t * (q.x - p.x)}));
      }
    }
    result.push_back(std::move(image));
  }
}

/// Hidden points go to the horizon, straight away from the point opposite of the centre: that keeps how often
/// the ring goes around each visible point, counted from there.
void add_filled_view(const std::vector<Vec3>& points, Lines& result) {
  if (std::none_of(points.begin(), points.end(), [](const Vec3& p) { return p[2] >= 0; })) {
    // Around the opposite point it goes around everything that is seen; else around nothing.
    double around = 0;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      const Vec3 &p = points[i], &q = points[i + 1];
      around += std::atan2(p[0] * q[1] - p[1] * q[0], p[0] * q[0] + p[1] * q[1]);
    }
    if (std::abs(around) > std::numbers::pi) result.push_back(ring({0, 0}, 1, 720));
    return;
  }
  Line image{{}, true};
  const auto along_horizon = [&](const Vec3& p, const Vec3& q) {  // from p, excluded, to q
    const double from = std::atan2(p[1], p[0]);
    const double turn = std::atan2(p[0] * q[1] - p[1] * q[0], p[0] * q[0] + p[1] * q[1]);
    const int pieces = std::max(1, static_cast<int>(std::ceil(std::abs(turn) / kRadians / kStep)));
    for (int k = 1; k <= pieces; ++k) {
      const double angle = from + turn * k / pieces;
      image.points.push_back({std::cos(angle), std::sin(angle)});
    }
  };
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const Vec3 &p = points[i], &q = points[i + 1];
    const bool from_sight = p[2] >= 0, in_sight = q[2] >= 0;
    if (from_sight && in_sight) {
      image.points.push_back({q[0], q[1]});
    } else if (!from_sight && !in_sight) {
      along_horizon(p, q);
    } else {
      const Vec3 c = between(p, q, p[2] / (p[2] - q[2]));
      if (from_sight) {
        image.points.push_back({c[0], c[1]});
        along_horizon(c, q);
      } else {
        along_horizon(p, c);
        image.points.push_back({q[0], q[1]});
      }
    }
  }
  result.push_back(std::move(image));
}

SphereLine on_sphere(const std::vector<LatLon>& ring) {
  SphereLine line{{}, true};
  for (const LatLon& place : ring) line.points.push_back(vector_of(place));
  return line;
}

}  // namespace

Lines cut(const Projection& projection, const std::vector<SphereLine>& lines) {
  const Turn turn(projection);
  const WorldCutter world(projection);
  Lines result;
  for (const SphereLine& line : lines) {
    if (line.points.empty()) continue;
    const std::vector<Vec3> points = dense(line, turn);
    projection.world() ? world.add(points, result) : add_visible(points, result);
  }
  return result;
}

Lines filled(const Projection& projection, const Land& land) {
  const Turn turn(projection);
  Lines result;
  for (const auto& ring : land)
    projection.world() ? add_filled_world(projection, ring, result)
                       : add_filled_view(dense(on_sphere(ring), turn), result);
  const LatLon centre = projection.centre();
  if (!projection.world() && inside(land, {-centre.latitude, wrapped(centre.longitude + 180)}))
    result.push_back(ring({0, 0}, 1, 720));
  return result;
}

Lines coasts(const Projection& projection, const Land& land) {
  std::vector<SphereLine> lines;
  for (const auto& ring : land) lines.push_back(on_sphere(ring));
  return cut(projection, lines);
}

}  // namespace riemflow::figure
