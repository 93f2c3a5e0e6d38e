#include "riemflow/model/mass.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <type_traits>

#include "riemflow/core/error.hpp"
#include "riemflow/manifold/parse.hpp"
#include "riemflow/manifold/whole.hpp"
#include "riemflow/model/kernel_mass.hpp"
#include "riemflow/model/mixture_mass.hpp"
#include "riemflow/model/pool_density.hpp"
#include "riemflow/model/standardised.hpp"

namespace riemflow {
namespace {

/// A geodesic step of the finite differences. Their error is h²·‖D³φ‖: 1e-10 times a number that may be large
/// where a flow bends space; rounding is divided by h, and that of double leaves 1e-11.
constexpr double kStep = 1e-5;
/// Of the solves that are differenced. The neighbours of a point are solved beside it, most of them in its
/// tile and with its steps, so that the error of the solver largely cancels.
constexpr double kTightTolerance = 1e-9;

/// The same flow in double precision and with tight error control.
template <class T>
std::unique_ptr<Transport<double>> tight_flow(const Transport<T>& flow) {
  FlowConfig config = flow.config();
  config.solver.method = "dopri5";
  config.solver.fixed_steps = 0;
  config.solver.rtol = config.solver.atol = kTightTolerance;
  config.solver.max_evaluations = 1'000'000;
  return in_double(flow, config);
}

/// For each point z: z itself, then exp_z(h e_j) and exp_z(−h e_j) for the frame e_1..e_d; 1 + 2d points in a
/// row.
Points<double> with_neighbours(const Manifold<double>& manifold, const Points<double>& points) {
  const int d = manifold.dimension(), ambient = manifold.ambient();
  const auto rows = static_cast<std::size_t>(ambient), block = static_cast<std::size_t>(1 + 2 * d);
  Points<double> all(points.size() * block, ambient);
  std::vector<Pack<double>> z(rows), v(rows), y(rows), frame(rows * static_cast<std::size_t>(d));
  const PackMatrix<double> e{frame.data(), d};
  for (std::size_t t = 0; t < points.tiles(); ++t) {
    points.load_tile(t, z.data());
    manifold.frame(z.data(), e);
    for (int k = 0; k < 1 + 2 * d; ++k) {
      const double step = k == 0 ? 0 : k % 2 == 1 ? kStep : -kStep;
      for (int i = 0; i < ambient; ++i)
        v[static_cast<std::size_t>(i)] = Pack<double>(step) * e(i, std::max(0, k - 1) / 2);
      manifold.exp(z.data(), v.data(), y.data());
      for (int l = 0; l < points.lanes(t); ++l)
        for (std::size_t i = 0; i < rows; ++i)
          all[(t * kLanes + static_cast<std::size_t>(l)) * block + static_cast<std::size_t>(k)][i] = y[i][l];
    }
  }
  return all;
}

/// log |det Dφ| of each point, from the images of with_neighbours; NaN where one of them failed.
std::vector<double> log_determinants(const Manifold<double>& manifold, const Points<double>& images) {
  const int d = manifold.dimension(), ambient = manifold.ambient();
  const auto rows = static_cast<std::size_t>(ambient), block = static_cast<std::size_t>(1 + 2 * d);
  std::vector<Pack<double>> x(rows), y(rows), v(rows), column(rows),
      frame(rows * static_cast<std::size_t>(d));
  const PackMatrix<double> e{frame.data(), d};
  std::vector<double> result;
  for (std::size_t first = 0; first < images.size(); first += block) {
    const auto load = [&](std::size_t k, std::vector<Pack<double>>& to) {
      for (std::size_t i = 0; i < rows; ++i) to[i] = Pack<double>(images[first + k][i]);
    };
    load(0, x);
    manifold.frame(x.data(), e);
    Eigen::MatrixXd differential(d, d);
    for (int j = 0; j < d; ++j) {
      for (std::size_t side = 0; side < 2; ++side) {
        load(1 + 2 * static_cast<std::size_t>(j) + side, y);
        manifold.log(x.data(), y.data(), v.data());
        for (std::size_t i = 0; i < rows; ++i) column[i] = side == 0 ? v[i] : column[i] - v[i];
      }
      for (int i = 0; i < d; ++i) {
        for (int r = 0; r < ambient; ++r) y[static_cast<std::size_t>(r)] = e(r, i);
        differential(i, j) = manifold.inner(x.data(), y.data(), column.data())[0] / (2 * kStep);
      }
    }
    result.push_back(std::log(std::abs(differential.determinant())));
  }
  return result;
}

/// E p(φ(z))·|det Dφ(z)|/p₀(z) over draws z of the base p₀, φ the flow: ∫ p in the coordinates of the base,
/// where a flow that is right has 1 everywhere. Dφ is by finite differences: nothing of the divergence
/// enters.
template <class T>
Integral by_change_of_variables(Transport<T>& flow, std::size_t n, std::uint64_t seed) {
  const auto tight = tight_flow(flow);
  const Manifold<double>& manifold = tight->manifold();
  const Points<double> z = tight->sample_base(n, seed);
  const Points<double> images = tight->push(with_neighbours(manifold, z)).frames.back();
  const auto block = static_cast<std::size_t>(1 + 2 * manifold.dimension());
  std::vector<double> log_ratio = log_determinants(manifold, images);
  Points<double> x;
  x.dimension = z.dimension;
  std::vector<std::size_t> good;
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isfinite(log_ratio[i])) continue;
    good.push_back(i);
    x.values.insert(x.values.end(), images[i * block].begin(), images[i * block].end());
  }
  const std::vector<double> log_p = log_density_at(flow, x);
  const std::vector<double> log_base = tight->log_base(z);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < good.size(); ++i) {
    const double ratio = std::exp(log_p[i] + log_ratio[good[i]] - log_base[good[i]]);
    if (std::isfinite(ratio)) ratios.push_back(ratio);
  }
  Integral result;
  result.evaluations = n;
  result.failures = n - ratios.size();
  double sum = 0, square = 0;
  for (double ratio : ratios) sum += ratio;
  const auto count = static_cast<double>(ratios.size());
  result.value = sum / count;
  for (double ratio : ratios) square += (ratio - result.value) * (ratio - result.value);
  // What failed could hold as much as the rest.
  result.error = ratios.size() > 1 ? std::sqrt(square / (count * (count - 1))) +
                                         static_cast<double>(result.failures) / static_cast<double>(n)
                                   : std::numeric_limits<double>::infinity();
  return result;
}

