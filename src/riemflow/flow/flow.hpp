#pragma once
// Flow: a density on a manifold, given by a base distribution carried along a learned vector field of that
// manifold: evaluated, sampled and differentiated, over all tiles and threads. Same seed, same bits, for any
// number of threads.

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "riemflow/core/executor.hpp"
#include "riemflow/core/points.hpp"
#include "riemflow/distribution/base.hpp"
#include "riemflow/flow/flow_config.hpp"
#include "riemflow/flow/flow_matching.hpp"
#include "riemflow/flow/tile_flow.hpp"
#include "riemflow/flow/transport.hpp"

namespace riemflow {

template <class T>
class Flow final : public Transport<T> {
 public:
  /// Random parameters from `seed`. base: as the configuration says unless given. threads: 0 means one for
  /// each core. config.model must be riemannian.
  explicit Flow(const FlowConfig& config, std::uint64_t seed = 0, int threads = 0,
                std::shared_ptr<const Distribution<T>> base = nullptr);
  ~Flow() override;

  const FlowConfig& config() const override { return config_; }
  const Manifold<T>& manifold() const override { return *manifold_; }
  const Distribution<T>& base() const { return *base_; }
  std::string base_name() const override;
  std::shared_ptr<const Distribution<double>> exact_base() const override;
  const VectorField<T>& field() const { return *field_; }
  ParameterLayout layout() const override;
  int threads() const override { return executor_.size(); }
  std::span<T> parameters() override { return parameters_; }
  std::span<const T> parameters() const override { return parameters_; }
  void set_tolerance(double rtol, double atol) override;

  using Transport<T>::log_prob;
  using Transport<T>::sample_base;
  LogProb<T> log_prob(const Points<T>& points, const NoiseKey& key) override;
  Points<T> sample_base(std::size_t n, std::uint64_t seed, std::uint64_t iteration,
                        std::uint64_t first) const override;
  std::vector<double> log_base(const Points<T>& points) const override;
  Carried<T> carry(const Points<T>& points, const std::vector<double>& times) override;

 private:
  LogProbGradient compute_log_prob_gradient(const Points<T>& points) override;

  using TileGradient = std::function<SolveReport(TileFlow<T>&, const Pack<T>* tile, const Pack<T>& weight,
                                                 std::uint64_t first_point, int lanes, TileLoss&)>;

  Loss compute_gradient(const Batch<T>& batch, std::span<T> gradient,
                        const GradientOptions& options) override;
  Loss gradient(const LikelihoodBatch<T>& batch, std::span<T> out, const GradientOptions& options);
  Loss gradient(const MatchingBatch<T>& batch, std::span<T> out, const GradientOptions& options);
  Loss gradient(const ReverseKlBatch& batch, std::span<T> out, const GradientOptions& options);

  void make_workers();
  void prepare();
  /// A learned base as the parameters have it now.
  void prepare_base() const;
  std::size_t base_size() const { return parameters_.size() - field_->layout().size(); }
  /// gradient = of the parameters, from the sum of the first `chunks` chunk gradients.
  void sum_chunks(std::size_t chunks, std::span<T> gradient);
  Loss gradient_over_tiles(const Points<T>& points, std::span<T> gradient, const TileGradient& tile_gradient);
  /// Runs solve(flow, x, first_point, lanes) on every tile and, where it fails, again on each of its points
  /// alone.
  template <class Solve>
  SolveSummary solve_isolating(const Points<T>& points, const Solve& solve);

  FlowConfig config_;
  std::shared_ptr<const Manifold<T>> manifold_;
  std::shared_ptr<LearnedMixture<T>> learned_;  // the base, if the configuration says so
  std::shared_ptr<const Distribution<T>> base_;
  std::unique_ptr<VectorField<T>> field_;
  std::vector<T> parameters_;
  AlignedVector<T> working_;
  Executor executor_;
  std::vector<std::unique_ptr<TileFlow<T>>> workers_;
  std::vector<std::unique_ptr<FlowMatching<T>>> matchers_;  // made when first needed
  std::vector<AlignedVector<T>> chunk_gradients_;
};

}  // namespace riemflow
