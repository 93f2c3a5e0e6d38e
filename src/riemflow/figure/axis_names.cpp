#include "riemflow/figure/axis_names.hpp"

#include <algorithm>

#include "riemflow/model/read_provenance.hpp"

namespace riemflow::figure {
namespace {

constexpr std::size_t kLongest = 30;

constexpr std::pair<const char*, const char*> kGreek[] = {{"phi", "φ"},   {"psi", "ψ"},   {"chi", "χ"},
                                                          {"omega", "ω"}, {"theta", "θ"}, {"alpha", "α"},
                                                          {"beta", "β"},  {"gamma", "γ"}};

std::string subscript(const std::string& digits) {
  std::string result;
  for (const char digit : digits) {
    result += "\xE2\x82";  // U+2080 …
    result += static_cast<char>(0x80 + (digit - '0'));
  }
  return result;
}

/// "chi" and "1" of "chi1", "chi_1".
std::pair<std::string, std::string> stem_and_number(const std::string& name) {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  std::string stem = name.substr(0, digits);
  while (stem.size() > 1 && stem.back() == '_') stem.pop_back();
  return {stem, name.substr(digits)};
}

std::string pretty(std::string name) {
  std::string plain = name;
  std::transform(plain.begin(), plain.end(), plain.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const std::string ending : {"_deg", "_rad", "_degrees", "_radians"})
    if (plain.size() > ending.size() && plain.ends_with(ending)) {
      plain.resize(plain.size() - ending.size());
      name.resize(plain.size());
    }
  const auto [stem, number] = stem_and_number(plain);
  for (const auto& [spelt, letter] : kGreek)
    if (stem == spelt) return letter + subscript(number);
  if (name.size() > kLongest) name = name.substr(0, kLongest) + "…";
  return name;
}

}  // namespace

std::vector<std::string> column_names(const Model& model, std::size_t n) {
  const auto provenance = read_provenance(metadata_of(model, "provenance"));
  std::vector<std::string> names;
  if (provenance.is_object() && provenance.contains("columns") && provenance["columns"].is_array())
    for (const auto& name : provenance["columns"])
      if (name.is_string() && !name.get<std::string>().empty()) names.push_back(pretty(name));
  if (names.size() != n) names.clear();
  return names;
}

std::vector<std::string> axis_names(const std::vector<std::string>& columns) {
  std::vector<std::string> names;
  for (const std::string& column : columns) {
    const auto [stem, number] = stem_and_number(column);
    std::string name = stem == "x" ? "x" + subscript(number) : column;
    std::replace(name.begin(), name.end(), '_', ' ');
    names.push_back(name);
  }
  return names;
}

std::array<std::string, 2> sheet_names(const Model& model) {
  const std::vector<std::string> names = column_names(model, 2);
  if (!names.empty()) return {names[0], names[1]};
  if (model.config.manifold->column_form().kind == ColumnForm::Kind::angles) return {"angle 1", "angle 2"};
  return {"x", "y"};
}

}  // namespace riemflow::figure
