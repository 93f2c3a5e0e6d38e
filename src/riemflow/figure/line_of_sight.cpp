#include "riemflow/figure/line_of_sight.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "riemflow/core/cancel.hpp"
#include "riemflow/figure/climb.hpp"

namespace riemflow::figure {
namespace {

constexpr std::size_t kDrawn = 20'000;
constexpr double kCoarse = 6 * std::numbers::pi / 180;  // between lines and depths that are looked at anyway
constexpr double kDeeper = 0.7;                         // widths: of a parabola
constexpr double kSeen = 1e-4;                 // of the largest density: what is less is not followed
constexpr std::size_t kMostFollowed = 50'000;  // lines
constexpr int kTakeOvers = 20;
constexpr double kWorthATry = 0.7;  // of a value, of one beside it that may raise it
constexpr std::size_t kPeaks = 3;   // from which to climb

class SeenLines {
 public:
  SeenLines(const Texture& texture, const Sight& sight, double width)
      : texture_(texture),
        sight_(sight),
        width_(width),
        n_(static_cast<std::size_t>(sight.columns) * static_cast<std::size_t>(sight.rows)),
        value_(n_, std::numeric_limits<double>::quiet_NaN()),
        depths_(n_),
        depth_(n_, 0),
        node_of_(n_),
        followed_(n_, 0) {
    for (std::size_t i = 0; i < n_; ++i) depths_[i] = sight.depths(column(i), row(i));
  }

  /// Looks through every so many lines, and interpolates the logarithm between them.
  void look_through() {
    const int stride = std::max(1, static_cast<int>(kCoarse / sight_.step));
    const auto is_node = [stride](int k, int of) { return k % stride == 0 || k + 1 == of; };
    std::vector<Look> looks;
    for (std::size_t i = 0; i < n_; ++i) {
      if (!depths_[i] || !is_node(column(i), sight_.columns) || !is_node(row(i), sight_.rows)) continue;
      const auto [from, to] = *depths_[i];
      const int steps = static_cast<int>(std::ceil((to - from) / kCoarse));
      for (int k = 0; k <= steps; ++k)
        looks.push_back({i, steps == 0 ? from : from + (to - from) * k / steps});
    }
    const std::vector<double> density = densities(looks);
    nodes_.assign(n_, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t k = 0; k < looks.size(); ++k)
      if (raise(nodes_[looks[k].line], density[k])) depth_[looks[k].line] = looks[k].depth;
    const auto nearest = [stride](int k, int of) {
      return std::min((k + stride / 2) / stride * stride, of - 1);
    };
    for (std::size_t i = 0; i < n_; ++i) {
      node_of_[i] = index(nearest(column(i), sight_.columns), nearest(row(i), sight_.rows));
      if (depths_[i]) value_[i] = stride == 1 ? nodes_[i] : between(nodes_, i, stride);
    }
    node_depth_ = depth_;
  }

  /// The lines near the draws, at their depths, and those beside them.
  void follow(const Probes& probes) {
    double largest = 0;
    for (const double density : probes.density)
      if (density > largest) largest = density;
    std::vector<Look> front;
    std::vector<double> best(n_, 0);
    std::vector<std::size_t> at(n_);
    for (const Sight::Place& place : sight_.draws) {
      const std::size_t i = index(place.column, place.row);
      const double density = probes.density[place.draw];
      if (!depths_[i] || !(density > best[i])) continue;
      if (best[i] == 0) {
        at[i] = front.size();
        front.push_back({i, place.depth});
      }
      best[i] = density;
      front[at[i]].depth = place.depth;
    }
    std::size_t lines = 0;
    while (!front.empty() && lines < kMostFollowed) {
      lines += front.size();
      front = beside(looked_at(front), kSeen * largest);
    }
    take_over();
    if (sight_.step > width_)
      for (std::size_t i = 0; i < n_; ++i)
        if (best[i] > 0) raise(value_[i], best[i]);
  }

  std::vector<double> values() && { return std::move(value_); }

 private:
  struct Look {
    std::size_t line;
    double depth;
  };

  std::size_t index(int column, int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(sight_.columns) +
           static_cast<std::size_t>(column);
  }
  int column(std::size_t i) const { return static_cast<int>(i % static_cast<std::size_t>(sight_.columns)); }
  int row(std::size_t i) const { return static_cast<int>(i / static_cast<std::size_t>(sight_.columns)); }
  /// NaN counts as nothing.
  static bool raise(double& largest, double value) {
    const bool higher = !(largest >= value) && !std::isnan(value);
    if (higher) largest = value;
    return higher;
  }

