#pragma once
// Kernel densities on every kind of manifold, for tests.

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "riemflow/distribution/base.hpp"
#include "riemflow/distribution/draws.hpp"
#include "riemflow/kernel/kernel_data.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow::density_test {

inline const std::vector<std::string> kKernelManifolds = {"sphere:1",
                                                          "sphere:2",
                                                          "sphere:3",
                                                          "sphere:2,K=0.25",
                                                          "sphere:5",
                                                          "torus:1",
                                                          "torus:2",
                                                          "torus:3",
                                                          "euclidean:1",
                                                          "euclidean:2",
                                                          "euclidean:3",
                                                          "ball:1",
                                                          "ball:2",
                                                          "ball:3",
                                                          "ball:2,K=-3",
                                                          "sphere:2 x torus:1",
                                                          "sphere:1 x euclidean:1",
                                                          "ball:2 x sphere:1",
                                                          "torus:1 x ball:2"};

/// n centres from the default base, the bandwidths h around `bandwidth` up to a factor of `spread`, shapes
/// with ratios of axes of about `stretch` if that is not 1.
inline KernelParameters kernels_on(const std::shared_ptr<const Manifold<double>>& manifold, std::size_t n,
                                   double bandwidth, double spread, double stretch, std::uint64_t seed,
                                   double wide = 0.05) {
  KernelParameters parameters;
  parameters.centres = draws_of(*default_base<double>(manifold), n, seed, 0, 0, Purpose::test);
  parameters.wide = wide;
  double total = 0;
  const int D = manifold->ambient(), d = manifold->dimension();
  for (std::size_t i = 0; i < n; ++i) {
    Random random(seed, Purpose::test, 1, i);
    parameters.weights.push_back(random.uniform());
    total += parameters.weights.back();
    parameters.bandwidths.push_back(bandwidth * std::pow(spread, 2 * random.uniform() - 1));
    if (stretch == 1) continue;
    std::vector<Pack<double>> x(static_cast<std::size_t>(D)), e(static_cast<std::size_t>(D * d));
    for (int c = 0; c < D; ++c)
      x[static_cast<std::size_t>(c)] = Pack<double>(parameters.centres[i][static_cast<std::size_t>(c)]);
    manifold->frame(x.data(), {e.data(), d});
    int seed_column = 0;
    for (const Factor<double>& factor : manifold->factors()) {
      const int m = factor.manifold->dimension(), M = factor.manifold->ambient();
      // I + (stretch² − 1) a aᵀ, a random unit vector, of determinant stretch²
      Eigen::VectorXd a(m);
      for (double& a_i : a) a_i = random.normal();
      a.normalize();
      const Eigen::MatrixXd S =
          (Eigen::MatrixXd::Identity(m, m) + (stretch * stretch - 1) * a * a.transpose()) /
          std::pow(stretch * stretch, 1.0 / m);
      Eigen::MatrixXd E = Eigen::MatrixXd::Identity(M, m);
      if (M > m)
        for (int r = 0; r < M; ++r)
          for (int c = 0; c < m; ++c)
            E(r, c) = e[static_cast<std::size_t>((factor.row + r) * d + seed_column + c)][0];
      const Eigen::MatrixXd ambient = E * S * E.transpose();
      for (int r = 0; r < M; ++r)
        for (int c = 0; c < M; ++c) parameters.shapes.push_back(ambient(r, c));
      seed_column += m;
    }
  }
  for (double& w : parameters.weights) w /= total;
  return parameters;
}

}  // namespace riemflow::density_test
