#pragma once
// A model in training, as the density that it is judged by: exact divergence, the tolerances of evaluation,
// points in double; and densities on coarse grids, for pictures.

#include <memory>
#include <vector>

#include "riemflow/fit/results.hpp"
#include "riemflow/flow/transport.hpp"
#include "riemflow/manifold/lattice.hpp"
#include "riemflow/model/cell_mass_part.hpp"

namespace riemflow {

class Candidate {
 public:
  Candidate(const FlowConfig& config, int threads, Device device);

  void take(std::span<const float> parameters);

  /// log p, NaN where it failed; adds to `failed`.
  std::vector<double> log_prob(const Points<double>& points);
  /// The same of the base.
  std::vector<double> log_base(const Points<double>& points) const;
  /// Draws that are on the manifold; the others count as failed.
  Points<double> sample(std::size_t n, std::uint64_t seed);

  /// ∫ p over the manifold, by cubature to 5e-4.
  double mass();
  /// The same where its field lives: for a naive model the plane, of which the manifold is a part.
  double mass_of_coordinates();

  double evaluations = 0;  ///< a solve, of the last log_prob
  std::size_t failed = 0;

 private:
  std::unique_ptr<Transport<float>> model_;
};

/// {"rows": [centres], "columns": [centres], "log_density": [row by row; null off the manifold and where it
/// is −∞ or failed]}; four digits. Densities are with respect to the Riemannian volume.
Json grid_of(const Lattice& lattice, const LogDensity& log_density);

}  // namespace riemflow
