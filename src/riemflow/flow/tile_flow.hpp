#pragma once
// A flow on one tile: the whole solve, forward and backward, by one thread. Owns all scratch memory of that
// thread.
//
// Time runs from 0 (base) to 1 (data). With ℓ the integral of the divergence along the path,
//   log p(x) = log p₀(z(0)) − ∫₀¹ div f dt.

#include <functional>

#include "riemflow/distribution/distribution.hpp"
#include "riemflow/distribution/learned_mixture.hpp"
#include "riemflow/flow/likelihood_system.hpp"
#include "riemflow/flow/results.hpp"

namespace riemflow {

/// The names of the noise of a tile's points.
struct NoiseKey {
  std::uint64_t seed = 0;
  std::uint64_t iteration = 0;
};

/// How a gradient is computed.
struct GradientOptions {
  NoiseKey key;
  double first_step =
      0;  ///< to try first in each solve, as SolveSummary::first_step of a similar batch; 0: none known
};

template <class T>
class TileFlow {
 public:
  TileFlow(const VectorField<T>& field, const Distribution<T>& base, const FlowConfig& config);

  /// Weights for all calls that follow, and where gradients are added (kOverhang numbers longer); base_bar:
  /// where those of a learned base are, if the base is one.
  void bind(const T* working, T* working_bar = nullptr, T* base_bar = nullptr);

  /// log_density = log p(x); x becomes the base point. `first_point` numbers lane 0 for the noise;
  /// lanes from `lanes` on are copies of the last one before and share its noise.
  SolveReport log_prob(Pack<T>* x, Pack<T>& log_density, const NoiseKey& key, std::uint64_t first_point,
                       int lanes = kLanes);

  /// The same value, bit for bit, and gradient = ∂ log p/∂x of the discrete solve, its steps held: along the
  /// manifold, as of log p∘project. The divergence must be exact. Both are unset if the solve fails.
  SolveReport log_prob_gradient(const Pack<T>* x, Pack<T>& log_density, Pack<T>* gradient);

  /// x moves along the flow from times.front() to times.back(), with no density; visit sees it at each time.
  SolveReport carry(Pack<T>* x, const std::vector<double>& times,
                    const std::function<void(std::size_t, const Pack<T>*)>& visit);

  /// Adds to `loss` and to the gradient Σ_l weight_l·(−log p(x_l) + regularisers). If the solve fails nothing
  /// is added.
  SolveReport nll_gradient(const Pack<T>* x, const Pack<T>& weight, const GradientOptions& options,
                           std::uint64_t first_point, TileLoss& loss, int lanes = kLanes);

  /// The same with Σ_l weight_l·(log p(x_l) − log target(x_l)), x the flow of the base points z.
  SolveReport reverse_kl_gradient(const Pack<T>* z, const Pack<T>& weight, const Distribution<T>& target,
                                  const GradientOptions& options, std::uint64_t first_point, TileLoss& loss,
                                  int lanes = kLanes);

  /// The steps of the last gradient call, of whatever gradient.
  const Trajectory<T>& trajectory() const { return trajectory_; }

 private:
  void start(const Pack<T>* z, const NoiseKey& key, std::uint64_t first_point, int lanes);
  /// sign: that of dt. Starts y_bar, whose z rows are set, and adds the regularisers.
  void finish(const Pack<T>& likelihood, const Pack<T>& weight, double sign, TileLoss& loss);

  const Distribution<T>& base_;
  const LearnedMixture<T>* learned_;  // the base, if it is one
  T* base_bar_ = nullptr;
  Regularisation regularisation_;
  LikelihoodSystem<T> likelihood_, motion_;
  Solver<T> solver_;      // of gradients
  Solver<T> evaluation_;  // of densities and paths
  Trajectory<T> trajectory_;
  AlignedVector<T> y_, y_bar_;
};

}  // namespace riemflow
