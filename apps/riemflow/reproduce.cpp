// riemflow reproduce: the paper's experiments, with its figures beside ours.

#include <CLI/CLI.hpp>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <thread>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/fit/progress.hpp"
#include "apps/riemflow/reproduce/experiment.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/options.hpp"
#include "apps/riemflow/support/signals.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/io/atomic_file.hpp"

namespace riemflow::app {
namespace {

struct ReproduceOptions {
  std::string name, directory = "experiments/results", only;
  int runs = 0, threads = 0;
  bool quick = false;
};

constexpr std::unique_ptr<Experiment> (*kExperiments[])() = {
    make_vmf_experiment, make_disk_experiment, make_disk_scaling_experiment, make_disk_geodesic_experiment};

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto make : kExperiments) all.push_back(make()->name());
  return all;
}

struct Job {
  std::string cell;
  std::uint64_t seed;
};

/// Runs go side by side, one a thread: that keeps every core busy to the end, which threads within a run do
/// not.
void work_off(const Experiment& experiment, const std::vector<Job>& jobs, const ReproduceOptions& options,
              Results& results) {
  std::mutex mutex;
  std::atomic<std::size_t> next = 0;
  std::size_t done = 0;
  std::exception_ptr failure;
  const auto start = Clock::now();
  const auto worker = [&] {
    for (std::size_t i = next++; i < jobs.size() && !interrupted(); i = next++) {
      try {
        const auto begun = Clock::now();
        Json run = experiment.run(jobs[i].cell, jobs[i].seed, options.quick);
        run["seconds"] = seconds_since(begun);
        const std::lock_guard lock(mutex);
        results.add(jobs[i].cell, jobs[i].seed, std::move(run));
        ++done;
        const double left =
            seconds_since(start) / static_cast<double>(done) * static_cast<double>(jobs.size() - done);
        say("{}/{}  {}, seed {}: {}  ETA {}", done, jobs.size(), jobs[i].cell, jobs[i].seed,
            clock_text(seconds_since(begun)), clock_text(left));
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next = jobs.size();
      }
    }
  };
  const auto cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::jthread> threads;
  for (int t = 0; t < (options.threads > 0 ? options.threads : cores); ++t) threads.emplace_back(worker);
  threads.clear();
  if (failure) std::rethrow_exception(failure);
}

void reproduce(const ReproduceOptions& options) {
  std::unique_ptr<Experiment> experiment;
  for (const auto make : kExperiments)
    if (auto candidate = make(); candidate->name() == options.name) experiment = std::move(candidate);
  std::error_code code;
  std::filesystem::create_directories(options.directory, code);
  const auto path = [&](const char* ending) {
    return (std::filesystem::path(options.directory) / (options.name + ending)).string();
  };
  Results results(path(".json"), options.name, options.quick);
  const int runs = options.runs > 0 ? options.runs : options.quick ? 2 : experiment->runs();
  std::vector<Job> jobs;
  for (int seed = 0; seed < runs; ++seed)
    for (const std::string& cell : experiment->cells())
      if (cell.find(options.only) != cell.npos && !results.has(cell, static_cast<std::uint64_t>(seed)))
        jobs.push_back({cell, static_cast<std::uint64_t>(seed)});
  results.describe("command",
                   fmt::format("riemflow reproduce {}{}", options.name, options.quick ? " --quick" : ""));
  results.describe("version", RIEMFLOW_VERSION);
  watch_interrupts();
  work_off(*experiment, jobs, options, results);
  if (interrupted()) {
    say("Interrupted; {} holds the runs that are done. The same command goes on.", path(".json"));
    throw Exit{kInterrupted};
  }
  const std::string page = fmt::format(
      "# {}\n\n{}\n\n`riemflow reproduce {}{}`; 95 % intervals over the runs, seeds from 0.\n\n{}",
      options.name, experiment->settings(), options.name, options.quick ? " --quick" : "",
      experiment->table(results));
  write_file_atomically(path(".md"), page);
  fmt::print("{}", page);
}

}  // namespace

void add_reproduce(CLI::App& app) {
  auto* command =
      app.add_subcommand("reproduce", "Run an experiment of the paper, with its figures beside ours");
  auto options = std::make_shared<ReproduceOptions>();
  options->name = names().front();
  add_choice(*command, "NAME", options->name, names(), "Experiment")->required();
  command->add_option("--runs", options->runs, "Seeds of each cell; the paper's number unless given")
      ->check(CLI::Range(1, 1000));
  command->add_option("--only", options->only, "Cells whose name holds this text");
  command->add_flag("--quick", options->quick, "A small version, in seconds: for tests");
  command->add_option("--directory", options->directory, "Where NAME.json and NAME.md are")
      ->capture_default_str()
      ->type_name("DIR");
  add_threads(*command, options->threads);
  command->footer(
      "Runs that are done are kept: an interrupted experiment goes on where it stopped.\n\n"
      "Examples:\n"
      "  riemflow reproduce vmf\n"
      "  riemflow reproduce disk --runs 4 --only riemannian");
  command->callback([options] { reproduce(*options); });
}

}  // namespace riemflow::app
