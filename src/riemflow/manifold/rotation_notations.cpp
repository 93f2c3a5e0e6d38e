#include "riemflow/manifold/rotation_notations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "riemflow/core/rotation.hpp"

namespace riemflow {
namespace {

using Quaternion = rotation::Quaternion<double>;
using Reason = std::optional<std::string>;

/// Of quaternions relative, of matrices of each entry: what three written decimals give.
constexpr double kRotationTolerance = 1e-3;
/// Degrees by which a written angle may leave its range.
constexpr double kAngleSlack = 1e-3;

Quaternion quaternion_at(const double* point) { return {point[0], point[1], point[2], point[3]}; }
void put_quaternion(const Quaternion& q, double* point) { std::copy(q.begin(), q.end(), point); }

Reason not_finite(const double* numbers, int n) {
  for (int i = 0; i < n; ++i)
    if (!std::isfinite(numbers[i])) return fmt::format("{} is not a finite number", numbers[i]);
  return std::nullopt;
}

Reason read_quaternion(const double* numbers, double* point) {
  if (auto bad = not_finite(numbers, 4)) return bad;
  const Quaternion q = quaternion_at(numbers);
  const double norm = rotation::norm(q);
  if (norm == 0) return "all four numbers are 0, which is no rotation";
  if (!(std::abs(norm - 1) <= kRotationTolerance))
    return fmt::format("norm {:.6g} where 1 is expected, to {}", norm, kRotationTolerance);
  put_quaternion(rotation::canonical(rotation::unit(q)), point);
  return std::nullopt;
}
void write_quaternion(const double* point, double* numbers) {
  put_quaternion(rotation::canonical(quaternion_at(point)), numbers);
}

Reason read_matrix(const double* numbers, double* point) {
  if (auto bad = not_finite(numbers, 9)) return bad;
  rotation::Matrix<double> m;
  std::copy(numbers, numbers + 9, m.begin());
  // Entries of unit columns that err by ε make MᵀM err by up to 2√3 ε.
  const double distortion = rotation::distortion(m);
  if (!(distortion <= 2 * std::sqrt(3) * kRotationTolerance))
    return fmt::format(
        "the columns are not of length 1 at right angles: an entry of MᵀM errs by {:.3g}, more than rounding "
        "to {} explains",
        distortion, kRotationTolerance);
  if (rotation::determinant(m) < 0) return "the determinant is −1: a reflection, not a rotation";
  put_quaternion(rotation::from_matrix(rotation::nearest(m)), point);
  return std::nullopt;
}
void write_matrix(const double* point, double* numbers) {
  const rotation::Matrix<double> m = rotation::matrix_of(quaternion_at(point));
  std::copy(m.begin(), m.end(), numbers);
}

/// Of three numbers that are all rotations if they are finite.
template <class From, class To>
Notation of_three(std::string name, std::vector<std::string> columns, bool angular, From from, To to) {
  Notation notation{std::move(name), std::move(columns), angular, {}, {}};
  notation.read = [from](const double* numbers, double* point) -> Reason {
    if (auto bad = not_finite(numbers, 3)) return bad;
    put_quaternion(from({numbers[0], numbers[1], numbers[2]}), point);
    return std::nullopt;
  };
  notation.write = [to](const double* point, double* numbers) {
    const auto [a, b, c] = to(quaternion_at(point));
    numbers[0] = a;
    numbers[1] = b;
    numbers[2] = c;
  };
  return notation;
}

/// Of angles whose second one has a range: others are rotations too, but more often a slip.
Notation with_range(Notation notation, const char* what, int least, int most) {
  notation.doubt = [what, least, most](const double* numbers) -> std::string {
    const double degrees = numbers[1] * 180 / std::numbers::pi;
    if (least - kAngleSlack <= degrees && degrees <= most + kAngleSlack) return "";
    return fmt::format("{} is {:.6g}°, outside of {}° to {}°", what, degrees, least, most);
  };
  return notation;
}

}  // namespace

std::vector<Notation> rotation_notations() {
  Notation quaternion{
      "unit quaternions (w x y z)", {"w", "x", "y", "z"}, false, read_quaternion, write_quaternion};
  quaternion.also = {
      {"qw", "qx", "qy", "qz"}, {"q0", "q1", "q2", "q3"}, {"real", "i", "j", "k"}, {"w", "i", "j", "k"}};
  Notation bunge = with_range(of_three("Bunge's Euler angles (phi1 Phi phi2)", {"phi1", "phi", "phi2"}, true,
                                       rotation::from_bunge, rotation::bunge_of),
                              "Phi", 0, 180);
  bunge.also = {{"euler1", "euler2", "euler3"}};
  return {
      quaternion,
      bunge,
      {"rotation matrices (r11 r12 … r33)",
       {"r11", "r12", "r13", "r21", "r22", "r23", "r31", "r32", "r33"},
       false,
       read_matrix,
       write_matrix},
      of_three("rotation vectors (rx ry rz: the axis times the angle in radians)", {"rx", "ry", "rz"}, false,
               rotation::from_vector, rotation::vector_of),
      with_range(of_three("Matthies' and Roe's Euler angles (alpha beta gamma)", {"alpha", "beta", "gamma"},
                          true, rotation::from_matthies, rotation::matthies_of),
                 "beta", 0, 180),
      with_range(of_three("yaw, pitch and roll", {"yaw", "pitch", "roll"}, true,
                          rotation::from_yaw_pitch_roll, rotation::yaw_pitch_roll_of),
                 "pitch", -90, 90),
  };
}

}  // namespace riemflow
