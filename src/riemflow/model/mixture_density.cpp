#include "riemflow/model/mixture_density.hpp"

#include <fmt/format.h>

#include <cmath>

#include "riemflow/core/error.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow {
namespace {

/// Points a piece of work.
constexpr std::size_t kMixturePiece = 256;

template <class T>
MixtureParameters checked(MixtureParameters parameters, const Manifold<T>& manifold) {
  require_sphere(manifold.name());
  require(parameters.means.dimension == manifold.ambient(),
          fmt::format("a mixture whose means have {} numbers", parameters.means.dimension),
          fmt::format("{} needs {}", manifold.name(), manifold.ambient()));
  return parameters;
}

}  // namespace

bool is_one_sphere(const Manifold<double>& manifold) {
  const auto factors = manifold.factors();
  return factors.size() == 1 && factors.front().geometry == Geometry::sphere;
}

void require_sphere(const std::string& manifold) {
  require(is_one_sphere(*parse_manifold<double>(manifold)),
          fmt::format("a mixture of von Mises–Fisher distributions on {}", manifold),
          "they live on a sphere, such as sphere:2; take another ‹model› here");
}

template <class T>
MixtureDensity<T>::MixtureDensity(const std::string& manifold, MixtureParameters parameters, int threads)
    : manifold_(parse_manifold<T>(manifold)),
      mixture_(checked(std::move(parameters), *manifold_)),
      radius_(1 / std::sqrt(manifold_->factors().front().curvature)),
      pool_(threads) {}

template <class T>
LogProb<T> MixtureDensity<T>::log_prob(const Points<T>& points, const NoiseKey&) {
  this->check(points);
  // Onto the unit sphere: a point that was rounded to T is off it by ε, and κ times that is not small.
  Points<double> unit(points.size(), points.dimension);
  for (std::size_t i = 0; i < points.size(); ++i) {
    double square = 0;
    for (const T x : points[i]) square += static_cast<double>(x) * static_cast<double>(x);
    const double scale = 1 / std::sqrt(square);
    for (std::size_t c = 0; c < unit[i].size(); ++c) unit[i][c] = scale * static_cast<double>(points[i][c]);
  }
  const double log_size = manifold_->dimension() * std::log(radius_);
  LogProb<T> result;
  for (const double value : mixture_.log_prob(unit, &pool_))
    result.values.push_back(static_cast<T>(value - log_size));
  result.summary.points = points.size();
  return result;
}

template <class T>
Carried<T> MixtureDensity<T>::sample(std::size_t n, std::uint64_t seed, std::uint64_t first) {
  Points<T> points(n, manifold_->ambient());
  pool_.run((n + kMixturePiece - 1) / kMixturePiece, [&](std::size_t piece, int) {
    std::vector<Pack<double>> x(static_cast<std::size_t>(points.dimension));
    for (std::size_t i = piece * kMixturePiece; i < std::min(n, (piece + 1) * kMixturePiece); ++i) {
      Random random(seed, Purpose::base_sample, 0, first + i);
      mixture_.sample(random, x.data(), 0);
      for (std::size_t c = 0; c < x.size(); ++c) points[i][c] = static_cast<T>(radius_ * x[c][0]);
    }
  });
  Carried<T> result;
  result.frames.push_back(std::move(points));
  result.summary.points = n;
  return result;
}

template class MixtureDensity<float>;
template class MixtureDensity<double>;

}  // namespace riemflow
