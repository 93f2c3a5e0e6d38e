// A kernel density on the torus of two angles. Its recipe (shape and bandwidths of the kernels) is the one
// with the highest likelihood at points that the density does not know.

#include <fmt/format.h>

#include <riemflow/riemflow.hpp>

using namespace riemflow;

/// Two angles that follow each other.
static Points<double> angles(std::size_t n, std::uint64_t seed) {
  const Torus<double> torus(2);
  Points<double> points(n, 2);
  for (std::size_t i = 0; i < n; ++i) {
    Random random(seed, Purpose::target_sample, 0, i);
    Pack<double> x[2];
    torus.random_uniform(random, x, 0);
    x[1] = x[0] + 0.2 * random.normal();
    torus.project(x);
    points[i][0] = x[0][0];
    points[i][1] = x[1][0];
  }
  return points;
}

int main() {
  const auto torus = std::make_shared<const Torus<double>>(2);
  const KernelFit fit = fit_kernel_density(torus, angles(400, 1));
  const KernelMixture density(torus, fit.parameters);

  double sum = 0;
  const Points<double> test = angles(1000, 2);
  for (const double log_p : density.log_prob(test)) sum += log_p;
  fmt::print("NLL of 1000 other points {:.3f} nats; of the uniform density {:.3f}\n", -sum / 1000,
             torus->log_volume());
}
