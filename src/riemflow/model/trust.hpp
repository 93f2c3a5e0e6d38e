#pragma once
// Is a flow's likelihood to be trusted? What can be measured without knowing the true density:
//
//   mass        ∫ p = 1
//   round trip  base → data → base comes back to where it began
//   accuracy    log p of the model's own samples, against the same flow in double precision at a tenth of its
//               tolerance
//   manifold    points stay on it all along their paths
//   solves      none failed
//
// and the bars that a trustworthy flow clears.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "riemflow/model/density.hpp"

namespace riemflow {

/// ∫ p = 1 ± this, the error of the integral included: a log-likelihood is off by no more than that.
inline constexpr double kMassBar = 0.002;
/// Of |log p − reference| over samples. The mean, in nats, is below the standard error of any mean score of
/// fewer than a million points; the worst is a density that is off by 5 %.
inline constexpr double kAccuracyMeanBar = 1e-3, kAccuracyWorstBar = 0.05;
/// Of the distance that a round trip misses in the base, 99 % of samples and all: where p is a thousand times
/// the base's density on a surface, the way back magnifies the solver's tolerance some 30 times, and of the
/// worst point more.
inline constexpr double kRoundTripBar = 0.01, kRoundTripWorstBar = 0.1;
/// Of the standard error of the difference: test and validation scores farther apart are not those of one
/// model on points of one kind.
inline constexpr double kScoreSigmas = 5;

struct Spread {
  double mean = 0, most = 0, worst = 0;  ///< most: 99 % of the values are at most this
};

/// Of values ≥ 0; zeros if there are none.
Spread spread_of(std::vector<double> values);

struct TrustOptions {
  std::size_t points = 2000;  ///< samples
  std::uint64_t seed = 0;
  int frames = 9;  ///< of a path
  /// Of the cubature of the mass, all flows of a pool together.
  std::size_t evaluations = 20'000;
  std::size_t mass_samples = 300;  ///< where the mass is from samples
  /// Called now and then: how much is done of how much, and what is worked on. The amounts are estimates.
  std::function<void(double done, double all, const char* part)> watch = nullptr;
};

enum class Verdict { trustworthy, not_settled, not_trustworthy };

struct Trust {
  Mass mass;
  Spread round_trip;               ///< distance in the base
  Spread accuracy;                 ///< |Δ log p| in nats
  double reference_tolerance = 0;  ///< of the flow in double precision
  double drift = 0;  ///< most that coordinates are off the manifold, of their size (Manifold::drift)
  std::size_t off_manifold = 0;      ///< points of paths that Manifold::defect refuses
  std::size_t points = 0;            ///< samples
  std::size_t failed = 0;            ///< of them: there, back, in the density or in the reference
  SolveSummary solves;               ///< of the densities
  std::vector<std::string> reasons;  ///< against trust
  std::vector<std::string> open;     ///< what is not known well enough to tell

  /// Not settled: nothing speaks against it, but not all that must speak for it is known.
  Verdict verdict() const {
    return !reasons.empty() ? Verdict::not_trustworthy
           : !open.empty()  ? Verdict::not_settled
                            : Verdict::trustworthy;
  }
};

/// Scores that were recorded when a model was fitted.
struct RecordedScores {
  double validation_nll = 0, test_nll = 0;
  double test_error = 0;  ///< its standard error
  double validation_points = 0, test_points = 0;
};

/// A reason against trust: the two scores differ by more than kScoreSigmas standard errors of their
/// difference. The validation's is not recorded; points of one kind have one variance, so that it is the
/// test's times √(test points/validation points). None below kFewestScores points of either, whose standard
/// errors say little where scores have heavy tails, and none below half a nat.
inline constexpr double kFewestScores = 20, kLeastScoreGap = 0.5;
std::optional<std::string> gap_of_scores(const RecordedScores& scores);

/// The density must be exact, and a flow have the default base or one in double precision. All but the mass
/// is measured in the coordinates in which the flow's field lives, which for a model with a chart are those
/// of R^d; a density that is no flow has a mass only, and 0 points. Of a pool all its flows are followed, by
/// a share of the points that is as their weights, but by kFewestPoints at least; the worst counts. The mass
/// is looked at as closely as it takes to tell on which side of its bar it is.
inline constexpr std::size_t kFewestPoints = 200;
Trust examine(const Density& density, const TrustOptions& options);

/// Why `trust` is none, from its numbers and the bars.
std::vector<std::string> reasons_against(const Trust& trust);
/// What its numbers leave open.
std::vector<std::string> not_settled(const Trust& trust);

}  // namespace riemflow
