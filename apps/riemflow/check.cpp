// riemflow check: is a model's likelihood to be trusted?

#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "apps/riemflow/check/data_scores.hpp"
#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/count.hpp"
#include "apps/riemflow/support/data.hpp"
#include "apps/riemflow/support/exact_flow.hpp"
#include "apps/riemflow/support/options.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/engine/trust.hpp"

namespace riemflow::app {
namespace {

struct CheckOptions {
  ModelChoice model;
  DataChoice data;
  TrustOptions trust;
  bool json = false;
};

struct Report {
  std::string precision, manifold;
  std::string solver;  ///< or what the model is, if it is no flow
  bool is_flow = true;
  Trust trust;
  std::optional<DataScores> data;
};

double mean_step(const SolveSummary& solves) {
  return solves.accepted == 0 ? 0 : static_cast<double>(solves.solves) / static_cast<double>(solves.accepted);
}

double rejected_share(const SolveSummary& solves) {
  const long steps = solves.accepted + solves.rejected;
  return steps == 0 ? 0 : static_cast<double>(solves.rejected) / static_cast<double>(steps);
}

const char* method_of(const Mass& mass) {
  return mass.from_samples ? "change of variables on samples, standard error" : "adaptive quadrature";
}

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
  fmt::print("manifold    {} points of paths off it; spheres' |x| off by {:.2g} of the radius\n",
             trust.off_manifold, trust.drift);
  fmt::print(
      "solver      {:.1f} evaluations a solve, most {}; mean step {:.3f}, {:.0f} % of steps rejected; {} of "
      "{} "
      "samples failed\n",
      trust.solves.mean_evaluations(), trust.solves.most_evaluations, mean_step(trust.solves),
      100 * rejected_share(trust.solves), trust.failed, trust.points);
}

void print_text(const CheckOptions& options, const Report& report) {
  const Trust& trust = report.trust;
  const Integral& mass = trust.mass.integral;
  fmt::print("model       {}: {}, {} precision, {}\n", options.model.path, report.manifold, report.precision,
             report.solver);
  fmt::print("mass        {:.6f} ± {:.2g} ({}, {} evaluations, {} failed); bar 1 ± {:g}, error included\n",
             mass.value, mass.error, method_of(trust.mass), mass.evaluations, mass.failures, kMassBar);
  if (report.is_flow) print_paths(trust);
  if (!report.data) return;
  const DataScores& data = *report.data;
  fmt::print("data        {}: {} points, NLL {:.4f} ± {:.4f} nats; {} failed\n", data.path, data.points,
             data.nll, data.standard_error, data.failed);
  fmt::print("tail        the worst 1 % ({} points) raise the mean NLL by {:.4f} nats{}\n", data.tail_points,
             data.tail_raise,
             data.tail_share ? fmt::format(" and are {:.1f} % of the sum", 100 * *data.tail_share) : "");
  for (const ScoredRow& row : data.worst)
    fmt::print("worst       {} {}: log-density {:.4f}\n", data.row_word, row.line, row.log_density);
}

nlohmann::ordered_json spread_json(const Spread& spread) {
  return {{"mean", spread.mean}, {"percentile_99", spread.most}, {"worst", spread.worst}};
}

nlohmann::ordered_json paths_json(const Trust& trust) {
  return {{"samples", trust.points},
          {"failed_samples", trust.failed},
          {"round_trip", spread_json(trust.round_trip)},
          {"round_trip_bars", {{"percentile_99", kRoundTripBar}, {"worst", kRoundTripWorstBar}}},
          {"accuracy_nats", spread_json(trust.accuracy)},
          {"accuracy_bars", {{"mean", kAccuracyMeanBar}, {"worst", kAccuracyWorstBar}}},
          {"reference_tolerance", trust.reference_tolerance},
          {"off_manifold", trust.off_manifold},
          {"drift", trust.drift},
          {"evaluations_per_solve",
           {{"mean", trust.solves.mean_evaluations()}, {"most", trust.solves.most_evaluations}}},
          {"mean_step", mean_step(trust.solves)},
          {"rejected_share", rejected_share(trust.solves)}};
}

void print_as_json(const CheckOptions& options, const Report& report) {
  const Trust& trust = report.trust;
  const Integral& mass = trust.mass.integral;
  nlohmann::ordered_json out = {{"model", options.model.path},
                                {"manifold", report.manifold},
                                {"precision", report.precision},
                                {"solver", report.solver},
                                {"mass",
                                 {{"value", mass.value},
                                  {"error", mass.error},
                                  {"method", method_of(trust.mass)},
                                  {"evaluations", mass.evaluations},
                                  {"failures", mass.failures},
                                  {"converged", mass.converged},
                                  {"bar", kMassBar}}}};
  if (report.is_flow) out.update(paths_json(trust));
  if (report.data) {
    const DataScores& data = *report.data;
    nlohmann::ordered_json worst = nlohmann::ordered_json::array();
    for (const ScoredRow& row : data.worst)
      worst.push_back({{data.row_word, row.line}, {"log_density", row.log_density}});
    out["data"] = {{"path", data.path},
                   {"points", data.points},
                   {"failed", data.failed},
                   {"nll", data.nll},
                   {"standard_error", data.standard_error},
                   {"tail", {{"points", data.tail_points}, {"raises_mean_by", data.tail_raise}}},
                   {"worst", worst},
                   {"is_training_data", data.is_training_data}};
    if (data.tail_share) out["data"]["tail"]["share"] = *data.tail_share;
  }
  out["trustworthy"] = trust.reasons.empty();
  out["reasons"] = trust.reasons;
  print_json(out);
}

void run(const CheckOptions& options) {
  const Model model = load_model(options.model.path);
  std::unique_ptr<PointSource> source;
  if (!options.data.path.empty()) source = options.data.open(model.config.manifold);
  Report report = with_exact_density(model, options.model, [&]<class T>(Density<T>& density) {
    Report found;
    const auto* flow = dynamic_cast<const Transport<T>*>(&density);
    const SolverOptions solver = flow == nullptr ? SolverOptions{} : flow->config().solver;
    found.is_flow = flow != nullptr;
    found.solver = !found.is_flow ? std::string(name_of(model.config.model))
                   : solver.fixed_steps > 0
                       ? fmt::format("{} in {} equal steps", solver.method, solver.fixed_steps)
                       : fmt::format("{} at {:g}", solver.method, solver.rtol);
    if (source) found.data = score_data(density, *source, options.data.path, model);
    found.trust = examine(density, options.trust);
    return found;
  });
  report.precision = model.precision;
  report.manifold = model.config.manifold;
  std::vector<std::string>& reasons = report.trust.reasons;
  if (report.data) {
    for (const std::string& remark : source->remarks()) say_text(remark);
    if (report.data->is_training_data)
      say("Warning: {} is the data that the model was trained on; its NLL there says nothing of new data.",
          options.data.path);
    if (report.data->failed > 0)
      reasons.push_back(fmt::format("{} of {} data points failed, the first in {} {}", report.data->failed,
                                    report.data->points, report.data->row_word, report.data->first_failed));
  }
  options.json ? print_as_json(options, report) : print_text(options, report);
  const std::string verdict = reasons.empty()
                                  ? "verdict: trustworthy"
                                  : fmt::format("verdict: NOT trustworthy: {}", fmt::join(reasons, "; "));
  if (options.json)
    say_text(verdict);
  else
    fmt::print("{}\n", verdict);
  finish_output();
  if (!reasons.empty()) throw Exit{static_cast<int>(Fault::numerical)};
}

}  // namespace

