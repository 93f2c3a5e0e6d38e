#pragma once
// Rotations of space as unit quaternions (w, x, y, z) = (cos ω/2, n sin ω/2), which stand for v ↦ R v: the
// turn by ω around the axis n, counter-clockwise seen from where n points. q and −q are the same rotation;
// product(p, q) turns by q first. Matrices are row-major, angles in radians.
//
// A crystal's orientation R takes a vector's coordinates in the crystal to those in the sample. What
// crystallographers write as g (Bunge) goes the other way, from sample to crystal: g = Rᵀ. Programs that hold
// the quaternion of g have the inverse of ours.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

namespace riemflow::rotation {

template <class N>
using Quaternion = std::array<N, 4>;
template <class N>
using Vector = std::array<N, 3>;
/// r11 r12 r13 r21 …
template <class N>
using Matrix = std::array<N, 9>;

template <class N>
Quaternion<N> product(const Quaternion<N>& p, const Quaternion<N>& q) {
  return {p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
          p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
          p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
          p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]};
}

template <class N>
Quaternion<N> inverse(const Quaternion<N>& q) {
  return {q[0], -q[1], -q[2], -q[3]};
}

// With u = (x, y, z): v + 2w u×v + 2u×(u×v).
template <class N>
Vector<N> rotated(const Quaternion<N>& q, const Vector<N>& v) {
  const N& x = q[1];
  const N& y = q[2];
  const N& z = q[3];
  const Vector<N> a = {2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])};
  return {v[0] + q[0] * a[0] + y * a[2] - z * a[1], v[1] + q[0] * a[1] + z * a[0] - x * a[2],
          v[2] + q[0] * a[2] + x * a[1] - y * a[0]};
}

/// R; |q|² R where |q| is not 1.
template <class N>
Matrix<N> matrix_of(const Quaternion<N>& q) {
  const N &w = q[0], &x = q[1], &y = q[2], &z = q[3];
  return {w * w + x * x - y * y - z * z, 2 * (x * y - w * z),           2 * (x * z + w * y),
          2 * (x * y + w * z),           w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
          2 * (x * z - w * y),           2 * (y * z + w * x),           w * w - x * x - y * y + z * z};
}

/// Of ±q the one with w > 0; where w = 0 the first of x, y, z that is not 0 is positive. No −0.
inline Quaternion<double> canonical(Quaternion<double> q) {
  const auto leads = std::find_if(q.begin(), q.end(), [](double c) { return c != 0; });
  const double sign = leads != q.end() && *leads < 0 ? -1 : 1;
  for (double& c : q) c = sign * c + 0.0;
  return q;
}

inline double norm(const Quaternion<double>& q) {
  return std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
}

/// q/|q|, q ≠ 0.
inline Quaternion<double> unit(Quaternion<double> q) {
  const double scale = norm(q);
  for (double& c : q) c /= scale;
  return q;
}

/// ω in [0, π], to a few roundings everywhere; arccos would lose half of the digits near 0.
inline double angle(const Quaternion<double>& q) {
  return 2 * std::atan2(std::hypot(q[1], q[2], q[3]), std::abs(q[0]));
}

/// Of a unit axis.
inline Quaternion<double> from_axis(const Vector<double>& axis, double angle) {
  const double s = std::sin(angle / 2);
  return {std::cos(angle / 2), s * axis[0], s * axis[1], s * axis[2]};
}

// --- matrices ---------------------------------------------------------------------------------------------

inline double determinant(const Matrix<double>& m) {
  return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
         m[2] * (m[3] * m[7] - m[4] * m[6]);
}

/// The largest |MᵀM − 1|: to first order twice the largest strain.
inline double distortion(const Matrix<double>& m) {
  double worst = 0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const double dot = m[i] * m[j] + m[i + 3] * m[j + 3] + m[i + 6] * m[j + 6];
      worst = std::max(worst, std::abs(dot - (i == j ? 1 : 0)));
    }
  return worst;
}

