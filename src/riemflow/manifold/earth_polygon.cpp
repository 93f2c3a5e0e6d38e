#include "riemflow/manifold/earth_polygon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

/// What was assumed of how many edges or rings.
struct Assumed {
  std::size_t short_way = 0, north = 0, south = 0, crossings = 0;
};

/// Turns of a ring round the axis, and the ring with longitudes that run on.
struct Unrolled {
  Ring ring;
  int turns;
};

/// The eastward difference of longitude along the edge a → b.
double eastward(const LonLat& a, const LonLat& b, Assumed& assumed) {
  const double step = b.longitude - a.longitude;
  const bool on_pole = std::abs(a.latitude) == 90 && a.latitude == b.latitude;
  if (std::abs(step) <= 180 || std::abs(step) == 360 || on_pole) return step;
  ++assumed.short_way;
  return step - 360 * std::round(step / 360);
}

Unrolled unroll(const Ring& ring, const std::string& name, Assumed& assumed) {
  Unrolled result;
  double longitude = ring.front().longitude;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    result.ring.push_back({longitude, ring[i].latitude});
    longitude += eastward(ring[i], ring[(i + 1) % ring.size()], assumed);
  }
  const double turns = (longitude - ring.front().longitude) / 360;
  result.turns = static_cast<int>(std::lround(turns));
  require(std::abs(result.turns) <= 1,
          fmt::format("{}: a ring goes {:.0f} times round the Earth", name, std::abs(turns)),
          "give a ring that goes round a pole once, or not at all", Fault::bad_data);
  return result;
}

/// Closes a ring that goes round the axis along the pole at latitude ±90.
void close_at(double pole, Unrolled& unrolled) {
  Ring& ring = unrolled.ring;
  const double start = ring.front().longitude, end = start + 360.0 * unrolled.turns;
  const double first = ring.front().latitude;
  ring.push_back({end, first});
  ring.push_back({end, pole});
  ring.push_back({start, pole});
}

/// The part of the ring on one side of a meridian: side·(longitude − meridian) ≥ 0 (Sutherland and Hodgman).
/// Pieces of the result may hang together along the meridian, where they enclose nothing.
Ring clip(const Ring& ring, double meridian, double side) {
  Ring result;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const LonLat &a = ring[i], &b = ring[(i + 1) % ring.size()];
    const double from = side * (a.longitude - meridian), to = side * (b.longitude - meridian);
    if (from >= 0) result.push_back(a);
    if ((from > 0 && to < 0) || (from < 0 && to > 0))
      result.push_back({meridian, a.latitude + (b.latitude - a.latitude) * (from / (from - to))});
  }
  return result;
}

/// south < north; not horizontal.
struct Edge {
  double south, north, at_south, at_north;
  std::size_t polygon;

  double at(double latitude) const {
    if (latitude <= south) return at_south;
    if (latitude >= north) return at_north;
    return at_south + (at_north - at_south) * ((latitude - south) / (north - south));
  }
};

void add_edges(const Ring& ring, std::size_t polygon, std::vector<Edge>& edges) {
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const LonLat &a = ring[i], &b = ring[(i + 1) % ring.size()];
    if (a.latitude < b.latitude)
      edges.push_back({a.latitude, b.latitude, a.longitude, b.longitude, polygon});
    else if (b.latitude < a.latitude)
      edges.push_back({b.latitude, a.latitude, b.longitude, a.longitude, polygon});
  }
}

/// The ring's copies in all turns that meet [−180, 180].
void add_on_cylinder(const Ring& ring, std::size_t polygon, std::vector<Edge>& edges) {
  const auto [west, east] = std::minmax_element(
      ring.begin(), ring.end(), [](const LonLat& a, const LonLat& b) { return a.longitude < b.longitude; });
  const int first = static_cast<int>(std::ceil((-180 - east->longitude) / 360)),
            last = static_cast<int>(std::floor((180 - west->longitude) / 360));
  for (int turn = first; turn <= last; ++turn) {
    Ring moved = ring;
    for (LonLat& position : moved) position.longitude += 360.0 * turn;
    add_edges(clip(clip(moved, -180, 1), 180, -1), polygon, edges);
  }
}

