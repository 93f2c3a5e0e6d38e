#include "riemflow/model/kernel_density.hpp"

namespace riemflow {

KernelDensity::KernelDensity(std::shared_ptr<const KernelMixture> kernels, int threads,
                             Standardisation standardisation)
    : Density(kernels->shared_manifold(), threads, std::move(standardisation)),
      kernels_(std::move(kernels)) {}

KernelDensity::KernelDensity(const Space& manifold, KernelParameters parameters, int threads)
    : KernelDensity(std::make_shared<KernelMixture>(manifold.on<double>(), std::move(parameters)), threads) {}

LogProb<double> KernelDensity::evaluate(const Points<double>& points, const NoiseKey&) const {
  Executor executor(threads());
  LogProb<double> result;
  result.values = kernels_->log_prob(points, &executor);
  result.summary.points = points.size();
  return result;
}

LogProbGradient KernelDensity::evaluate_gradient(const Points<double>& points) const {
  Executor executor(threads());
  LogProbGradient result;
  result.gradients = Points<double>(points.size(), manifold().ambient());
  result.values = kernels_->log_prob(points, &executor, &result.gradients);
  result.summary.points = points.size();
  return result;
}

Carried<double> KernelDensity::draw(std::size_t n, std::uint64_t seed, std::uint64_t first) const {
  return draw_in_pieces(n, manifold().ambient(), threads(), seed, first,
                        [&](Random& random, Pack<double>* x) { kernels_->sample(random, x, 0); });
}

Mass KernelDensity::mass(const MassOptions& options) const {
  return kernel_mass(*kernels_, options.cubature, options.seed, threads());
}

}  // namespace riemflow