/// The rotation nearest to a matrix with determinant > 0 (its polar factor), by Newton's M ← (M + M⁻ᵀ)/2: an
/// error ε of the lengths becomes ε²/2, so six steps do for ε up to 0.5.
inline Matrix<double> nearest(Matrix<double> m) {
  for (int step = 0; step < 6; ++step) {
    const double d = determinant(m);
    // Cofactors, det M · M⁻ᵀ.
    const Matrix<double> c = {
        m[4] * m[8] - m[5] * m[7], m[5] * m[6] - m[3] * m[8], m[3] * m[7] - m[4] * m[6],
        m[2] * m[7] - m[1] * m[8], m[0] * m[8] - m[2] * m[6], m[1] * m[6] - m[0] * m[7],
        m[1] * m[5] - m[2] * m[4], m[2] * m[3] - m[0] * m[5], m[0] * m[4] - m[1] * m[3]};
    for (std::size_t i = 0; i < 9; ++i) m[i] = (m[i] + c[i] / d) / 2;
  }
  return m;
}

/// Of a rotation. All of 4qqᵀ is sums of two or four entries; its column with the largest diagonal, which is
/// at least 1, is q up to a factor with nothing cancelled (Shepperd).
inline Quaternion<double> from_matrix(const Matrix<double>& m) {
  const Quaternion<double> squares = {1 + m[0] + m[4] + m[8], 1 + m[0] - m[4] - m[8], 1 - m[0] + m[4] - m[8],
                                      1 - m[0] - m[4] + m[8]};
  const double wx = m[7] - m[5], wy = m[2] - m[6], wz = m[3] - m[1];
  const double xy = m[1] + m[3], xz = m[2] + m[6], yz = m[5] + m[7];
  Quaternion<double> q{};
  switch (std::max_element(squares.begin(), squares.end()) - squares.begin()) {
    case 0:
      q = {squares[0], wx, wy, wz};
      break;
    case 1:
      q = {wx, squares[1], xy, xz};
      break;
    case 2:
      q = {wy, xy, squares[2], yz};
      break;
    default:
      q = {wz, xz, yz, squares[3]};
  }
  return canonical(unit(q));
}

// --- rotation vectors -------------------------------------------------------------------------------------

/// ω n, of length at most π.
inline Vector<double> vector_of(const Quaternion<double>& rotation) {
  const Quaternion<double> q = canonical(rotation);
  const double s = std::hypot(q[1], q[2], q[3]);
  const double scale = s == 0 ? 2 : 2 * std::atan2(s, q[0]) / s;
  return {scale * q[1], scale * q[2], scale * q[3]};
}

/// Of a vector of any length.
inline Quaternion<double> from_vector(const Vector<double>& r) {
  const double a = std::hypot(r[0], r[1], r[2]);
  const double scale = a == 0 ? 0.5 : std::sin(a / 2) / a;
  return canonical({std::cos(a / 2), scale * r[0], scale * r[1], scale * r[2]});
}

// --- Euler angles -----------------------------------------------------------------------------------------

/// In [0, 2π).
inline double full_turn(double angle) {
  constexpr double turn = 2 * std::numbers::pi;
  const double rest = angle - turn * std::floor(angle / turn);
  return rest < 0 || rest >= turn ? 0 : rest;  // of a tiny negative angle the rest rounds to 2π
}
/// In [−π, π).
inline double half_turn(double angle) {
  constexpr double pi = std::numbers::pi;
  return angle >= -pi && angle < pi ? angle : full_turn(angle + pi) - pi;
}

/// R = Rz(first) R(second) Rz(third), with the middle one around x or y.
struct EulerAngles {
  double first = 0, second = 0, third = 0;
};