void add_check(CLI::App& app) {
  auto* command = app.add_subcommand("check", "Tell whether a model's likelihood is to be trusted");
  auto options = std::make_shared<CheckOptions>();
  add_model(*command, options->model);
  add_data(*command, options->data);
  add_count(*command, "--points", options->trust.points, 1, 10'000'000,
            "Samples of the model to follow; 2000 unless given");
  command->add_option("--seed", options->trust.seed, "Of the samples")->capture_default_str();
  add_count(*command, "--mass-points", options->trust.mass_samples, 10, 10'000'000,
            "Samples for the mass in more than 3 dimensions, 300 unless given; up to 3 it is by quadrature");
  add_json(*command, options->json);
  command->footer(
      "The verdict is 'trustworthy' (exit 0) if the mass is 1 within 0.002, its error included, if no sample "
      "fails,\n"
      "and if round trips, log-densities against a tighter solve, and points on the manifold stay within the "
      "bars\n"
      "printed beside them; else 'NOT trustworthy' with the reasons (exit 75). A mass that is not settled is "
      "no pass.\n"
      "\n"
      "Examples:\n"
      "  riemflow check quakes.model\n"
      "  riemflow check quakes.model new_quakes.csv --json\n"
      "  riemflow check quakes.model --tolerance 1e-3       (would a faster evaluation do?)");
  command->callback([options] { run(*options); });
}

}  // namespace riemflow::app
