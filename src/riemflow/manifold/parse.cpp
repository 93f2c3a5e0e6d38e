#include "riemflow/manifold/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "riemflow/core/error.hpp"
#include "riemflow/core/suggest.hpp"
#include "riemflow/core/text.hpp"
#include "riemflow/manifold/axis.hpp"
#include "riemflow/manifold/declared.hpp"
#include "riemflow/manifold/euclidean.hpp"
#include "riemflow/manifold/grassmann.hpp"
#include "riemflow/manifold/hyperboloid.hpp"
#include "riemflow/manifold/interval.hpp"
#include "riemflow/manifold/periodic.hpp"
#include "riemflow/manifold/poincare_ball.hpp"
#include "riemflow/manifold/positive.hpp"
#include "riemflow/manifold/product.hpp"
#include "riemflow/manifold/rotation.hpp"
#include "riemflow/manifold/simplex.hpp"
#include "riemflow/manifold/spd.hpp"
#include "riemflow/manifold/sphere.hpp"
#include "riemflow/manifold/stiefel.hpp"
#include "riemflow/manifold/torus.hpp"

namespace riemflow {
namespace {

constexpr int kLargestDimension = 4096;

/// kind [ ":" numbers [ "/" group ] { "," key "=" value } ]
struct SpaceName {
  std::string_view whole;
  std::string kind;
  std::vector<int> numbers;
  std::string_view group;
  std::map<std::string, std::string_view> options;

