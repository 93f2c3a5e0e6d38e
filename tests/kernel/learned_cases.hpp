#pragma once
// Points and networks that learned kernels are tested with.

#include <numeric>

#include "riemflow/kernel/learned_kernels.hpp"
#include "tests/kernel/kernel_cases.hpp"

namespace riemflow::learned_test {

using ManifoldPointer = std::shared_ptr<const Manifold<double>>;

inline const std::vector<std::string>& kSpaces = density_test::kKernelManifolds;

/// Clumps of unequal size and shape, so that no neighbourhood is like another. seed: of the clumps.
inline Points<double> clumps(const ManifoldPointer& manifold, std::size_t n, std::uint64_t seed,
                             std::uint64_t stream) {
  const KernelMixture parents(manifold, density_test::kernels_on(manifold, 8, 0.2, 3, 2, seed));
  return draws_of(parents, n, stream, 0, 0, Purpose::test);
}
inline Points<double> clumps(const ManifoldPointer& manifold, std::size_t n, std::uint64_t seed) {
  return clumps(manifold, n, seed, seed);
}

/// A network that says something: every parameter moved.
inline KernelNetwork moved(std::uint64_t seed, double by = 0.3) {
  KernelNetwork network = LearnedKernels::network(seed);
  Random random(seed, Purpose::test, 1, 0);
  for (double& parameter : network.parameters()) parameter += by * random.normal();
  return network;
}

inline double average(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace riemflow::learned_test
