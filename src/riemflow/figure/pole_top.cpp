#include "riemflow/figure/pole_top.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "riemflow/core/cancel.hpp"
#include "riemflow/core/kronrod.hpp"
#include "riemflow/figure/climb.hpp"
#include "riemflow/figure/pole_density.hpp"

namespace riemflow::figure {
namespace {

constexpr std::size_t kCandidates = 3;      // places of a lattice from which to climb
constexpr double kWidthsAPanel = 4;         // of a fibre that no draw tells more of
constexpr std::size_t kMostPanels = 48;     // of those
constexpr std::size_t kHintPanels = 6;      // of equal numbers of draws
constexpr std::size_t kMostHints = 20'000;  // of draws near a place
constexpr double kAccuracy = 2e-3;
constexpr int kBisections = 12;

/// Draws turned by the group so that they take an end to near a place: rotations by end.
using Hints = std::vector<std::vector<Orientation>>;

/// P at places near a middle.
class NearbyPoles {
 public:
  NearbyPoles(const Texture& texture, const PoleFibres& fibres, const Direction& middle, double width,
              const Hints& hints)
      : texture_(texture), fibres_(fibres), middle_(middle) {
    const double T = fibres.period;
    for (std::size_t end = 0; end < fibres.ends.size(); ++end) {
      first_.push_back(turn_between(fibres.ends[end], middle));
      std::vector<double> angles;
      for (const Orientation& R : hints[end]) angles.push_back(angle_of(R, end));
      std::sort(angles.begin(), angles.end());
      const std::size_t even = std::clamp<std::size_t>(
          static_cast<std::size_t>(std::ceil(T / (kWidthsAPanel * width))), 4, kMostPanels);
      std::vector<double> ends;
      for (std::size_t k = 0; k <= even; ++k)
        ends.push_back(T * static_cast<double>(k) / static_cast<double>(even));
      for (std::size_t k = 0; k <= kHintPanels && !angles.empty(); ++k)
        ends.push_back(angles[(angles.size() - 1) * k / kHintPanels]);
      std::sort(ends.begin(), ends.end());
      const auto close = [T](double a, double b) { return b - a < 1e-5 * T; };
      ends.erase(std::unique(ends.begin(), ends.end(), close), ends.end());
      ends.back() = T;
      panel_ends_.push_back(std::move(ends));
    }
  }

  std::vector<double> log_values(const std::vector<Direction>& y) const {
    struct Panel {
      std::size_t place, end;
      double from, to, value = 0, error = 0;
    };
    std::vector<Panel> fresh, settled;
    for (std::size_t place = 0; place < y.size(); ++place)
      for (std::size_t end = 0; end < panel_ends_.size(); ++end)
        for (std::size_t k = 0; k + 1 < panel_ends_[end].size(); ++k)
          fresh.push_back({place, end, panel_ends_[end][k], panel_ends_[end][k + 1]});
    const KronrodRule& rule = kronrod_rule(2);
    std::vector<double> sums(y.size());
    for (int round = 0; round < kBisections && !fresh.empty(); ++round) {
      give_up_if_asked();
      Points<double> rotations(0, 4);
      for (const Panel& panel : fresh)
        for (const double node : rule.nodes)
          add_orientation(rotations, on_fibre(y[panel.place], panel.end,
                                              panel.from + (panel.to - panel.from) * (node + 1) / 2));
      const std::vector<double> density = multiples_of_uniform(texture_, rotations);
      for (std::size_t i = 0; i < fresh.size(); ++i) {
        Panel& panel = fresh[i];
        double gauss = 0;
        for (std::size_t k = 0; k < rule.nodes.size(); ++k) {
          const double value = density[i * rule.nodes.size() + k];
          panel.value += rule.weights[k] * value;
          gauss += rule.gauss_weights[k] * value;
        }
        const double share =
            (panel.to - panel.from) / 2 / fibres_.period / static_cast<double>(fibres_.ends.size());
        panel.error = share * std::abs(panel.value - gauss);
        panel.value *= share;
      }
      settled.insert(settled.end(), fresh.begin(), fresh.end());
      fresh.clear();
      std::fill(sums.begin(), sums.end(), 0.0);
      for (const Panel& panel : settled) sums[panel.place] += panel.value;
      // Those that are too coarse become two; of a failure, NaN, nothing is made.
      const auto coarse = std::partition(settled.begin(), settled.end(), [&](const Panel& panel) {
        return !(panel.error > kAccuracy * sums[panel.place]);
      });
      if (round + 1 == kBisections) break;
      for (auto panel = coarse; panel != settled.end(); ++panel) {
        const double middle = (panel->from + panel->to) / 2;
        fresh.push_back({panel->place, panel->end, panel->from, middle});
        fresh.push_back({panel->place, panel->end, middle, panel->to});
      }
      settled.erase(coarse, settled.end());
    }
    for (double& sum : sums) sum = std::log(sum);
    return sums;
  }