  /// The only number.
  int dimension() const {
    require(numbers.size() <= 1, fmt::format("'{}' has {} dimensions", whole, numbers.size()),
            fmt::format("give one, as in {}:2", kind));
    return numbers.front();
  }
  /// The first and the second of two.
  int first() const { return numbers[0]; }
  int second() const {
    require(numbers.size() == 2, fmt::format("'{}' has one number", whole),
            fmt::format("give two, n and p, as in {}:3,2", kind));
    return numbers[1];
  }
  /// Several are parted by semicolons.
  std::vector<double> values(const std::string& key) const {
    std::vector<double> all;
    const std::string_view text = options.at(key);
    for (const std::string_view part : split(text, [&](std::size_t i) { return text[i] == ';'; })) {
      const auto value = parse_number<double>(part);
      require(value.has_value(), fmt::format("'{}' in '{}' is not a number", part, whole),
              fmt::format("give {} as in {}=0.5", key == "K" ? "the curvature" : key, key));
      all.push_back(*value);
    }
    return all;
  }
  double value(const std::string& key, double otherwise) const {
    if (!options.contains(key)) return otherwise;
    const std::vector<double> all = values(key);
    require(all.size() == 1, fmt::format("'{}' gives {} values of {}", whole, all.size(), key), "give one");
    return all.front();
  }
};

/// A kind of space, in one line of the table below.
template <class T>
struct Kind {
  std::string_view name;
  std::string_view example;  ///< a name that is right
  std::string_view options;  ///< what may stand behind the dimension
  std::string_view grouped;  ///< an example with "/" and a group, where one may follow
  bool pair;                 ///< two numbers stand behind it
  DeclaredSpace<T> (*make)(const SpaceName&);
};

template <class T>
const std::vector<Kind<T>>& kinds() {
  using Made = DeclaredSpace<T>;
  static const std::vector<Kind<T>> all = {
      {"euclidean", "euclidean:2", "", "", false,
       [](const SpaceName& n) -> Made { return declared_space<Euclidean, T>(n.dimension()); }},
      {"sphere", "sphere:2", "K", "", false,
       [](const SpaceName& n) -> Made { return declared_space<Sphere, T>(n.dimension(), n.value("K", 1)); }},
      {"ball", "ball:2", "K", "", false,
       [](const SpaceName& n) -> Made {
         return declared_space<PoincareBall, T>(n.dimension(), n.value("K", -1));
       }},
      {"torus", "torus:2", "L", "", false,
       [](const SpaceName& n) -> Made {
         if (!n.options.contains("L")) return declared_space<Torus, T>(n.dimension());
         return declared_space<PeriodicTorus, T>(n.dimension(), n.values("L"));
       }},
      {"hyperboloid", "hyperboloid:2", "K", "", false,
       [](const SpaceName& n) -> Made {
         return declared_space<Hyperboloid, T>(n.dimension(), n.value("K", -1));
       }},
      {"interval", "interval:1", "from to", "", false,
       [](const SpaceName& n) -> Made {
         require(n.dimension() == 1, fmt::format("'{}' has more than one dimension", n.whole),
                 "boxes are products, as in interval:1 x interval:1");
         return declared_space<Interval, T>(n.value("from", 0), n.value("to", 1));
       }},
      {"positive", "positive:1", "", "", false,
       [](const SpaceName& n) -> Made {
         require(n.dimension() == 1, fmt::format("'{}' has more than one dimension", n.whole),
                 "several numbers are products, as in positive:1 x positive:1");
         return declared_space<Positive, T>();
       }},
      {"simplex", "simplex:2", "", "", false,
       [](const SpaceName& n) -> Made { return declared_space<Simplex, T>(n.dimension()); }},
      {"spd", "spd:2", "", "", false,
       [](const SpaceName& n) -> Made { return declared_space<Spd, T>(n.dimension()); }},
      {"axis", "axis:2", "", "", false,
       [](const SpaceName& n) -> Made { return declared_space<Axis, T>(n.dimension()); }},
      {"stiefel", "stiefel:3,2", "", "", true,
       [](const SpaceName& n) -> Made { return declared_space<Stiefel, T>(n.first(), n.second()); }},
      {"grassmann", "grassmann:3,1", "", "", true,
       [](const SpaceName& n) -> Made { return declared_space<Grassmann, T>(n.first(), n.second()); }},
      {"rotation", "rotation:3", "", "rotation:3/432", false,
       [](const SpaceName& n) -> Made {
         require(n.dimension() == 3, fmt::format("'{}' are not the rotations of space", n.whole),
                 "rotation:3 is what there is; turns of the plane are torus:1");
         return declared_space<Rotation, T>(n.group.empty() ? "1" : n.group);
       }},
  };
  return all;
}

[[noreturn]] void unknown_kind(std::string_view kind) {
  std::vector<std::string_view> names;
  for (const auto& known : kinds<double>()) names.push_back(known.name);
  const std::string_view nearest = nearest_name(kind, names);
  const std::string known = fmt::format("the manifolds are {}", fmt::join(names, ", "));
  throw Error(fmt::format("unknown manifold '{}'", kind),
              nearest.empty() ? known : fmt::format("perhaps you meant {}? {}", nearest, known));
}

int parse_dimension(std::string_view factor, std::string_view text) {
  const auto d = parse_number<int>(text);
  require(d && 1 <= *d && *d <= kLargestDimension,
          fmt::format("'{}' in '{}' is not a dimension", text, factor),
          fmt::format("give a whole number from 1 to {}", kLargestDimension));
  return *d;
}

template <class T>
void take_option(const Kind<T>& kind, SpaceName& name, std::string_view option) {
  const std::size_t equals = option.find('=');
  const std::vector<std::string> known = words_in(kind.options);
  const auto same = [&](std::string_view key) {
    return equals != option.npos && lower(trimmed(option.substr(0, equals))) == lower(key);
  };
  const auto found = std::find_if(known.begin(), known.end(), same);
  if (found == known.end()) {
    require(!same("K"),
            fmt::format("'{}' gives a curvature, but {} has none of its own", name.whole, kind.name),
            "leave K out, or use sphere (K > 0), ball or hyperboloid (K < 0)");
    throw Error(fmt::format("'{}' in '{}' is not an option", option, name.whole),
                known.empty()         ? fmt::format("{} has none", kind.name)
                : kind.options == "K" ? "the only option is the curvature, as in K=0.5"
                                      : fmt::format("the options are {}", fmt::join(known, ", ")));
  }
  const std::string key(*found);
  require(!name.options.contains(key), fmt::format("'{}' in '{}' is one option too many", option, name.whole),
          fmt::format("give {} once", key));
  name.options[key] = trimmed(option.substr(equals + 1));
  name.values(key);
}

template <class T>
std::unique_ptr<const Manifold<T>> parse_factor(std::string_view factor) {
  SpaceName name{factor, {}, {}, {}, {}};
  const std::size_t colon = factor.find(':');
  name.kind = lower(trimmed(factor.substr(0, colon)));
  require(!name.kind.empty(), fmt::format("no manifold named in '{}'", factor),
          "write it as in sphere:2 x torus:1");
  const auto& all = kinds<T>();
  const auto kind = std::find_if(all.begin(), all.end(), [&](const auto& k) { return k.name == name.kind; });
  if (kind == all.end()) unknown_kind(name.kind);
  require(colon != factor.npos, fmt::format("no dimension in '{}'", factor),
          fmt::format("write it after a colon, as in {}", kind->example));

  const std::string_view behind = factor.substr(colon + 1);
  const auto parts = split(behind, [&](std::size_t i) { return behind[i] == ','; });
  const std::size_t slash = parts[0].find('/');
  if (slash != parts[0].npos) {
    name.group = trimmed(parts[0].substr(slash + 1));
    require(!kind->grouped.empty(), fmt::format("'{}' names a group, and {} has none", factor, kind->name),
            "orientations of crystals have one, as in rotation:3/432");
    require(!name.group.empty(), fmt::format("'{}' names no group behind its slash", factor),
            fmt::format("write {}, or one as in {}", kind->example, kind->grouped));
  }
  name.numbers.push_back(parse_dimension(factor, trimmed(parts[0].substr(0, slash))));
  std::size_t next = 1;
  if (kind->pair && parts.size() > 1) name.numbers.push_back(parse_dimension(factor, trimmed(parts[next++])));
  for (; next < parts.size(); ++next) take_option(*kind, name, parts[next]);
  return kind->make(name).release();
}

}  // namespace

// name = factor { "x" factor }. An x stands alone, or after a digit and before a letter as in
// sphere:2xtorus:1.
std::vector<std::string_view> factor_names(std::string_view name) {
  const auto separates = [&](std::size_t i) {
    if (name[i] != 'x' && name[i] != 'X') return false;
    const char before = i == 0 ? ' ' : name[i - 1];
    const char after = i + 1 == name.size() ? ' ' : name[i + 1];
    return (is_space(before) && is_space(after)) ||
           (is_digit(before) && (is_space(after) || is_letter(after)));
  };
  std::vector<std::string_view> factors;
  for (const std::string_view factor : split(name, separates)) {
    require(!factor.empty(), fmt::format("a manifold is missing in '{}'", name),
            "write it as in sphere:2 x torus:1");
    factors.push_back(factor);
  }
  return factors;
}

template <class T>
std::unique_ptr<const Manifold<T>> parse_manifold(std::string_view name) {
  const std::vector<std::string_view> names = factor_names(name);
  if (names.size() == 1) return parse_factor<T>(names[0]);
  std::vector<std::shared_ptr<const Manifold<T>>> factors;
  for (const std::string_view factor : names) factors.push_back(parse_factor<T>(factor));
  std::shared_ptr<const Covering> covering;
  if constexpr (std::is_same_v<T, float>) covering = parse_manifold<double>(name)->covering();
  return std::make_unique<Product<T>>(std::move(factors), std::move(covering));
}

std::vector<SpaceExample> space_examples() {
  std::vector<SpaceExample> all;
  for (const auto& kind : kinds<double>()) all.push_back({kind.example, kind.grouped});
  return all;
}

template std::unique_ptr<const Manifold<float>> parse_manifold(std::string_view);
template std::unique_ptr<const Manifold<double>> parse_manifold(std::string_view);

}  // namespace riemflow
