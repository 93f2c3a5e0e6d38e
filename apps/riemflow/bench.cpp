// riemflow bench (riemflow/fit/timings.hpp).

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/data.hpp"
#include "riemflow/core/simd/kernels.hpp"
#include "riemflow/fit/timings.hpp"

namespace riemflow::app {
namespace {

using Json = nlohmann::ordered_json;

struct IterationOptions {
  int threads = 0, iterations = 400;
  bool json = false;
};

void bench_iteration(const IterationOptions& options) {
  const IterationTiming timing = time_iteration(options.threads, options.iterations);
  const double share = timing.gflops / timing.peak_gflops;
  if (options.json) {
    const nlohmann::json out = {{"setting", "S2, 3x64 tanh, batch 400, dopri5 1e-3, exact divergence"},
                                {"data", "significant_earthquakes.csv"},
                                {"threads", timing.threads},
                                {"simd", simd::instruction_set()},
                                {"iterations", options.iterations},
                                {"ms_per_iteration", timing.milliseconds},
                                {"evaluations_per_solve", timing.evaluations},
                                {"gflops", timing.gflops},
                                {"peak_gflops", timing.peak_gflops},
                                {"share_of_peak", share},
                                {"loss", timing.loss}};
    fmt::print("{}\n", out.dump(2));
    return;
  }
  fmt::print("one training iteration, S2, 3x64 tanh, batch 400, dopri5 at 1e-3, exact divergence\n");
  fmt::print("threads {}  simd {}  loss after {} iterations {:.3f}\n", timing.threads,
             simd::instruction_set(), options.iterations, timing.loss);
  fmt::print(
      "{:.2f} ms   {:.1f} evaluations per solve   {:.1f} GFLOP/s = {:.0f} % of the {:.0f} GFLOP/s FMA peak\n",
      timing.milliseconds, timing.evaluations, timing.gflops, 100 * share, timing.peak_gflops);
}

struct BenchMatchingOptions : MatchingOptions {
  bool json = false;
};

void bench_matching(const BenchMatchingOptions& options) {
  const MatchingTiming timing = time_matching(options);
  const double ratio = timing.likelihood_ms / timing.matching_ms;
  if (options.json) {
    const Json out = {{"network", fmt::format("{}x{} swish, fourier", options.depth, options.width)},
                      {"batch", options.batch},
                      {"threads", timing.threads},
                      {"simd", simd::instruction_set()},
                      {"device", name_of(options.device)},
                      {"ms_per_matching_step", timing.matching_ms},
                      {"matching_gflops", timing.matching_gflops},
                      {"ms_per_likelihood_step", timing.likelihood_ms},
                      {"evaluations_per_solve", timing.evaluations},
                      {"ratio", ratio}};
    fmt::print("{}\n", out.dump(2));
    return;
  }
  fmt::print("S2, {}x{} swish, fourier input, batch {}, threads {}, simd {}, device {}\n", options.depth,
             options.width, options.batch, timing.threads, simd::instruction_set(), name_of(options.device));
  fmt::print(
      "flow matching {:.2f} ms ({:.1f} GFLOP/s)   likelihood {:.2f} ms ({:.0f} evaluations per solve)   "
      "{:.0f} x\n",
      timing.matching_ms, timing.matching_gflops, timing.likelihood_ms, timing.evaluations, ratio);
}

struct BenchScoreOptions {
  std::uint64_t points = 1'000'000, iterations = 300;
  bool json = false;
};

void bench_score(const BenchScoreOptions& options) {
  say("training {} iterations, to have a flow that is not the identity", options.iterations);
  const ScoreTimings timings = time_score(options.points, options.iterations);
  const auto megabytes = static_cast<double>(timings.bytes) * 1e-6;
  auto runs = Json::array();
  if (!options.json)
    fmt::print(
        "log-densities of {} points from CSV in memory ({:.1f} MB), S2, 3x64 tanh, dopri5 at 1e-5, exact\n"
        "divergence, float, after {} iterations on the embedded earthquakes; no rows are written\n",
        options.points, megabytes, options.iterations);
  for (const ScoreTiming& run : timings.runs) {
    const double rate = static_cast<double>(run.points) / run.seconds;
    if (options.json)
      runs.push_back({{"threads", run.threads},
                      {"seconds", run.seconds},
                      {"points_per_second", rate},
                      {"megabytes_per_second", megabytes / run.seconds},
                      {"reading_alone_seconds", run.reading},
                      {"evaluations_per_solve", run.evaluations},
                      {"mean_nll", run.nll},
                      {"failed", run.failed}});
    else
      fmt::print(
          "threads {:<2}  {:>8.0f} points/s  {:>6.2f} MB/s  {:.1f} s, of which reading alone takes {:.2f}  "
          "{:.1f} evaluations per solve\n",
          run.threads, rate, megabytes / run.seconds, run.seconds, run.reading, run.evaluations);
  }
  if (options.json)
    print_json(
        {{"setting", "CSV in memory to log-densities, S2, 3x64 tanh, dopri5 1e-5, exact divergence, float"},
         {"points", options.points},
         {"bytes", timings.bytes},
         {"training_iterations", options.iterations},
         {"simd", simd::instruction_set()},
         {"runs", runs}});
}

Json timing_json(const GpuTraining& timing) {
  return {{"ms_per_iteration", timing.milliseconds},
          {"evaluations_per_solve", timing.evaluations},
          {"teraflops", timing.teraflops},
          {"loss", timing.loss}};
}

Json timing_json(const GpuScore& timing) {
  return {{"points", timing.points},
          {"seconds", timing.seconds},
          {"points_per_second", static_cast<double>(timing.points) / timing.seconds},
          {"evaluations_per_solve", timing.evaluations},
          {"teraflops", timing.teraflops},
          {"failed", timing.failed}};
}

Json timing_json(double seconds) { return seconds; }

void bench_gpu() {
  Json out = {{"setting", "S2, 3x64 tanh, exact divergence, dopri5 1e-3 (training) and 1e-5 (densities)"}};
  Teller teller;
  for (const GpuTiming& timing : time_gpu(teller)) {
    Json* place = &out;
    for (const std::string& name : timing.name) place = &(*place)[name];
    *place = std::visit([](const auto& measured) { return timing_json(measured); }, timing.measured);
  }
  print_json(out);
}

void add_bench_matching(CLI::App& bench) {
  auto [command, options] = add_command<BenchMatchingOptions>(
      bench, "matching", "Time a step of flow matching and a step by likelihood", bench_matching);
  add_ranged(command, "--width", options.width, 1, 4096, "Units in each hidden layer");
  add_ranged(command, "--depth", options.depth, 1, 100, "Number of hidden layers");
  add_ranged(command, "--batch", options.batch, 1, 1000000, "Points per step");
  add_ranged(command, "--iterations", options.iterations, 1, 1000000,
             "Steps of flow matching; a tenth as many by likelihood");
  add_device(command, options.device);
  add_threads(command, options.threads);
  add_json(command, options.json);
  command.footer("Example:\n  riemflow bench matching --width 512 --threads 1");
}

void add_bench_score(CLI::App& bench) {
  auto [command, options] = add_command<BenchScoreOptions>(
      bench, "score", "Time log-densities of many points, from the text of a CSV file on", bench_score);
  add_count(command, "--points", options.points, 1, 100'000'000, "Points to score")->default_str("1000000");
  add_count(command, "--iterations", options.iterations, 0, 100'000, "Training steps before that")
      ->default_str("300");
  add_json(command, options.json);
  command.footer(
      "Measured with one thread and with one for each core: reading, log-densities, mean.\n\n"
      "Example:\n  riemflow bench score --points 1e5 --json");
}

void add_bench_gpu(CLI::App& bench) {
  auto* command = bench.add_subcommand("gpu", "Time training and log-densities on a GPU, as JSON");
  command->footer("Everything is timed on the host, copies included.\n\nExample:\n  riemflow bench gpu");
  command->callback([] { bench_gpu(); });
}

}  // namespace

void add_bench(CLI::App& app) {
  auto* command = app.add_subcommand("bench", "Measure this machine");
  command->require_subcommand(1);
  auto [iteration, options] = add_command<IterationOptions>(
      *command, "iteration", "Time one training iteration of the paper's earthquake setting",
      bench_iteration);
  add_threads(iteration, options.threads);
  add_ranged(iteration, "--iterations", options.iterations, 2, 1000000,
             "Iterations; the second half is measured");
  add_json(iteration, options.json);
  iteration.footer("Example:\n  riemflow bench iteration --threads 1 --json");
  add_bench_matching(*command);
  add_bench_score(*command);
  add_bench_gpu(*command);
}

}  // namespace riemflow::app
