#include "riemflow/figure/contour.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace riemflow::figure {
namespace {

/// Marching squares: crossings lie on the edges of the lattice, each of which ends at most two segments.
class March {
 public:
  March(const Raster& raster, double level)
      : raster_(raster),
        level_(level),
        wide_(raster.columns + (raster.wrap_columns ? 1 : 0)),
        high_(raster.rows + (raster.wrap_rows ? 1 : 0)),
        neighbours_(2 * static_cast<std::size_t>(wide_) * static_cast<std::size_t>(high_), {kNone, kNone}) {
    for (int row = 0; row + 1 < high_; ++row)
      for (int column = 0; column + 1 < wide_; ++column) square(row, column);
  }

  Lines lines() {
    Lines result;
    // Open lines from their ends, then what is left: rings.
    for (const bool rings : {false, true})
      for (std::size_t edge = 0; edge < neighbours_.size(); ++edge)
        if (neighbours_[edge][0] != kNone && (rings || neighbours_[edge][1] == kNone))
          result.push_back(walk(edge, rings));
    return result;
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  double value(int row, int column) const {
    return raster_
        .values[static_cast<std::size_t>(row % raster_.rows) * static_cast<std::size_t>(raster_.columns) +
                static_cast<std::size_t>(column % raster_.columns)];
  }
  bool above(int row, int column) const { return value(row, column) >= level_; }

  /// The edge from (row, column) to the next column, or to the next row.
  std::size_t edge(int row, int column, bool down) const {
    return 2 * (static_cast<std::size_t>(row) * static_cast<std::size_t>(wide_) +
                static_cast<std::size_t>(column)) +
           (down ? 1 : 0);
  }
  Vec2 crossing(std::size_t edge) const {
    const bool down = edge % 2 == 1;
    const int row = static_cast<int>(edge / 2 / static_cast<std::size_t>(wide_));
    const int column = static_cast<int>(edge / 2 % static_cast<std::size_t>(wide_));
    const double a = value(row, column), b = down ? value(row + 1, column) : value(row, column + 1);
    const double t = std::isinf(a) || std::isinf(b) ? 0.5 : (level_ - a) / (b - a);
    return down ? Vec2{static_cast<double>(column), row + t} : Vec2{column + t, static_cast<double>(row)};
  }

  void join(std::size_t a, std::size_t b) {
    for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}})
      neighbours_[from][neighbours_[from][0] == kNone ? 0 : 1] = to;
  }

  void square(int row, int column) {
    const std::array<double, 4> corners = {value(row, column), value(row, column + 1),
                                           value(row + 1, column + 1), value(row + 1, column)};
    if (std::any_of(corners.begin(), corners.end(), [](double x) { return std::isnan(x); })) return;
    const bool nw = above(row, column), ne = above(row, column + 1), se = above(row + 1, column + 1),
               sw = above(row + 1, column);
    const std::size_t north = edge(row, column, false), south = edge(row + 1, column, false),
                      west = edge(row, column, true), east = edge(row, column + 1, true);
    if (nw != ne && ne != se && se != sw) {
      // A saddle: the middle says which two corners are joined.
      const bool middle = (corners[0] + corners[1] + corners[2] + corners[3]) / 4 >= level_;
      join(north, middle == nw ? east : west);
      join(south, middle == nw ? west : east);
      return;
    }
    std::array<std::size_t, 2> crossed{};
    std::size_t n = 0;
    if (nw != ne) crossed[n++] = north;
    if (ne != se) crossed[n++] = east;
    if (se != sw) crossed[n++] = south;
    if (sw != nw) crossed[n++] = west;
    if (n == 2) join(crossed[0], crossed[1]);
  }

  void part(std::size_t from, std::size_t to) {
    auto& pair = neighbours_[from];
    if (pair[0] == to) pair[0] = pair[1];
    pair[1] = kNone;
  }

  /// Along the segments from an edge on, which are used up.
  Line walk(std::size_t start, bool closed) {
    Line line{{crossing(start)}, closed};
    for (std::size_t edge = start;;) {
      const std::size_t next = neighbours_[edge][0];
      if (next == kNone) return line;
      part(edge, next);
      part(next, edge);
      if (next == start) return line;
      line.points.push_back(crossing(next));
      edge = next;
    }
  }

  const Raster& raster_;
  double level_;
  int wide_, high_;
  std::vector<std::array<std::size_t, 2>> neighbours_;
};

}  // namespace

Lines contour(const Raster& raster, double level) { return March(raster, level).lines(); }

double highest_density_level(const std::vector<double>& log_density, const std::vector<double>& mass,
                             double share) {
  std::vector<std::size_t> order;
  double total = 0;
  for (std::size_t i = 0; i < mass.size(); ++i)
    if (!std::isnan(log_density[i]) && mass[i] > 0) {
      order.push_back(i);
      total += mass[i];
    }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return log_density[a] > log_density[b]; });
  double held = 0;
  for (const std::size_t i : order) {
    held += mass[i];
    if (held >= share * std::max(1.0, total)) return log_density[i];
  }
  return -std::numeric_limits<double>::infinity();
}

}  // namespace riemflow::figure
