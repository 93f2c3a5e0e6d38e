#include "riemflow/model/mixture_density.hpp"

#include <fmt/format.h>

#include <cmath>

#include "riemflow/core/error.hpp"
#include "riemflow/core/executor.hpp"

namespace riemflow {
namespace {

MixtureParameters checked(MixtureParameters parameters, const Manifold<double>& manifold) {
  require_sphere(manifold);
  require(parameters.means.dimension == manifold.ambient(),
          fmt::format("a mixture whose means have {} numbers", parameters.means.dimension),
          fmt::format("{} needs {}", manifold.name(), manifold.ambient()));
  return parameters;
}

/// A point that was rounded to float is off its sphere by ε, and κ times that is not small.
Points<double> on_unit_sphere(Points<double> points) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    double square = 0;
    for (const double x : points[i]) square += x * x;
    for (double& x : points[i]) x /= std::sqrt(square);
  }
  return points;
}

}  // namespace

bool is_one_sphere(const Manifold<double>& manifold) {
  return manifold.kernel_form().family == KernelForm::Family::chord;
}

void require_sphere(const Manifold<double>& manifold) {
  require(is_one_sphere(manifold),
          fmt::format("a mixture of von Mises–Fisher distributions on {}", manifold.name()),
          "they live on a sphere, such as sphere:2; take another ‹model› here");
}

MixtureDensity::MixtureDensity(const Space& manifold, MixtureParameters parameters, int threads)
    : Density(manifold.on<double>(), threads),
      mixture_(checked(std::move(parameters), *manifold_)),
      radius_(1 / std::sqrt(manifold_->kernel_form().curvature)) {}

LogProb<double> MixtureDensity::evaluate(const Points<double>& points, const NoiseKey&) const {
  const double log_size = manifold_->dimension() * std::log(radius_);
  Executor executor(threads());
  LogProb<double> result;
  result.values = mixture_.log_prob(on_unit_sphere(points), &executor);
  for (double& value : result.values) value -= log_size;
  result.summary.points = points.size();
  return result;
}

LogProbGradient MixtureDensity::evaluate_gradient(const Points<double>& points) const {
  const double log_size = manifold_->dimension() * std::log(radius_);
  Executor executor(threads());
  LogProbGradient result;
  result.values.resize(points.size());
  result.gradients = Points<double>(points.size(), manifold().ambient());
  MixtureEvaluator(mixture_.parameters(), &executor)
      .log_prob_gradient(on_unit_sphere(points), result.values, result.gradients, &executor);
  for (double& value : result.values) value -= log_size;
  for (double& slope : result.gradients.values) slope /= radius_;
  result.summary.points = points.size();
  return result;
}

Carried<double> MixtureDensity::draw(std::size_t n, std::uint64_t seed, std::uint64_t first) const {
  return draw_in_pieces(n, manifold().ambient(), threads(), seed, first,
                        [&](Random& random, Pack<double>* x) {
                          mixture_.sample(random, x, 0);
                          for (int c = 0; c < manifold().ambient(); ++c) x[c] = x[c] * Pack<double>(radius_);
                        });
}

Mass MixtureDensity::mass(const MassOptions& options) const {
  return mixture_mass(*this, options.cubature, options.seed);
}

}  // namespace riemflow
