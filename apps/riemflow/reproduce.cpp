// riemflow reproduce: the paper's experiments, with its figures beside ours.

#include <filesystem>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/outputs.hpp"
#include "apps/riemflow/support/signals.hpp"
#include "riemflow/io/atomic_file.hpp"
#include "riemflow/reproduce/reproduce.hpp"

namespace riemflow::app {
namespace {

struct Wanted {
  ReproduceOptions options;
  std::string directory = "experiments/results";
  Device device = Device::cpu;
  std::vector<std::string> notes;
  bool figures = false;
};

std::string command_line(const Wanted& wanted) {
  const ReproduceOptions& options = wanted.options;
  std::string line = "riemflow reproduce " + options.experiment;
  if (options.quick) line += " --quick";
  if (options.runs > 0) line += fmt::format(" --runs {}", options.runs);
  if (wanted.device != Device::cpu) line += fmt::format(" --device {}", name_of(wanted.device));
  if (!options.only.empty()) line += fmt::format(" --only '{}'", options.only);
  return line;
}

void run_experiment(const Wanted& wanted) {
  ReproduceOptions options = wanted.options;
  const auto path = [&](const std::string& ending) {
    return (std::filesystem::path(wanted.directory) / (options.experiment + ending)).string();
  };
  const auto write_figures = [&](const std::vector<FigureFile>& figures) {
    for (const FigureFile& figure : figures) {
      write_file_atomically(path("-" + figure.name), figure.bytes);
      answer("figure   {}\n", path("-" + figure.name));
    }
  };
  options.results = path(".json");
  Teller teller;
  if (wanted.figures) return write_figures(figures_of(options, teller));
  create_folder(wanted.directory);
  options.device = wanted.device;
  options.command = command_line(wanted);
  options.notes = notes_of(wanted.notes);
  watch_interrupts();
  const Reproduction result = reproduce(options, teller);
  if (result.interrupted) {
    say("Interrupted; {} holds the runs that are done. The same command goes on.", options.results);
    throw Exit{kInterrupted};
  }
  write_file_atomically(path(".md"), result.page);
  answer("{}", result.page);
  write_figures(result.figures);
  refuse_failed_runs(result.failed, result.jobs);
}

}  // namespace

void add_reproduce(CLI::App& app) {
  auto [command, wanted] = add_command<Wanted>(
      app, "reproduce", "Run an experiment of the paper, with its figures beside ours", run_experiment);
  ReproduceOptions& options = wanted.options;
  options.experiment = experiment_names().front();
  add_choice(command, "NAME", options.experiment, experiment_names(), "Name of the experiment")->required();
  command.add_option("--runs", options.runs, "Seeds of each cell; the paper's number unless given")
      ->check(CLI::Range(1, 1000));
  command.add_option("--only", options.only,
                     "Cells whose name holds these words, as in 'riemannian alpha=2'");
  command.add_flag("--quick", options.quick,
                   "A small version, in a minute: short training, and embedded data for the paper's");
  command.add_flag("--figures", wanted.figures, "Run nothing: draw the figures of the runs that are there");
  add_text(command, "--directory", wanted.directory, "DIR",
           "Where NAME.json, NAME.md and figures NAME-….png are")
      ->capture_default_str();
  add_data_dir(command, options.data_dir);
  add_device(command, wanted.device);
  add_threads(command, options.threads);
  add_ranged(command, "--threads-per-run", options.threads_per_run, 1, 1024,
             "Threads of one run; --threads divided by this is how many go side by side");
  add_notes(command, wanted.notes);
  command.footer(
      "Runs that are done are kept: an interrupted experiment goes on where it stopped.\n\n"
      "Examples:\n"
      "  riemflow reproduce vmf\n"
      "  riemflow reproduce disk --runs 4 --only riemannian\n"
      "  riemflow reproduce disk --figures\n"
      "  riemflow reproduce earth --data-dir ~/data --threads 16");
}

}  // namespace riemflow::app
