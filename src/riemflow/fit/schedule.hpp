#pragma once
// Learning rates over time.

#include <algorithm>
#include <cmath>
#include <numbers>

namespace riemflow {

struct Schedule {
  enum class Shape {
    constant,
    annealed,  ///< 0.98^(t/300), the paper's
    cosine     ///< from 1 to 0 over `iterations`
  };
  Shape shape = Shape::constant;
  double rate = 1e-3;
  long iterations = 1;  ///< cosine's length

  /// The rate of iteration t = 0, 1, ….
  double at(long t) const {
    switch (shape) {
      case Shape::constant:
        break;
      case Shape::annealed:
        return rate * std::pow(0.98, static_cast<double>(t) / 300);
      case Shape::cosine: {
        const double share =
            std::min(1.0, static_cast<double>(t) / static_cast<double>(std::max(1L, iterations)));
        return rate * 0.5 * (1 + std::cos(std::numbers::pi * share));
      }
    }
    return rate;
  }
};

}  // namespace riemflow
