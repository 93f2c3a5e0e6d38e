#pragma once
// Modified Bessel functions I₀ and I₁ of x ≥ 0 where x may be large: I₀ without its growth e^x, and their
// ratio A = I₁/I₀ by how much it falls short of 1. Boost's functions below x = 30; Hankel's series beyond,
//   I_n(x) ~ e^x/√(2πx) Σ_k (−1)^k a_k(n)/x^k,  a_k(n) = Π_{j=1}^{k} (4n² − (2j−1)²)/(k! 8^k),
// the least term of which is below e^{−2x}.

namespace riemflow {

struct ScaledBessel {
  double log_i0;   ///< log(I₀(x) e^{−x})
  double drop;     ///< 1 − A(x), in (0, 1]
  double ratio;    ///< A(x)
  double ratio_x;  ///< A(x)/x; ½ at 0
};

/// To 1e-14, drop to 1e-13 relative.
ScaledBessel scaled_bessel(double x);

}  // namespace riemflow
