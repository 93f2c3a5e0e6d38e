#pragma once
// The fit of a density on a covered manifold (manifold/covering.hpp) is one on its cover, of all lifts of the
// points: those of a point are on one side of every split. What comes out is a model of the covered manifold,
// and what is said of it is of its own points.

#include "riemflow/fit/data_set.hpp"
#include "riemflow/fit/fit_model.hpp"

namespace riemflow {

/// The data as a fit learns from them; on a manifold without covering as they are.
DataSet lifted(const DataSet& data);

/// Whether a point of the cover is the first lift of what is below it, and how many of the lifts are there; 0
/// where it is not.
std::size_t first_lifts_at(const Covering& covering, std::span<const double> point);
/// Whether kernels at first lifts stand for those at all, whose weights have sum 1: their own sum, of each
/// over its first_lifts_at, is then one over the lifts. Rounding at an edge of the sheet may keep none of a
/// point.
bool is_one_sheet(const Covering& covering, double weight);

/// Of kernels on all lifts of points those on one lift of each, of as much weight: the sum over the lifts of
/// a point x, of which c makes a density on the covered manifold, is the same, because a kernel seen from an
/// image of x is its image seen from x. As they are where they are not as symmetric as that.
KernelParameters on_one_sheet(const Covering& covering, const KernelParameters& kernels);

/// What a fit of lifted(data) has said of lifts, said of the points of `data`: kernels are kept on one sheet,
/// and the test is scored anew, by the model as it will be used. Nothing changes on a manifold without
/// covering.
void say_of_points(FitResult& result, const DataSet& data, const FitOptions& options);

/// log p of the test points by the default base of the cover, as a density of the data's manifold.
std::vector<double> reference_scores(const DataSet& data, const Points<double>& test);

}  // namespace riemflow
