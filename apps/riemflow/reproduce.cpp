// riemflow reproduce: the paper's experiments, with its figures beside ours.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <thread>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/reproduce/jobs.hpp"
#include "apps/riemflow/reproduce/machine.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/data.hpp"
#include "apps/riemflow/support/options.hpp"
#include "apps/riemflow/support/signals.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/core/version.hpp"
#include "riemflow/io/atomic_file.hpp"

namespace riemflow::app {
namespace {

struct ReproduceOptions {
  std::string name, directory = "experiments/results", only, data_dir, device = "cpu";
  std::vector<std::string> notes;
  int runs = 0, threads = 0, threads_per_run = 1;
  bool quick = false, figures = false;
};

constexpr std::unique_ptr<Experiment> (*kExperiments[])() = {
    make_disk_experiment, make_disk_scaling_experiment, make_disk_geodesic_experiment,
    make_vmf_experiment,  make_earth_experiment,        make_trajectories_experiment};

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto make : kExperiments) all.push_back(make()->name());
  return all;
}

std::unique_ptr<Experiment> experiment_named(const std::string& name) {
  for (const auto make : kExperiments)
    if (auto experiment = make(); experiment->name() == name) return experiment;
  throw Error("unknown experiment " + name, "report this", Fault::internal);
}

std::string command_line(const ReproduceOptions& options) {
  std::string line = "riemflow reproduce " + options.name;
  if (options.quick) line += " --quick";
  if (options.runs > 0) line += fmt::format(" --runs {}", options.runs);
  if (options.device != "cpu") line += " --device " + options.device;
  if (!options.only.empty()) line += fmt::format(" --only '{}'", options.only);
  return line;
}

void write_header(const ReproduceOptions& options, const Experiment& experiment, int runs, Results& results) {
  results.describe("command", command_line(options));
  results.describe("version", kVersion);
  results.describe("machine", machine_name());
  results.describe("seeds", runs == 1 ? "0" : fmt::format("0 to {}", runs - 1));
  results.describe("settings", experiment.settings(options.quick));
  for (const std::string& note : options.notes) {
    const std::size_t equals = note.find('=');
    require(equals != note.npos && equals > 0, fmt::format("the note '{}' has no name", note),
            "give it as KEY=VALUE", Fault::usage);
    results.note(note.substr(0, equals), note.substr(equals + 1));
  }
}

void draw_figures(const ReproduceOptions& options, const Experiment& experiment, const Results& results) {
  for (const FigureFile& figure : experiment.figures(results, options.data_dir)) {
    const auto path = std::filesystem::path(options.directory) / (options.name + "-" + figure.name);
    write_file_atomically(path.string(), figure.bytes);
    answer("figure   {}\n", path.string());
  }
}

void reproduce(const ReproduceOptions& options) {
  const auto experiment = experiment_named(options.name);
  const auto path = [&](const char* ending) {
    return (std::filesystem::path(options.directory) / (options.name + ending)).string();
  };
  if (options.figures) {
    require(std::filesystem::exists(path(".json")), path(".json") + " is not there",
            "run the experiment first, without --figures, or name its --directory", Fault::no_input);
    draw_figures(options, *experiment, Results(path(".json"), options.name, options.quick));
    return;
  }
  std::error_code code;
  std::filesystem::create_directories(options.directory, code);
  require(!code, fmt::format("cannot create the directory {}: {}", options.directory, code.message()),
          "name another one with --directory", Fault::cannot_write);
  Results results(path(".json"), options.name, options.quick);
  const int runs = options.runs > 0 ? options.runs : options.quick ? 1 : experiment->runs();
  const std::vector<Job> jobs = jobs_left(
      *experiment, results, SeedRange{0, static_cast<std::uint64_t>(runs) - 1}, options.only, options.quick);
  const RunOptions run_options{options.quick, options.threads_per_run, options.data_dir,
                               device_named(options.device).value()};
  for (const Job& job : jobs) experiment->check(job.cell, run_options);
  if (!jobs.empty()) write_header(options, *experiment, runs, results);

  watch_interrupts();
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const int threads = options.threads > 0 ? options.threads : cores;
  const std::size_t failed = work_off(*experiment, jobs, run_options,
                                      std::max(1, threads / std::max(1, options.threads_per_run)), results);
  if (interrupted()) {
    say("Interrupted; {} holds the runs that are done. The same command goes on.", path(".json"));
    throw Exit{kInterrupted};
  }
  const std::string page = fmt::format(
      "# {}\n\n{}\n\n`{}`; {}.\n95 % intervals (1.96 standard errors) over the runs, seeds {}.\n\n{}",
      options.name, experiment->settings(options.quick), results.description("command"), results.origin(),
      results.description("seeds"), experiment->table(results));
  write_file_atomically(path(".md"), page);
  answer("{}", page);
  draw_figures(options, *experiment, results);
  require(failed == 0, fmt::format("{} of {} runs failed, and are not in the table", failed, jobs.size()),
          "the messages above say why; the same command tries them again", Fault::numerical);
}

}  // namespace

void add_reproduce(CLI::App& app) {
  auto* command =
      app.add_subcommand("reproduce", "Run an experiment of the paper, with its figures beside ours");
  auto options = std::make_shared<ReproduceOptions>();
  options->name = names().front();
  add_choice(*command, "NAME", options->name, names(), "Name of the experiment")->required();
  command->add_option("--runs", options->runs, "Seeds of each cell; the paper's number unless given")
      ->check(CLI::Range(1, 1000));
  command->add_option("--only", options->only,
                      "Cells whose name holds these words, as in 'riemannian alpha=2'");
  command->add_flag("--quick", options->quick,
                    "A small version, in a minute: short training, and embedded data for the paper's");
  command->add_flag("--figures", options->figures,
                    "Run nothing: draw the figures of the runs that are there");
  command
      ->add_option("--directory", options->directory, "Where NAME.json, NAME.md and figures NAME-….png are")
      ->capture_default_str()
      ->type_name("DIR");
  add_data_dir(*command, options->data_dir);
  add_device(*command, options->device);
  add_threads(*command, options->threads);
  command
      ->add_option("--threads-per-run", options->threads_per_run,
                   "Threads of one run; --threads divided by this is how many go side by side")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  command
      ->add_option("--note", options->notes, "Something for the header of the results, such as commit=abc123")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->footer(
      "Runs that are done are kept: an interrupted experiment goes on where it stopped.\n\n"
      "Examples:\n"
      "  riemflow reproduce vmf\n"
      "  riemflow reproduce disk --runs 4 --only riemannian\n"
      "  riemflow reproduce disk --figures\n"
      "  riemflow reproduce earth --data-dir ~/data --threads 16");
  command->callback([options] { reproduce(*options); });
}

}  // namespace riemflow::app
