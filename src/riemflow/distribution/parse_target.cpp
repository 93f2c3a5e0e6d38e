#include "riemflow/distribution/parse_target.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "riemflow/core/error.hpp"
#include "riemflow/core/suggest.hpp"
#include "riemflow/core/text.hpp"
#include "riemflow/distribution/angular_central_gaussian.hpp"
#include "riemflow/distribution/bingham.hpp"
#include "riemflow/distribution/bivariate_von_mises.hpp"
#include "riemflow/distribution/kent.hpp"
#include "riemflow/distribution/matrix_fisher.hpp"
#include "riemflow/distribution/mixture_distribution.hpp"
#include "riemflow/distribution/normal.hpp"
#include "riemflow/distribution/rounded.hpp"
#include "riemflow/distribution/uniform.hpp"
#include "riemflow/distribution/von_mises_fisher.hpp"
#include "riemflow/distribution/watson.hpp"
#include "riemflow/distribution/wrapped_normal.hpp"
#include "riemflow/manifold/earth.hpp"

namespace riemflow {
namespace {

constexpr std::string_view kDensities[] = {"vmf",
                                           "wrapped-normal",
                                           "uniform",
                                           "normal",
                                           "watson",
                                           "bingham",
                                           "kent",
                                           "angular-central-gaussian",
                                           "bivariate-von-mises",
                                           "matrix-fisher"};
constexpr const char* kHow = "write it as in vmf:mu=1;0;0,kappa=10 or 0.3*vmf:... + 0.7*vmf:...";

[[noreturn]] void unknown(const std::string& problem, std::string_view typed,
                          std::span<const std::string_view> names, std::string_view what) {
  const std::string_view nearest = nearest_name(typed, names);
  const std::string known = names.empty() ? fmt::format("there are no {}", what)
                                          : fmt::format("the {} are {}", what, fmt::join(names, ", "));
  throw Error(problem, nearest.empty() ? known : fmt::format("perhaps you meant {}? {}", nearest, known));
}

/// The key=value,… of one density.
class Options {
 public:
  /// `part`: the whole of it, for messages.
  Options(std::string_view part, std::string_view text, std::initializer_list<std::string_view> known)
      : part_(part) {
    if (text.empty()) return;
    for (std::string_view option : split(text, [&](std::size_t i) { return text[i] == ','; })) {
      const std::size_t equals = option.find('=');
      require(equals != option.npos, fmt::format("'{}' in '{}' is not an option", option, part),
              "write options as key=value with commas between, the numbers of a vector with semicolons");
      const std::string key = lower(trimmed(option.substr(0, equals)));
      if (std::find(known.begin(), known.end(), key) == known.end())
        unknown(fmt::format("unknown option '{}' in '{}'", key, part), key, {known.begin(), known.size()},
                "options");
      const bool first = values_.emplace(key, trimmed(option.substr(equals + 1))).second;
      require(first, fmt::format("{} stands twice in '{}'", key, part), "give it once");
    }
  }

  bool has(const std::string& key) const { return values_.contains(key); }

  Eigen::VectorXd numbers(const std::string& key) const {
    const std::string_view text = values_.at(key);
    const auto parts = split(text, [&](std::size_t i) { return text[i] == ';'; });
    Eigen::VectorXd numbers(static_cast<Eigen::Index>(parts.size()));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto value = parse_number<double>(parts[i]);
      require(value && std::isfinite(*value),
              fmt::format("'{}' of {} in '{}' is not a number", parts[i], key, part_),
              "give finite numbers, those of a vector with semicolons between");
      numbers[static_cast<Eigen::Index>(i)] = *value;
    }
    return numbers;
  }

  double number(const std::string& key) const {
    const Eigen::VectorXd all = numbers(key);
    require(all.size() == 1, fmt::format("{} numbers for {} in '{}'", all.size(), key, part_), "give one");
    return all[0];
  }

  void require_count(const std::string& key, const Eigen::VectorXd& numbers, int n,
                     const std::string& manifold) const {
    require(numbers.size() == n, fmt::format("{} numbers for {} in '{}'", numbers.size(), key, part_),
            fmt::format("give {}, as many as a point of {} has", n, manifold));
  }

