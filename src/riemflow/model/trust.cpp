#include "riemflow/model/trust.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "riemflow/core/error.hpp"
#include "riemflow/model/flow_density.hpp"

namespace riemflow {
namespace {

/// The same flow in double precision, at a tenth of the tolerance and under error control.
template <class T>
std::unique_ptr<Transport<double>> reference_of(const Transport<T>& flow) {
  require(flow.base_name() == "default" || flow.exact_base() != nullptr,
          "the base of the flow is " + flow.base_name(),
          "examine a flow with the default base, or one that is there in double precision");
  FlowConfig config = flow.config();
  SolverOptions& solver = config.solver;
  if (solver.fixed_steps > 0) {
    solver.fixed_steps = 0;
    solver.method = "dopri5";
  }
  solver.rtol = std::max(solver.rtol / 10, 1e-12);
  solver.atol = std::max(solver.atol / 10, 1e-12);
  solver.max_evaluations = static_cast<int>(std::min(10L * solver.max_evaluations, 1'000'000'000L));
  return in_double(flow, config);
}

template <class T>
void add_drift(const Manifold<T>& manifold, const Points<T>& points, Trust& trust) {
  const std::vector<Factor<T>> factors = manifold.factors();
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!is_finite<T>(points[i])) continue;
    if (!manifold.contains(points[i])) ++trust.off_manifold;
    for (const Factor<T>& factor : factors) {
      const auto part = points[i].subspan(static_cast<std::size_t>(factor.row),
                                          static_cast<std::size_t>(factor.manifold->ambient()));
      trust.drift = std::max(trust.drift, factor.manifold->drift(part));
    }
  }
}

/// Base → data → base. Returns the samples, NaN where they failed.
template <class T>
Points<T> go_round(Transport<T>& flow, const TrustOptions& options, Trust& trust) {
  const Points<T> start = flow.sample_base(options.points, options.seed);
  const Carried<T> there = flow.push(start, options.frames);
  for (const Points<T>& frame : there.frames) add_drift(flow.manifold(), frame, trust);
  const Points<T>& samples = there.frames.back();

  Points<T> begun;
  begun.dimension = start.dimension;
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (is_finite<T>(samples[i])) begun.values.insert(begun.values.end(), start[i].begin(), start[i].end());
  const Points<T> back = flow.pull(finite_points(samples)).frames.back();
  std::vector<double> misses;
  std::vector<Pack<T>> x(static_cast<std::size_t>(start.dimension)), y = x;
  for (std::size_t t = 0; t < back.tiles(); ++t) {
    begun.load_tile(t, x.data());
    back.load_tile(t, y.data());
    const Pack<T> distance = flow.manifold().distance(x.data(), y.data());
    for (int l = 0; l < back.lanes(t); ++l)
      if (std::isfinite(distance[l])) misses.push_back(static_cast<double>(distance[l]));
  }
  trust.points = options.points;
  trust.failed += options.points - misses.size();
  trust.round_trip = spread_of(std::move(misses));
  return samples;
}

template <class T>
void compare_with_reference(Transport<T>& flow, const Points<T>& samples, Trust& trust) {
  const Points<T> points = finite_points(samples);
  const Points<double> exact = converted<double>(points);
  const auto reference = reference_of(flow);
  trust.reference_tolerance = reference->config().solver.rtol;
  const LogProb<T> own = flow.log_prob(points);
  const std::vector<double> truth = log_density_at(*reference, exact);
  std::vector<double> off;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double difference = std::abs(static_cast<double>(own.values[i]) - truth[i]);
    if (std::isfinite(difference)) off.push_back(difference);
  }
  trust.failed += truth.size() - off.size();
  trust.solves = own.summary;
  trust.accuracy = spread_of(std::move(off));
}

/// What a sample costs beside an evaluation of the density: there and back, the density itself, and that in
/// double precision at a tenth of the tolerance.
constexpr double kThereAndBack = 1, kSolvesOfPaths = 8;

/// How far an examination is.
class Work {
 public:
  explicit Work(const TrustOptions& options) : options_(options) {}
  void plan(double amount) { all_ += amount; }
  void done(double amount, const char* part) {
    done_ += amount;
    if (options_.watch) options_.watch(std::min(done_, all_), all_, part);
  }

  /// For a cubature, which counts evaluations.
  std::function<void(std::size_t)> counted(const char* part) {
    return [this, part](std::size_t evaluations) { done(static_cast<double>(evaluations), part); };
  }

