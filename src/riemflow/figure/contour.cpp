#include "riemflow/figure/contour.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <unordered_map>

namespace riemflow::figure {
namespace {

/// Marching squares. An edge is named by its first node and whether it goes along a row or a column.
class Tracer {
 public:
  Tracer(const Nodes& nodes, double level) : nodes_(nodes), level_(level) {
    const std::size_t high = nodes.rows_wrap ? nodes.rows : nodes.rows - 1;
    const std::size_t wide = nodes.columns_wrap ? nodes.columns : nodes.columns - 1;
    for (std::size_t row = 0; row < high; ++row)
      for (std::size_t column = 0; column < wide; ++column) add_cell(row, column);
  }

  Lines lines() {
    // Open lines first, from their ends; what is left is closed. By number, so that the order is always one.
    std::vector<Edge> starts;
    for (const auto& [edge, links] : links_) starts.push_back(edge);
    std::sort(starts.begin(), starts.end(), [this](Edge a, Edge b) {
      const bool a_open = links_[a].next[1] == kNone, b_open = links_[b].next[1] == kNone;
      return a_open != b_open ? a_open : a < b;
    });
    Lines result;
    for (const Edge edge : starts)
      if (!links_[edge].used) result.push_back(follow(edge));
    return result;
  }

 private:
  using Edge = std::uint64_t;
  static constexpr Edge kNone = ~Edge{0};
  struct Links {
    Edge next[2] = {kNone, kNone};
    bool used = false;
  };

  double value(std::size_t row, std::size_t column) const {
    return nodes_.values[(row % nodes_.rows) * nodes_.columns + column % nodes_.columns];
  }
  Edge edge(std::size_t row, std::size_t column, bool along_row) const {
    return 2 * ((row % nodes_.rows) * nodes_.columns + column % nodes_.columns) + (along_row ? 0 : 1);
  }

  void add_cell(std::size_t row, std::size_t column) {
    const double v[4] = {value(row, column), value(row, column + 1), value(row + 1, column + 1),
                         value(row + 1, column)};
    int above = 0;
    for (int i = 0; i < 4; ++i) {
      if (std::isnan(v[i])) return;
      if (v[i] >= level_) above |= 1 << i;
    }
    // Its edges, each from corner i to corner i + 1.
    const Edge edges[4] = {edge(row, column, true), edge(row, column + 1, false), edge(row + 1, column, true),
                           edge(row, column, false)};
    if (above == 5 || above == 10) {  // a saddle: the middle decides what hangs together
      const bool high_middle = (v[0] + v[1] + v[2] + v[3]) / 4 >= level_;
      const bool around_0_and_2 = (above == 10) == high_middle;
      link(edges[0], edges[around_0_and_2 ? 3 : 1]);
      link(edges[2], edges[around_0_and_2 ? 1 : 3]);
      return;
    }
    Edge crossed[2];
    int n = 0;
    for (int i = 0; i < 4; ++i)
      if (((above >> i) & 1) != ((above >> ((i + 1) % 4)) & 1)) crossed[n++] = edges[i];
    if (n == 2) link(crossed[0], crossed[1]);
  }

  void link(Edge a, Edge b) {
    const auto add = [this](Edge from, Edge to) {
      Links& links = links_[from];
      links.next[links.next[0] == kNone ? 0 : 1] = to;
    };
    add(a, b);
    add(b, a);
  }

  Vec2 place(Edge edge) const {
    const std::size_t node = edge / 2, row = node / nodes_.columns, column = node % nodes_.columns;
    const bool along_row = edge % 2 == 0;
    const double from = value(row, column), to = along_row ? value(row, column + 1) : value(row + 1, column);
    const double t = (level_ - from) / (to - from);
    return {static_cast<double>(column) + (along_row ? t : 0),
            static_cast<double>(row) + (along_row ? 0 : t)};
  }

  Line follow(Edge start) {
    Line line;
    Edge before = kNone, at = start;
    while (at != kNone && !links_[at].used) {
      Links& links = links_[at];
      links.used = true;
      line.points.push_back(continued(line, place(at)));
      const Edge next = links.next[0] != before ? links.next[0] : links.next[1];
      before = at;
      at = next;
    }
    if (at == start) {
      // Once around the lattice it comes back a whole turn away: such a line ends in a point of its own.
      const Vec2 end = continued(line, line.points.front());
      line.closed = end == line.points.front();
      if (!line.closed) line.points.push_back(end);
    }
    return line;
  }

  /// The point, whole turns on so that it is near the last one.
  Vec2 continued(const Line& line, Vec2 point) const {
    if (line.points.empty()) return point;
    const Vec2 last = line.points.back();
    const auto near = [](double x, double to, std::size_t period) {
      const auto p = static_cast<double>(period);
      return x + p * std::round((to - x) / p);
    };
    if (nodes_.columns_wrap) point.x = near(point.x, last.x, nodes_.columns);
    if (nodes_.rows_wrap) point.y = near(point.y, last.y, nodes_.rows);
    return point;
  }

  const Nodes& nodes_;
  double level_;
  std::unordered_map<Edge, Links> links_;
};

}  // namespace

Lines contour(const Nodes& nodes, double level) {
  if (nodes.rows < 2 || nodes.columns < 2) return {};
  return Tracer(nodes, level).lines();
}

std::vector<double> highest_density_levels(std::span<const double> densities, std::span<const double> volumes,
                                           std::span<const double> shares) {
  std::vector<std::size_t> order;
  double total = 0;
  for (std::size_t i = 0; i < densities.size(); ++i) {
    if (std::isnan(densities[i])) continue;
    order.push_back(i);
    total += densities[i] * volumes[i];
  }
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return densities[a] > densities[b]; });
  std::vector<double> levels;
  for (const double share : shares) {
    double mass = 0, level = 0;
    for (const std::size_t i : order) {
      level = densities[i];
      mass += level * volumes[i];
      if (mass >= share * total) break;
    }
    levels.push_back(level);
  }
  return levels;
}

}  // namespace riemflow::figure
