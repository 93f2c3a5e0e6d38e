#include "riemflow/model/examination.hpp"

#include <fmt/format.h>

#include "riemflow/model/read_provenance.hpp"
#include "riemflow/model/space.hpp"

namespace riemflow {
namespace {

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

RecordedScores recorded_scores(const Model& model) {
  return {provenance_number(model, "validation_nll"), provenance_number(model, "test_nll"),
          provenance_number(model, "test_nll_standard_error"),
          provenance_number(model, "validation", "points"), provenance_number(model, "test", "points")};
}

}  // namespace

double mean_step(const SolveSummary& solves) {
  return solves.accepted == 0 ? 0 : static_cast<double>(solves.solves) / static_cast<double>(solves.accepted);
}

double rejected_share(const SolveSummary& solves) {
  const long steps = solves.accepted + solves.rejected;
  return steps == 0 ? 0 : static_cast<double>(solves.rejected) / static_cast<double>(steps);
}

const char* method_of(const Examination& found) {
  if (found.is_pool) return "member by member";
  return found.trust.mass.from_samples ? "change of variables on samples, standard error"
                                       : "adaptive quadrature";
}

Examination examine_model(const Model& model, const Evaluation& how, const TrustOptions& options,
                          TaskObserver& observer, PointSource* source, const std::string& path) {
  const std::unique_ptr<Density> density = make_exact_density(model, how, observer);
  Examination examination;
  SolverOptions solver = model.config.solver;
  if (how.tolerance > 0) solver.rtol = how.tolerance;
  examination.solver = !is_flow(model.config.model) ? std::string(name_of(model.config.model))
                       : solver.fixed_steps > 0
                           ? fmt::format("{} in {} equal steps", solver.method, solver.fixed_steps)
                           : fmt::format("{} at {:g}", solver.method, solver.rtol);
  if (source != nullptr) examination.data = score_data(*density, *source, path, model, observer);
  ObservedTask progress(observer, "Check", 1);
  TrustOptions watched = options;
  watched.watch = [&](double done, double all, const char* part) { progress.reach(done, all, part); };
  examination.trust = examine(*density, watched);
  examination.is_flow = examination.trust.points > 0;
  examination.is_pool = model.config.model == ModelKind::pool;
  if (const auto gap = gap_of_scores(recorded_scores(model))) examination.trust.reasons.push_back(*gap);
  examination.precision = precision_of(model);
  examination.manifold = space_of(model).name();
  if (examination.data && examination.data->failed > 0)
    examination.trust.reasons.push_back(
        fmt::format("{} of {} data points failed, the first in {} {}", examination.data->failed,
                    examination.data->points, examination.data->row_word, examination.data->first_failed));
  return examination;
}

nlohmann::ordered_json examination_json(const std::string& model_path, const Examination& found) {
  const Trust& trust = found.trust;
  const Integral& mass = trust.mass.integral;
  nlohmann::ordered_json out = {{"model", model_path},
                                {"manifold", found.manifold},
                                {"precision", found.precision},
                                {"solver", found.solver},
                                {"mass",
                                 {{"value", mass.value},
                                  {"error", mass.error},
                                  {"method", method_of(found)},
                                  {"evaluations", mass.evaluations},
                                  {"failures", mass.failures},
                                  {"converged", mass.converged},
                                  {"bar", kMassBar}}}};
  if (found.is_flow) out.update(paths_json(trust));
  if (found.data) {
    const DataScores& data = *found.data;
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
  const Verdict verdict = trust.verdict();
  out["verdict"] = verdict == Verdict::trustworthy   ? "trustworthy"
                   : verdict == Verdict::not_settled ? "not settled"
                                                     : "not trustworthy";
  out["trustworthy"] = verdict == Verdict::trustworthy;
  out["reasons"] = trust.reasons;
  out["not_settled"] = trust.open;
  return out;
}

std::string verdict_of(const Examination& found) {
  const Trust& trust = found.trust;
  switch (trust.verdict()) {
    case Verdict::trustworthy:
      return "trustworthy";
    case Verdict::not_settled:
      return fmt::format("not settled: {}; give more ‹evaluations› or ‹mass-points›",
                         fmt::join(trust.open, "; "));
    case Verdict::not_trustworthy:
      break;
  }
  return fmt::format("NOT trustworthy: {}", fmt::join(trust.reasons, "; "));
}

}  // namespace riemflow