/// Of a pool's error, the flows' part: of the others more is known for next to nothing.
constexpr double kFlowsPart = 0.8;
/// A member that weighs next to nothing is looked at all the same.
constexpr double kLeastExact = 0.05;

template <class T>
Mass pool_mass(PoolDensity<T>& pool, const CubatureOptions& options, std::size_t samples, std::uint64_t seed,
               FlowMass flows) {
  const auto is_flow = [&](std::size_t m) { return dynamic_cast<Transport<T>*>(&pool.member(m)) != nullptr; };
  double count[2] = {0, 0}, flow_weight = 0;
  for (std::size_t m = 0; m < pool.size(); ++m) {
    count[is_flow(m)] += 1;
    if (is_flow(m)) flow_weight += pool.weight(m);
  }
  Mass mass;
  mass.integral.converged = true;
  for (std::size_t m = 0; m < pool.size(); ++m) {
    const double weight = pool.weight(m), part = is_flow(m) ? kFlowsPart : 1 - kFlowsPart;
    CubatureOptions one = options;
    one.absolute = std::min(kLeastExact, part * options.absolute / (count[is_flow(m)] * weight));
    if (is_flow(m))
      one.evaluations =
          static_cast<std::size_t>(static_cast<double>(options.evaluations) * weight / flow_weight);
    const Mass own = total_mass(pool.member(m), one, samples, seed, flows);
    mass.integral.value += weight * own.integral.value;
    mass.integral.error += weight * own.bound();
    mass.integral.evaluations += own.integral.evaluations;
    mass.integral.failures += own.integral.failures;
  }
  mass.integral.converged = mass.integral.error <= std::max(options.absolute, options.relative);
  return mass;
}

template <class T>
bool has_standardised(PoolDensity<T>& pool) {
  for (std::size_t m = 0; m < pool.size(); ++m)
    if (dynamic_cast<Standardised<T>*>(&pool.member(m)) != nullptr) return true;
  return false;
}

}  // namespace

template <class T>
std::vector<double> log_density_at(Density<T>& density, const Points<double>& points, SolveSummary* cost) {
  // Standardised before it is rounded: a float has no room for metres far from the origin.
  if (auto* outer = dynamic_cast<Standardised<T>*>(&density)) {
    std::vector<double> values =
        log_density_at(outer->inner(), outer->standardisation().template standardised<double>(points), cost);
    const double log_scale = outer->standardisation().log_scale();
    for (double& value : values) value -= log_scale;
    return values;
  }
  if (auto* pool = dynamic_cast<PoolDensity<T>*>(&density); pool != nullptr && has_standardised(*pool)) {
    std::vector<double> largest(points.size(), -INFINITY), sum(points.size(), 0);
    for (std::size_t m = 0; m < pool->size(); ++m) {
      const std::vector<double> own = log_density_at(pool->member(m), points, cost);
      for (std::size_t i = 0; i < own.size(); ++i) {
        const double term = std::log(pool->weight(m)) + own[i], most = std::max(largest[i], term);
        if (most == -INFINITY) continue;
        sum[i] = sum[i] * std::exp(largest[i] - most) + std::exp(term - most);  // NaN stays
        largest[i] = most;
      }
    }
    for (std::size_t i = 0; i < sum.size(); ++i) largest[i] += std::log(sum[i]);
    return largest;
  }
  Points<T> rounded = converted<T>(points);
  std::vector<Pack<T>> x(static_cast<std::size_t>(points.dimension));
  for (std::size_t t = 0; t < rounded.tiles(); ++t) {
    rounded.load_tile(t, x.data());
    density.manifold().project(x.data());
    rounded.store_tile(t, x.data());
  }
  const LogProb<T> result = density.log_prob(rounded);
  if (cost != nullptr) {
    SolveSummary summary = result.summary;
    summary.failures.clear();
    cost->add(summary);
  }
  return {result.values.begin(), result.values.end()};
}

