#include "riemflow/io/coordinates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "riemflow/core/error.hpp"

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

/// The names of a factor's numbers, with its own number after the stem unless that is empty.
std::vector<std::string> factor_names(const Factor<double>& factor, const std::string& number) {
  std::vector<std::string> names;
  if (const std::vector<Notation> notation = usual_notation(factor); !notation.empty())
    for (const std::string& name : notation.front().columns) names.push_back(name + number);
  else if (has_latitude(factor))
    names = {"latitude" + number, "longitude" + number};
  else
    for (int k = 1; k <= factor.manifold->ambient(); ++k)
      names.push_back(fmt::format("{}{}_{}", stem_of(factor), number, k));
  return names;
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
  const auto factors = manifold.factors();
  std::map<std::string, int> uses;
  for (const Factor<double>& factor : factors)
    for (const std::string& name : factor_names(factor, "")) ++uses[name];
  std::vector<std::string> names;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    std::vector<std::string> own = factor_names(factors[i], "");
    const bool unique =
        std::all_of(own.begin(), own.end(), [&](const auto& name) { return uses[name] == 1; });
    if (!unique) own = factor_names(factors[i], fmt::format("_{}", i + 1));
    names.insert(names.end(), own.begin(), own.end());
  }
  return names;
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
