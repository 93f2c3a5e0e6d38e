#include "riemflow/reproduce/reproduce.hpp"

#include <algorithm>
#include <filesystem>
#include <thread>

#include "riemflow/core/error.hpp"
#include "riemflow/core/machine.hpp"
#include "riemflow/core/text.hpp"
#include "riemflow/core/version.hpp"
#include "riemflow/reproduce/experiment.hpp"

namespace riemflow {
namespace {

constexpr std::unique_ptr<Experiment> (*kExperiments[])() = {
    make_disk_experiment, make_disk_scaling_experiment, make_disk_geodesic_experiment,
    make_vmf_experiment,  make_earth_experiment,        make_trajectories_experiment};

std::unique_ptr<Experiment> experiment_named(const std::string& name) {
  for (const auto make : kExperiments)
    if (auto experiment = make(); experiment->name() == name) return experiment;
  throw Error(fmt::format("there is no experiment '{}'", name),
              fmt::format("the experiments are {}", fmt::join(experiment_names(), ", ")), Fault::usage);
}

/// Those whose names hold every word of `only`.
std::vector<Cell> cells_with(const std::string& only, const Experiment& experiment, bool quick) {
  std::vector<Cell> cells;
  std::vector<std::string> names;
  const std::vector<std::string> wanted = words_in(only);
  for (const Cell& cell : experiment.cells(quick)) {
    const std::vector<std::string> words = words_in(cell.name);
    if (std::all_of(wanted.begin(), wanted.end(), [&](const std::string& word) {
          return std::find(words.begin(), words.end(), word) != words.end();
        }))
      cells.push_back(cell);
    names.push_back(cell.name);
  }
  require(!cells.empty(),
          fmt::format("no cell of {} has the words '{}' in its name", experiment.name(), only),
          fmt::format("the cells are: {}", fmt::join(names, "; ")), Fault::usage);
  return cells;
}

}  // namespace

std::vector<std::string> experiment_names() {
  std::vector<std::string> all;
  for (const auto make : kExperiments) all.push_back(make()->name());
  return all;
}

Reproduction reproduce(const ReproduceOptions& options, TaskObserver& observer) {
  const auto experiment = experiment_named(options.experiment);
  Results results(options.results, options.experiment, options.quick);
  const int runs = options.runs > 0 ? options.runs : options.quick ? 1 : experiment->runs();
  const std::vector<Job> jobs = jobs_left(cells_with(options.only, *experiment, options.quick), results,
                                          {0, static_cast<std::uint64_t>(runs) - 1});
  for (const Job& job : jobs) experiment->check(job.cell, options);
  if (!jobs.empty()) {
    results.describe("command", options.command);
    results.describe("version", kVersion);
    results.describe("machine", machine_name());
    results.describe("seeds", runs == 1 ? "0" : fmt::format("0 to {}", runs - 1));
    results.describe("settings", experiment->settings(options.quick));
    results.note(options.notes);
  }
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const int threads = options.threads > 0 ? options.threads : cores;
  Reproduction result;
  result.jobs = jobs.size();
  result.failed = work_off(
                      jobs, [&](const Job& job) { return experiment->run(job.cell, job.seed, options); },
                      std::max(1, threads / std::max(1, options.threads_per_run)), results, observer)
                      .size();
  result.interrupted = observer.cancelled();
  if (result.interrupted) return result;
  result.page = fmt::format(
      "# {}\n\n{}\n\n`{}`; {}.\n95 % intervals (1.96 standard errors) over the runs, seeds {}.\n\n{}",
      options.experiment, experiment->settings(options.quick), results.description("command"),
      results.origin(), results.description("seeds"), experiment->table(results));
  result.figures = experiment->figures(results, options.data_dir, observer);
  return result;
}

std::vector<FigureFile> figures_of(const ReproduceOptions& options, TaskObserver& observer) {
  const auto experiment = experiment_named(options.experiment);
  require(std::filesystem::exists(options.results), options.results + " is not there",
          "run the experiment first, without ‹figures›, or name its ‹directory›", Fault::no_input);
  return experiment->figures(Results(options.results, options.experiment, options.quick), options.data_dir,
                             observer);
}

}  // namespace riemflow
