#pragma once
// A flow on a product, factor by factor: the field of each factor sees the factors before it and moves its
// own alone (FieldConfig::given), so that
//   log p(x) = Σ_k log p(x_k | x_1 … x_{k−1}),
// each term a flow's own. The angles of a torus are factors, one by one. Draws are made in the same order.
//
// Along a path the factors before are where the data end of it has them: their values at time 1.

#include <optional>
#include <vector>

#include "riemflow/flow/flow.hpp"

namespace riemflow {

/// One conditional flow: on the product of the factors up to its own, the leading `given` coordinates given.
struct ChainLink {
  Space manifold;               ///< of the factors up to this one
  std::optional<Space> before;  ///< of those before it; none for the first
  Space own;                    ///< the factor itself
  int given;
  int coordinates;  ///< the factor's
};
/// Throws Error for a manifold of one factor, and for more factors than there is sense in.
std::vector<ChainLink> chain_of(const Space& whole);

/// Parameters of the links after each other, named factor.0.…, factor.1.…
template <class T>
ParameterLayout autoregressive_layout(const FlowConfig& config);

template <class T>
class Autoregressive final : public Transport<T> {
 public:
  explicit Autoregressive(const FlowConfig& config, std::uint64_t seed = 0, int threads = 0);

  const FlowConfig& config() const override { return config_; }
  const Manifold<T>& manifold() const override { return *manifold_; }
  int threads() const override { return links_.front()->threads(); }
  std::span<T> parameters() override { return parameters_; }
  std::span<const T> parameters() const override { return parameters_; }
  ParameterLayout layout() const override { return autoregressive_layout<T>(config_); }
  void set_tolerance(double rtol, double atol) override;

  using Transport<T>::log_prob;
  using Transport<T>::sample_base;
  LogProb<T> log_prob(const Points<T>& points, const NoiseKey& key) override;
  Points<T> sample_base(std::size_t n, std::uint64_t seed, std::uint64_t iteration,
                        std::uint64_t first) const override;
  std::vector<double> log_base(const Points<T>& points) const override;
  /// The times must begin or end with 1: in between, the values at 1 of the factors before are not known.
  Carried<T> carry(const Points<T>& points, const std::vector<double>& times) override;

 private:
  /// Sum of the links' gradients: a factor that is given has its part in the later links too.
  LogProbGradient compute_log_prob_gradient(const Points<T>& points) override;
  /// Sum of the links' losses, each with its part of the gradient.
  Loss compute_gradient(const Batch<T>& batch, std::span<T> gradient,
                        const GradientOptions& options) override;
  /// The links take their parameters from the one vector.
  void bind();
  /// What link k sees of the points.
  Points<T> prefix(const Points<T>& points, std::size_t k) const;

  FlowConfig config_;
  std::shared_ptr<const Manifold<T>> manifold_;
  std::shared_ptr<const Distribution<T>> base_;
  std::vector<ChainLink> chain_;
  std::vector<std::unique_ptr<Flow<T>>> links_;
  std::vector<T> parameters_;
};

}  // namespace riemflow
