#pragma once
// Training that stays on its device: a stretch of steps, by likelihood or flow matching, without the host in
// between. What is random (batches, probes) and what is planned (rates) is made by the host for the whole
// stretch, so that it is the same wherever the steps are made.

#include <cstdint>
#include <span>
#include <vector>

#include "riemflow/core/points.hpp"

namespace riemflow {

/// What is to be done.
template <class T>
struct ResidentSteps {
  const Points<T>& data;
  /// Added to the −log p of each point of the data: the volume of a chart; empty: nothing.
  std::span<const double> offsets = {};
  std::size_t batch = 0;
  std::vector<std::uint32_t> picks = {};     ///< [step][batch] points of the data
  std::vector<double> rates = {};            ///< a step
  double beta1 = 0, beta2 = 0, epsilon = 0;  ///< Adam's
  double clip = 0;                           ///< largest norm of a gradient; 0: no limit
  double decay = 0;                          ///< of the weights, times the rate
  double average = 0;                        ///< decay of the moving average; 0: none
  std::uint64_t seed = 0, first = 0;         ///< of what is drawn at random, and the number of the first step
  /// Of flow matching, MatchingBatch::group for all of the steps; null: likelihood.
  const Points<T>* group = nullptr;

  std::size_t size() const { return rates.size(); }
};

/// What the steps change, beside the parameters.
template <class T>
struct ResidentState {
  std::vector<T>&mean, &square, &average;  ///< average: empty if there is none
  long& adam_steps;
  long& average_steps;
  double& first_step;  ///< of the solver, from batch to batch
};

/// Of one step.
struct ResidentOutcome {
  double likelihood, kinetic;  ///< means over the points that did not fail
  double gradient_norm;        ///< before it was clipped
  double first_step;
  long evaluations, accepted, rejected;  ///< over all solves
  int solves, failed;                    ///< failed: points, which the steps leave out
  int skipped;  ///< the gradient was not finite: parameters and optimizer are as before
};

template <class T>
class ResidentTraining {
 public:
  virtual ~ResidentTraining() = default;
  /// One outcome a step; none, and nothing changed, if these data cannot be trained on so.
  virtual std::vector<ResidentOutcome> train(const ResidentSteps<T>& steps, ResidentState<T> state) = 0;
};

}  // namespace riemflow
