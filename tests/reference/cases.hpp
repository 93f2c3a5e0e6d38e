#pragma once
// Fields to test on, and reproducible parameters and points for them.

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/reference/reference.hpp"

namespace riemflow::reference {

inline const FactorSpec R2{Kind::euclidean, 2}, S1{Kind::sphere, 1, 1}, S2{Kind::sphere, 2, 1},
    S2_small{Kind::sphere, 2, 2.5}, S3{Kind::sphere, 3, 1}, B2{Kind::ball, 2, -0.5},
    B2_unit{Kind::ball, 2, -1}, B3{Kind::ball, 3, -0.8}, T1{Kind::torus, 1}, T2{Kind::torus, 2};

struct Case {
  std::string name;
  FieldSpec spec;
};

/// Every manifold, layer, activation, scaling and the bound, each at least once.
inline std::vector<Case> cases() {
  constexpr auto tanh = Activation::tanh, swish = Activation::swish;
  constexpr auto none = Scaling::none, one = Scaling::unit, paper = Scaling::paper;
  return {{"S2", {{S2}, 4, 2, tanh}},
          {"S2 geodesic K=2.5", {{S2_small}, 4, 2, swish, true}},
          {"S3", {{S3}, 4, 1, swish}},
          {"S3 geodesic bound", {{S3}, 4, 2, tanh, true, none, 1.5}},
          {"B2 none", {{B2}, 4, 2, tanh, false, none}},
          {"B2 geodesic unit", {{B2}, 4, 2, tanh, true, one}},
          {"B2 geodesic paper", {{B2}, 4, 2, swish, true, paper, 2.0}},
          {"B3 paper", {{B3}, 4, 2, swish, false, paper}},
          {"T2", {{T2}, 4, 3, tanh}},
          {"R2 bound", {{R2}, 4, 2, swish, false, none, 0.8}},
          {"S2 x S1", {{S2, S1}, 4, 2, tanh}},
          {"S2 x S1 geodesic", {{S2_small, S1}, 4, 2, swish, true}},
          {"T1 x B2 x S2", {{T1, B2, S2}, 4, 2, tanh, true, one}},
          {"R2 x B2 x T1", {{R2, B2, T1}, 4, 2, swish, false, paper}}};
}

struct Draw {
  std::mt19937_64 engine{20};

  double operator()(double from, double to) {
    return from + (to - from) * static_cast<double>(engine() >> 11) * 0x1p-53;
  }
  std::vector<double> parameters(const FieldSpec& spec) {
    std::vector<double> theta;
    for (int i = 0; i < parameter_count(spec); ++i) theta.push_back((*this)(-0.9, 0.9));
    return theta;
  }
  /// Well inside the ball, away from the seam of the torus.
  std::vector<double> point(const FieldSpec& spec) {
    std::vector<std::vector<double>> z;
    for (const FactorSpec& factor : spec.factors) {
      z.emplace_back();
      for (int i = 0; i < ambient(factor); ++i) z.back().push_back((*this)(-0.5, 0.5));
      if (factor.kind == Kind::ball)
        z.back() = scaled((*this)(0.3, 0.6) / std::sqrt(-factor.K), unit(z.back()));
    }
    return projection(spec, concatenation(z));
  }
};

}  // namespace riemflow::reference