  std::vector<double> densities(const std::vector<Look>& looks) const {
    give_up_if_asked();
    Points<double> rotations(0, 4);
    for (const Look& look : looks)
      add_orientation(rotations, sight_.rotation(column(look.line), row(look.line), look.depth));
    return multiples_of_uniform(texture_, rotations);
  }

  /// Of the nodes around a line, those that have a value.
  double between(const std::vector<double>& nodes, std::size_t i, int stride) const {
    const auto ends = [stride](int k, int of) {
      const int low = k / stride * stride;
      return std::pair{low, std::min(low + stride, of - 1)};
    };
    const auto [left, right] = ends(column(i), sight_.columns);
    const auto [low, high] = ends(row(i), sight_.rows);
    const double u = right > left ? static_cast<double>(column(i) - left) / (right - left) : 0,
                 v = high > low ? static_cast<double>(row(i) - low) / (high - low) : 0;
    double sum = 0, weights = 0;
    const auto add = [&](int c, int r, double weight) {
      const double node = nodes[index(c, r)];
      if (std::isnan(node) || weight == 0) return;
      sum += weight * std::log(std::max(node, std::numeric_limits<double>::min()));
      weights += weight;
    };
    add(left, low, (1 - u) * (1 - v));
    add(right, low, u * (1 - v));
    add(left, high, (1 - u) * v);
    add(right, high, u * v);
    return weights > 0 ? std::exp(sum / weights) : std::numeric_limits<double>::quiet_NaN();
  }

  /// The same lines, each at the depth of its largest density, which is its value from now on.
  std::vector<Look> looked_at(std::vector<Look> front) {
    const auto within = [&](const Look& look, double depth) {
      return Look{look.line, std::clamp(depth, depths_[look.line]->from, depths_[look.line]->to)};
    };
    std::vector<Look> looks;
    for (const Look& look : front)
      for (const double step : {-kDeeper * width_, 0.0, kDeeper * width_})
        looks.push_back(within(look, within(look, look.depth).depth + step));
    std::vector<double> density = densities(looks);
    std::vector<Look> tops;
    for (std::size_t k = 0; k < front.size(); ++k) {
      double top = looks[3 * k + 1].depth;
      const double a = top - looks[3 * k].depth, b = looks[3 * k + 2].depth - top;
      // Through three points of the logarithm, at −a, 0 and b.
      const double low = std::log(density[3 * k] / density[3 * k + 1]) / a,
                   high = std::log(density[3 * k + 2] / density[3 * k + 1]) / b;
      const double bend = (low + high) / (a + b), slope = high - bend * b;
      if (std::isfinite(slope) && bend < 0)
        top += std::clamp(-slope / (2 * bend), -2 * width_, 2 * width_);
      else if (std::isfinite(slope))
        top += std::copysign(2 * width_, slope);
      tops.push_back(within(front[k], top));
    }
    const std::vector<double> at_tops = densities(tops);
    for (std::size_t k = 0; k < front.size(); ++k) {
      double& value = value_[front[k].line];
      if (followed_[front[k].line] == 0) value = std::numeric_limits<double>::quiet_NaN();
      followed_[front[k].line] = 1;
      const auto offer = [&](const Look& look, double found) {
        if (raise(value, found)) front[k].depth = depth_[look.line] = look.depth;
      };
      for (std::size_t i = 3 * k; i < 3 * k + 3; ++i) offer(looks[i], density[i]);
      offer(tops[k], at_tops[k]);
    }
    return front;
  }

  /// Lines that have not been followed, beside those that have a value worth following, at the depth of the
  /// largest of these.
  std::vector<Look> beside(const std::vector<Look>& lines, double least) {
    std::vector<Look> result;
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t k = 0; k < lines.size(); ++k)
      if (value_[lines[k].line] > least) order.push_back({-value_[lines[k].line], k});
    std::sort(order.begin(), order.end());
    for (const auto& [value, k] : order) {
      const int c = column(lines[k].line), r = row(lines[k].line);
      for (const int dr : {-1, 0, 1})
        for (const int dc : {-1, 0, 1}) {
          if (c + dc < 0 || c + dc >= sight_.columns || r + dr < 0 || r + dr >= sight_.rows) continue;
          const std::size_t i = index(c + dc, r + dr);
          if (followed_[i] != 0 || !depths_[i]) continue;
          followed_[i] = 2;  // asked for
          result.push_back({i, lines[k].depth});
        }
    }
    for (const Look& look : result) followed_[look.line] = 0;
    return result;
  }

