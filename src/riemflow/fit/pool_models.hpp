#pragma once
// Fitted models as one density, weighed on points that none of them has learned from.

#include "riemflow/fit/observer.hpp"
#include "riemflow/fit/pooling.hpp"
#include "riemflow/io/data_file.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow {

struct PooledModels {
  Model model;  ///< with its provenance
  std::vector<MemberScore> members;
  std::string table;  ///< of members and pool
  std::size_t validation_points = 0, test_points = 0;
  MeanScore validation, test;  ///< test: NaN without test points
  double gap = 0;              ///< nats that other weights could gain
};

/// Where members were fitted to these data, points that none of them had seen choose the weights: their
/// validation points, by the scores that a member kept if it has learned from them since; their test points
/// test the pool, and their splits and weights must be the same. Otherwise all points choose, with the
/// weights that ‹weights› of `data` names. Throws Error, (Fault::bad_data) where members are of several
/// manifolds, or have learned from the points that would choose.
PooledModels pool_models(const std::vector<Model>& members, const DataFile& data, const Evaluation& how,
                         Observer& observer);

}  // namespace riemflow
