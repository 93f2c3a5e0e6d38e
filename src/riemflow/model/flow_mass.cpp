// The total mass of a flow, in the coordinates of its field.

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <type_traits>

#include "riemflow/core/error.hpp"
#include "riemflow/core/running_mean.hpp"
#include "riemflow/flow/transport.hpp"
#include "riemflow/kernel/kernel_mixture.hpp"
#include "riemflow/manifold/parse.hpp"
#include "riemflow/manifold/whole.hpp"
#include "riemflow/model/mass.hpp"

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
  RunningMean ratios;
  for (std::size_t i = 0; i < good.size(); ++i) {
    const double ratio = std::exp(log_p[i] + log_ratio[good[i]] - log_base[good[i]]);
    if (std::isfinite(ratio)) ratios.add(ratio);
  }
  Integral result;
  result.evaluations = n;
  result.failures = n - ratios.size();
  result.value = ratios.mean();
  // What failed could hold as much as the rest.
  result.error = ratios.size() > 1
                     ? ratios.standard_error() + static_cast<double>(result.failures) / static_cast<double>(n)
                     : std::numeric_limits<double>::infinity();
  return result;
}

}  // namespace

template <class T>
std::vector<double> log_density_at(Transport<T>& flow, const Points<double>& points) {
  const LogProb<T> result = flow.log_prob(rounded_onto(flow.manifold(), points));
  return {result.values.begin(), result.values.end()};
}

template <class T>
Mass flow_mass(Transport<T>& flow, const MassOptions& options) {
  require(flow.exact(), "the density of a flow with Hutchinson's divergence cannot be integrated",
          "make the flow with with_exact_divergence(config)");
  const std::shared_ptr<const Manifold<double>> manifold = flow.config().manifold.template on<double>();
  // A kernel density as the base has peaks that a cubature steps over.
  const bool by_cubature = options.flows != FlowMass::by_change_of_variables && flow.exact_base() == nullptr;
  Mass result;
  if (has_patches(*manifold) && by_cubature) {
    const double reach = std::is_same_v<T, float> ? kReachFloat : kReachDouble;
    const Integrand density = [&flow](const Points<double>& points, std::span<double> values) {
      const std::vector<double> log_p = log_density_at(flow, points);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::exp(log_p[i]);
    };
    result.integral =
        integrate(density, whole_manifold(*manifold, reach), manifold->ambient(), options.cubature);
    const Integral& looked = result.integral;
    // A chart may leave mass outside, which a change of variables does not see.
    if (&flow.coordinates() != &flow || options.flows == FlowMass::by_cubature || looked.converged ||
        looked.failures > 0)
      return result;
    MassOptions otherwise = options;
    otherwise.flows = FlowMass::by_change_of_variables;
    const Mass other = flow_mass(flow, otherwise);
    const bool agree = std::abs(other.integral.value - looked.value) <= other.bound() + looked.error &&
                       other.integral.failures == 0;
    const std::size_t evaluations = looked.evaluations + other.integral.evaluations;
    if (agree && other.bound() < looked.error) result = other;
    result.integral.evaluations = evaluations;
    return result;
  }
  result.from_samples = true;
  // A chart's part in it is a formula of its own (tests/manifold/chart_map_test.cpp).
  result.integral = by_change_of_variables(flow.coordinates(), options.samples, options.seed);
  if (const auto kernels = std::dynamic_pointer_cast<const KernelMixture>(flow.exact_base())) {
    // What is carried along is the mass of the base.
    const Integral own = kernel_mass(*kernels, options.cubature, options.seed, flow.threads()).integral;
    result.integral.value *= own.value;
    result.integral.error += own.error;
    result.integral.evaluations += own.evaluations;
  }
  result.integral.converged =
      result.bound() <= std::max(options.cubature.absolute, options.cubature.relative);
  return result;
}

template std::vector<double> log_density_at(Transport<float>&, const Points<double>&);
template std::vector<double> log_density_at(Transport<double>&, const Points<double>&);
template Mass flow_mass(Transport<float>&, const MassOptions&);
template Mass flow_mass(Transport<double>&, const MassOptions&);

}  // namespace riemflow