  /// A line may have been followed at the depth of a lower peak than one that it meets elsewhere. Lines take
  /// over the depths of higher ones beside them, and that of the nearest line that was looked through, as
  /// long as it raises them.
  void take_over() {
    std::vector<std::size_t> raised;
    std::vector<Look> offers;
    const auto offer = [&](std::size_t line, double depth, double value) {
      if (followed_[line] != 0 && value > kWorthATry * value_[line] &&
          std::abs(depth - depth_[line]) > width_ / 2)
        offers.push_back({line, depth});
    };
    for (std::size_t i = 0; i < n_; ++i) {
      if (followed_[i] == 0) continue;
      raised.push_back(i);
      offer(i, node_depth_[node_of_[i]], nodes_[node_of_[i]]);
    }
    std::vector<double> best(n_, 0);
    std::vector<std::size_t> at(n_);
    for (int round = 0; round < kTakeOvers && !raised.empty(); ++round) {
      for (const std::size_t i : raised)
        for (const int dr : {-1, 0, 1})
          for (const int dc : {-1, 0, 1}) {
            const int c = column(i) + dc, r = row(i) + dr;
            if (c < 0 || c >= sight_.columns || r < 0 || r >= sight_.rows) continue;
            offer(index(c, r), depth_[i], value_[i]);
          }
      const std::vector<double> density = densities(offers);
      std::vector<Look> higher;
      for (std::size_t k = 0; k < offers.size(); ++k) {
        const std::size_t line = offers[k].line;
        if (!(density[k] > value_[line] && density[k] > best[line])) continue;
        if (best[line] == 0) {
          at[line] = higher.size();
          higher.push_back(offers[k]);
        }
        best[line] = density[k];
        higher[at[line]].depth = offers[k].depth;
      }
      offers.clear();
      raised.clear();
      for (const Look& look : looked_at(higher)) {
        raised.push_back(look.line);
        best[look.line] = 0;
      }
    }
  }

  const Texture& texture_;
  const Sight& sight_;
  double width_;
  std::size_t n_;
  std::vector<double> value_;
  std::vector<std::optional<Sight::Depths>> depths_;
  std::vector<double> depth_;               // of the value, of lines that were followed
  std::vector<double> nodes_, node_depth_;  // of the lines that were looked through
  std::vector<std::size_t> node_of_;        // the nearest of these
  std::vector<char> followed_;
};

Orientation turned(const Orientation& R, const std::array<double, 3>& by) {
  return rotation::product(R, rotation::from_vector(by));
}

}  // namespace

Probes probes_of(const Texture& texture) {
  if (!texture.draws) return {Points<double>(0, 4), {}};
  Probes probes{texture.draws(kDrawn), {}};
  probes.density = multiples_of_uniform(texture, probes.rotations);
  return probes;
}

std::vector<double> largest_along(const Texture& texture, const Sight& sight, const Probes& probes,
                                  double width) {
  SeenLines picture(texture, sight, width);
  picture.look_through();
  picture.follow(probes);
  return std::move(picture).values();
}

double highest_density(const Texture& texture, const Probes& probes, double width) {
  std::vector<std::size_t> order(probes.density.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t k) { return std::isnan(probes.density[k]); });
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return probes.density[i] > probes.density[j]; });
  double highest = std::numeric_limits<double>::quiet_NaN();
  std::vector<Orientation> tops;
  for (const std::size_t k : order) {
    if (tops.size() == kPeaks) break;
    const Orientation R = orientation_at(probes.rotations, k);
    const auto near = [&](const Orientation& top) {
      return rotation::angle(least_turn(texture.group, rotation::product(rotation::inverse(top), R))) <
             4 * width;
    };
    if (std::any_of(tops.begin(), tops.end(), near)) continue;
    tops.push_back(R);
    const double log_top = climbed<3>(R, width / 2, turned, [&](const std::vector<Orientation>& places) {
                             Points<double> rotations(0, 4);
                             for (const Orientation& place : places) add_orientation(rotations, place);
                             std::vector<double> logs = texture.log_density(rotations);
                             for (double& value : logs) value -= texture.log_uniform;
                             return logs;
                           }).second;
    if (const double top = std::exp(log_top); !(highest >= top)) highest = top;
  }
  return highest;
}

}  // namespace riemflow::figure