 private:
  std::string part_;
  std::map<std::string, std::string_view> values_;
};

template <class T>
void require_home(bool right, std::string_view part, const Manifold<T>& manifold, const char* where) {
  require(right, fmt::format("'{}' is no density of {}", part, manifold.name()), where);
}

template <class T>
void require_unit_sphere(const Manifold<T>& manifold, std::string_view part, const char* kind) {
  require_home(manifold.kernel_form().family == KernelForm::Family::chord, part, manifold,
               fmt::format("{} is for spheres; use wrapped-normal on balls", kind).c_str());
  const double K = manifold.curvature();
  require(K == 1, fmt::format("'{}' on {}: {} is for the sphere of radius 1", part, manifold.name(), kind),
          fmt::format("use sphere:{}", manifold.dimension()));
}

/// A vector of the length that a point has, > 0.
template <class T>
Eigen::VectorXd vector_option(const Options& options, const std::string& key, std::string_view part,
                              const Manifold<T>& manifold) {
  const Eigen::VectorXd vector = options.numbers(key);
  options.require_count(key, vector, manifold.ambient(), manifold.name());
  require(vector.stableNorm() > 0, fmt::format("{}=0 in '{}' is no direction", key, part),
          "give a vector of length 1");
  return vector;
}

/// The direction of mu, or of lat and lon.
template <class T>
Eigen::VectorXd mean_direction(const Options& options, std::string_view part, const Manifold<T>& manifold) {
  const bool mu = options.has("mu"), lat = options.has("lat"), lon = options.has("lon");
  require(mu ? !lat && !lon : lat && lon,
          fmt::format("'{}' has {} mean direction", part, mu || (lat && lon) ? "more than one" : "no"),
          "give mu=x;y;z, or both lat and lon in degrees");
  if (mu) {
    const Eigen::VectorXd mean = vector_option(options, "mu", part, manifold);
    const double length = mean.stableNorm();
    const Eigen::VectorXd unit = mean / length;
    require(std::abs(length - 1) <= 1e-3,
            fmt::format("mu in '{}' has length {:.6g} where 1 is expected", part, length),
            fmt::format("if its direction is meant, give mu={:.9g}", fmt::join(unit, ";")));
    return mean;
  }
  require(manifold.dimension() == 2, fmt::format("lat and lon in '{}' on {}", part, manifold.name()),
          "give mu instead; latitude and longitude are for sphere:2");
  const double latitude = options.number("lat"), longitude = options.number("lon");
  require(std::abs(latitude) <= 90, fmt::format("lat={} in '{}'", latitude, part),
          "give degrees from -90 to 90");
  require(std::abs(longitude) <= 360, fmt::format("lon={} in '{}'", longitude, part),
          "give degrees from -180 to 180");
  Eigen::VectorXd mean(3);
  unit_vector(latitude, longitude, std::span<double>(mean.data(), 3));
  return mean;
}

double concentration(const Options& options, std::string_view part) {
  require(options.has("kappa"), fmt::format("no kappa in '{}'", part),
          "give the concentration, as in kappa=10");
  return options.number("kappa");
}

/// A symmetric matrix of n rows: all its numbers, or those of the diagonal.
Eigen::MatrixXd matrix_option(const Options& options, const std::string& key, std::string_view part, int n) {
  require(options.has(key), fmt::format("no {} in '{}'", key, part),
          fmt::format("give {} numbers for a diagonal, or a matrix of {}", n, n * n));
  const Eigen::VectorXd numbers = options.numbers(key);
  require(numbers.size() == n || numbers.size() == n * n,
          fmt::format("{} numbers for {} in '{}'", numbers.size(), key, part),
          fmt::format("give {} for a diagonal, or a matrix of {}", n, n * n));
  if (numbers.size() == n) return numbers.asDiagonal();
  return numbers.reshaped(n, n);
}

template <class T, class Density>
std::shared_ptr<const Distribution<T>> in_double(Density density) {
  return in_precision<T>(std::make_shared<const Density>(std::move(density)));
}

template <class T>
std::shared_ptr<const Distribution<T>> von_mises_fisher(std::string_view part, std::string_view text,
                                                        const Manifold<T>& manifold) {
  require_unit_sphere(manifold, part, "vmf");
  const Options options(part, text, {"mu", "lat", "lon", "kappa"});
  const double kappa = concentration(options, part);
  require(kappa >= 0, fmt::format("kappa={} in '{}'", kappa, part), "give 0 or more");
  return std::make_shared<VonMisesFisher<T>>(mean_direction(options, part, manifold), kappa);
}

template <class T>
std::shared_ptr<const Distribution<T>> watson(std::string_view part, std::string_view text,
                                              const Manifold<T>& manifold) {
  require_unit_sphere(manifold, part, "watson");
  const Options options(part, text, {"mu", "lat", "lon", "kappa"});
  const double kappa = concentration(options, part);
  return in_double<T>(Watson(mean_direction(options, part, manifold), kappa));
}

template <class T>
std::shared_ptr<const Distribution<T>> bingham(std::string_view part, std::string_view text,
                                               const Manifold<T>& manifold) {
  require_unit_sphere(manifold, part, "bingham");
  const Options options(part, text, {"matrix"});
  return in_double<T>(Bingham(matrix_option(options, "matrix", part, manifold.ambient())));
}

template <class T>
std::shared_ptr<const Distribution<T>> kent(std::string_view part, std::string_view text,
                                            const Manifold<T>& manifold) {
  require_unit_sphere(manifold, part, "kent");
  require(manifold.dimension() == 2, fmt::format("'{}' on {}", part, manifold.name()),
          "kent is for sphere:2");
  const Options options(part, text, {"mu", "lat", "lon", "major", "kappa", "beta"});
  const double kappa = concentration(options, part);
  const double beta = options.has("beta") ? options.number("beta") : 0;
  require(options.has("major"), fmt::format("no major axis in '{}'", part),
          "give major=x;y;z, orthogonal to mu");
  const Eigen::Vector3d mean = mean_direction(options, part, manifold);
  return in_double<T>(Kent(mean, vector_option(options, "major", part, manifold), kappa, beta));
}

template <class T>
std::shared_ptr<const Distribution<T>> angular_central_gaussian(std::string_view part, std::string_view text,
                                                                const Manifold<T>& manifold) {
  require_unit_sphere(manifold, part, "angular-central-gaussian");
  const Options options(part, text, {"sigma"});
  return in_double<T>(AngularCentralGaussian(matrix_option(options, "sigma", part, manifold.ambient())));
}

template <class T>
std::shared_ptr<const Distribution<T>> bivariate_von_mises(std::string_view part, std::string_view text,
                                                           const Manifold<T>& manifold) {
  const KernelForm circles = manifold.kernel_form();
  require_home(circles.family == KernelForm::Family::circles && circles.radius == 1, part, manifold,
               "bivariate-von-mises is for torus:2");
  require(manifold.dimension() == 2, fmt::format("'{}' on {}", part, manifold.name()),
          "bivariate-von-mises is for torus:2");
  const Options options(part, text, {"mu", "kappa", "lambda"});
  require(options.has("kappa"), fmt::format("no kappa in '{}'", part),
          "give both concentrations, as in kappa=10;20");
  const Eigen::VectorXd kappa = options.numbers("kappa");
  options.require_count("kappa", kappa, 2, manifold.name());
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(2);
  if (options.has("mu")) {
    mean = options.numbers("mu") * kRadians;
    options.require_count("mu", mean, 2, manifold.name());
  }
  const double lambda = options.has("lambda") ? options.number("lambda") : 0;
  return in_double<T>(BivariateVonMises(mean, kappa[0], kappa[1], lambda));
}

template <class T>
std::shared_ptr<const Distribution<T>> matrix_fisher(std::string_view part, std::string_view text,
                                                     const Manifold<T>& manifold) {
  require(manifold.name() == "rotation:3", fmt::format("'{}' is no density of {}", part, manifold.name()),
          "matrix-fisher is for rotation:3; use bingham on spheres");
  const Options options(part, text, {"matrix"});
  const Eigen::Matrix3d transposed = matrix_option(options, "matrix", part, 3);
  return in_double<T>(MatrixFisher(transposed.transpose()));
}

template <class T>
std::shared_ptr<const Distribution<T>> wrapped_normal(std::string_view part, std::string_view text,
                                                      const Manifold<T>& manifold) {
  require_home(manifold.default_base() == DefaultBase::wrapped_normal, part, manifold,
               "wrapped-normal is for balls; use vmf on spheres");
  const double K = manifold.curvature();
  const int d = manifold.dimension();
  const double root = std::sqrt(-K);
  // What the standard one calls itself: wrapped-normal:2,K=-1.
  if (text == fmt::format("{},K={}", d, K)) text = "";
  const Options options(part, text, {"alpha", "mean", "sigma"});

  Eigen::VectorXd mean = Eigen::VectorXd::Zero(d);
  require(!options.has("alpha") || !options.has("mean"), fmt::format("'{}' has two means", part),
          "give either alpha or mean");
  if (options.has("alpha")) {
    // exp_0 of length α along the first axis
    mean[0] = std::tanh(root * options.number("alpha")) / root;
  } else if (options.has("mean")) {
    mean = options.numbers("mean");
    options.require_count("mean", mean, d, manifold.name());
  }
  require(root * mean.template cast<T>().template cast<double>().stableNorm() < 1,
          fmt::format("the mean in '{}' is not inside {}", part, manifold.name()),
          fmt::format("keep its norm below {:.6g}, or alpha smaller", 1 / root));

  Eigen::MatrixXd covariance = Eigen::MatrixXd::Identity(d, d);
  if (options.has("sigma")) {
    const Eigen::VectorXd sigma = options.numbers("sigma");
    const int n = static_cast<int>(sigma.size());
    require(n == 1 || n == d || n == d * d, fmt::format("{} numbers for sigma in '{}'", n, part),
            fmt::format("give one variance, {} of them, or a matrix of {}", d, d * d));
    if (n == d * d && d > 1) {
      covariance = sigma.reshaped(d, d);
    } else {
      require((sigma.array() > 0).all(), fmt::format("a variance in '{}' is not positive", part),
              "give sigma above 0: they are variances");
      covariance = n == 1 ? Eigen::MatrixXd(sigma[0] * covariance) : Eigen::MatrixXd(sigma.asDiagonal());
    }
  }
  return std::make_shared<WrappedNormal<T>>(d, K, mean, covariance);
}

// density = kind [ ":" key "=" number { ";" number } { "," key "=" … } ]
template <class T>
std::shared_ptr<const Distribution<T>> parse_density(std::string_view part,
                                                     const std::shared_ptr<const Manifold<T>>& manifold) {
  // What it calls itself.
  if (part == fmt::format("uniform({})", manifold->name())) part = "uniform";
  const std::size_t colon = part.find(':');
  const std::string kind = lower(trimmed(part.substr(0, colon)));
  const std::string_view text = colon == part.npos ? "" : trimmed(part.substr(colon + 1));
  require(!kind.empty(), fmt::format("no density named in '{}'", part), kHow);
  if (kind == "vmf") return von_mises_fisher<T>(part, text, *manifold);
  if (kind == "wrapped-normal") return wrapped_normal<T>(part, text, *manifold);
  if (kind == "watson") return watson<T>(part, text, *manifold);
  if (kind == "bingham") return bingham<T>(part, text, *manifold);
  if (kind == "kent") return kent<T>(part, text, *manifold);
  if (kind == "angular-central-gaussian") return angular_central_gaussian<T>(part, text, *manifold);
  if (kind == "bivariate-von-mises") return bivariate_von_mises<T>(part, text, *manifold);
  if (kind == "matrix-fisher") return matrix_fisher<T>(part, text, *manifold);
  if (kind == "uniform") {
    const Options none(part, text, {});
    require(manifold->compact(), fmt::format("{} has no uniform density", manifold->name()),
            "its volume is infinite; use wrapped-normal on balls, normal on R^d");
    return std::make_shared<Uniform<T>>(manifold);
  }
  if (kind == "normal") {
    require_home(manifold->default_base() == DefaultBase::normal, part, *manifold,
                 "normal is for R^d; use wrapped-normal on balls");
    const Options none(part, text == std::to_string(manifold->dimension()) ? "" : text, {});
    return std::make_shared<StandardNormal<T>>(manifold->dimension());
  }
  unknown(fmt::format("unknown density '{}'", kind), kind, kDensities, "densities");
}

}  // namespace

