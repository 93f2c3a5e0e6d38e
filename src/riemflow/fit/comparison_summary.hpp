#pragma once
// What the runs of a comparison say together: means, and differences point by point.

#include <array>
#include <cstdint>
#include <limits>
#include <map>

#include "riemflow/core/weights.hpp"
#include "riemflow/fit/methods.hpp"

namespace riemflow {

/// A mean and its standard error; NaN where there is none.
struct Estimate {
  double mean = std::numeric_limits<double>::quiet_NaN(), error = std::numeric_limits<double>::quiet_NaN();
};

/// One method on one split. Numbers are NaN where there are none.
struct ComparedRun {
  std::string method, protocol;
  std::uint64_t seed = 0;                  ///< of the split
  std::string problem = "";                ///< why it failed; empty: it did not
  std::array<std::size_t, 3> points{};     ///< training, validation, test
  std::vector<double> log_densities = {};  ///< of the test points
  std::size_t failed = 0;                  ///< test points without one
  Estimate nll = {};                       ///< over the test points
  double validation = Estimate().mean;
  Estimate mass = {};  ///< and what it is known to
  double seconds = Estimate().mean;
};

struct SummaryRow {
  std::string method;
  std::size_t splits = 0, failed = 0;  ///< test points that failed, in all
  Estimate nll = {};  ///< over the splits; errors are those of mean_over_splits (fit/split_mean.hpp)
  double validation = 0;
  /// NLL less that of a kernel density on the same points of the same splits; error NaN for the row itself.
  Estimate to_one = {}, to_best = {};
  Estimate mass = {};        ///< farthest from 1, and what it is known to
  double seconds = 0;        ///< of a fit
  std::string problem = "";  ///< why a run failed that is not among the splits; empty: none did
};

struct Summary {
  std::string protocol;
  std::string best;  ///< the kernel density with the lowest mean NLL on the test points; empty: none
  std::vector<SummaryRow> rows;
};

/// The test points of each split, by its seed: numbers that name a point in all splits.
using TestPoints = std::map<std::uint64_t, std::vector<std::size_t>>;

/// Of the runs of the protocol and of the splits of `tests`; of methods that have any. weights: of all
/// points, by their numbers, for means by them; none: all count alike. Error(Fault::bad_data) where runs are
/// not of these test points.
Summary summarise(const std::vector<ComparedRun>& runs, const std::vector<Method>& methods,
                  const std::string& protocol, const TestPoints& tests, const Weights& weights = {});

}  // namespace riemflow
