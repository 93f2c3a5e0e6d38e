#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/riemflow/bench.hpp"
#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/fit/progress.hpp"
#include "apps/riemflow/support/options.hpp"
#include "riemflow/fit/trainer.hpp"
#include "riemflow/flow/flow.hpp"
#include "riemflow/io/embedded.hpp"

namespace riemflow::app {
namespace {

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

/// Fused multiply-adds on registers, all threads at once: the most this machine does now, in GFLOP/s.
double measured_peak(int threads) {
  ThreadPool pool(threads);
  double best = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::vector<double> work(static_cast<std::size_t>(threads));
    const auto start = Clock::now();
    pool.run(work.size(), [&](std::size_t piece, int) {
      float sink = 0;
      work[piece] = simd::kernels<float>().spin(400000, &sink);
    });
    double total = 0;
    for (double w : work) total += w;
    best = std::max(best, total / seconds_since(start) * 1e-9);
  }
  return best;
}

struct IterationOptions {
  int threads = 0;
  int iterations = 400;
  bool json = false;
};

/// The paper's earthquake setting: S², 3 × 64 tanh, batch 400, dopri5 at 1e-3, exact divergence; a step is
/// forward + backward + Adam. Medians over the second half, when the flow has left the uniform density.
void bench_iteration(const IterationOptions& options) {
  FlowConfig config;
  config.manifold = "sphere:2";
  config.solver.rtol = config.solver.atol = 1e-3;
  Flow<float> flow(config, 0, options.threads);
  Trainer<float> trainer(flow, TrainConfig{});
  const Points<float> data = embedded_earthquakes<float>();

  std::vector<double> ms, evaluations, gflops;
  double loss = 0;
  for (int i = 0; i < options.iterations; ++i) {
    const auto start = Clock::now();
    const StepReport step = trainer.step_likelihood(data);
    const double seconds = seconds_since(start);
    loss = step.loss.total;
    if (i < options.iterations / 2) continue;
    const SolveSummary& cost = step.loss.summary;
    // Backward passes the six stages of each accepted step, with twice the products of a forward evaluation.
    const double per_tile = flow.field().flops(flow.manifold().dimension()) * kLanes;
    const double work =
        per_tile * (static_cast<double>(cost.evaluations) + 2.0 * 6 * static_cast<double>(cost.accepted));
    ms.push_back(seconds * 1e3);
    evaluations.push_back(cost.mean_evaluations());
    gflops.push_back(work / seconds * 1e-9);
  }
  const double peak = measured_peak(flow.threads());
  if (options.json) {
    const nlohmann::json out = {{"setting", "S2, 3x64 tanh, batch 400, dopri5 1e-3, exact divergence"},
                                {"data", "significant_earthquakes.csv"},
                                {"threads", flow.threads()},
                                {"simd", simd::instruction_set()},
                                {"iterations", options.iterations},
                                {"ms_per_iteration", median(ms)},
                                {"evaluations_per_solve", median(evaluations)},
                                {"gflops", median(gflops)},
                                {"peak_gflops", peak},
                                {"share_of_peak", median(gflops) / peak},
                                {"loss", loss}};
    fmt::print("{}\n", out.dump(2));
    return;
  }
  fmt::print("one training iteration, S2, 3x64 tanh, batch 400, dopri5 at 1e-3, exact divergence\n");
  fmt::print("threads {}  simd {}  loss after {} iterations {:.3f}\n", flow.threads(),
             simd::instruction_set(), options.iterations, loss);
  fmt::print(
      "{:.2f} ms   {:.1f} evaluations per solve   {:.1f} GFLOP/s = {:.0f} % of the {:.0f} GFLOP/s FMA peak\n",
      median(ms), median(evaluations), median(gflops), 100 * median(gflops) / peak, peak);
}

}  // namespace

void add_bench(CLI::App& app) {
  auto* command = app.add_subcommand("bench", "Measure this machine");
  command->require_subcommand(1);
  auto* iteration =
      command->add_subcommand("iteration", "Time one training iteration of the paper's earthquake setting");
  auto options = std::make_shared<IterationOptions>();
  add_threads(*iteration, options->threads);
  iteration->add_option("--iterations", options->iterations, "Iterations; the second half is measured")
      ->capture_default_str()
      ->check(CLI::Range(2, 1000000));
  add_json(*iteration, options->json);
  iteration->footer("Example:\n  riemflow bench iteration --threads 1 --json");
  iteration->callback([options] { bench_iteration(*options); });
  add_bench_matching(*command);
  add_bench_score(*command);
  add_bench_gpu(*command);
}

}  // namespace riemflow::app
