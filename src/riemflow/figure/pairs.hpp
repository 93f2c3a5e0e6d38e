#pragma once
// Points of many dimensions by pairs of coordinates: a histogram of each on the diagonal, of each pair of a
// model's samples below it, data above.

#include <string>
#include <vector>

#include "riemflow/figure/density_chart.hpp"

namespace riemflow::figure {

inline constexpr std::size_t kMostPairs = 8;  ///< coordinates that can be shown

struct PairsChart {
  std::vector<Axis> axes;                    ///< at most kMostPairs
  std::vector<std::vector<double>> samples;  ///< [coordinate][point], of the model
  /// Dots above the diagonal, an outline on it.
  struct Data {
    std::string label;
    Colour colour;
    std::vector<std::vector<double>> points;  ///< as samples
  };
  std::vector<Data> data;
  std::string note;  ///< below, such as how many samples there are
};

/// Counts of the values in n equal parts of the scale, divided by the number of all values and by the width
/// of a part: a density. The upper end counts as within.
std::vector<double> histogram(const std::vector<double>& values, const Scale& scale, int n);

std::string draw_pairs(const Sheet& sheet, const PairsChart& chart);

}  // namespace riemflow::figure