template <class T>
Integrand density_of(Density<T>& density, SolveSummary* cost) {
  require(density.exact(), "the density of a flow with Hutchinson's divergence cannot be integrated",
          "make the flow with with_exact_divergence(config)");
  return [&density, cost](const Points<double>& points, std::span<double> values) {
    const std::vector<double> log_p = log_density_at(density, points, cost);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::exp(log_p[i]);
  };
}

FlowConfig with_exact_divergence(FlowConfig config) {
  config.divergence.estimator = DivergenceEstimator::exact;
  return config;
}

template <class T>
Mass total_mass(Density<T>& density, const CubatureOptions& options, std::size_t samples, std::uint64_t seed,
                FlowMass flows) {
  if (auto* outer = dynamic_cast<Standardised<T>*>(&density))  // a mass has no unit
    return total_mass(outer->inner(), options, samples, seed, flows);
  if (auto* pool = dynamic_cast<PoolDensity<T>*>(&density))
    return pool_mass(*pool, options, samples, seed, flows);
  if (auto* mixture = dynamic_cast<MixtureDensity<T>*>(&density))
    return mixture_mass(*mixture, options, 4, seed);
  if (auto* kernels = dynamic_cast<KernelModel<T>*>(&density)) return kernel_mass(*kernels, options, seed);
  const auto manifold = parse_manifold<double>(density.manifold().name());
  const Integrand f = density_of(density);
  Mass result;
  auto* flow = dynamic_cast<Transport<T>*>(&density);
  // A kernel density as the base has peaks that a cubature steps over.
  const bool by_cubature =
      flow == nullptr || (flows != FlowMass::by_change_of_variables && flow->exact_base() == nullptr);
  const double asked = std::max(options.absolute, options.relative);
  if (has_patches(*manifold) && by_cubature) {
    const double reach = std::is_same_v<T, float> ? kReachFloat : kReachDouble;
    result.integral = integrate(f, whole_manifold(*manifold, reach), manifold->ambient(), options);
    const Integral& looked = result.integral;
    // A chart may leave mass outside, which a change of variables does not see.
    if (flow == nullptr || &flow->coordinates() != flow || flows == FlowMass::by_cubature ||
        looked.converged || looked.failures > 0)
      return result;
    const Mass other = total_mass(density, options, samples, seed, FlowMass::by_change_of_variables);
    const bool agree = std::abs(other.integral.value - looked.value) <= other.bound() + looked.error &&
                       other.integral.failures == 0;
    const std::size_t evaluations = looked.evaluations + other.integral.evaluations;
    if (agree && other.bound() < looked.error) result = other;
    result.integral.evaluations = evaluations;
  } else {
    result.from_samples = true;
    require(flow != nullptr, "the mass of a density on " + manifold->name() + " that is no flow",
            "cubature ends at three dimensions");
    // A chart's part in it is a formula of its own (tests/manifold/chart_map_test.cpp).
    result.integral = by_change_of_variables(flow->coordinates(), samples, seed);
    if (const auto kernels = std::dynamic_pointer_cast<const KernelDensity>(flow->exact_base())) {
      // What is carried along is the mass of the base.
      KernelModel<double> base(manifold->name(), kernels->parameters(), density.threads());
      const Integral own = kernel_mass(base, options, seed).integral;
      result.integral.value *= own.value;
      result.integral.error += own.error;
      result.integral.evaluations += own.evaluations;
    }
    result.integral.converged = result.bound() <= asked;
  }
  return result;
}

template std::vector<double> log_density_at(Density<float>&, const Points<double>&, SolveSummary*);
template std::vector<double> log_density_at(Density<double>&, const Points<double>&, SolveSummary*);
template Integrand density_of(Density<float>&, SolveSummary*);
template Integrand density_of(Density<double>&, SolveSummary*);
template Mass total_mass(Density<float>&, const CubatureOptions&, std::size_t, std::uint64_t, FlowMass);
template Mass total_mass(Density<double>&, const CubatureOptions&, std::size_t, std::uint64_t, FlowMass);

}  // namespace riemflow
