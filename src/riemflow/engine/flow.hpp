#pragma once
// Flow: the one facade. A density on a manifold, given by a base distribution carried along a learned vector
// field: evaluated, sampled and differentiated, over all tiles and threads. Same seed, same bits, for any
// number of threads.

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "riemflow/core/points.hpp"
#include "riemflow/core/thread_pool.hpp"
#include "riemflow/density/base.hpp"
#include "riemflow/density/flow_config.hpp"
#include "riemflow/density/tile_flow.hpp"
#include "riemflow/engine/results.hpp"

namespace riemflow {

template <class T>
class Flow {
 public:
  /// Random parameters from `seed`. base: default_base(manifold) unless given. threads: 0 means one for each
  /// core.
  explicit Flow(const FlowConfig& config, std::uint64_t seed = 0, int threads = 0,
                std::shared_ptr<const Distribution<T>> base = nullptr);
  ~Flow();

  const FlowConfig& config() const { return config_; }
  const Manifold<T>& manifold() const { return *manifold_; }
  const Distribution<T>& base() const { return *base_; }
  const VectorField<T>& field() const { return *field_; }
  int threads() const { return pool_.size(); }
  std::span<T> parameters() { return parameters_; }
  std::span<const T> parameters() const { return parameters_; }

  /// Tolerances for all calls that follow: training is cheaper with loose ones, claims need tight ones.
  void set_tolerance(double rtol, double atol);

  /// log p(x) a point. The key names the noise of a Hutchinson estimate; exact divergences need none.
  LogProb<T> log_prob(const Points<T>& points, const NoiseKey& key = {});

  /// n draws from the model, those numbered `first` on. A long sample drawn in pieces is the same bit for bit
  /// if the pieces but the last are multiples of kLanes: the points of a tile share their steps.
  Carried<T> sample(std::size_t n, std::uint64_t seed, std::uint64_t first = 0);
  /// n draws from the base, the starting points of sample(n, seed, first).
  Points<T> sample_base(std::size_t n, std::uint64_t seed, std::uint64_t iteration = 0,
                        std::uint64_t first = 0) const;

  /// Points carried from the base (time 0) to the data (time 1), seen at `frames` ≥ 2 equally spaced times.
  Carried<T> push(const Points<T>& points, int frames = 2);
  /// From the data to the base; frame 0 is the points themselves.
  Carried<T> pull(const Points<T>& points, int frames = 2);

  /// Points carried from times.front() to times.back(), seen at each of the times, which rise or fall.
  Carried<T> carry(const Points<T>& points, const std::vector<double>& times);

  /// Mean of −log p(x) + regularisers over the points, and its gradient in the parameters (=).
  Loss nll_gradient(const Points<T>& points, std::span<T> gradient, const GradientOptions& options = {});

  /// Reverse Kullback–Leibler divergence KL(model ‖ target) estimated on n draws, and its gradient (=). The
  /// base draws are those of sample_base(n, options.key.seed, options.key.iteration).
  Loss reverse_kl_gradient(std::size_t n, const Distribution<T>& target, std::span<T> gradient,
                           const GradientOptions& options);

  /// Throws Error(Fault::bad_data) naming the first point, counted from 0, that is not on the manifold.
  void check(const Points<T>& points) const;

 private:
  using TileGradient = std::function<SolveReport(TileFlow<T>&, const Pack<T>* tile, const Pack<T>& weight,
                                                 std::uint64_t first_point, int lanes, TileLoss&)>;

  void make_workers();
  void prepare();
  Loss gradient_over_tiles(const Points<T>& points, std::span<T> gradient, const TileGradient& tile_gradient);
  /// Runs `solve` on a tile and, if it fails, again on each of its points alone.
  template <class Solve>
  void solve_isolating(const Points<T>& points, std::size_t tile, const Solve& solve, SolveSummary& summary);

  FlowConfig config_;
  std::shared_ptr<const Manifold<T>> manifold_;
  std::shared_ptr<const Distribution<T>> base_;
  std::unique_ptr<VectorField<T>> field_;
  std::vector<T> parameters_;
  AlignedVector<T> working_;
  ThreadPool pool_;
  std::vector<std::unique_ptr<TileFlow<T>>> workers_;
  std::vector<AlignedVector<T>> chunk_gradients_;
};

}  // namespace riemflow