 private:
  Orientation on_fibre(const Direction& y, std::size_t end, double angle) const {
    return rotation::product(rotation::product(turn_between(middle_, y), first_[end]),
                             rotation::from_axis(fibres_.ends[end], angle));
  }
  /// Of the place on the fibre over the middle that is nearest to R, in [0, period).
  double angle_of(const Orientation& R, std::size_t end) const {
    const Orientation q = rotation::product(rotation::inverse(first_[end]), R);
    const Direction& h = fibres_.ends[end];
    const double angle = 2 * std::atan2(q[1] * h[0] + q[2] * h[1] + q[3] * h[2], q[0]);
    return angle - fibres_.period * std::floor(angle / fibres_.period);
  }

  const Texture& texture_;
  const PoleFibres& fibres_;
  Direction middle_;
  std::vector<Orientation> first_;               // of each end
  std::vector<std::vector<double>> panel_ends_;  // of each end
};

Direction moved(const Direction& y, const std::array<double, 2>& by) {
  const Direction thin = std::abs(y[2]) < 0.8 ? Direction{0, 0, 1} : Direction{1, 0, 0};
  const Orientation to_y = turn_between(thin, y);
  const Direction u = rotation::rotated(to_y, Direction{thin[2], thin[0], thin[1]}),
                  v = rotation::rotated(to_y, Direction{thin[1], thin[2], thin[0]});
  Direction result{};
  for (std::size_t i = 0; i < 3; ++i) result[i] = y[i] + by[0] * u[i] + by[1] * v[i];
  return of_length_one(result);
}

/// The highest points of the lattice that are higher than their neighbours.
std::vector<Direction> candidates_of(const DiscLattice& lattice) {
  std::vector<std::pair<double, Direction>> tops;
  for (int iy = 1; iy + 1 < lattice.n; ++iy)
    for (int ix = 1; ix + 1 < lattice.n; ++ix) {
      const Vec2 place = lattice.place(ix, iy);
      const double value = lattice.at(ix, iy);
      if (std::hypot(place.x, place.y) > 1 || std::isnan(value)) continue;
      bool top = true;
      for (const int dy : {-1, 0, 1})
        for (const int dx : {-1, 0, 1}) top = top && !(lattice.at(ix + dx, iy + dy) > value);
      if (top) tops.push_back({value, direction_at(place)});
    }
  const std::size_t n = std::min(kCandidates, tops.size());
  std::partial_sort(tops.begin(), tops.begin() + static_cast<std::ptrdiff_t>(n), tops.end(),
                    [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Direction> result;
  for (std::size_t i = 0; i < n; ++i) result.push_back(tops[i].second);
  return result;
}

/// The draws within `reach` of each place.
std::vector<Hints> hints_near(const PoleFibres& fibres, const std::vector<Direction>& places,
                              const Points<double>& draws, double reach) {
  std::vector<Hints> all(places.size(), Hints(fibres.ends.size()));
  const double least = std::cos(reach);
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const Orientation R = orientation_at(draws, i);
    for (const PoleFibres::ToEnd& way : fibres.ways) {
      const Orientation turned = rotation::product(R, way.turn);
      const Direction pole = rotation::rotated(turned, fibres.ends[way.end]);
      for (std::size_t k = 0; k < places.size(); ++k)
        if (inner_product(pole, places[k]) > least && all[k][way.end].size() < kMostHints)
          all[k][way.end].push_back(turned);
    }
  }
  return all;
}

/// Where the poles of the hints are densest, by their mean over smaller and smaller circles; drops those
/// outside of the last.
Direction narrowed(const PoleFibres& fibres, Direction place, double reach, Hints& hints) {
  constexpr int kRounds = 6;
  for (int round = 0; round < kRounds; ++round) {
    Direction sum{};
    double square = 0, n = 0;
    for (std::size_t end = 0; end < hints.size(); ++end)
      for (const Orientation& R : hints[end]) {
        const Direction pole = rotation::rotated(R, fibres.ends[end]);
        for (std::size_t i = 0; i < 3; ++i) sum[i] += pole[i];
        square += 2 * (1 - inner_product(pole, place));
        ++n;
      }
    if (n < 16) break;
    place = of_length_one(sum);
    const double next = 1.5 * std::sqrt(square / n);  // of a uniform circle 1.06 of its radius
    if (next > 0.95 * reach) break;
    reach = next;
    const double least = 1 - reach * reach / 2;
    for (std::size_t end = 0; end < hints.size(); ++end)
      std::erase_if(hints[end], [&](const Orientation& R) {
        return inner_product(rotation::rotated(R, fibres.ends[end]), place) < least;
      });
  }
  return place;
}

}  // namespace

double highest_pole_density(const Texture& texture, const PoleFibres& fibres, const DiscLattice& lattice,
                            double width, const Points<double>& draws) {
  std::vector<Direction> places = candidates_of(lattice);
  const double reach = 2 * std::numbers::sqrt2 * lattice.step();
  std::vector<Hints> hints = hints_near(fibres, places, draws, reach);
  double highest = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t k = 0; k < places.size(); ++k) {
    places[k] = narrowed(fibres, places[k], reach, hints[k]);
    const NearbyPoles poles(texture, fibres, places[k], width, hints[k]);
    const double top = std::exp(climbed<2>(places[k], width / 2, moved, [&](const std::vector<Direction>& y) {
                                  return poles.log_values(y);
                                }).second);
    if (!(highest >= top)) highest = top;
  }
  return highest;
}

}  // namespace riemflow::figure
