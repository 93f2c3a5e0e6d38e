// riemflow demo: the main job, end to end, on the embedded earthquakes. It runs the commands a user would
// type, and shows them.

#include <filesystem>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/fit/progress.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/outputs.hpp"
#include "apps/riemflow/support/signals.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/fit/baselines.hpp"
#include "riemflow/fit/data_set.hpp"
#include "riemflow/fit/provenance.hpp"
#include "riemflow/io/atomic_file.hpp"
#include "riemflow/io/data_sets.hpp"
#include "riemflow/io/sha256.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow::app {
namespace {

struct DemoOptions {
  std::string directory = "demo";
  long iterations = 0;  ///< 0: those of fit
};

/// Shows a command and runs it; its failure is the demo's.
void run_shown(const std::vector<std::string>& words) {
  std::string line = "$ riemflow";
  for (const std::string& word : words) line += " " + word;
  fmt::print("\n{}\n", line);
  std::fflush(stdout);
  if (const int code = run_command(words); code != 0) throw Exit{code};
  if (interrupted()) throw Exit{kInterrupted};
  end_on_interrupts();  // some commands watch them, and what follows does not
  finish_output();
}

void demo(const DemoOptions& options) {
  const auto start = Clock::now();
  const std::filesystem::path directory = options.directory;
  create_folder(options.directory);
  const auto in = [&](const char* name) { return (directory / name).string(); };
  const std::string data = in("earthquakes.csv"), model = in("earthquakes.model");
  require(!std::filesystem::exists(data) || sha256_of_file(data) == known_data_set("earthquakes").sha256,
          fmt::format("{} is there already, and is not the demo's", data), "name another --directory",
          Fault::cannot_write);

  fmt::print(
      "A density of the world's significant earthquakes, 2150 BC to 2016, learned from their latitudes and "
      "longitudes.\n"
      "Everything is written to {}/.\n",
      options.directory);
  run_shown({"data", "export", "earthquakes", "-o", data});
  std::vector<std::string> fit = {"fit", data, "-o", model, "--dedup", "--log", in("training.jsonl")};
  if (options.iterations > 0) fit.insert(fit.end(), {"--iterations", std::to_string(options.iterations)});
  run_shown(fit);
  run_shown({"check", model});
  run_shown({"plot", in("training.jsonl"), "-o", in("curves.png")});
  run_shown({"sample", model, "-n", "2000", "-o", in("samples.csv")});
  run_shown({"plot", model, data, "-o", in("map.png"), "--resolution", "1"});
  run_shown({"grid", model, "-o", in("density.nc"), "--resolution", "2"});
  run_shown({"prob", model, "--circle", "35.68,139.69,300"});
  run_shown({"report", model, data, "--log", in("training.jsonl"), "-o", in("report.html")});

  FitOptions settings;
  settings.dedup = true;
  Observer silent;  // fit has said it all
  const DataSet split = read_data_set(data, settings, silent);
  const FitScores model_scores = fit_scores(load_model(model));
  const auto part = [&](const std::vector<std::size_t>& rows) { return part_of<double>(split.points, rows); };
  const Points<double> test = part(split.split.test);
  const double uniform = base_scores("sphere:2", test).nll();
  const Points<double> training = part(split.split.training), validation = part(split.split.validation);
  Teller teller;
  const std::vector<PointScores> kernels =
      kernel_density_scores("sphere:2", training, validation, test, teller);
  const PointScores &one = kernels.front(), &best = kernels.back();
  fmt::print(
      "\nHow surprised is each density by {} earthquakes it has not seen? Mean negative log-likelihood in "
      "nats per point;\nlower is better.\n\n",
      split.split.test.size());
  fmt::print("  uniform density                         {:8.4f}\n", uniform);
  for (const PointScores* kernel : {&one, &best})
    fmt::print("  {:<40}{:8.4f} ± {:.4f}\n", kernel->name, kernel->nll(), kernel->standard_error());
  fmt::print("  this model                              {:8.4f} ± {:.4f}\n", model_scores.test,
             model_scores.test_error);
  if (model_scores.test > best.nll()) fmt::print("\nThe best kernel density is ahead of this fit.\n");

  const nlohmann::ordered_json summary = {{"test_points", split.split.test.size()},
                                          {"uniform_nll", uniform},
                                          {"kernel_density_nll", one.nll()},
                                          {"kernel_density_standard_error", one.standard_error()},
                                          {"best_kernel_density", best.name},
                                          {"best_kernel_density_nll", best.nll()},
                                          {"best_kernel_density_standard_error", best.standard_error()},
                                          {"model_nll", model_scores.test},
                                          {"model_standard_error", model_scores.test_error}};
  write_file_atomically(in("summary.json"), summary.dump(2) + "\n");
  fmt::print(
      "\nDone in {}. What to try next:\n\n"
      "  open {} in a browser           the globe and all the numbers of this model\n"
      "  riemflow fit YOUR.csv -o your.model          your own latitudes and longitudes\n"
      "  riemflow score your.model NEW.csv            how well it foresees points it has not seen\n"
      "  riemflow prob {} --box 128,30,147,46\n"
      "                                               probability of a region, here around Japan\n"
      "  riemflow fit --help                          torsion angles, unit vectors, hyperbolic space\n",
      clock_text(seconds_since(start)), in("report.html"), model);
}

}  // namespace

void add_demo(CLI::App& app) {
  auto [command, options] = add_command<DemoOptions>(
      app, "demo", "Fit, check and use a density of earthquakes, in a few minutes", demo);
  add_text(command, "--directory", options.directory, "DIR", "Where everything is written")
      ->capture_default_str();
  command
      .add_option("--iterations", options.iterations,
                  "Train one flow for so many steps; unless given, fit runs with its defaults")
      ->check(CLI::Range(1L, 1000000000L));
  command.footer("Example:\n  riemflow demo");
}

}  // namespace riemflow::app
