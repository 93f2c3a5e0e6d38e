// The total mass of a kernel density by quadrature around its kernels, of which a cubature that knows nothing
// of them would step over most. As in model/mixture_mass.cpp the mass is shared out: with r_k = w_k K_k/Σ_j
// w_j K_j, the share of kernel k, and r_0 that of the base,
//   ∫ p = Σ_k ∫ p r_k + ∫ p r_0,   ∫ p r_k = |L_k| |S^{d−1}| E_ω ∫_0^{cut} p r_k J ρ^{d−1} dρ at exp_k(ρ L_k
//   ω),
// J = Π_f (sn r_f/r_f)^{d_f−1} the volume of exponential coordinates, L_k Lᵀ_k the covariance of kernel k. Of
// n kernels a few are drawn by their weights: ∫ p r_k/w_k is 1 for each if the density is right.

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "riemflow/core/running_mean.hpp"
#include "riemflow/distribution/base.hpp"
#include "riemflow/distribution/draws.hpp"
#include "riemflow/kernel/kernel_mixture.hpp"
#include "riemflow/manifold/parse.hpp"
#include "riemflow/model/mass.hpp"

namespace riemflow {
namespace {

using std::numbers::pi;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Deviations from a centre beyond which a kernel has nothing.
constexpr double kFarthest = 16;
constexpr std::size_t kRound = 64, kBaseDraws = 256;
/// Evaluations of kernels for the price of one of a flow. Wide kernels on products with a sphere want them:
/// there rays differ by a few hundredths.
constexpr std::size_t kForOneOfAFlow = 50;
/// Standard error at which to end, of the error allowed, three of which count.
constexpr double kShareOfError = 0.25;

class Rays {
 public:
  Rays(const KernelMixture& kernels, int threads)
      : kernels_(kernels),
        manifold_(kernels.shared_manifold()),
        // Its own sums, so that what pruning loses is seen.
        reference_(manifold_, kernels.parameters(), 1e-10),
        executor_(threads) {}

  /// ∫ p r_k/((1 − ε) w_k) along one direction, drawn; 1 on average, and nearly always.
  Integral along(std::size_t k, Random& random, const CubatureOptions& options) {
    const int D = manifold_->ambient(), d = manifold_->dimension();
    const KernelParameters& parameters = kernels_.parameters();
    std::vector<Pack<double>> m(static_cast<std::size_t>(D)), e(static_cast<std::size_t>(D * d)), v(m.size()),
        x(m.size());
    for (std::size_t c = 0; c < m.size(); ++c) m[c] = Pack<double>(parameters.centres[k][c]);
    manifold_->frame(m.data(), {e.data(), d});
    const Matrix L = factor(k, e);
    Eigen::VectorXd omega(d);
    for (double& w : omega) w = random.normal();
    const Eigen::VectorXd direction = L * omega.normalized();
    const double end = cut(direction);
    const double log_constant = std::log(2.0) + 0.5 * d * std::log(pi) - std::lgamma(0.5 * d) +
                                L.diagonal().array().log().sum();  // |S^{d−1}| |L|

    return integrate(
        [&](const Points<double>& rho, std::span<double> out) {
          Points<double> points(rho.size(), D);
          for (std::size_t i = 0; i < rho.size(); ++i) {
            for (std::size_t c = 0; c < v.size(); ++c) {
              v[c] = Pack<double>(0);
              for (int a = 0; a < d; ++a)
                v[c] += e[c * static_cast<std::size_t>(d) + static_cast<std::size_t>(a)] *
                        Pack<double>(rho[i][0] * direction[a]);
            }
            manifold_->exp(m.data(), v.data(), x.data());
            manifold_->project(x.data());
            for (std::size_t c = 0; c < x.size(); ++c) points[i][c] = x[c][0];
          }
          const std::vector<double> log_p = kernels_.log_prob(points, &executor_);
          for (std::size_t i = 0; i < rho.size(); ++i) {
            const double log_share = kernels_.log_kernel(k, points[i]) - reference_.log_density_at(points[i]);
            out[i] = std::exp(log_p[i] + log_share + log_constant + log_volume(rho[i][0] * direction) +
                              (d - 1) * std::log(rho[i][0]));
          }
        },
        interval(end, 4), 1, options);
  }

  /// p r_0/(ε p₀) at draws of the base: 1 for each.
  double at_base(std::uint64_t seed) {
    const auto base = default_base<double>(manifold_);
    const Points<double> draws = draws_of(*base, kBaseDraws, seed, 1, 0, Purpose::test);
    const std::vector<double> log_p = kernels_.log_prob(draws, &executor_);
    double sum = 0;
    for (std::size_t i = 0; i < draws.size(); ++i)
      sum += std::exp(log_p[i] - reference_.log_density_at(draws[i])) / static_cast<double>(draws.size());
    return sum;
  }

