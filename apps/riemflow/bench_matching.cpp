// riemflow bench matching: a step of flow matching beside a step by likelihood.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/riemflow/bench.hpp"
#include "apps/riemflow/fit/progress.hpp"
#include "apps/riemflow/support/options.hpp"
#include "riemflow/engine/flow.hpp"
#include "riemflow/io/embedded.hpp"
#include "riemflow/train/trainer.hpp"

namespace riemflow::app {
namespace {

struct Options {
  int threads = 0, width = 128, depth = 4;
  std::size_t batch = 256;
  long iterations = 200;
  bool json = false;
};

/// The same network and batches on S², float, swish, fourier input; first `iterations` steps of flow
/// matching, then a tenth as many by likelihood (dopri5 at 1e-3, exact divergence) from there. Medians.
void bench_matching(const Options& options) {
  FlowConfig config;
  config.field.width = options.width;
  config.field.depth = options.depth;
  config.field.activation = Activation::swish;
  config.field.input = InputLayer::fourier;
  config.solver.rtol = config.solver.atol = 1e-3;
  Flow<float> flow(config, 0, options.threads);
  TrainConfig train;
  train.batch = options.batch;
  Trainer<float> trainer(flow, train);
  const Points<float> data = embedded_earthquakes<float>();
  const auto median_ms = [](long count, const auto& step) {
    std::vector<double> ms;
    for (long i = 0; i < count; ++i) {
      const auto start = Clock::now();
      step();
      ms.push_back(1e3 * seconds_since(start));
    }
    std::nth_element(ms.begin(), ms.begin() + count / 2, ms.end());
    return ms[static_cast<std::size_t>(count / 2)];
  };
  const double matching = median_ms(options.iterations, [&] { trainer.step_matching(data); });
  double evaluations = 0;
  const double likelihood = median_ms(std::max(1L, options.iterations / 10), [&] {
    evaluations = trainer.step_likelihood(data).loss.summary.mean_evaluations();
  });
  // The backward pass has twice the products of the forward one.
  const double gflops = 3 * flow.field().flops(0) * static_cast<double>(options.batch) / matching * 1e-6;
  if (options.json) {
    const nlohmann::ordered_json out = {
        {"network", fmt::format("{}x{} swish, fourier", options.depth, options.width)},
        {"batch", options.batch},
        {"threads", flow.threads()},
        {"simd", simd::instruction_set()},
        {"ms_per_matching_step", matching},
        {"matching_gflops", gflops},
        {"ms_per_likelihood_step", likelihood},
        {"evaluations_per_solve", evaluations},
        {"ratio", likelihood / matching}};
    fmt::print("{}\n", out.dump(2));
    return;
  }
  fmt::print("S2, {}x{} swish, fourier input, batch {}, threads {}, simd {}\n", options.depth, options.width,
             options.batch, flow.threads(), simd::instruction_set());
  fmt::print(
      "flow matching {:.2f} ms ({:.1f} GFLOP/s)   likelihood {:.2f} ms ({:.0f} evaluations a solve)   {:.0f} "
      "x\n",
      matching, gflops, likelihood, evaluations, likelihood / matching);
}

}  // namespace

void add_bench_matching(CLI::App& command) {
  auto* matching = command.add_subcommand("matching", "A step of flow matching beside a step by likelihood");
  auto options = std::make_shared<Options>();
  matching->add_option("--width", options->width, "Units of a hidden layer")
      ->capture_default_str()
      ->check(CLI::Range(1, 4096));
  matching->add_option("--depth", options->depth, "Hidden layers")
      ->capture_default_str()
      ->check(CLI::Range(1, 100));
  matching->add_option("--batch", options->batch, "Points of a step")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  matching
      ->add_option("--iterations", options->iterations,
                   "Steps of flow matching; a tenth as many by likelihood")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  add_threads(*matching, options->threads);
  add_json(*matching, options->json);
  matching->footer("Example:\n  riemflow bench matching --width 512 --threads 1");
  matching->callback([options] { bench_matching(*options); });
}

}  // namespace riemflow::app
