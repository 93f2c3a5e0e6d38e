#pragma once
// Sine and cosine of degrees: exact at the multiples of 90, and without branches, which cost the library
// functions five times as much on angles in no order.

#include <bit>
#include <cstdint>
#include <numbers>

namespace riemflow {

struct SinCos {
  double sin, cos;
};

/// To 2 units in the last place for |angle| ≤ 1e9; NaN where it is not finite.
inline SinCos sincos_degrees(double angle) {
  // angle = 90 k + rest, |rest| ≤ 45, with no rounding: the low bits of k + 1.5·2^52 are those of the whole
  // number k.
  constexpr double kShift = 0x1.8p52;
  const double shifted = angle * (1.0 / 90) + kShift;
  const auto quadrant = std::bit_cast<std::uint64_t>(shifted);
  const double x = (angle - 90 * (shifted - kShift)) * (std::numbers::pi / 180);

  // The polynomials of fdlibm for |x| ≤ π/4.
  const double z = x * x, w = z * z;
  const double s = x + x * z *
                           (-1.66666666666666324348e-01 +
                            z * (8.33333333332248946124e-03 +
                                 z * (-1.98412698298579493134e-04 + z * 2.75573137070700676789e-06) +
                                 z * w * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
  const double half = 0.5 * z, one = 1 - half;
  const double tail =
      z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * 2.48015872894767294178e-05)) +
      w * w *
          (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11));
  const double c = one + (((1 - one) - half) + z * tail);

  // A quarter turn exchanges them; the sine changes sign in quadrants 2 and 3, the cosine in 1 and 2. In
  // masks, because compilers make branches of anything else.
  const auto s_bits = std::bit_cast<std::uint64_t>(s), c_bits = std::bit_cast<std::uint64_t>(c);
  const std::uint64_t exchange = (s_bits ^ c_bits) & -(quadrant & 1);
  const std::uint64_t sine_sign = (quadrant & 2) << 62, cosine_sign = ((quadrant + 1) & 2) << 62;
  // + 0.0 makes 0 of −0.
  return {std::bit_cast<double>(s_bits ^ exchange ^ sine_sign) + 0.0,
          std::bit_cast<double>(c_bits ^ exchange ^ cosine_sign) + 0.0};
}

}  // namespace riemflow
