// riemflow check: is a model's likelihood to be trusted?

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/data.hpp"
#include "apps/riemflow/support/options.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/fit/provenance.hpp"
#include "riemflow/model/examination.hpp"
#include "riemflow/model/space.hpp"

namespace riemflow::app {
namespace {

struct CheckOptions {
  ModelChoice model;
  DataFile data;
  TrustOptions trust;
  bool json = false;
};

/// What only a flow has.
void print_paths(const Trust& trust) {
  fmt::print(
      "round trip  {} samples base → data → base miss by {:.2g} (99 %), {:.2g} (worst); bars {:g}, {:g}\n",
      trust.points, trust.round_trip.most, trust.round_trip.worst, kRoundTripBar, kRoundTripWorstBar);
  fmt::print(
      "accuracy    log-densities of samples against double precision at {:.2g}: off by {:.2g} (mean), {:.2g} "
      "(worst) nats; bars {:g}, {:g}\n",
      trust.reference_tolerance, trust.accuracy.mean, trust.accuracy.worst, kAccuracyMeanBar,
      kAccuracyWorstBar);
  fmt::print("manifold    {} points of paths off it; coordinates off by {:.2g} of their size\n",
             trust.off_manifold, trust.drift);
  fmt::print(
      "solver      {:.1f} evaluations per solve, most {}; mean step {:.3f}, {:.0f} % of steps rejected; {} "
      "of {} samples failed\n",
      trust.solves.mean_evaluations(), trust.solves.most_evaluations, mean_step(trust.solves),
      100 * rejected_share(trust.solves), trust.failed, trust.points);
}

void print_text(const CheckOptions& options, const Examination& found) {
  const Trust& trust = found.trust;
  const Integral& mass = trust.mass.integral;
  answer("model       {}: {}, {} precision, {}\n", options.model.path, found.manifold, found.precision,
         found.solver);
  fmt::print("mass        {:.6f} ± {:.2g} ({}, {} evaluations, {} failed); bar 1 ± {:g}, error included\n",
             mass.value, mass.error, method_of(found), mass.evaluations, mass.failures, kMassBar);
  if (found.is_flow) print_paths(trust);
  if (!found.data) return;
  const DataScores& data = *found.data;
  answer("data        {}: {} points, NLL {:.4f} ± {:.4f} nats; {} failed\n", data.path, data.points, data.nll,
         data.standard_error, data.failed);
  fmt::print("tail        the worst 1 % ({} points) raise the mean NLL by {:.4f} nats{}\n", data.tail_points,
             data.tail_raise,
             data.tail_share ? fmt::format(" and are {:.1f} % of the sum", 100 * *data.tail_share) : "");
  for (const ScoredRow& row : data.worst)
    fmt::print("worst       {} {}: log-density {:.4f}\n", data.row_word, row.line, row.log_density);
}

void run(const CheckOptions& options) {
  const Model model = load_model(options.model.path);
  std::unique_ptr<PointSource> source;
  if (!options.data.path.empty())
    source = open_said(options.data.by(options.model.threads), space_of(model).name());
  Teller teller;
  const Examination found =
      examine_model(model, options.model, options.trust, teller, source.get(), options.data.path);
  if (found.data) {
    for (const std::string& remark : source->remarks()) say_text(remark);
    if (found.data->is_training_data) say_text(seen_warning(options.data.path, fit_scores(model)));
  }
  const std::string verdict = with_flags("verdict: " + verdict_of(found));
  if (options.json) {
    print_json(examination_json(options.model.path, found));
    say_text(verdict);
  } else {
    print_text(options, found);
    fmt::print("{}\n", verdict);
  }
  finish_output();
  if (found.trust.verdict() != Verdict::trustworthy) throw Exit{static_cast<int>(Fault::numerical)};
}

}  // namespace

void add_check(CLI::App& app) {
  auto [command, options] =
      add_command<CheckOptions>(app, "check", "Tell whether a model's likelihood is to be trusted", run);
  add_model(command, options.model);
  add_data(command, options.data);
  add_count(command, "--points", options.trust.points, 1, 10'000'000,
            "Samples of the model to follow; 2000 unless given. The flows of a pool share them by their "
            "weights, 200 each at least");
  command.add_option("--seed", options.trust.seed, "Seed of the samples")->capture_default_str();
  add_count(command, "--mass-points", options.trust.mass_samples, 10, 10'000'000,
            "Samples for the mass of a flow in more than 3 dimensions, and where quadrature does not settle "
            "it; 300 unless given");
  add_count(command, "--evaluations", options.trust.evaluations, 1000, 1'000'000'000,
            "Evaluations of flows in the quadrature of the mass, at most; 20000 unless given");
  add_json(command, options.json);
  command.footer(
      R"(The verdict is 'trustworthy' (exit 0) if the mass is 1 within 0.002, its error included, if no sample fails,
and if round trips, log-densities against a tighter solve, and points on the manifold stay within the bars
printed beside them, and if the test score recorded in the model is within 5 standard errors of its validation
score; 'NOT trustworthy' with the reasons if one of them does not hold (exit 75); 'not settled' (exit 75 as well) if
none fails but the error of the mass is too large to tell.

Examples:
  riemflow check quakes.model
  riemflow check quakes.model new_quakes.csv --json
  riemflow check quakes.model --tolerance 1e-3       (would a faster evaluation do?))");
}

}  // namespace riemflow::app
