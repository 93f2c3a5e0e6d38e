#include "riemflow/io/recipe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "riemflow/manifold/earth.hpp"

namespace riemflow::io {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kDegree = kPi / 180;
constexpr const char* kPlaceNames[] = {"latitude", "longitude"};
constexpr double kRadianSlack = 1e-6;  // a pole written with seven digits is still one

double norm_of(const double* x, int n) {
  double largest = 0, square = 0;
  for (int i = 0; i < n; ++i) largest = std::max(largest, std::abs(x[i]));
  if (largest == 0) return 0;
  for (int i = 0; i < n; ++i) square += (x[i] / largest) * (x[i] / largest);
  return largest * std::sqrt(square);
}

/// Degrees.
void place(double latitude, double longitude, double radius, double* point) {
  unit_vector<double>(latitude, longitude, {point, 3});
  if (radius != 1)
    for (int i = 0; i < 3; ++i) point[i] *= radius;
}

Complaint latitude_complaint(const double* row, bool degrees, const std::string& swap_advice) {
  const bool swapped =
      std::abs(row[1]) <= (degrees ? 90 : kPi / 2) && std::abs(row[0]) <= (degrees ? 360 : 2 * kPi);
  return {0, degrees ? "where -90 to 90 degrees is expected" : "where -π/2 to π/2 is expected",
          swapped && !swap_advice.empty() ? swap_advice
                                          : std::string(degrees ? "give decimal degrees, south negative"
                                                                : "say ‹units› degrees if it is in degrees")};
}

Complaint longitude_complaint(bool degrees) {
  return {1, degrees ? "where -180 to 360 degrees is expected" : "where -π to 2π is expected",
          degrees
              ? "give decimal degrees, west negative; projected coordinates must be turned into latitude and "
                "longitude first"
              : "say ‹units› degrees if it is in degrees"};
}

Complaint sign_complaint(std::size_t number) {
  return {number,
          fmt::format("where a number from 0 is expected, {} by the column's name",
                      number == 0 ? "south" : "west"),
          fmt::format("call the column {} if it counts {}, or leave out the signs", kPlaceNames[number],
                      number == 0 ? "north" : "east")};
}

std::optional<Complaint> on_sphere(const double* row, bool degrees, const Recipe::Part& part, double* point) {
  const double unit = degrees ? 1 : kDegree;
  const double slack = degrees ? 0 : kRadianSlack;
  if (!(std::abs(row[0]) <= 90 * unit + slack)) return latitude_complaint(row, degrees, part.swap_advice);
  if (!(-180 * unit - slack <= row[1] && row[1] <= 360 * unit + slack)) return longitude_complaint(degrees);
  if (part.south && row[0] < 0) return sign_complaint(0);
  if (part.west && row[1] < 0) return sign_complaint(1);
  const double latitude = part.south ? -row[0] : row[0], longitude = part.west ? -row[1] : row[1];
  if (degrees)
    place(latitude, longitude, part.radius, point);
  else
    place(std::clamp(latitude / kDegree, -90., 90.), longitude / kDegree, part.radius, point);
  return std::nullopt;
}

std::optional<Complaint> vector_on_sphere(const double* row, int n, double radius, double* point) {
  const double norm = norm_of(row, n);
  if (!(std::abs(norm - radius) <= kNormTolerance * radius))
    return Complaint{
        std::nullopt,
        fmt::format("has norm {:.6g} where {:.6g} is expected, to {} relative", norm, radius, kNormTolerance),
        "divide each row by its norm if only its direction matters; for other data choose euclidean or "
        "ball with ‹manifold›"};
  for (int i = 0; i < n; ++i) point[i] = row[i] / norm * radius;
  return std::nullopt;
}

/// Reduced before it is scaled, when nothing is lost.
double wrapped_degrees(double a) {
  if (!(-180 <= a && a < 180)) a = std::remainder(a, 360);
  const double radians = a * kDegree;
  return radians < -kPi || radians >= kPi ? -kPi : radians;
}

double wrapped_radians(double a) {
  if (-kPi <= a && a < kPi) return a;
  const double r = std::remainder(a, 2 * kPi);
  return -kPi <= r && r < kPi ? r : -kPi;
}

std::optional<Complaint> too_many_turns(const double* row, int n, double turn) {
  for (int i = 0; i < n; ++i)
    if (!(std::abs(row[i]) <= kMostTurns * turn))
      return Complaint{static_cast<std::size_t>(i),
                       fmt::format("where an angle of at most {:.0f} turns is expected", kMostTurns),
                       "correct it, or choose columns of angles with ‹columns›"};
  return std::nullopt;
}

std::optional<Complaint> in_ball(const double* row, int n, double radius, double* point) {
  const double norm = norm_of(row, n);
  if (!(norm < radius))
    return Complaint{
        std::nullopt,
        fmt::format("has norm {:.6g} where less than {:.6g} is expected, the radius of the ball", norm,
                    radius),
        "check the curvature K in ‹manifold›; Lorentz coordinates must be turned into those of the "
        "ball first"};
  std::copy_n(row, n, point);
  return std::nullopt;
}

std::optional<Complaint> notated(const Recipe::Part& part, const double* row, double* point) {
  std::vector<double> numbers(row, row + part.numbers);
  if (part.kind == Recipe::Kind::notated_in_degrees)
    for (double& number : numbers) number *= kDegree;
  if (const auto problem = part.notation->read(numbers.data(), point))
    return Complaint{std::nullopt, "is not valid: " + *problem,
                     "correct or remove the row; the columns are read as " + part.notation->name};
  return std::nullopt;
}

std::optional<Complaint> make_part(const Recipe::Part& part, const double* row, double* point) {
  switch (part.kind) {
    case Recipe::Kind::degrees_on_sphere:
      return on_sphere(row, true, part, point);
    case Recipe::Kind::radians_on_sphere:
      return on_sphere(row, false, part, point);
    case Recipe::Kind::vector_on_sphere:
      return vector_on_sphere(row, part.numbers, part.radius, point);
    case Recipe::Kind::angle_in_degrees:
      if (auto complaint = too_many_turns(row, part.numbers, 360)) return complaint;
      std::transform(row, row + part.numbers, point, wrapped_degrees);
      return std::nullopt;
    case Recipe::Kind::modest_radians:
      for (int i = 0; i < part.numbers; ++i)
        if (std::abs(row[i]) > 2 * kPi + kRadianSlack)
          return Complaint{static_cast<std::size_t>(i),
                           "where -2π to 2π is expected of an angle in an NPY file",
                           "say ‹units› degrees if it is in degrees, or ‹units› radians to have it wrapped"};
      [[fallthrough]];
    case Recipe::Kind::angle_in_radians:
      if (auto complaint = too_many_turns(row, part.numbers, 2 * kPi)) return complaint;
      std::transform(row, row + part.numbers, point, wrapped_radians);
      return std::nullopt;
    case Recipe::Kind::in_ball:
      return in_ball(row, part.numbers, part.radius, point);
    case Recipe::Kind::notated:
    case Recipe::Kind::notated_in_degrees:
      return notated(part, row, point);
    case Recipe::Kind::anything:
      break;
  }
  std::copy_n(row, part.numbers, point);
  return std::nullopt;
}

}  // namespace

int Recipe::coordinates() const {
  int sum = 0;
  for (const Part& part : parts) sum += part.coordinates;
  return sum;
}

std::optional<Complaint> Recipe::make(const double* row, double* point) const {
  const double* from = row;
  for (const Part& part : parts) {
    if (auto complaint = make_part(part, from, point)) {
      if (complaint->number) *complaint->number += static_cast<std::size_t>(from - row);
      return complaint;
    }
    from += part.numbers;
    point += part.coordinates;
  }
  return std::nullopt;
}

}  // namespace riemflow::io
