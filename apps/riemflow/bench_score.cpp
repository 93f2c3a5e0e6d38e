#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <thread>

#include "apps/riemflow/bench.hpp"
#include "apps/riemflow/fit/progress.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/count.hpp"
#include "apps/riemflow/support/options.hpp"
#include "riemflow/fit/trainer.hpp"
#include "riemflow/flow/flow.hpp"
#include "riemflow/io/embedded.hpp"
#include "riemflow/model/score_points.hpp"

namespace riemflow::app {
namespace {

struct BenchScoreOptions {
  std::uint64_t points = 1'000'000, iterations = 300;
  bool json = false;
};

/// The paper's size, trained a little: a flow at its random start is nearly the identity and too cheap.
std::vector<float> trained_parameters(const FlowConfig& config, std::uint64_t iterations) {
  FlowConfig loose = config;
  loose.solver.rtol = loose.solver.atol = 1e-3;
  Flow<float> flow(loose, 0);
  Trainer<float> trainer(flow, TrainConfig{});
  const Points<float> data = embedded_earthquakes<float>();
  for (std::uint64_t i = 0; i < iterations; ++i) trainer.step_likelihood(data);
  return {flow.parameters().begin(), flow.parameters().end()};
}

/// The embedded earthquakes, over and over, as the text of a CSV file.
std::string csv_of(std::uint64_t points) {
  std::string_view rows = embedded_earthquakes_csv();
  const std::size_t header = rows.find('\n') + 1;
  std::string text(rows.substr(0, header));
  rows.remove_prefix(header);
  std::string_view rest = rows;
  for (std::uint64_t i = 0; i < points; ++i) {
    if (rest.empty()) rest = rows;
    const std::size_t line = rest.find('\n') + 1;
    text += rest.substr(0, line);
    rest.remove_prefix(line);
  }
  return text;
}

struct Measured {
  int threads;
  double seconds, reading;  ///< all of it; reading alone, nothing computed
  Scores scores;
};

Measured measure(const FlowConfig& config, const std::vector<float>& parameters, const std::string& csv,
                 int threads) {
  Flow<float> flow(config, 0, threads);
  std::copy(parameters.begin(), parameters.end(), flow.parameters().begin());
  ReadOptions options;
  options.columns = "latitude,longitude";
  options.manifold = config.manifold;

  auto start = Clock::now();
  const auto only_read = open_points_in(csv, "earthquakes", options);
  Points<double> chunk;
  while (only_read->next(kChunk, chunk)) continue;
  const double reading = seconds_since(start);

  start = Clock::now();
  const auto source = open_points_in(csv, "earthquakes", options);
  TaskObserver nobody;
  Scores scores = score_points<float>(flow, *source, nobody);
  return {flow.threads(), seconds_since(start), reading, std::move(scores)};
}

void run(const BenchScoreOptions& options) {
  FlowConfig config;
  config.manifold = "sphere:2";
  config.solver.rtol = config.solver.atol = 1e-5;
  say("training {} iterations, to have a flow that is not the identity", options.iterations);
  const std::vector<float> parameters = trained_parameters(config, options.iterations);
  const std::string csv = csv_of(options.points);
  const auto megabytes = static_cast<double>(csv.size()) * 1e-6;

  auto runs = nlohmann::ordered_json::array();
  if (!options.json) {
    fmt::print(
        "log-densities of {} points from CSV in memory ({:.1f} MB), S2, 3x64 tanh, dopri5 at 1e-5, exact\n"
        "divergence, float, after {} iterations on the embedded earthquakes; no rows are written\n",
        options.points, megabytes, options.iterations);
  }
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<int> counts = {1};
  if (cores > 1) counts.push_back(cores);
  for (const int threads : counts) {
    const Measured m = measure(config, parameters, csv, threads);
    const double rate = static_cast<double>(m.scores.points) / m.seconds;
    const double evaluations = static_cast<double>(m.scores.evaluations) /
                               static_cast<double>(std::max<std::uint64_t>(1, m.scores.solves));
    if (options.json)
      runs.push_back({{"threads", m.threads},
                      {"seconds", m.seconds},
                      {"points_per_second", rate},
                      {"megabytes_per_second", megabytes / m.seconds},
                      {"reading_alone_seconds", m.reading},
                      {"evaluations_per_solve", evaluations},
                      {"mean_nll", -m.scores.log_density.mean()},
                      {"failed", m.scores.failures.count}});
    else
      fmt::print(
          "threads {:<2}  {:>8.0f} points/s  {:>6.2f} MB/s  {:.1f} s, of which reading alone takes {:.2f}  "
          "{:.1f} evaluations per solve\n",
          m.threads, rate, megabytes / m.seconds, m.seconds, m.reading, evaluations);
  }
  if (options.json)
    print_json(
        {{"setting", "CSV in memory to log-densities, S2, 3x64 tanh, dopri5 1e-5, exact divergence, float"},
         {"points", options.points},
         {"bytes", csv.size()},
         {"training_iterations", options.iterations},
         {"simd", simd::instruction_set()},
         {"runs", runs}});
}

}  // namespace

void add_bench_score(CLI::App& bench) {
  auto* command =
      bench.add_subcommand("score", "Time log-densities of many points, from the text of a CSV file on");
  auto options = std::make_shared<BenchScoreOptions>();
  add_count(*command, "--points", options->points, 1, 100'000'000, "Points to score")->default_str("1000000");
  add_count(*command, "--iterations", options->iterations, 0, 100'000, "Training steps before that")
      ->default_str("300");
  add_json(*command, options->json);
  command->footer(
      "Measured with one thread and with one for each core: reading, log-densities, mean.\n\n"
      "Example:\n  riemflow bench score --points 1e5 --json");
  command->callback([options] { run(*options); });
}

}  // namespace riemflow::app
