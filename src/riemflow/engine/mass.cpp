#include "riemflow/engine/mass.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

#include "riemflow/core/error.hpp"
#include "riemflow/density/wrapped_normal.hpp"
#include "riemflow/manifold/parse.hpp"
#include "riemflow/manifold/whole.hpp"

namespace riemflow {
namespace {

constexpr double kWide = 2;

/// The proposal on one factor: draws into a lane, and the log-density.
class Wide {
 public:
  explicit Wide(const Factor<double>& factor) : factor_(factor) {
    const int d = factor.manifold->dimension();
    if (factor.geometry == Geometry::ball)
      normal_ = std::make_unique<WrappedNormal<double>>(d, factor.curvature, Eigen::VectorXd::Zero(d),
                                                        kWide * kWide * Eigen::MatrixXd::Identity(d, d));
  }

  void sample(Random& random, Pack<double>* x, int lane) const {
    Pack<double>* own = x + factor_.row;
    if (normal_) {
      normal_->sample(random, own, lane);
    } else if (factor_.geometry == Geometry::euclidean) {
      for (int i = 0; i < factor_.manifold->dimension(); ++i) own[i][lane] = kWide * random.normal();
    } else {
      factor_.manifold->random_uniform(random, own, lane);
    }
  }

  Pack<double> log_density(const Pack<double>* x) const {
    const Pack<double>* own = x + factor_.row;
    if (normal_) return normal_->log_density(own);
    const int d = factor_.manifold->dimension();
    if (factor_.geometry == Geometry::euclidean)
      return Pack<double>(-d * std::log(kWide * std::sqrt(2 * std::numbers::pi))) -
             Pack<double>(0.5 / (kWide * kWide)) * dot(d, own, own);
    return -factor_.manifold->log_volume();
  }

 private:
  Factor<double> factor_;
  std::unique_ptr<WrappedNormal<double>> normal_;
};

Integral monte_carlo(const Integrand& f, const Manifold<double>& manifold, std::size_t n,
                     std::uint64_t seed) {
  constexpr std::size_t kBatch = 1 << 14;
  std::vector<Wide> parts;
  for (const Factor<double>& factor : manifold.factors()) parts.emplace_back(factor);

  Integral result;
  double mean = 0, square = 0, largest = 0;  // running mean and sum of squared deviations (Welford)
  std::size_t good = 0;
  for (std::size_t first = 0; first < n; first += kBatch) {
    Points<double> points(std::min(kBatch, n - first), manifold.ambient());
    std::vector<double> values(points.size()), log_q(points.size());
    std::vector<Pack<double>> x(static_cast<std::size_t>(points.dimension), Pack<double>(0));
    for (std::size_t t = 0; t < points.tiles(); ++t) {
      for (int l = 0; l < kLanes; ++l) {
        Random random(seed, Purpose::target_sample, 0, first + t * kLanes + static_cast<std::size_t>(l));
        for (const Wide& part : parts) part.sample(random, x.data(), l);
      }
      points.store_tile(t, x.data());
      Pack<double> sum = 0;
      for (const Wide& part : parts) sum += part.log_density(x.data());
      for (int l = 0; l < points.lanes(t); ++l) log_q[t * kLanes + static_cast<std::size_t>(l)] = sum[l];
    }
    f(points, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double weight = values[i] * std::exp(-log_q[i]);
      if (!std::isfinite(weight)) {
        ++result.failures;
        continue;
      }
      ++good;
      const double off = weight - mean;
      mean += off / static_cast<double>(good);
      square += off * (weight - mean);
      largest = std::max(largest, weight);
    }
  }
  result.evaluations = n;
  result.value = good > 0 ? mean : std::numeric_limits<double>::quiet_NaN();
  result.error = good > 1 ? std::sqrt(square / (static_cast<double>(good) * static_cast<double>(good - 1))) +
                                largest * static_cast<double>(result.failures) / static_cast<double>(n)
                          : std::numeric_limits<double>::infinity();
  return result;
}

}  // namespace

template <class T>
std::vector<double> log_density_at(Flow<T>& flow, const Points<double>& points, SolveSummary* cost) {
  Points<T> rounded(points.size(), points.dimension);
  for (std::size_t i = 0; i < points.values.size(); ++i) rounded.values[i] = static_cast<T>(points.values[i]);
  std::vector<Pack<T>> x(static_cast<std::size_t>(points.dimension));
  for (std::size_t t = 0; t < rounded.tiles(); ++t) {
    rounded.load_tile(t, x.data());
    flow.manifold().project(x.data());
    rounded.store_tile(t, x.data());
  }
  const LogProb<T> result = flow.log_prob(rounded);
  if (cost != nullptr) {
    SolveSummary summary = result.summary;
    summary.failures.clear();
    cost->add(summary);
  }
  return {result.values.begin(), result.values.end()};
}

template <class T>
Integrand density_of(Flow<T>& flow, SolveSummary* cost) {
  require(flow.config().divergence.estimator == DivergenceEstimator::exact,
          "the density of a flow with Hutchinson's divergence cannot be integrated",
          "make the flow with with_exact_divergence(config)");
  return [&flow, cost](const Points<double>& points, std::span<double> values) {
    const std::vector<double> log_p = log_density_at(flow, points, cost);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::exp(log_p[i]);
  };
}

FlowConfig with_exact_divergence(FlowConfig config) {
  config.divergence.estimator = DivergenceEstimator::exact;
  return config;
}

template <class T>
Mass total_mass(Flow<T>& flow, const CubatureOptions& options, std::uint64_t seed) {
  const auto manifold = parse_manifold<double>(flow.config().manifold);
  const Integrand f = density_of(flow);
  Mass result;
  if (has_patches(*manifold)) {
    const double reach = std::is_same_v<T, float> ? kReachFloat : kReachDouble;
    result.integral = integrate(f, whole_manifold(*manifold, reach), manifold->ambient(), options);
  } else {
    result.monte_carlo = true;
    result.integral = monte_carlo(f, *manifold, options.evaluations, seed);
    result.integral.converged = result.integral.error <= std::max(options.absolute, options.relative);
  }
  return result;
}

template std::vector<double> log_density_at(Flow<float>&, const Points<double>&, SolveSummary*);
template std::vector<double> log_density_at(Flow<double>&, const Points<double>&, SolveSummary*);
template Integrand density_of(Flow<float>&, SolveSummary*);
template Integrand density_of(Flow<double>&, SolveSummary*);
template Mass total_mass(Flow<float>&, const CubatureOptions&, std::uint64_t);
template Mass total_mass(Flow<double>&, const CubatureOptions&, std::uint64_t);

}  // namespace riemflow