std::vector<Edge> edges_of(const std::vector<Polygon>& polygons, const std::string& name, Assumed& assumed) {
  std::vector<Edge> edges;
  for (std::size_t p = 0; p < polygons.size(); ++p) {
    double pole = 0;  // of the outer ring
    for (std::size_t r = 0; r < polygons[p].size(); ++r) {
      Unrolled unrolled = unroll(polygons[p][r], name, assumed);
      if (unrolled.turns != 0) {
        const bool outer = r == 0;
        const double own = unrolled.turns > 0 ? 90 : -90;
        const double at = outer ? own : pole != 0 ? pole : -own;
        if (outer) {
          pole = own;
          ++(own > 0 ? assumed.north : assumed.south);
        }
        close_at(at, unrolled);
      }
      add_on_cylinder(unrolled.ring, p, edges);
    }
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.south < b.south; });
  return edges;
}

/// visit(south, north, active) for each band between consecutive latitudes, with the edges that cross it.
template <class Visit>
void for_each_band(const std::vector<double>& latitudes, const std::vector<Edge>& edges, const Visit& visit) {
  std::vector<std::size_t> active;
  std::size_t next = 0;
  for (std::size_t i = 0; i + 1 < latitudes.size(); ++i) {
    const double south = latitudes[i];
    std::erase_if(active, [&](std::size_t e) { return edges[e].north <= south; });
    for (; next < edges.size() && edges[next].south <= south; ++next) active.push_back(next);
    if (!active.empty()) visit(south, latitudes[i + 1], active);
  }
}

void sort_unique(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

/// Latitudes where edges begin, end or cross.
std::vector<double> event_latitudes(const std::vector<Edge>& edges, Assumed& assumed) {
  std::vector<double> latitudes, crossings;
  for (const Edge& edge : edges) {
    latitudes.push_back(edge.south);
    latitudes.push_back(edge.north);
  }
  sort_unique(latitudes);
  for_each_band(latitudes, edges, [&](double south, double north, const std::vector<std::size_t>& active) {
    std::vector<std::pair<double, double>> ends;
    for (const std::size_t e : active) ends.emplace_back(edges[e].at(south), edges[e].at(north));
    std::sort(ends.begin(), ends.end());
    const auto crossed = [](const auto& a, const auto& b) { return a.second > b.second + 1e-12; };
    if (std::is_sorted(ends.begin(), ends.end(), [&](const auto& a, const auto& b) { return crossed(b, a); }))
      return;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      for (std::size_t j = i + 1; j < ends.size(); ++j) {
        const double below = ends[j].first - ends[i].first, above = ends[i].second - ends[j].second;
        if (!(below > 1e-12) || !(above > 1e-12)) continue;
        crossings.push_back(south + (north - south) * (below / (below + above)));
        ++assumed.crossings;
      }
    }
  });
  latitudes.insert(latitudes.end(), crossings.begin(), crossings.end());
  sort_unique(latitudes);
  return latitudes;
}

void add_remarks(const Assumed& assumed, std::vector<std::string>& remarks) {
  const auto count = [](std::size_t n, const char* what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  if (assumed.short_way > 0)
    remarks.push_back(count(assumed.short_way, "edge") +
                      " of more than 180 degrees of longitude taken the short way, across the antimeridian");
  if (assumed.north > 0)
    remarks.push_back(count(assumed.north, "ring") + " eastward round the north pole, taken to contain it");
  if (assumed.south > 0)
    remarks.push_back(count(assumed.south, "ring") + " westward round the south pole, taken to contain it");
  if (assumed.crossings > 0)
    remarks.push_back(
        "edges cross: inside is what an odd number of edges of a polygon separates from the "
        "outside, and what is inside one polygon of several");
}

}  // namespace