 private:
  const TrustOptions& options_;
  double done_ = 0, all_ = 0;
};

template <class T>
Trust examine_paths(Transport<T>& flow, const TrustOptions& options, Work& work) {
  Trust trust;
  Transport<T>& own = flow.coordinates();
  const auto n = static_cast<double>(options.points);
  const Points<T> samples = go_round(own, options, trust);
  work.done(kThereAndBack * n, "round trips");
  compare_with_reference(own, samples, trust);
  work.done((kSolvesOfPaths - kThereAndBack) * n, "accuracy");
  return trust;
}

void take_worse(const Spread& other, Spread& spread) {
  spread.mean = std::max(spread.mean, other.mean);
  spread.most = std::max(spread.most, other.most);
  spread.worst = std::max(spread.worst, other.worst);
}

/// Adds what was found of one flow of a pool.
void add_paths(const Trust& own, Trust& all) {
  take_worse(own.round_trip, all.round_trip);
  take_worse(own.accuracy, all.accuracy);
  all.reference_tolerance =
      all.points == 0 ? own.reference_tolerance : std::max(all.reference_tolerance, own.reference_tolerance);
  all.drift = std::max(all.drift, own.drift);
  all.off_manifold += own.off_manifold;
  all.points += own.points;
  all.failed += own.failed;
  all.solves.add(own.solves);
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  Spread spread;
  for (const double value : values) spread.mean += value / static_cast<double>(values.size());
  const auto rank = static_cast<std::size_t>(std::ceil(0.99 * static_cast<double>(values.size())));
  spread.most = values[rank - 1];
  spread.worst = values.back();
  return spread;
}

std::vector<std::string> reasons_against(const Trust& trust) {
  std::vector<std::string> reasons;
  const double mass = trust.mass.integral.value;
  if (!std::isfinite(mass))
    reasons.push_back("the mass cannot be computed");
  else if (std::abs(mass - 1) - trust.mass.bound() > kMassBar)
    reasons.push_back(fmt::format("the mass is {:.5g}, not 1 ± {:g}", mass, kMassBar));
  if (trust.failed > 0)
    reasons.push_back(fmt::format("{} solves of {} samples failed", trust.failed, trust.points));
  if (!(trust.round_trip.most <= kRoundTripBar && trust.round_trip.worst <= kRoundTripWorstBar))
    reasons.push_back(
        fmt::format("round trips miss by {:.2g} (99 %) and {:.2g} (worst), more than {:g} and {:g}",
                    trust.round_trip.most, trust.round_trip.worst, kRoundTripBar, kRoundTripWorstBar));
  if (!(trust.accuracy.mean <= kAccuracyMeanBar && trust.accuracy.worst <= kAccuracyWorstBar))
    reasons.push_back(
        fmt::format("log-densities are off by {:.2g} (mean) and {:.2g} (worst) nats, more than {:g} and {:g}",
                    trust.accuracy.mean, trust.accuracy.worst, kAccuracyMeanBar, kAccuracyWorstBar));
  if (trust.off_manifold > 0)
    reasons.push_back(fmt::format("{} points of paths left the manifold", trust.off_manifold));
  return reasons;
}

std::vector<std::string> not_settled(const Trust& trust) {
  const double mass = trust.mass.integral.value, error = trust.mass.bound();
  if (!std::isfinite(mass) || std::abs(mass - 1) + error <= kMassBar || std::abs(mass - 1) - error > kMassBar)
    return {};
  return {fmt::format("the mass, {:.5g} ± {:.2g}, may be 1 ± {:g} or not", mass, error, kMassBar)};
}

std::optional<std::string> gap_of_scores(const RecordedScores& scores) {
  const double gap = scores.test_nll - scores.validation_nll;
  const double error = scores.test_error * std::sqrt(1 + scores.test_points / scores.validation_points);
  if (!(scores.validation_points >= kFewestScores && scores.test_points >= kFewestScores) ||
      !(std::abs(gap) >= kLeastScoreGap && std::abs(gap) > kScoreSigmas * error))
    return std::nullopt;
  return fmt::format(
      "the test NLL {:.4g} is {:.3g} nats {} validation, {:.2g} standard errors: it was chosen by scores "
      "that do not "
      "hold for other points",
      scores.test_nll, std::abs(gap), gap > 0 ? "above" : "below", std::abs(gap) / error);
}

Trust examine(const Density& density, const TrustOptions& options) {
  Trust trust;
  std::vector<DensityPart> flows = density.parts();
  std::erase_if(flows, [](const DensityPart& part) { return part.flow() == nullptr; });
  double total = 0;
  for (const DensityPart& part : flows) total += part.weight;
  std::vector<TrustOptions> own(flows.size(), options);
  Work work(options);
  for (std::size_t f = 0; f < flows.size(); ++f) {
    const auto share =
        static_cast<std::size_t>(static_cast<double>(options.points) * flows[f].weight / total);
    own[f].points = std::clamp(share, std::min(options.points, kFewestPoints), options.points);
    work.plan(kSolvesOfPaths * static_cast<double>(own[f].points));
  }
  if (!flows.empty()) work.plan(static_cast<double>(options.evaluations));
  for (std::size_t f = 0; f < flows.size(); ++f)
    flows[f].flow()->with_transport([&](auto& flow) { add_paths(examine_paths(flow, own[f], work), trust); });
  // First half the bar: a mass that is right is settled by that. Nearer to the bar, closer.
  MassOptions mass{
      {kMassBar / 2, 0, options.evaluations}, options.mass_samples, options.seed, FlowMass::by_either};
  if (!flows.empty()) mass.cubature.watch = work.counted("mass");
  for (;; mass.cubature.absolute /= 5) {
    trust.mass = density.mass(mass);
    if (not_settled(trust).empty() || !trust.mass.integral.converged ||
        mass.cubature.absolute < kMassBar / 100)
      break;
  }
  trust.reasons = reasons_against(trust);
  trust.open = not_settled(trust);
  return trust;
}

}  // namespace riemflow
