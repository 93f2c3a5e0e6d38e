#pragma once
// What a model may be judged by after its fit: log-densities of points that the densities scored had not
// seen. A fit that lets go of its validation points in the end (they become centres of kernels, or other
// folds learn from them) keeps these scores, since they cannot be computed from the model any more.

#include <optional>
#include <vector>

#include "riemflow/core/points.hpp"
#include "riemflow/core/weights.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow {

struct HeldOutScores {
  std::vector<std::size_t> points;    ///< numbers of the points, as the fit read them
  std::vector<double> log_densities;  ///< of each; NaN where that failed
  Weights weights = {};               ///< of the points; empty: all alike
};

/// As the tensor state.held_out [n, 2] in double: number and log-density; where points have weights [n, 3],
/// with these behind them.
void keep_held_out(Model& model, const HeldOutScores& scores);
/// The inverse; none where the model has no such tensor. Throws Error(Fault::bad_data) if it is another's.
std::optional<HeldOutScores> held_out_of(const Model& model);

/// Whether a validation point that is equal to no training point is a centre of the model's kernels: of its
/// own, of a flow's base, or of a member's of a pool.
bool has_learned_from_validation(const Model& model, const Points<double>& training,
                                 const Points<double>& validation);

}  // namespace riemflow
