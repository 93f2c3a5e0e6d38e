#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/data.hpp"
#include "apps/riemflow/support/density_unit.hpp"
#include "apps/riemflow/support/failures.hpp"
#include "apps/riemflow/support/outputs.hpp"
#include "riemflow/fit/provenance.hpp"
#include "riemflow/io/message.hpp"
#include "riemflow/io/table_writer.hpp"
#include "riemflow/model/data_scores.hpp"
#include "riemflow/model/model_file.hpp"
#include "riemflow/model/score_points.hpp"
#include "riemflow/model/space.hpp"

namespace riemflow::app {
namespace {

struct ScoreOptions {
  ModelChoice model;
  DataFile data;
  std::string output, per;
  bool allow_failures = false, json = false, force = false;

  bool to_stdout() const { return output == "-" || output == "/dev/stdout"; }
};

/// Writes the rows, if they are wanted.
Scores score(const ScoreOptions& options, const Density& density, const std::string& precision,
             PointSource& source, double log_size) {
  Teller teller;
  if (options.output.empty()) return score_points(density, source, teller);
  Scores scores;
  const bool npy = table_format(options.output) == TableFormat::npy;
  std::vector<TableColumn> columns = {{"log_density"}};
  if (!npy) columns.insert(columns.begin(), {source.assumptions().row, true});
  write_table(options.output, columns, digits_of(precision), options.model.threads, [&](TableWriter& table) {
    std::vector<double> rows;
    scores = score_points(density, source, teller,
                          [&](std::span<const std::uint64_t> lines, std::span<const double> log_density) {
                            rows.clear();
                            for (std::size_t i = 0; i < lines.size(); ++i) {
                              if (!npy) rows.push_back(static_cast<double>(lines[i]));
                              rows.push_back(log_density[i] + log_size);
                            }
                            table.rows(rows);
                          });
  });
  return scores;
}

/// "1.234 ± 0.005 nats per sr"
std::string nats(double mean, double error, const DensityUnit& unit) {
  const std::string spread = std::isnan(error) ? "" : fmt::format(" ± {:.4f}", error);
  return fmt::format("{:.4f}{} nats per {}", mean, spread, unit.shown);
}

void print(const ScoreOptions& options, const Model& model, const Manifold<double>& manifold,
           const Scores& scores, const DensityUnit& unit, const PointSource& source, double tolerance,
           bool seen) {
  const double nll = -(scores.log_density.mean() + unit.log_size);
  const double error = scores.log_density.standard_error();
  const double uniform = manifold.log_volume() - unit.log_size;
  std::string text;
  if (options.json) {
    nlohmann::ordered_json out = {
        {"model", model.path},
        {"data", source.assumptions().path},
        {"manifold", space_of(model).name()},
        {"unit", unit.name},
        {"points", scores.points},
        {"nll", nll},
        {"nll_standard_error", error},
        {"nll_uniform", nullptr},
        {"skipped", source.skipped()},
        {"failed", scores.failures.count},
        {"failures", nlohmann::ordered_json::array()},
        {"tolerance", tolerance},
        {"evaluations_per_solve",
         scores.solves == 0 ? 0.0
                            : static_cast<double>(scores.evaluations) / static_cast<double>(scores.solves)}};
    if (manifold.compact()) out["nll_uniform"] = uniform;
    if (const auto& weight = source.assumptions().weight) {
      out["weights"] = setting_of(*weight);
      out["weightless"] = scores.weightless;
    }
    out["is_training_data"] = seen;
    if (seen) {
      const FitScores fit = fit_scores(model);
      out["fit"] = {{"validation_nll", fit.validation - unit.log_size},
                    {"test_nll", fit.test - unit.log_size},
                    {"test_nll_standard_error", fit.test_error}};
    }
    for (const Failures::Named& failure : scores.failures.named)
      out["failures"].push_back({{"place", failure.place}, {"reason", explain(failure.status)}});
    text = out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  } else {
    text = fmt::format("points    {}\n", scores.points);
    if (scores.log_density.size() == 0)
      text += "mean NLL  none: every point failed\n";
    else
      text += fmt::format("mean NLL  {}\n", nats(nll, error, unit));
    // Of rotations both conventions are in use.
    if (manifold.picture().kind == Picture::Kind::rotations && scores.log_density.size() > 0 &&
        unit.log_size == 0)
      text += fmt::format(
          "          {}\n",
          nats(nll - manifold.log_volume(), error,
               {"whole", "whole volume: of the Haar measure of mass 1, as multiples of the uniform", 0}));
    if (manifold.compact())
      text += fmt::format("uniform   {}\n", nats(uniform, std::numeric_limits<double>::quiet_NaN(), unit));
    if (scores.weightless > 0) text += fmt::format("weight 0  {}\n", scores.weightless);
    if (source.skipped() > 0) text += fmt::format("skipped   {}\n", source.skipped());
    if (scores.failures.count > 0) text += fmt::format("failed    {}\n", scores.failures.count);
  }
  std::fwrite(text.data(), 1, text.size(), options.to_stdout() ? stderr : stdout);
}

void run(const ScoreOptions& options) {
  if (!options.output.empty()) table_format(options.output);  // a name that cannot be is said before any work
  require_safe({{"MODEL", options.model.path}, input_of(options.data)}, {output_named(options.output)},
               options.force);
  const Model model = load_model(options.model.path);
  const auto manifold = space_of(model).on<double>();
  const DensityUnit unit = density_unit(*manifold, options.per);
  const auto source = open_said(options.data.by(options.model.threads), space_of(model).name());
  Teller teller;
  const std::unique_ptr<Density> density = make_exact_density(model, options.model, teller);
  const Scores scores = score(options, *density, precision_of(model), *source, unit.log_size);
  for (const std::string& sentence : source->remarks()) say_text(sentence);
  if (scores.weightless > 0)
    say("{} of {} points have the weight 0 and are not in the mean.", scores.weightless, scores.points);
  for (const std::string& sentence : scores.failures.sentences()) say_text(sentence);
  if (const std::uint64_t none = scores.log_density.infinite(); none > 0)
    say("{} of {} points have density 0 (the projection point of a stereographic model), so the mean NLL is "
        "infinite.",
        none, scores.points);
  const bool seen = is_training_data(model, *source);
  if (seen) say_text(seen_warning(options.data.path, fit_scores(model), unit.log_size));
  if (const std::string column = weight_column_of(model);
      seen && !column.empty() && options.data.reading.weights.empty())
    say("The fit counted points by --weights {}; here each row counts alike unless it is given.",
        io::in_quotes(column));
  print(options, model, *manifold, scores, unit, *source, density->tolerance(), seen);
  end_on_failures(scores.failures, scores.points, "points", !options.output.empty(), options.allow_failures);
}

}  // namespace

void add_score(CLI::App& app) {
  auto [command, options] =
      add_command<ScoreOptions>(app, "score", "Compute the log-density of each point, and the mean", run);
  add_model(command, options.model);
  add_data(command, options.data)->required();
  add_weights(command, options.data.reading);
  add_text(command, "-o,--output", options.output, "FILE",
           "File for the log-density of each row, as .csv, .tsv (line,log_density) or .npy (one column); - "
           "for CSV on standard output, with the summary on standard error; no rows unless given");
  add_choice(
      command, "--per", options.per, {"sr", "km2", "deg2", "rad", "deg", "volume", "whole"},
      "Unit of the density: sr, km2 or deg2 on sphere:2, rad or deg on a torus, volume elsewhere; the "
      "first unless given. km2: on a sphere of the Earth's mean radius, 6371.0088 km. whole: of the volume "
      "of the space, where densities are multiples of the uniform one (rotations, axes, proportions, "
      "intervals, periods)");
  add_allow_failures(command, options.allow_failures);
  add_force(command, options.force);
  add_json(command, options.json);
  command.footer(
      R"(The mean is that of −log p(x), in nats, with its standard error; on the data of the fit a warning says what the
fit found at points that it had held out. A point whose density cannot be
computed is named, is nan in the rows and left out of the mean; the exit code is then 75. With --weights mean and
standard error are by the weights; the rows are the same, those of weight 0 among them.

Examples:
  riemflow score quakes.model quakes.csv
  riemflow score quakes.model quakes.csv --per km2 -o scores.csv
  riemflow score stations.model new_stations.csv --weights events
  riemflow score quakes.model - --columns lat,lon --json < quakes.csv)");
}

}  // namespace riemflow::app
