#include "riemflow/io/coordinates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "riemflow/core/error.hpp"
#include "riemflow/io/writings.hpp"

namespace riemflow {
namespace {

constexpr double kDegrees = 180 / std::numbers::pi;

/// Radians to degrees in [−180, 180); + 0.0 makes 0 of −0.
double wrapped_degrees(double radians) {
  double degrees = radians * kDegrees;
  if (!(-180 <= degrees && degrees < 180)) degrees = std::remainder(degrees, 360);
  return (degrees == 180 ? -180 : degrees) + 0.0;
}

/// Good to rounding everywhere: asin z would lose half the digits at the poles. A latitude that rounds to
/// that of a pole is one, and longitude 0 is as good there as any other.
void write_place(std::span<const double> point, std::span<double> out) {
  out[0] = std::atan2(point[2], std::hypot(point[0], point[1])) * kDegrees + 0.0;
  out[1] = std::abs(out[0]) == 90 ? 0 : wrapped_degrees(std::atan2(point[1], point[0]));
}

/// The notation that a covered factor is written in.
std::vector<Notation> usual_notation(const Factor<double>& factor) {
  std::vector<Notation> all = factor.manifold->notations();
  if (!all.empty()) all.resize(1);
  return all;
}

}  // namespace

const char* stem_of(const Factor<double>& factor) {
  if (has_latitude(factor)) return "latitude";
  return factor.manifold->column_form().kind == ColumnForm::Kind::angles ? "angle" : "x";
}

bool has_latitude(const Factor<double>& factor) {
  return factor.manifold->column_form().places == ColumnForm::Places::usual;
}

std::vector<std::string> coordinate_names(const Manifold<double>& manifold) {
  return io::column_names(manifold, io::usual_writings(manifold));
}

std::vector<bool> coordinates_in_degrees(const Manifold<double>& manifold) {
  std::vector<bool> degrees;
  for (const auto& factor : manifold.factors()) {
    const std::vector<Notation> notation = usual_notation(factor);
    if (!notation.empty())
      degrees.insert(degrees.end(), notation.front().columns.size(), notation.front().angular);
    else if (has_latitude(factor))
      degrees.insert(degrees.end(), 2, true);
    else
      degrees.insert(degrees.end(), static_cast<std::size_t>(factor.manifold->ambient()),
                     factor.manifold->column_form().kind == ColumnForm::Kind::angles);
  }
  return degrees;
}

void to_coordinates(const Manifold<double>& manifold, std::span<const double> point, std::span<double> out) {
  std::size_t from = 0, to = 0;
  for (const auto& factor : manifold.factors()) {
    const auto n = static_cast<std::size_t>(factor.manifold->ambient());
    const bool place = has_latitude(factor);
    const std::vector<Notation> notation = usual_notation(factor);
    const std::size_t width = place ? 2 : notation.empty() ? n : notation.front().columns.size();
    if (from + n > point.size() || to + width > out.size())
      throw Error(fmt::format("{} numbers of a point of {}, to be written as {}", point.size(),
                              manifold.name(), out.size()),
                  "give a whole point, and as many as coordinate_names has", Fault::internal);
    const auto x = point.subspan(from, n);
    const auto y = out.subspan(to, width);
    if (!notation.empty()) {
      notation.front().write(x.data(), y.data());
      if (notation.front().angular)
        for (double& number : y) number = number * kDegrees + 0.0;
    } else if (place)
      write_place(x, y);
    else if (factor.manifold->column_form().kind == ColumnForm::Kind::angles)
      std::transform(x.begin(), x.end(), y.begin(), wrapped_degrees);
    else
      std::copy(x.begin(), x.end(), y.begin());
    from += n;
    to += width;
  }
}

}  // namespace riemflow
