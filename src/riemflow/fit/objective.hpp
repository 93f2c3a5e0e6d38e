#pragma once
// What a flow is trained by: which batch a step takes, its loss and gradient, and how good the flow is as it
// stands. Of data: maximum likelihood, and flow matching (flow/flow_matching.hpp); of a target: reverse KL.

#include <memory>
#include <optional>

#include "riemflow/fit/batches.hpp"
#include "riemflow/fit/optimizer.hpp"
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

template <class T>
class DataObjective : public TrainingObjective<T> {
 public:
  /// Batches of the data in an order that the seed names, in which points are as often as they weigh.
  /// Validations are on the held-out points, those on the way on the first `part` of them; 0: all. Both must
  /// outlive it. Throws Error(Fault::bad_data) naming the first point of the data that is not on the flow's
  /// manifold.
  DataObjective(Transport<T>& flow, const Points<T>& data, const TrainConfig& config,
                const Points<T>* held_out = nullptr, std::size_t part = 0, SplitWeights weights = {});

  std::optional<ResidentSteps<T>> stretch(long first, long most) override;
  double validation_loss(bool all) override;
  std::size_t validated(bool all) const override { return (all ? *held_out_ : part_).size(); }

 protected:
  const Points<T>& data_;
  TrainConfig config_;
  SplitWeights weights_;
  Batches batches_;

 private:
  const Points<T>* held_out_;
  Points<T> part_;
};

template <class T>
class LikelihoodObjective final : public DataObjective<T> {
 public:
  using DataObjective<T>::DataObjective;
  Loss gradient(std::span<T> gradient, const GradientOptions& options) override;
};

/// Targets are averaged over a group of points: all data, by their weights, or, of more than kMostGroup, so
/// many batches in a row, that of the step among them. A batch is a random part of either. A device that
/// trains in stretches has no weights in its means: there a group is of batches, which have them, as soon as
/// there are any.
template <class T>
class MatchingObjective final : public DataObjective<T> {
 public:
  using DataObjective<T>::DataObjective;
  Objective kind() const override { return Objective::flow_matching; }
  Loss gradient(std::span<T> gradient, const GradientOptions& options) override;
  /// A stretch has one group.
  std::optional<ResidentSteps<T>> stretch(long first, long most) override;

 private:
  static constexpr std::size_t kMostGroup = 8192;

  bool weighted() const { return !this->weights_.training.empty(); }
  bool grouped() const {
    return this->data_.size() > kMostGroup || (weighted() && this->flow_.resident() != nullptr);
  }
  /// Batches of a group.
  std::uint64_t batches_together() const {
    return std::max<std::size_t>(1, kMostGroup / this->config_.batch);
  }
  const Points<T>& group(std::uint64_t t);

  Points<T> group_;
  std::uint64_t group_number_ = ~std::uint64_t{0};
};

/// Arguments as DataObjective's.
template <class T>
std::unique_ptr<TrainingObjective<T>> make_objective(Objective kind, Transport<T>& flow,
                                                     const Points<T>& data, const TrainConfig& config,
                                                     const Points<T>* held_out = nullptr,
                                                     std::size_t part = 0, SplitWeights weights = {}) {
  if (kind == Objective::flow_matching)
    return std::make_unique<MatchingObjective<T>>(flow, data, config, held_out, part, std::move(weights));
  return std::make_unique<LikelihoodObjective<T>>(flow, data, config, held_out, part, std::move(weights));
}

/// Of a target whose density is known: KL(model ‖ target) on draws of the model.
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
