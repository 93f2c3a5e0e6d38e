#pragma once
// One model fitted to one split of a data set on the Earth, and its score on the test points.

#include "riemflow/fit/fit.hpp"
#include "riemflow/reproduce/candidate.hpp"
#include "riemflow/reproduce/earth_data.hpp"
#include "riemflow/reproduce/experiment.hpp"

namespace riemflow {

/// A flow to be fitted, with the paper's settings.
struct EarthFlow {
  const EarthSet* set;
  ModelKind kind;
  bool cosine;  ///< a learning rate from 3e-3 to 0 in the same epochs, instead of the paper's annealing
  std::uint64_t seed;
};

/// A trained flow: the parameters that score best on the validation points, and the last ones, which the
/// paper reports.
struct FittedFlow {
  FitConfig config;
  std::vector<float> best, last;
  FitProgress progress;
  Json curve;  ///< [[iteration, training NLL (smoothed), validation NLL, evaluations], …], about 60
  double seconds = 0;
};
FittedFlow fit_earth_flow(const EarthFlow& flow, const EarthSplit& split, const ReproduceOptions& options);

// Each gives {"nll", "nll_error" its standard error over the test points, "validation_nll", …}, and "grid" if
// asked.
Json run_earth_flow(const EarthFlow& flow, const EarthSplit& split, bool with_grid,
                    const ReproduceOptions& options);
/// The paper's grid of rates and numbers of components by Riemannian Adam, chosen on the validation points;
/// and beside it the best of EM over the same numbers.
Json run_earth_mixture(const EarthSplit& split, std::uint64_t seed, bool with_grid,
                       const ReproduceOptions& options);
/// One bandwidth, chosen on the validation points, and 1 % of the uniform density.
Json run_earth_kernel_density(const EarthSplit& split, bool with_grid);

}  // namespace riemflow
