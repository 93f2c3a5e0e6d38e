#pragma once
// What a gradient of a flow is of: the mean of a loss over points, or over draws of the flow.

#include <cstddef>
#include <memory>
#include <variant>

#include "riemflow/core/points.hpp"
#include "riemflow/core/weights.hpp"
#include "riemflow/distribution/distribution.hpp"

namespace riemflow {

/// −log p(x) + regularisers.
template <class T>
struct LikelihoodBatch {
  const Points<T>& points;
  std::size_t size() const { return points.size(); }
};
template <class T>
LikelihoodBatch(const Points<T>&) -> LikelihoodBatch<T>;

/// Flow matching (flow/flow_matching.hpp): the loss is in Loss::total and likelihood. group: data among which
/// the points were drawn at random, them included, for targets with less noise; may be null. weights: of the
/// group, in proportion to which the points were drawn; null: all alike.
template <class T>
struct MatchingBatch {
  const Points<T>& points;
  const Points<T>* group = nullptr;
  const Weights* weights = nullptr;
  std::size_t size() const { return points.size(); }
};
template <class T>
MatchingBatch(const Points<T>&, const Points<T>* = nullptr, const Weights* = nullptr) -> MatchingBatch<T>;

/// KL(model ‖ target) + regularisers, estimated on draws from sample_base(draws, key.seed, key.iteration, 0).
struct ReverseKlBatch {
  std::size_t draws;
  std::shared_ptr<const Distribution<double>> target;  ///< on the flow's manifold
  std::size_t size() const { return draws; }
};

template <class T>
using Batch = std::variant<LikelihoodBatch<T>, MatchingBatch<T>, ReverseKlBatch>;

}  // namespace riemflow
