#pragma once
// The fit of a density on a covered manifold (manifold/covering.hpp) is one on its cover, of all lifts of the
// points: those of a point are on one side of every split. What comes out is a model of the covered manifold,
// and what is said of it is of its own points.

#include "riemflow/fit/data_set.hpp"
#include "riemflow/fit/fit_model.hpp"

namespace riemflow {

/// The data as a fit learns from them; on a manifold without covering as they are.
DataSet lifted(const DataSet& data);

/// What a fit of lifted(data) has said of lifts, said of the points of `data`: the test is scored anew, by
/// the model as it will be used. Nothing changes on a manifold without covering.
void say_of_points(FitResult& result, const DataSet& data, const FitOptions& options);

/// log p of the test points by the default base of the cover, as a density of the data's manifold.
std::vector<double> reference_scores(const DataSet& data, const Points<double>& test);

}  // namespace riemflow
