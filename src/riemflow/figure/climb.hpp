#pragma once
// The top of a peak, from a place on it.

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace riemflow::figure {

/// The highest place that steps by parabolas of log f along d axes lead to from `at`, and log f there. They
/// are exact for normals with these axes; what is returned is a value of f, never one of a parabola. Ends
/// where a round gains less than 0.1 %. moved(place, array of d lengths) is a place, log_values(places) =
/// log f of each; step: about half the width of the peak.
template <std::size_t d, class Place, class Moved, class LogValues>
std::pair<Place, double> climbed(Place at, double step, const Moved& moved, const LogValues& log_values) {
  constexpr int kRounds = 6;
  constexpr double kGain = 1e-3, kFarthest = 3;  // steps
  const auto known = [](double value) { return std::isnan(value) ? -INFINITY : value; };
  double top = -INFINITY;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Place> places = {at};
    for (std::size_t k = 0; k < d; ++k)
      for (const double side : {-step, step}) {
        std::array<double, d> shift{};
        shift[k] = side;
        places.push_back(moved(at, shift));
      }
    std::vector<double> logs = log_values(places);
    std::transform(logs.begin(), logs.end(), logs.begin(), known);
    std::array<double, d> shift{};
    for (std::size_t k = 0; k < d; ++k) {
      const double below = logs[2 * k + 1], above = logs[2 * k + 2];
      const double slope = (above - below) / 2, bend = above - 2 * logs[0] + below;
      if (!std::isfinite(slope) || slope == 0) continue;
      shift[k] = step * std::clamp(bend < 0 ? -slope / bend : std::copysign(kFarthest, slope), -kFarthest,
                                   kFarthest);
    }
    places.push_back(moved(at, shift));
    logs.push_back(known(log_values(std::vector<Place>{places.back()}).front()));
    const auto best = std::max_element(logs.begin(), logs.end());
    const double before = std::max(top, logs[0]);
    at = places[static_cast<std::size_t>(best - logs.begin())];
    top = *best;
    if (best == logs.begin())
      step /= 2;
    else if (!(top > before + kGain))
      break;
  }
  return {at, top};
}

}  // namespace riemflow::figure
