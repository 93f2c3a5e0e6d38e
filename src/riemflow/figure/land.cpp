#include "riemflow/figure/land.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "riemflow/core/error.hpp"

extern const unsigned char riemflow_land_50m[];
extern const std::size_t riemflow_land_50m_size;
extern const unsigned char riemflow_land_110m[];
extern const std::size_t riemflow_land_110m_size;

namespace riemflow::figure {
namespace {

static_assert(std::endian::native == std::endian::little);

Land decoded(const unsigned char* bytes, std::size_t size) {
  std::size_t at = 0;
  const auto next = [&]<class T>(T& value) {
    require(at + sizeof value <= size, "the embedded land is cut short", "rebuild from an unchanged data/",
            Fault::internal);
    std::memcpy(&value, bytes + at, sizeof value);
    at += sizeof value;
  };
  std::uint32_t rings = 0;
  next(rings);
  std::vector<std::uint32_t> points(rings);
  for (std::uint32_t& n : points) next(n);
  Land land;
  for (const std::uint32_t n : points) {
    std::vector<LatLon>& ring = land.emplace_back();
    for (std::uint32_t i = 0; i < n; ++i) {
      std::int16_t longitude = 0, latitude = 0;
      next(longitude);
      next(latitude);
      ring.push_back({latitude * 90.0 / 32767, longitude * 180.0 / 32767});
    }
  }
  return land;
}

}  // namespace

const Land& land(LandScale scale) {
  static const Land fine = decoded(riemflow_land_50m, riemflow_land_50m_size);
  static const Land coarse = decoded(riemflow_land_110m, riemflow_land_110m_size);
  return scale == LandScale::fine ? fine : coarse;
}

double wrapped(double longitude) { return longitude - 360 * std::floor((longitude + 180) / 360); }

bool inside(const Land& land, LatLon point) {
  bool in = false;
  for (const auto& ring : land) {
    // Edges that the meridian from the point to the north pole meets; x: degrees east of the meridian.
    double x = wrapped(ring.back().longitude - point.longitude), y = ring.back().latitude;
    for (const LatLon& corner : ring) {
      const double next = wrapped(corner.longitude - point.longitude);
      const bool near = std::abs(next - x) < 180;  // else it meets the meridian on the other side
      if (near && (x < 0) != (next < 0) && y + (corner.latitude - y) * x / (x - next) > point.latitude)
        in = !in;
      x = next;
      y = corner.latitude;
    }
  }
  return in;
}

}  // namespace riemflow::figure
