#include "apps/riemflow/support/density_unit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "riemflow/core/error.hpp"
#include "riemflow/manifold/common.hpp"
#include "riemflow/manifold/earth.hpp"

namespace riemflow::app {
namespace {

/// The manifold's own first.
std::vector<DensityUnit> units_of(const Manifold<double>& manifold) {
  const int d = manifold.dimension();
  const double log_degree = std::log(std::numbers::pi / 180);
  if (manifold.picture().kind == Picture::Kind::globe)
    return {{"sr", "sr", 0},
            {"km2", "km²", -2 * std::log(kEarthRadiusKm)},
            {"deg2", "square degree", 2 * log_degree}};
  if (manifold.column_form().kind == ColumnForm::Kind::angles) {
    const std::string degrees = d == 1 ? "deg" : "deg" + as_power(d);
    return {{"rad", manifold.unit_of_volume(), 0}, {"deg", degrees, d * log_degree}};
  }
  std::string unit = manifold.unit_of_volume();
  if (manifold.compact()) unit += fmt::format(" (the whole is {})", manifold.volume_in_words());
  std::vector<DensityUnit> units = {{"volume", unit, 0}};
  const auto factors = manifold.factors();
  const bool notated = std::any_of(factors.begin(), factors.end(), [](const Factor<double>& factor) {
    return !factor.manifold->notations().empty();
  });
  if (notated && manifold.compact()) units.push_back({"whole", "whole volume", manifold.log_volume()});
  return units;
}

}  // namespace

DensityUnit density_unit(const Manifold<double>& manifold, const std::string& per) {
  const std::vector<DensityUnit> units = units_of(manifold);
  if (per.empty()) return units.front();
  std::string names;
  for (const DensityUnit& unit : units) {
    if (unit.name == per) return unit;
    names += (names.empty() ? "" : ", ") + unit.name;
  }
  throw Error(fmt::format("densities on {} are not per {}", manifold.name(), per),
              units.size() == 1 ? "leave out --per" : "give one of " + names, Fault::usage);
}

}  // namespace riemflow::app
