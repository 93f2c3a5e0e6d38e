#pragma once
// What a flow is trained by: which batch a step takes, its loss and gradient, and how good the flow is as it
// stands. Of data: fit/data_objective.hpp; of a target: fit/reverse_kl.hpp.

#include <optional>

#include "riemflow/flow/transport.hpp"

namespace riemflow {

/// What a loss of data is of. A target is learned by reverse KL.
enum class Objective { likelihood, flow_matching };

template <class T>
class TrainingObjective {
 public:
  /// The flow must outlive it.
  explicit TrainingObjective(Transport<T>& flow) : flow_(flow) {}
  virtual ~TrainingObjective() = default;
  TrainingObjective(const TrainingObjective&) = delete;
  TrainingObjective& operator=(const TrainingObjective&) = delete;

  /// Of the losses; a validation is always a likelihood's.
  virtual Objective kind() const { return Objective::likelihood; }
  /// Mean loss of the batch of step options.key.iteration, and its gradient in the parameters (=).
  virtual Loss gradient(std::span<T> gradient, const GradientOptions& options) = 0;
  /// Data, picks and group of the steps from `first` on, at most `most`, for a device that needs no host in
  /// between; none where every step needs it.
  virtual std::optional<ResidentSteps<T>> stretch(long first, long most) {
    (void)first, (void)most;
    return std::nullopt;
  }
  /// Of the flow as it is, in nats: on all that there is to validate on, or on the part of it that a
  /// validation on the way sees. Infinite where a point or draw failed: such a density is no better one,
  /// whatever the others say.
  virtual double validation_loss(bool all) = 0;
  /// Points or draws of such a validation.
  virtual std::size_t validated(bool all) const = 0;

 protected:
  Transport<T>& flow_;
};

}  // namespace riemflow
