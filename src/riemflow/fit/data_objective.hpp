#pragma once
// Objectives of data: maximum likelihood, and flow matching (flow/flow_matching.hpp).

#include <memory>

#include "riemflow/fit/batches.hpp"
#include "riemflow/fit/objective.hpp"
#include "riemflow/fit/train_config.hpp"

namespace riemflow {

template <class T>
class DataObjective : public TrainingObjective<T> {
 public:
  /// Batches of the data in an order that the seed names. Validations are on the held-out points, those on
  /// the way on the first `part` of them; 0: all. Both must outlive it. Throws Error(Fault::bad_data) naming
  /// the first point of the data that is not on the flow's manifold.
  DataObjective(Transport<T>& flow, const Points<T>& data, const TrainConfig& config,
                const Points<T>* held_out = nullptr, std::size_t part = 0);

  std::optional<ResidentSteps<T>> stretch(long first, long most) override;
  double validation_loss(bool all) override;
  std::size_t validated(bool all) const override { return (all ? *held_out_ : part_).size(); }

 protected:
  const Points<T>& data_;
  TrainConfig config_;
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

/// Targets are averaged over a group of points: all data or, of more than 8192, so many batches in a row,
/// that of the step among them. A batch is a random part of either.
template <class T>
class MatchingObjective final : public DataObjective<T> {
 public:
  using DataObjective<T>::DataObjective;
  Objective kind() const override { return Objective::flow_matching; }
  Loss gradient(std::span<T> gradient, const GradientOptions& options) override;
  /// A stretch has one group.
  std::optional<ResidentSteps<T>> stretch(long first, long most) override;

 private:
  bool grouped() const;
  /// Batches of a group.
  std::uint64_t batches_together() const;
  const Points<T>& group(std::uint64_t t);

  Points<T> group_;
  std::uint64_t group_number_ = ~std::uint64_t{0};
};

/// Arguments as DataObjective's.
template <class T>
std::unique_ptr<TrainingObjective<T>> make_objective(Objective kind, Transport<T>& flow,
                                                     const Points<T>& data, const TrainConfig& config,
                                                     const Points<T>* held_out = nullptr,
                                                     std::size_t part = 0);

}  // namespace riemflow
