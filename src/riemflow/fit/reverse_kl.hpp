#pragma once
// The objective of a target whose density is known: KL(model ‖ target) on draws of the model.

#include "riemflow/fit/objective.hpp"
#include "riemflow/fit/train_config.hpp"

namespace riemflow {

template <class T>
class ReverseKlObjective final : public TrainingObjective<T> {
 public:
  /// forward_start: the first steps, by likelihood on fresh draws of the target, whose loss is KL(target ‖
  /// model). Validations are on `draws` fixed draws of the model. Throws Error where the flow has no such
  /// objective (Transport::check_target).
  ReverseKlObjective(Transport<T>& flow, std::shared_ptr<const Distribution<double>> target,
                     const TrainConfig& config, long forward_start = 0, std::size_t draws = 1);

  Loss gradient(std::span<T> gradient, const GradientOptions& options) override;
  double validation_loss(bool all) override;
  std::size_t validated(bool) const override { return draws_; }

 private:
  std::shared_ptr<const Distribution<double>> target_;
  TrainConfig config_;
  long forward_start_;
  std::size_t draws_;
};

}  // namespace riemflow
