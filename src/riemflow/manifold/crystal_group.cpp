#include "riemflow/manifold/crystal_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

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
  const char *name, *schoenflies;
  const char* also;  ///< other names of the same group in the same axes
  std::vector<Turn> generators;
};

const std::vector<GroupEntry>& group_table() {
  static const std::vector<GroupEntry> entries = {
      {"1", "C1", "", {}},
      {"2", "C2", "121", {kTwoY}},
      {"222", "D2", "", {kTwoX, kTwoZ}},
      {"3", "C3", "", {kThreeZ}},
      {"32", "D3", "321", {kThreeZ, kTwoX}},
      {"4", "C4", "", {kFourZ}},
      {"422", "D4", "", {kFourZ, kTwoX}},
      {"6", "C6", "", {kSixZ}},
      {"622", "D6", "", {kSixZ, kTwoX}},
      {"23", "T", "", {kTwoX, kTwoZ, kThree111}},
      {"432", "O", "", {kFourZ, kThree111}},
  };
  return entries;
}

/// What else files and textbooks name: groups with reflections or an inversion, other axes, numbers of
/// programs. Rotations are those of `proper`: the group's own, empty where their axes are others than here;
/// and those of the Laue class, to which diffraction adds an inversion.
struct OtherName {
  const char *names, *what, *own, *laue_class, *laue;
};
constexpr const char* kCentric = "an inversion";
constexpr const char* kReflecting = "reflections or inversions";
constexpr OtherName kOtherNames[] = {
    {"-1 ci", kCentric, "1", "-1", "1"},
    {"2/m 12/m1 c2h", kCentric, "2", "2/m", "2"},
    {"mmm 2/m2/m2/m d2h", kCentric, "222", "mmm", "222"},
    {"-3 c3i s6", kCentric, "3", "-3", "3"},
    {"-3m -3m1 -32/m -32/m1 d3d", kCentric, "32", "-3m", "32"},
    {"4/m c4h", kCentric, "4", "4/m", "4"},
    {"4/mmm 4/m2/m2/m d4h", kCentric, "422", "4/mmm", "422"},
    {"6/m c6h", kCentric, "6", "6/m", "6"},
    {"6/mmm 6/m2/m2/m d6h", kCentric, "622", "6/mmm", "622"},
    {"m-3 m3 2/m-3 th", kCentric, "23", "m-3", "23"},
    {"m-3m m3m 4/m-32/m oh", kCentric, "432", "m-3m", "432"},
    {"m 1m1 cs c1h", kReflecting, "1", "2/m", "2"},
    {"mm2 2mm m2m c2v", kReflecting, "", "mmm", "222"},
    {"3m 3m1 c3v", kReflecting, "3", "-3m", "32"},
    {"-4 s4", kReflecting, "", "4/m", "4"},
    {"4mm c4v", kReflecting, "4", "4/mmm", "422"},
    {"-42m d2d", kReflecting, "222", "4/mmm", "422"},
    {"-4m2", kReflecting, "", "4/mmm", "422"},
    {"-6 3/m c3h", kReflecting, "3", "6/m", "6"},
    {"6mm c6v", kReflecting, "6", "6/mmm", "622"},
    {"-62m d3h", kReflecting, "32", "6/mmm", "622"},
    {"-6m2", kReflecting, "", "6/mmm", "622"},
    {"-43m td", kReflecting, "23", "m-3m", "432"},
};
/// Groups of this page in other axes.
struct OtherAxes {
  const char *names, *group, *axes, *here;
};
constexpr OtherAxes kOtherAxes[] = {
    {"112 112/m 11m", "2", "its axis is z", "y, the setting 121"},
    {"211 2/m11 m11", "2", "its axis is x", "y, the setting 121"},
    {"312 -31m 31m", "32", "its twofold axes are at right angles to a", "along a, the setting 321"},
};
/// How ANG files number the groups of phases.
constexpr std::pair<const char*, const char*> kNumbersOfFiles[] = {
    {"43", "432"}, {"62", "622"}, {"42", "422"}, {"22", "222"}};

bool is_among(const std::string& name, const char* names) {
  const std::vector<std::string> all = words_in(names);
  return std::find(all.begin(), all.end(), name) != all.end();
}

/// Of what is a name, but of no group here.
void refuse_other_names(const std::string& typed) {
  for (const auto& [names, what, own, laue_class, laue] : kOtherNames)
    if (is_among(typed, names)) {
      const bool same = std::string_view(own) == laue;
      throw Error(
          fmt::format("the point group {} has {}, which rotations have not", typed, what),
          same ? fmt::format("name its rotations, which are those of {}, as in rotation:3/{}", laue, laue)
               : fmt::format("name rotations: {}those of its Laue class {}, which is what diffraction sees, "
                             "are {}, as in rotation:3/{}",
                             *own == 0 ? "" : fmt::format("its own are {}; ", own), laue_class, laue, laue));
    }
  for (const auto& [names, group, axes, here] : kOtherAxes)
    require(!is_among(typed, names),
            fmt::format("the point group {} has other axes than {} here: {}", typed, group, axes),
            fmt::format("turn the crystal's axes so that it is {}, and say rotation:3/{}", here, group));
  for (const auto& [number, group] : kNumbersOfFiles)
    require(typed != number,
            fmt::format("{} is a number that ANG files have for a group, not its name", typed),
            fmt::format("say rotation:3/{}", group));
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
  std::string typed = lower(name);
  std::erase_if(typed, is_space);
  for (const GroupEntry& entry : group_table())
    if (typed == entry.name || typed == lower(entry.schoenflies) || is_among(typed, entry.also))
      return {entry.name, entry.schoenflies, generated_group(entry.generators)};
  refuse_other_names(typed);
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
