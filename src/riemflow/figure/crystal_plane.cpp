#include "riemflow/figure/crystal_plane.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>

#include "riemflow/core/error.hpp"

namespace riemflow::figure {
namespace {

enum class CrystalSystem { any, orthorhombic, tetragonal, hexagonal, cubic };

CrystalSystem system_of(const CrystalGroup& group) {
  if (group.name == "23" || group.name == "432") return CrystalSystem::cubic;
  if (group.name == "4" || group.name == "422") return CrystalSystem::tetragonal;
  if (group.name == "222") return CrystalSystem::orthorhombic;
  return group.name == "1" || group.name == "2" ? CrystalSystem::any : CrystalSystem::hexagonal;
}

/// A digit each, with a sign before it or without. Empty: it is something else.
std::vector<int> indices_in(const std::string& text) {
  std::vector<int> indices;
  int sign = 1;
  for (const char c : text) {
    if (c == '-' && sign == 1)
      sign = -1;
    else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      indices.push_back(sign * (c - '0'));
      sign = 1;
    } else
      return {};
  }
  return sign == 1 ? indices : std::vector<int>();
}

/// Whether a normal with these components depends on the lengths of the axes along them.
bool needs_lengths(CrystalSystem system, const std::vector<int>& hkl) {
  const bool h = hkl[0] != 0, k = hkl[1] != 0, l = hkl[2] != 0;
  if (system == CrystalSystem::orthorhombic) return h + k + l > 1;
  return (system == CrystalSystem::tetragonal || system == CrystalSystem::hexagonal) && (h || k) && l;
}

std::string braced(const std::vector<int>& indices) {
  std::string text = "{";
  for (const int index : indices) text += fmt::format("{}{}", std::abs(index), index < 0 ? "\u0304" : "");
  return text + "}";
}

}  // namespace

// The reciprocal axes: a*, b*, c* along x, y, z with lengths 1/a, 1/b, 1/c; of hexagonal cells, with b at
// 120° from a, a* + … = (h, (h + 2k)/√3)/a and l/c.
CrystalDirection crystal_plane(const CrystalGroup& group, const std::string& text,
                               const std::optional<CellLengths>& cell) {
  const CrystalSystem system = system_of(group);
  const bool hexagonal = system == CrystalSystem::hexagonal;
  const std::vector<int> indices = indices_in(text);
  const bool four = indices.size() == 4;
  std::vector<int> hkl = indices;
  if (four) hkl.erase(hkl.begin() + 2);
  require(hkl.size() == 3 && std::any_of(hkl.begin(), hkl.end(), [](int i) { return i != 0; }),
          fmt::format("‹poles› {}: these are no indices of a plane", text),
          hexagonal ? "give three or four digits with their signs, as 0001,10-10,11-20"
                    : "give three digits with their signs, as 100,110,1-11",
          Fault::usage);
  require(!four || (hexagonal && indices[0] + indices[1] + indices[2] == 0),
          hexagonal ? fmt::format("‹poles› {}: the first three of four indices have the sum 0", text)
                    : fmt::format("‹poles› {}: crystals of group {} have three indices", text, group.name),
          hexagonal ? "give them as in 10-10" : "give them as in 110", Fault::usage);
  CellLengths lengths = cell.value_or(CellLengths{1, 1, 1});
  for (const double length : lengths)
    require(std::isfinite(length) && length > 0, fmt::format("‹lattice›: a length of {:g}", length),
            "give three numbers above 0", Fault::usage);
  const auto alike = [&](std::size_t i, std::size_t j) {
    return std::abs(lengths[i] - lengths[j]) <= 1e-6 * lengths[i];
  };
  require(system == CrystalSystem::orthorhombic || system == CrystalSystem::any ||
              (alike(0, 1) && (system != CrystalSystem::cubic || alike(0, 2))),
          fmt::format("‹lattice› {:g},{:g},{:g}: not the lengths of a crystal of group {}", lengths[0],
                      lengths[1], lengths[2], group.name),
          system == CrystalSystem::cubic ? "leave it out: all three are the same"
                                         : "give the same length twice, and that of the main axis",
          Fault::usage);
  require(cell || !needs_lengths(system, hkl),
          fmt::format("‹poles› {}: where this normal points depends on the lengths of the cell", text),
          "give them with ‹lattice›, as 2.95,2.95,4.68", Fault::usage);
  if (system == CrystalSystem::any) lengths = {1, 1, 1};
  const double h = hkl[0] / lengths[0], k = hkl[1] / lengths[1], l = hkl[2] / lengths[2];
  const std::string name =
      system == CrystalSystem::any ? fmt::format("({}, {}, {})", hkl[0], hkl[1], hkl[2]) : braced(indices);
  return {name,
          of_length_one(hexagonal ? Direction{h, (h + 2 * k) / std::numbers::sqrt3, l} : Direction{h, k, l})};
}

std::vector<CrystalDirection> usual_directions(const CrystalGroup& group) {
  const auto planes = [&](const std::vector<std::string>& indices) {
    std::vector<CrystalDirection> result;
    for (const std::string& plane : indices) result.push_back(crystal_plane(group, plane));
    return result;
  };
  switch (system_of(group)) {
    case CrystalSystem::cubic:
      return planes({"100", "110", "111"});
    case CrystalSystem::tetragonal:
      return planes({"001", "100", "110"});
    case CrystalSystem::hexagonal:
      return planes({"0001", "10-10", "11-20"});
    case CrystalSystem::orthorhombic:
      return planes({"100", "010", "001"});
    case CrystalSystem::any:
      break;
  }
  return {{"crystal x", {1, 0, 0}}, {"crystal y", {0, 1, 0}}, {"crystal z", {0, 0, 1}}};
}

}  // namespace riemflow::figure