/// With half = second/2, σ = (first + third)/2, δ = (first − third)/2 and the middle axis x:
///   q = (cos half cos σ, sin half cos δ, sin half sin δ, cos half sin σ).
/// arctan of two sides finds half, σ and δ with no loss. Where sin half or cos half is 0 (gimbal lock) δ or σ
/// is any angle: the one for which the third angle is 0. first and third are in [−2π, 2π].
inline EulerAngles euler_about_x(const Quaternion<double>& q) {
  constexpr double none = 4 * std::numeric_limits<double>::epsilon();
  const double c = std::hypot(q[0], q[3]), s = std::hypot(q[1], q[2]);
  double sigma = std::atan2(q[3], q[0]), delta = std::atan2(q[2], q[1]);
  if (s <= none * c) delta = sigma;
  if (c <= none * s) sigma = delta;
  return {sigma + delta, 2 * std::atan2(s, c), sigma - delta};
}

/// Bunge's φ1, Φ, φ2: g = Rz(φ2) Rx(Φ) Rz(φ1) of turns of the axes, which takes coordinates in the sample to
/// those in the crystal. Turns of the axes are inverse to turns of vectors, so R = gᵀ = Rz(φ1) Rx(Φ) Rz(φ2).
inline Quaternion<double> from_bunge(const EulerAngles& e) {
  const double c = std::cos(e.second / 2), s = std::sin(e.second / 2);
  const double sigma = (e.first + e.third) / 2, delta = (e.first - e.third) / 2;
  return canonical({c * std::cos(sigma), s * std::cos(delta), s * std::sin(delta), c * std::sin(sigma)});
}
/// φ1 and φ2 in [0, 2π), Φ in [0, π]; φ2 = 0 where only φ1 ± φ2 counts.
inline EulerAngles bunge_of(const Quaternion<double>& q) {
  const EulerAngles e = euler_about_x(q);
  return {full_turn(e.first), e.second, full_turn(e.third)};
}

/// α, β, γ of Matthies, which are Roe's Ψ, Θ, Φ: R = Rz(α) Ry(β) Rz(γ). Bunge's are α + π/2, β, γ − π/2.
inline Quaternion<double> from_matthies(const EulerAngles& e) {
  const double c = std::cos(e.second / 2), s = std::sin(e.second / 2);
  const double sigma = (e.first + e.third) / 2, delta = (e.first - e.third) / 2;
  return canonical({c * std::cos(sigma), -s * std::sin(delta), s * std::cos(delta), c * std::sin(sigma)});
}
/// α and γ in [0, 2π), β in [0, π]; γ = 0 where only α ± γ counts.
inline EulerAngles matthies_of(const Quaternion<double>& q) {
  const EulerAngles e = euler_about_x({q[0], q[2], -q[1], q[3]});
  return {full_turn(e.first), e.second, full_turn(e.third)};
}

/// R = Rz(yaw) Ry(pitch) Rx(roll), each turn after the first around an axis that has turned along.
struct YawPitchRoll {
  double yaw = 0, pitch = 0, roll = 0;
};

inline Quaternion<double> from_yaw_pitch_roll(const YawPitchRoll& a) {
  return canonical(product(product(from_axis({0, 0, 1}, a.yaw), from_axis({0, 1, 0}, a.pitch)),
                           from_axis({1, 0, 0}, a.roll)));
}
/// yaw and roll in [−π, π), pitch in [−π/2, π/2]; roll = 0 where the pitch is ±π/2. Because
/// Rx(roll) = Ry(π/2) Rz(roll) Ry(−π/2), these are Matthies' angles of R Ry(π/2), with β = pitch + π/2; an
/// arcsine would lose half of the digits near ±π/2.
inline YawPitchRoll yaw_pitch_roll_of(const Quaternion<double>& q) {
  const EulerAngles e = euler_about_x({q[0] - q[2], q[0] + q[2], q[3] - q[1], q[1] + q[3]});
  return {half_turn(e.first), e.second - std::numbers::pi / 2, half_turn(e.third)};
}

}  // namespace riemflow::rotation