// target = density | weight "*" density { "+" weight "*" density }. A + after e, =, ; or * belongs to a
// number.
template <class T>
std::shared_ptr<const Distribution<T>> parse_target(std::string_view text,
                                                    std::shared_ptr<const Manifold<T>> manifold) {
  const auto separates = [&](std::size_t i) {
    if (text[i] != '+') return false;
    const std::string_view before = trimmed(text.substr(0, i));
    const bool exponent = i > 0 && (text[i - 1] == 'e' || text[i - 1] == 'E');
    return !exponent && (before.empty() || std::string_view("=;*").find(before.back()) == before.npos);
  };
  const auto parts = split(text, separates);
  std::vector<typename MixtureDistribution<T>::Component> components;
  double sum = 0;
  for (const std::string_view part : parts) {
    require(!part.empty(), fmt::format("a density is missing in '{}'", text), kHow);
    const std::size_t star = part.find('*');
    if (star == part.npos) {
      require(parts.size() == 1, fmt::format("'{}' has no weight in a mixture", part),
              fmt::format("write it as in 0.5*{}", part));
      return parse_density<T>(part, manifold);
    }
    const std::string_view number = trimmed(part.substr(0, star));
    const auto weight = parse_number<double>(number);
    require(weight && *weight > 0 && std::isfinite(*weight),
            fmt::format("'{}' in '{}' is not a weight", number, part), "give a number above 0, at most 1");
    components.push_back({*weight, parse_density<T>(trimmed(part.substr(star + 1)), manifold)});
    sum += *weight;
  }
  require(std::abs(sum - 1) <= 1e-2, fmt::format("the weights in '{}' sum to {:.6g}", text, sum),
          "make them sum to 1");
  return std::make_shared<MixtureDistribution<T>>(std::move(components));
}

template std::shared_ptr<const Distribution<float>> parse_target(std::string_view,
                                                                 std::shared_ptr<const Manifold<float>>);
template std::shared_ptr<const Distribution<double>> parse_target(std::string_view,
                                                                  std::shared_ptr<const Manifold<double>>);

}  // namespace riemflow
