// The total mass of a mixture of von Mises–Fisher distributions by quadrature. A cubature that knows nothing
// of the mixture steps over a component of κ = 1e6, whose width is a thousandth of a radian. So the mass is
// shared out: with r_k(x) ≥ 0, Σ_k r_k(x) = 1, the share of component k in p(x),
//   ∫ p = Σ_k ∫ p r_k = Σ_k |S^{d−1}| E_ω ∫₀^π p r_k(cos θ·μ_k + sin θ·ω) sin^{d−1}θ dθ,
// ω a direction at μ_k. The shares only say where to look: whatever they are, the sum is ∫ p, and p is what
// the density returns. Where they are right the integrand does not depend on ω.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "riemflow/distribution/von_mises_fisher_constants.hpp"
#include "riemflow/model/mixture_density.hpp"

namespace riemflow {
namespace {

using std::numbers::pi;

/// Of each component.
constexpr std::size_t kDirections = 4;

/// θ = π sinh(bv)/sinh(b), v ∈ [0, 1]: with b/sinh(b) = 4/(π√κ), a quarter of the interval or more is within
/// a few deviations of the mean, whatever κ. b = 0, θ = πv, where κ is small.
double stretch_for(double kappa) {
  const double slope = 4 / (pi * std::sqrt(kappa));
  if (!(slope < 1)) return 0;
  double low = 0, high = 100;
  for (int i = 0; i < 60; ++i) {
    const double b = (low + high) / 2;
    (b < slope * std::sinh(b) ? high : low) = b;
  }
  return high;
}

/// Draws a unit vector at right angles to μ.
void draw_direction(Random& random, std::span<const double> mu, std::span<double> omega) {
  double length = 0;
  while (!(length > 0)) {
    for (double& w : omega) w = random.normal();
    for (int twice = 0; twice < 2; ++twice) {
      double along = 0;
      for (std::size_t c = 0; c < mu.size(); ++c) along += omega[c] * mu[c];
      for (std::size_t c = 0; c < mu.size(); ++c) omega[c] -= along * mu[c];
    }
    length = 0;
    for (const double w : omega) length += w * w;
    length = std::sqrt(length);
  }
  for (double& w : omega) w /= length;
}

/// r_k(x) = e_k/Σ_j e_j, e_k = exp(log w_k + log C_d(κ_k) + κ_k − κ_k|x − μ_k|²/2).
class Shares {
 public:
  explicit Shares(const MixtureParameters& parameters) : parameters_(parameters) {
    for (std::size_t k = 0; k < parameters.size(); ++k)
      peaks_.push_back(
          std::log(parameters.weights[k]) +
          von_mises_fisher_constants(parameters.means.dimension - 1, parameters.kappas[k]).log_peak);
  }

  double of(std::size_t k, std::span<const double> x) const {
    const double own = exponent(k, x);
    double sum = 0;
    for (std::size_t j = 0; j < peaks_.size(); ++j) sum += std::exp(exponent(j, x) - own);
    return 1 / sum;  // 0 where another component is beyond e^700 times this one
  }

 private:
  double exponent(std::size_t k, std::span<const double> x) const {
    double square = 0;
    for (std::size_t c = 0; c < x.size(); ++c) square += std::pow(x[c] - parameters_.means[k][c], 2);
    return peaks_[k] - 0.5 * parameters_.kappas[k] * square;
  }

  const MixtureParameters& parameters_;
  std::vector<double> peaks_;
};

/// ∫ p r_k, by a quadrature in v of the mean over directions.
class ComponentMass {
 public:
  ComponentMass(const MixtureDensity& density, const Shares& shares, std::size_t k, std::uint64_t seed)
      : density_(density),
        shares_(shares),
        k_(k),
        directions_(kDirections, density.manifold().ambient()),
        stretch_(stretch_for(density.mixture().parameters().kappas[k])),
        radius_(1 / std::sqrt(density.manifold().kernel_form().curvature)) {
    Random random(seed, Purpose::test, 1, k);
    for (std::size_t j = 0; j < directions_.size(); ++j)
      draw_direction(random, density.mixture().parameters().means[k], directions_[j]);
  }

  Integral operator()(const CubatureOptions& options) {
    Integral total;
    // A direction after the other: their spread tells what the mean over them is worth.
    std::vector<double> values;
    const auto n = static_cast<double>(directions_.size());
    for (std::size_t j = 0; j < directions_.size(); ++j) {
      const Integral one =
          integrate([&](const Points<double>& v, std::span<double> out) { evaluate(v, directions_[j], out); },
                    interval(1, 4), 1, options);
      values.push_back(one.value);
      total.value += one.value / n;
      total.error += one.error / n;
      total.evaluations += one.evaluations;
      total.failures += one.failures;
    }
    double square = 0;
    for (const double value : values) square += (value - total.value) * (value - total.value);
    total.error += std::sqrt(square / (n * (n - 1)));
    return total;
  }

 private:
  /// out = |S^{d−1}| p r_k sin^{d−1}θ dθ/dv at each v, in the radius of the manifold.
  void evaluate(const Points<double>& v, std::span<const double> omega, std::span<double> out) {
    const MixtureParameters& parameters = density_.mixture().parameters();
    const auto mu = parameters.means[k_];
    const int d = density_.manifold().dimension();
    Points<double> unit(v.size(), density_.manifold().ambient());
    Points<double> points(v.size(), unit.dimension);
    std::vector<double> theta(v.size()), slope(v.size());
    for (std::size_t i = 0; i < v.size(); ++i) {
      const double u = v[i][0], b = stretch_;
      theta[i] = b > 0 ? pi * std::sinh(b * u) / std::sinh(b) : pi * u;
      slope[i] = b > 0 ? pi * b * std::cosh(b * u) / std::sinh(b) : pi;
      for (std::size_t c = 0; c < mu.size(); ++c) {
        unit[i][c] = std::cos(theta[i]) * mu[c] + std::sin(theta[i]) * omega[c];
        points[i][c] = radius_ * unit[i][c];
      }
    }
    const std::vector<double> log_p = density_.log_prob(points).values;
    const double log_sphere = std::log(2.0) + 0.5 * d * std::log(pi) - std::lgamma(0.5 * d);  // |S^{d−1}|
    for (std::size_t i = 0; i < v.size(); ++i)
      out[i] = std::exp(log_p[i] + log_sphere + d * std::log(radius_)) * shares_.of(k_, unit[i]) *
               std::pow(std::sin(theta[i]), d - 1) * slope[i];
  }

  const MixtureDensity& density_;
  const Shares& shares_;
  std::size_t k_;
  Points<double> directions_;
  double stretch_, radius_;
};

}  // namespace

Mass mixture_mass(const MixtureDensity& density, const CubatureOptions& options, std::uint64_t seed) {
  const MixtureParameters& parameters = density.mixture().parameters();
  CubatureOptions one = options;
  one.start = 200;
  one.batch = 1;
  one.absolute = options.absolute / static_cast<double>(parameters.size());
  const Shares shares(parameters);
  Mass mass;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    if (!(parameters.weights[k] > 0)) continue;
    mass.integral.add(ComponentMass(density, shares, k, seed)(one));
  }
  mass.integral.converged =
      mass.integral.error <= std::max(options.absolute, options.relative * mass.integral.value);
  return mass;
}

}  // namespace riemflow
