#include "riemflow/manifold/crystal_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "riemflow/core/error.hpp"
#include "riemflow/core/text.hpp"

namespace riemflow {
namespace {

using Turn = rotation::Quaternion<double>;

const double kHalfRoot2 = std::numbers::sqrt2 / 2, kHalfRoot3 = std::numbers::sqrt3 / 2;
const Turn kTwoX{0, 1, 0, 0}, kTwoY{0, 0, 1, 0}, kTwoZ{0, 0, 0, 1};
const Turn kThreeZ{0.5, 0, 0, kHalfRoot3}, kFourZ{kHalfRoot2, 0, 0, kHalfRoot2};
const Turn kSixZ{kHalfRoot3, 0, 0, 0.5}, kThree111{0.5, 0.5, 0.5, 0.5};

struct GroupEntry {
  const char *name, *schoenflies, *laue;
  std::vector<Turn> generators;
};

const std::vector<GroupEntry>& group_table() {
  static const std::vector<GroupEntry> entries = {
      {"1", "C1", "-1", {}},
      {"2", "C2", "2/m", {kTwoY}},
      {"222", "D2", "mmm", {kTwoX, kTwoZ}},
      {"3", "C3", "-3", {kThreeZ}},
      {"32", "D3", "-3m", {kThreeZ, kTwoX}},
      {"4", "C4", "4/m", {kFourZ}},
      {"422", "D4", "4/mmm", {kFourZ, kTwoX}},
      {"6", "C6", "6/m", {kSixZ}},
      {"622", "D6", "6/mmm", {kSixZ, kTwoX}},
      {"23", "T", "m-3", {kTwoX, kTwoZ, kThree111}},
      {"432", "O", "m-3m", {kFourZ, kThree111}},
  };
  return entries;
}

/// Coordinates of elements are 0, ±1/2, ±√½, ±√¾ and ±1: products are rounded to them, so that no error
/// grows.
Turn exact_turn(Turn q) {
  for (double& c : q)
    for (const double known : {0.0, 0.5, kHalfRoot2, kHalfRoot3, 1.0})
      if (std::abs(std::abs(c) - known) < 1e-9) c = std::copysign(known, c);
  return rotation::canonical(q);
}

/// Every product of generators: a finite group needs no inverses.
std::vector<Turn> generated_group(const std::vector<Turn>& generators) {
  std::vector<Turn> elements = {{1, 0, 0, 0}};
  for (std::size_t i = 0; i < elements.size(); ++i)
    for (const Turn& generator : generators) {
      const Turn next = exact_turn(rotation::product(elements[i], generator));
      if (std::find(elements.begin(), elements.end(), next) == elements.end()) elements.push_back(next);
    }
  return elements;
}

std::string known_groups() {
  std::string text;
  for (const GroupEntry& entry : group_table())
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", entry.name, entry.schoenflies);
  return "the proper point groups are " + text;
}

}  // namespace

const std::vector<std::string>& crystal_group_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const GroupEntry& entry : group_table()) result.emplace_back(entry.name);
    return result;
  }();
  return names;
}

CrystalGroup crystal_group(std::string_view name) {
  const std::string typed = lower(trimmed(name));
  for (const GroupEntry& entry : group_table()) {
    if (typed == entry.name || typed == lower(entry.schoenflies))
      return {entry.name, entry.schoenflies, generated_group(entry.generators)};
    require(typed != entry.laue, fmt::format("the group {} has reflections or an inversion", typed),
            fmt::format("name its rotations, which are those of {}", entry.name));
  }
  throw Error(fmt::format("unknown point group '{}'", name), known_groups());
}

rotation::Quaternion<double> least_turn(const CrystalGroup& group, const rotation::Quaternion<double>& R) {
  Turn least = rotation::canonical(R);
  for (const Turn& s : group.elements) {
    const Turn other = rotation::product(R, s);
    if (std::abs(other[0]) > least[0]) least = rotation::canonical(other);
  }
  return least;
}

}  // namespace riemflow
