#pragma once
// What every fitted density can do, whatever it is made of: tell log p(x) and its gradient, draw, and say
// what its mass is. Points are in double; the precision of what is computed is the density's own affair.
// const, and safe to call from several threads.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "riemflow/core/points.hpp"
#include "riemflow/flow/results.hpp"
#include "riemflow/flow/tile_flow.hpp"
#include "riemflow/manifold/manifold.hpp"
#include "riemflow/model/mass.hpp"
#include "riemflow/model/standardisation.hpp"

namespace riemflow {

class Density;
class FlowDensity;
class KernelDensity;
class MixtureDensity;

/// A density that is no sum of others, and its weight in what it is a part of.
struct DensityPart {
  double weight;
  std::variant<const FlowDensity*, const KernelDensity*, const MixtureDensity*> density;

  const Density& any() const;
  const FlowDensity* flow() const;  ///< null where it is none
};

class Density {
 public:
  virtual ~Density() = default;

  const Manifold<double>& manifold() const { return *manifold_; }
  const std::shared_ptr<const Manifold<double>>& shared_manifold() const { return manifold_; }
  /// As asked for; 0: one for each core.
  int threads() const { return threads_; }
  /// False where log_prob is an estimate (Hutchinson's): right on average, but its exponential is not.
  virtual bool exact() const { return true; }
  /// Why a point has no density: it is not on the manifold, as far as the precision can tell.
  virtual std::optional<std::string> defect(std::span<const double> point) const {
    return manifold_->defect(point);
  }

  /// log p(x) per point, with respect to the Riemannian volume; NaN where it fails. The key names the noise
  /// of a Hutchinson estimate; exact densities need none. Throws Error(Fault::bad_data) naming the first
  /// point, counted from 0, that is not on the manifold; one that rounding to the density's precision takes
  /// off it is brought back, or fails if that is elsewhere (near the rim of a ball).
  LogProb<double> log_prob(const Points<double>& points, const NoiseKey& key = {}) const;
  /// log p as log_prob has it, bit for bit (to the tolerance where a flow is on a GPU: gradients are the
  /// host's), and the differential of log p in the point, a covector in the coordinates of the points:
  ///   d/dt log p(x(t)) = Σ_i gradient_i ẋ_i  along any curve of the manifold.
  /// On a sphere it is the tangential one, orthogonal to x; on R^d, T^d and the ball ∂ log p/∂x_i. It is not
  /// raised by the metric: the Riemannian gradient on the ball is 1/λ² times it. Of a flow it is that of the
  /// discrete solve, its steps held: exact for the numbers log_prob gives but for the choice of steps, so
  /// within about the solver's tolerance of the true one. Of kernels it leaves out what log_prob leaves out.
  /// NaN where a point fails, and where log p is −∞ or the gradient too large for a number; the latter is
  /// listed as a failure. Error as log_prob, and unless the density is exact.
  LogProbGradient log_prob_gradient(const Points<double>& points) const;
  /// n draws, those numbered `first` on, as the one frame. A long sample drawn in pieces is the same bit for
  /// bit if the pieces but the last are multiples of kLanes: the points of a tile share their steps.
  Carried<double> sample(std::size_t n, std::uint64_t seed, std::uint64_t first = 0) const;
  /// ∫ p over the whole manifold (model/mass.hpp says how). The density must be exact.
  virtual Mass mass(const MassOptions& options) const = 0;

  /// Of the solvers inside, relative and absolute, of a pool the loosest; 0 where there is none.
  virtual double tolerance() const { return 0; }
  /// For the calls that follow. Not while another thread evaluates.
  virtual void set_tolerance(double) {}

  /// p = Σ weight · part; one part unless it is a pool.
  std::vector<DensityPart> parts() const;
  virtual void add_parts(double weight, std::vector<DensityPart>& parts) const = 0;

 protected:
  /// The standardisation is of the coordinates that `evaluate` and `draw` have.
  Density(std::shared_ptr<const Manifold<double>> manifold, int threads, Standardisation standardisation = {})
      : manifold_(std::move(manifold)), threads_(threads), standardisation_(std::move(standardisation)) {}

  const Standardisation& standardisation() const { return standardisation_; }
  /// From standardised coordinates.
  Carried<double> in_units(Carried<double> path) const;
  std::shared_ptr<const Manifold<double>> manifold_;

 private:
  /// In standardised coordinates, of points that are on the manifold.
  virtual LogProb<double> evaluate(const Points<double>& points, const NoiseKey& key) const = 0;
  /// Of any smooth extension off the manifold: the caller takes the tangential part.
  virtual LogProbGradient evaluate_gradient(const Points<double>& points) const = 0;
  virtual Carried<double> draw(std::size_t n, std::uint64_t seed, std::uint64_t first) const = 0;

  int threads_;
  Standardisation standardisation_;
};

/// p as an integrand. The density must live as long, and be exact: what an estimate gets right is the mean of
/// the logarithm. Error otherwise.
Integrand density_of(const Density& density);
/// Error unless it is exact.
void require_exact(const Density& density);

/// n draws in pieces over all threads: draw(random, x) with a stream of random numbers for each, x [ambient]
/// in lane 0.
Carried<double> draw_in_pieces(std::size_t n, int ambient, int threads, std::uint64_t seed,
                               std::uint64_t first,
                               const std::function<void(Random& random, Pack<double>* x)>& draw);

}  // namespace riemflow