std::vector<Trapezoid> trapezoids_of(const std::vector<Polygon>& polygons, const std::string& name,
                                     std::vector<std::string>& remarks) {
  Assumed assumed;
  const std::vector<Edge> edges = edges_of(polygons, name, assumed);
  const std::vector<double> latitudes = event_latitudes(edges, assumed);
  add_remarks(assumed, remarks);

  // A trapezoid goes on from band to band as long as its two edges do.
  using Sides = std::pair<std::size_t, std::size_t>;
  std::map<Sides, double> open;  // since which latitude
  std::vector<Trapezoid> result;
  const auto close = [&](const Sides& sides, double south, double north) {
    const Edge &left = edges[sides.first], &right = edges[sides.second];
    const Trapezoid t{south, north, left.at(south), left.at(north), right.at(south), right.at(north)};
    if (t.right_south > t.left_south || t.right_north > t.left_north) result.push_back(t);
  };

  std::vector<char> odd(polygons.size());
  double last_north = 0;
  for_each_band(latitudes, edges, [&](double south, double north, const std::vector<std::size_t>& active) {
    const double middle = 0.5 * (south + north);
    std::vector<std::pair<double, std::size_t>> order;
    for (const std::size_t e : active) order.emplace_back(edges[e].at(middle), e);
    std::sort(order.begin(), order.end());
    std::fill(odd.begin(), odd.end(), 0);
    int inside = 0;
    std::size_t left = 0;
    std::map<Sides, double> now;
    for (const auto& [longitude, e] : order) {
      char& parity = odd[edges[e].polygon];
      parity = static_cast<char>(1 - parity);
      const int before = inside;
      inside += parity == 1 ? 1 : -1;
      if (before == 0) left = e;
      if (inside != 0) continue;
      const Sides sides{left, e};
      const auto since = open.find(sides);
      const bool goes_on = since != open.end() && last_north == south;
      now[sides] = goes_on ? since->second : south;
      if (goes_on) open.erase(since);
    }
    for (const auto& [sides, since] : open) close(sides, since, last_north);
    open = std::move(now);
    last_north = north;
  });
  for (const auto& [sides, since] : open) close(sides, since, last_north);
  return result;
}

std::optional<MisplacedHole> misplaced_hole(const Polygon& polygon, const std::string& name) {
  if (polygon.size() < 2) return std::nullopt;
  std::vector<std::string> ignored;
  const auto area = [&](const Polygon& rings) {
    double sum = 0;
    for (const Trapezoid& trapezoid : trapezoids_of({rings}, name, ignored)) sum += steradians_of(trapezoid);
    return sum;
  };
  Assumed assumed;
  const int turns = unroll(polygon[0], name, assumed).turns;
  std::vector<double> areas = {area({polygon[0]})};
  double rest = areas[0];
  for (std::size_t r = 1; r < polygon.size(); ++r) {
    // Round a pole a hole encloses that of the first ring, whichever way it runs (edges_of).
    Ring ring = polygon[r];
    const int own = unroll(ring, name, assumed).turns;
    if (own != 0 && own != turns) std::reverse(ring.begin(), ring.end());
    areas.push_back(area({ring}));
    rest -= areas.back();
  }
  // |S Δ H₁ Δ H₂ Δ …| ≥ |S| − |H₁| − |H₂| − …, equal if, and only if, the holes are in S and disjoint.
  const double slack = 1e-11 * areas[0] + 1e-13;
  const double excess = area(polygon) - rest;
  if (!(excess > slack)) return std::nullopt;
  std::size_t largest = 1;
  for (std::size_t r = 1; r < polygon.size(); ++r) {
    // |S Δ H| = |S| − |H| + 2 |H \ S|
    const double outside = 0.5 * (area({polygon[0], polygon[r]}) - areas[0] + areas[r]);
    if (outside > areas[r] - slack && areas[r] > slack) return MisplacedHole{r, MisplacedHole::outside};
    if (outside > slack) return MisplacedHole{r, MisplacedHole::across};
    if (areas[r] > areas[largest]) largest = r;
  }
  return MisplacedHole{largest, MisplacedHole::overlapping};
}

EarthRegion earth_polygons(const std::vector<Polygon>& polygons, const std::string& name) {
  EarthRegion region;
  region.name = name;
  add_trapezoids(trapezoids_of(polygons, name, region.remarks), region);
  require(!region.patches.empty(), name + ": the polygon encloses nothing",
          "give rings with an area, as [[longitude, latitude], …]", Fault::bad_data);
  return region;
}

}  // namespace riemflow
