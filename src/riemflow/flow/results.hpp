#pragma once
// What the engine hands back beside the numbers: what they cost, and which points failed.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "riemflow/core/points.hpp"
#include "riemflow/core/weights.hpp"
#include "riemflow/flow/ode/status.hpp"

namespace riemflow {

/// A point whose solve failed, and why. Its result is NaN.
struct Failure {
  std::size_t point;
  Status status;
};

struct SolveSummary {
  std::size_t points = 0;
  std::size_t solves = 0;    ///< of tiles, and of points solved alone
  long evaluations = 0;      ///< summed over solves
  int most_evaluations = 0;  ///< of one solve
  long accepted = 0;
  long rejected = 0;
  std::size_t stepped = 0;        ///< solves that took a step
  double first_steps = 0;         ///< sum over them of SolveReport::first_step
  std::vector<Failure> failures;  ///< by increasing point

  bool ok() const { return failures.empty(); }
  double mean_evaluations() const {
    return solves == 0 ? 0 : static_cast<double>(evaluations) / static_cast<double>(solves);
  }
  /// Mean over the solves that took a step.
  double first_step() const { return stepped == 0 ? 0 : first_steps / static_cast<double>(stepped); }
  void add(const SolveReport& report);
  void add(const SolveSummary& other);
  /// "3 of 400 points failed (first: point 17); 3: the solver …", or empty. Points count from 0.
  std::string message() const;
};

template <class T>
struct LogProb {
  std::vector<T> values;  ///< log p(x) in nats a point; NaN where the solve failed
  Points<T> base_points;  ///< where the flow takes each point at time 0
  SolveSummary summary;

  /// Over the points that did not fail.
  double mean(const Weights& weights = {}) const;
  /// Of the mean; core/weights.hpp has the formula.
  double standard_error(const Weights& weights = {}) const;
};

/// log p and its differential in the point, in double whatever the precision inside.
struct LogProbGradient {
  std::vector<double> values;  ///< log p(x) in nats a point; NaN where the solve failed
  /// ∂ log p/∂x_i in the coordinates of the points, a covector: d log p(v) = Σ_i gradient_i v_i for tangent
  /// v. NaN where the solve failed, and where there is none.
  Points<double> gradients;
  SolveSummary summary;
};

template <class T>
struct Carried {
  std::vector<Points<T>> frames;  ///< one a requested time; NaN where the solve failed
  SolveSummary summary;
};

/// Summed over weighted points.
struct TileLoss {
  double total = 0;
  double likelihood = 0;  ///< the negative log-likelihood, or the reverse KL
  double kinetic = 0;
  double frobenius = 0;

  void add(const TileLoss& other);
};

/// Mean loss of a batch, over the points that did not fail.
struct Loss : TileLoss {
  SolveSummary summary;
};

}  // namespace riemflow