 private:
  /// L of h² S in the frame.
  Matrix factor(std::size_t k, const std::vector<Pack<double>>& e) const {
    const KernelParameters& parameters = kernels_.parameters();
    const int d = manifold_->dimension();
    const double h = parameters.bandwidths[k];
    Matrix sigma = h * h * Matrix::Identity(d, d);
    if (!parameters.shapes.empty()) {
      const double* shape = &parameters.shapes[k * (parameters.shapes.size() / parameters.size())];
      for (const Factor<double>& factor : manifold_->factors()) {
        const int n = factor.manifold->dimension(), N = factor.manifold->ambient();
        Matrix E = Matrix::Identity(N, n);
        if (N > n)  // else the frame is along the axes
          for (int r = 0; r < N; ++r)
            for (int c = 0; c < n; ++c)
              E(r, c) = e[static_cast<std::size_t>((factor.row + r) * d + factor.seed + c)][0];
        sigma.block(factor.seed, factor.seed, n, n) =
            h * h * E.transpose() * Eigen::Map<const Matrix>(shape, N, N) * E;
        shape += N * N;
        if (factor.manifold->kernel_form().family != KernelForm::Family::circles) continue;
        const double most = kMostTorusDeviation * factor.manifold->kernel_form().radius;
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(
            Eigen::MatrixXd(sigma.block(factor.seed, factor.seed, n, n)));
        const Eigen::VectorXd variances = eigen.eigenvalues().cwiseMin(most * most);
        sigma.block(factor.seed, factor.seed, n, n) =
            eigen.eigenvectors() * variances.asDiagonal() * eigen.eigenvectors().transpose();
      }
    }
    return sigma.llt().matrixL();
  }

  /// Where the ray meets the cut locus, or a kernel has ended.
  double cut(const Eigen::VectorXd& direction) const {
    double end = kFarthest;
    for (const Factor<double>& factor : manifold_->factors()) {
      const auto part = direction.segment(factor.seed, factor.manifold->dimension());
      const KernelForm form = factor.manifold->kernel_form();
      switch (form.family) {
        case KernelForm::Family::chord:
          end = std::min(end, pi / std::sqrt(form.curvature) / part.norm());
          break;
        case KernelForm::Family::circles:
          end = std::min(end, pi * form.radius / part.cwiseAbs().maxCoeff());
          break;
        case KernelForm::Family::normal:
        case KernelForm::Family::hyperbolic:
        case KernelForm::Family::none:
          break;
      }
    }
    return end;
  }

  double log_volume(const Eigen::VectorXd& v) const {
    double sum = 0;
    for (const Factor<double>& factor : manifold_->factors()) {
      const int n = factor.manifold->dimension();
      const KernelForm form = factor.manifold->kernel_form();
      const double r = v.segment(factor.seed, n).norm() * std::sqrt(std::abs(form.curvature));
      if (n == 1 || !(r > 0)) continue;
      switch (form.family) {
        case KernelForm::Family::chord:
          sum += (n - 1) * std::log(std::sin(r) / r);
          break;
        case KernelForm::Family::hyperbolic:  // sinh r overflows where e^r does not fit
          sum += (n - 1) * (r - std::log(2 * r) + std::log1p(-std::exp(-2 * r)));
          break;
        case KernelForm::Family::circles:
        case KernelForm::Family::normal:
        case KernelForm::Family::none:
          break;
      }
    }
    return sum;
  }

  const KernelMixture& kernels_;
  std::shared_ptr<const Manifold<double>> manifold_;
  KernelMixture reference_;
  Executor executor_;
};

}  // namespace

Mass kernel_mass(const KernelMixture& kernels, const CubatureOptions& options, std::uint64_t seed,
                 int threads) {
  const KernelParameters& parameters = kernels.parameters();
  std::vector<double> cumulative(parameters.size());
  std::partial_sum(parameters.weights.begin(), parameters.weights.end(), cumulative.begin());
  CubatureOptions one;
  one.absolute = 0.2 * options.absolute;
  one.relative = 0;
  one.start = 200;
  one.batch = 1;
  Rays rays(kernels, threads);
  RunningMean mean;
  Mass mass;
  double quadrature = 0;
  while (mass.integral.evaluations < kForOneOfAFlow * options.evaluations) {
    for (std::size_t i = 0; i < kRound; ++i) {
      Random random(seed, Purpose::test, 2, mean.size());
      // One of each 64th of the weights.
      const double u = (static_cast<double>(i) + random.uniform()) / kRound * cumulative.back();
      const auto k = std::upper_bound(cumulative.begin(), cumulative.end() - 1, u) - cumulative.begin();
      const Integral ray = rays.along(static_cast<std::size_t>(k), random, one);
      mean.add(ray.value);
      quadrature += ray.error;
      mass.integral.evaluations += ray.evaluations;
      mass.integral.failures += ray.failures;
    }
    if (mean.standard_error() <= kShareOfError * options.absolute) break;
  }
  mass.integral.value = (1 - parameters.wide) * mean.mean() + parameters.wide * rays.at_base(seed);
  mass.integral.error = 3 * mean.standard_error() + quadrature / static_cast<double>(mean.size());
  mass.integral.converged =
      mass.integral.error <= std::max(options.absolute, options.relative * mass.integral.value);
  return mass;
}

}  // namespace riemflow
