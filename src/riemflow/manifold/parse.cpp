#include "riemflow/manifold/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "riemflow/core/error.hpp"
#include "riemflow/core/suggest.hpp"
#include "riemflow/core/text.hpp"
#include "riemflow/manifold/euclidean.hpp"
#include "riemflow/manifold/poincare_ball.hpp"
#include "riemflow/manifold/product.hpp"
#include "riemflow/manifold/sphere.hpp"
#include "riemflow/manifold/torus.hpp"

namespace riemflow {
namespace {

constexpr int kLargestDimension = 4096;
constexpr std::string_view kKinds[] = {"euclidean", "sphere", "ball", "torus"};

[[noreturn]] void unknown_kind(std::string_view kind) {
  const std::string_view nearest = nearest_name(kind, kKinds);
  const std::string known = "the manifolds are euclidean, sphere, ball (hyperbolic space) and torus";
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

double parse_curvature(std::string_view factor, std::string_view option) {
  const std::size_t equals = option.find('=');
  require(lower(trimmed(option.substr(0, equals))) == "k" && equals != option.npos,
          fmt::format("'{}' in '{}' is not an option", option, factor),
          "the only option is the curvature, as in K=0.5");
  const std::string_view text = trimmed(option.substr(equals + 1));
  const auto K = parse_number<double>(text);
  require(K.has_value(), fmt::format("'{}' in '{}' is not a number", text, factor),
          "give the curvature as in K=0.5");
  return *K;
}

// factor = kind ":" d [ "," "K=" number ]
template <class T>
std::unique_ptr<const Manifold<T>> parse_factor(std::string_view factor) {
  const std::size_t colon = factor.find(':');
  const std::string kind = lower(trimmed(factor.substr(0, colon)));
  require(!kind.empty(), fmt::format("no manifold named in '{}'", factor),
          "write it as in sphere:2 x torus:1");
  if (std::find(std::begin(kKinds), std::end(kKinds), kind) == std::end(kKinds)) unknown_kind(kind);
  require(colon != factor.npos, fmt::format("no dimension in '{}'", factor),
          fmt::format("write it after a colon, as in {}:2", kind));

  const std::string_view options = factor.substr(colon + 1);
  const auto parts = split(options, [&](std::size_t i) { return options[i] == ','; });
  const int d = parse_dimension(factor, parts[0]);
  std::optional<double> K;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    require(!K, fmt::format("'{}' in '{}' is one option too many", parts[i], factor), "give K once");
    K = parse_curvature(factor, parts[i]);
  }

  if (kind == "sphere") return std::make_unique<Sphere<T>>(d, K.value_or(1));
  if (kind == "ball") return std::make_unique<PoincareBall<T>>(d, K.value_or(-1));
  require(!K, fmt::format("'{}' gives a curvature, but {} is flat", factor, kind),
          "leave K out, or use sphere (K > 0) or ball (K < 0)");
  if (kind == "torus") return std::make_unique<Torus<T>>(d);
  return std::make_unique<Euclidean<T>>(d);
}

}  // namespace

// name = factor { "x" factor }. An x stands alone, or after a digit and before a letter as in
// sphere:2xtorus:1.
template <class T>
std::unique_ptr<const Manifold<T>> parse_manifold(std::string_view name) {
  const auto separates = [&](std::size_t i) {
    if (name[i] != 'x' && name[i] != 'X') return false;
    const char before = i == 0 ? ' ' : name[i - 1];
    const char after = i + 1 == name.size() ? ' ' : name[i + 1];
    return (is_space(before) && is_space(after)) ||
           (is_digit(before) && (is_space(after) || is_letter(after)));
  };
  std::vector<std::unique_ptr<const Manifold<T>>> factors;
  for (std::string_view factor : split(name, separates)) {
    require(!factor.empty(), fmt::format("a manifold is missing in '{}'", name),
            "write it as in sphere:2 x torus:1");
    factors.push_back(parse_factor<T>(factor));
  }
  if (factors.size() == 1) return std::move(factors[0]);
  return std::make_unique<Product<T>>(std::move(factors));
}

template std::unique_ptr<const Manifold<float>> parse_manifold(std::string_view);
template std::unique_ptr<const Manifold<double>> parse_manifold(std::string_view);

}  // namespace riemflow
