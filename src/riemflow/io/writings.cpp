#include "riemflow/io/writings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "riemflow/core/text.hpp"
#include "riemflow/io/choose_columns.hpp"
#include "riemflow/io/columns.hpp"
#include "riemflow/io/coordinates.hpp"

namespace riemflow::io {
namespace {

/// What programs for orientations call them: the Euler angles of a CTF or ANG file, quaternions.
const std::map<std::string, std::string, std::less<>> kAliases = {
    {"euler1", "phi1"}, {"euler2", "phi"}, {"euler3", "phi2"}, {"qw", "w"}, {"qx", "x"}, {"qy", "y"},
    {"qz", "z"},        {"q0", "w"},       {"q1", "x"},        {"q2", "y"}, {"q3", "z"}};

/// Whether a column of this name is the one that column_names() calls so.
bool is_named(const std::string& name, const std::string& wanted) {
  const std::string plain = lower(name);
  if (plain == wanted) return true;
  const auto alias = kAliases.find(plain);
  if (alias != kAliases.end()) return alias->second == wanted;
  const Named means = meaning_of(name);
  if (means.doubtful) return false;
  return (wanted == "latitude" && means.meaning == Meaning::latitude) ||
         (wanted == "longitude" && means.meaning == Meaning::longitude);
}

std::vector<std::string> names_of(const Factor<double>& factor, const Writing& writing) {
  if (writing.notation) return writing.notation->columns;
  if (writing.latitude) return {"latitude", "longitude"};
  std::vector<std::string> names;
  for (int k = 1; k <= factor.manifold->ambient(); ++k)
    names.push_back(fmt::format("{}_{}", stem_of(factor), k));
  return names;
}

}  // namespace

bool has_notations(const Manifold<double>& manifold) {
  const auto factors = manifold.factors();
  return std::any_of(factors.begin(), factors.end(),
                     [](const Factor<double>& factor) { return !factor.manifold->notations().empty(); });
}

std::vector<std::vector<Writing>> writings_of(const Manifold<double>& manifold) {
  std::vector<std::vector<Writing>> all(1);
  for (const Factor<double>& factor : manifold.factors()) {
    std::vector<Writing> own;
    for (Notation& notation : factor.manifold->notations())
      own.push_back({std::make_shared<const Notation>(std::move(notation))});
    if (has_latitude(factor)) own.push_back({nullptr, true});
    if (factor.manifold->notations().empty()) own.push_back({});
    std::vector<std::vector<Writing>> longer;
    for (const Writing& last : own)
      for (std::vector<Writing> so_far : all) {
        so_far.push_back(last);
        longer.push_back(std::move(so_far));
      }
    all = std::move(longer);
  }
  return all;
}

std::vector<std::string> column_names(const Manifold<double>& manifold,
                                      const std::vector<Writing>& writings) {
  const auto factors = manifold.factors();
  std::map<std::string, int> uses;
  for (std::size_t f = 0; f < factors.size(); ++f)
    for (const std::string& name : names_of(factors[f], writings[f])) ++uses[name];
  std::vector<std::string> names;
  for (std::size_t f = 0; f < factors.size(); ++f) {
    const std::vector<std::string> own = names_of(factors[f], writings[f]);
    const bool unique =
        std::all_of(own.begin(), own.end(), [&](const auto& name) { return uses[name] == 1; });
    for (const std::string& name : own) names.push_back(unique ? name : fmt::format("{}_{}", name, f + 1));
  }
  return names;
}

std::vector<std::size_t> columns_named(const Table& table, const std::vector<std::string>& names) {
  std::vector<std::size_t> columns;
  for (const std::string& name : names) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < table.names.size(); ++i)
      if (i != table.weight && is_named(table.names[i], name)) found.push_back(i);
    if (found.size() != 1) return {};
    columns.push_back(found.front());
  }
  return columns;
}

std::vector<Writing> writings_of_columns(const Manifold<double>& manifold, const Table& table,
                                         const std::vector<std::size_t>& columns) {
  std::vector<Writing> result;
  if (!has_notations(manifold)) {
    for (const bool latitude : factors_with_latitude(manifold, columns.size()))
      result.push_back({nullptr, latitude});
    return result;
  }
  for (const std::vector<Writing>& writings : writings_of(manifold)) {
    const std::vector<std::string> names = column_names(manifold, writings);
    if (names.size() != columns.size()) continue;
    if (result.empty()) result = writings;
    bool said = true;
    for (std::size_t i = 0; i < names.size(); ++i) said &= is_named(table.name(columns[i]), names[i]);
    if (said) return writings;
  }
  return result;
}

std::vector<std::size_t> in_order_of_names(const Manifold<double>& manifold, const Table& table,
                                           const std::vector<std::size_t>& columns) {
  if (!has_notations(manifold)) return columns;
  for (const std::vector<Writing>& writings : writings_of(manifold)) {
    const std::vector<std::string> names = column_names(manifold, writings);
    if (names.size() != columns.size()) continue;
    std::vector<std::size_t> ordered;
    for (const std::string& name : names)
      for (const std::size_t c : columns)
        if (is_named(table.name(c), name)) ordered.push_back(c);
    std::vector<std::size_t> different = ordered;
    std::sort(different.begin(), different.end());
    different.erase(std::unique(different.begin(), different.end()), different.end());
    if (ordered.size() == columns.size() && different.size() == columns.size()) return ordered;
  }
  return columns;
}

}  // namespace riemflow::io
