#pragma once
// A density that is a base distribution carried along a learned field: what can be trained by gradients and
// seen in motion. Flow (on the manifold itself), ChartFlow (on R^d, then along a chart) and Autoregressive
// (factor by factor) are such.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "riemflow/core/parameters.hpp"
#include "riemflow/flow/batch.hpp"
#include "riemflow/flow/device.hpp"
#include "riemflow/flow/flow_config.hpp"
#include "riemflow/flow/resident.hpp"
#include "riemflow/flow/results.hpp"
#include "riemflow/flow/tile_flow.hpp"
#include "riemflow/manifold/on_manifold.hpp"

namespace riemflow {

/// The times of `frames` equally spaced frames.
std::vector<double> equally_spaced(double from, double to, int frames);

template <class T>
class Transport {
 public:
  virtual ~Transport() = default;

  virtual const Manifold<T>& manifold() const = 0;
  virtual int threads() const = 0;
  virtual const FlowConfig& config() const = 0;
  /// False where log_prob is an estimate (Hutchinson's): right on average, but its exponential is not.
  bool exact() const { return config().divergence.estimator == DivergenceEstimator::exact; }
  virtual std::span<T> parameters() = 0;
  virtual std::span<const T> parameters() const = 0;
  /// The parts of the parameter vector by name.
  virtual ParameterLayout layout() const = 0;
  /// Of the base: "default", unless it was given another.
  virtual std::string base_name() const { return "default"; }
  /// The base in double precision; null for the default one, and for one that has no such.
  virtual std::shared_ptr<const Distribution<double>> exact_base() const { return nullptr; }

  /// Tolerances for all calls that follow: training is cheaper with loose ones, claims need tight ones.
  virtual void set_tolerance(double rtol, double atol) = 0;

  /// log p(x) per point, with respect to the Riemannian volume. The key names the noise of a Hutchinson
  /// estimate; exact densities need none. Error(Fault::bad_data) for a point that is not on the manifold.
  virtual LogProb<T> log_prob(const Points<T>& points, const NoiseKey& key) = 0;
  LogProb<T> log_prob(const Points<T>& points) { return log_prob(points, {}); }

  /// log p as log_prob has it, and its gradient in the point: that of the discrete solve, its steps held. On
  /// spheres tangential (orthogonal to x), elsewhere ∂ log p/∂x_i in the coordinates, on the ball too (not
  /// divided by λ²). Error for points off the manifold, for a flow with Hutchinson's divergence, and for a
  /// kind of flow that has none.
  LogProbGradient log_prob_gradient(const Points<T>& points);

  /// n draws from the base, on the manifold: the starting points of sample(n, seed, first). NaN for those
  /// that the manifold has no place for (a naive model's).
  virtual Points<T> sample_base(std::size_t n, std::uint64_t seed, std::uint64_t iteration,
                                std::uint64_t first) const = 0;
  Points<T> sample_base(std::size_t n, std::uint64_t seed) const { return sample_base(n, seed, 0, 0); }
  /// log p₀ at points of the manifold.
  virtual std::vector<double> log_base(const Points<T>& points) const = 0;

  /// Points carried from times.front() to times.back(), seen at each of the times, which rise or fall; 0 is
  /// the base, 1 the data.
  virtual Carried<T> carry(const Points<T>& points, const std::vector<double>& times) = 0;
  /// From the base to the data, seen at `frames` ≥ 2 equally spaced times.
  Carried<T> push(const Points<T>& points, int frames = 2);
  /// From the data to the base; frame 0 is the points themselves.
  Carried<T> pull(const Points<T>& points, int frames = 2);
  /// The draws sample_base(n, seed, 0, first) carried, seen at each of the times, from 0 on.
  virtual Carried<T> draw_paths(std::size_t n, std::uint64_t seed, std::uint64_t first,
                                const std::vector<double>& times);
  /// n draws from the model, those numbered `first` on, as the one frame. A long sample drawn in pieces is
  /// the same bit for bit if the pieces but the last are multiples of kLanes: the points of a tile share
  /// their steps.
  Carried<T> sample(std::size_t n, std::uint64_t seed, std::uint64_t first = 0);

  /// Training without the host in between; null where there is none.
  virtual ResidentTraining<T>* resident() { return nullptr; }

  /// The flow in the coordinates in which its field lives: itself, unless there is a chart between.
  virtual Transport<T>& coordinates() { return *this; }

  /// Mean loss of the batch over the points that do not fail, and its gradient in the parameters (=). Throws
  /// Error for points off the manifold, a target that check_target refuses, and no points.
  Loss gradient_of(const Batch<T>& batch, std::span<T> gradient, const GradientOptions& options = {});
  /// Throws Error for a target of another manifold, and where this kind of flow has no reverse KL.
  void check_target(const Distribution<double>& target) const;

  /// Error as check_on_manifold.
  void check(const Points<T>& points) const { check_on_manifold(manifold(), points); }

 protected:
  /// As gradient_of, of what was checked.
  virtual Loss compute_gradient(const Batch<T>& batch, std::span<T> gradient,
                                const GradientOptions& options) = 0;
  /// As log_prob_gradient, of what was checked. Error unless overridden.
  virtual LogProbGradient compute_log_prob_gradient(const Points<T>& points);
  /// Throws Error for points off the manifold, and for times that neither rise nor fall.
  void check_path(const Points<T>& points, const std::vector<double>& times) const;
};

/// As config.model says, with random parameters from `seed`. threads: 0 means one for each core, of the CPU.
/// Throws Error for a kind that the manifold does not have, or that is no flow, and for a GPU that is not
/// there or cannot compute it; Device::automatic takes one if it can. base: instead of the default one, of
/// Riemannian flows on the CPU.
template <class T>
std::unique_ptr<Transport<T>> make_transport(const FlowConfig& config, std::uint64_t seed = 0,
                                             int threads = 0, Device device = Device::cpu,
                                             std::shared_ptr<const Distribution<double>> base = nullptr);

/// The layout it would have, without the memory that it would take.
template <class T>
ParameterLayout transport_layout(const FlowConfig& config);

/// A copy in double precision under a configuration of its own, of the same model and network, with the exact
/// base.
template <class T>
std::unique_ptr<Transport<double>> in_double(const Transport<T>& transport, const FlowConfig& config);

extern template class Transport<float>;
extern template class Transport<double>;

}  // namespace riemflow
