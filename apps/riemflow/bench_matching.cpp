// riemflow bench matching: a step of flow matching beside a step by likelihood.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/riemflow/bench.hpp"
#include "apps/riemflow/fit/progress.hpp"
#include "apps/riemflow/support/options.hpp"
#include "riemflow/fit/trainer.hpp"
#include "riemflow/flow/field/vector_field.hpp"
#include "riemflow/flow/transport.hpp"
#include "riemflow/io/embedded.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow::app {
namespace {

struct BenchMatchingOptions {
  int threads = 0, width = 128, depth = 4;
  std::size_t batch = 256;
  long iterations = 200;
  std::string device = "cpu";
  bool json = false;
};

/// The same network and batches on S², float, swish, fourier input; first `iterations` steps of flow
/// matching, then a tenth as many by likelihood (dopri5 at 1e-3, exact divergence) from there. Medians.
void bench_matching(const BenchMatchingOptions& options) {
  FlowConfig config;
  config.field.width = options.width;
  config.field.depth = options.depth;
  config.field.activation = Activation::swish;
  config.field.input = InputLayer::fourier;
  config.solver.rtol = config.solver.atol = 1e-3;
  const auto flow = make_transport<float>(config, 0, options.threads, device_named(options.device).value());
  TrainConfig train;
  train.batch = options.batch;
  Trainer<float> trainer(*flow, train);
  const Points<float> data = embedded_earthquakes<float>();
  // A GPU makes a hundred steps at a time.
  const auto median_ms = [](long count, const auto& steps) {
    std::vector<double> ms;
    for (long done = 0; done < count;) {
      const auto start = Clock::now();
      const std::vector<StepReport> reports = steps(std::min(100L, count - done));
      ms.push_back(1e3 * seconds_since(start) / static_cast<double>(reports.size()));
      done += static_cast<long>(reports.size());
    }
    const auto middle = ms.begin() + static_cast<std::ptrdiff_t>(ms.size() / 2);
    std::nth_element(ms.begin(), middle, ms.end());
    return *middle;
  };
  const double matching =
      median_ms(options.iterations, [&](long most) { return trainer.steps_matching(data, most); });
  double evaluations = 0;
  const double likelihood = median_ms(std::max(1L, options.iterations / 10), [&](long most) {
    const std::vector<StepReport> reports = trainer.steps_likelihood(data, most);
    evaluations = reports.back().loss.summary.mean_evaluations();
    return reports;
  });
  const double flops =
      VectorField<float>(std::shared_ptr<const Manifold<float>>(parse_manifold<float>(config.manifold)),
                         config.field)
          .flops(0);
  // The backward pass has twice the products of the forward one.
  const double gflops = 3 * flops * static_cast<double>(options.batch) / matching * 1e-6;
  if (options.json) {
    const nlohmann::ordered_json out = {
        {"network", fmt::format("{}x{} swish, fourier", options.depth, options.width)},
        {"batch", options.batch},
        {"threads", flow->threads()},
        {"simd", simd::instruction_set()},
        {"device", options.device},
        {"ms_per_matching_step", matching},
        {"matching_gflops", gflops},
        {"ms_per_likelihood_step", likelihood},
        {"evaluations_per_solve", evaluations},
        {"ratio", likelihood / matching}};
    fmt::print("{}\n", out.dump(2));
    return;
  }
  fmt::print("S2, {}x{} swish, fourier input, batch {}, threads {}, simd {}, device {}\n", options.depth,
             options.width, options.batch, flow->threads(), simd::instruction_set(), options.device);
  fmt::print(
      "flow matching {:.2f} ms ({:.1f} GFLOP/s)   likelihood {:.2f} ms ({:.0f} evaluations per solve)   "
      "{:.0f} "
      "x\n",
      matching, gflops, likelihood, evaluations, likelihood / matching);
}

}  // namespace

void add_bench_matching(CLI::App& command) {
  auto* matching =
      command.add_subcommand("matching", "Time a step of flow matching and a step by likelihood");
  auto options = std::make_shared<BenchMatchingOptions>();
  matching->add_option("--width", options->width, "Units in each hidden layer")
      ->capture_default_str()
      ->check(CLI::Range(1, 4096));
  matching->add_option("--depth", options->depth, "Number of hidden layers")
      ->capture_default_str()
      ->check(CLI::Range(1, 100));
  matching->add_option("--batch", options->batch, "Points per step")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  matching
      ->add_option("--iterations", options->iterations,
                   "Steps of flow matching; a tenth as many by likelihood")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  add_device(*matching, options->device);
  add_threads(*matching, options->threads);
  add_json(*matching, options->json);
  matching->footer("Example:\n  riemflow bench matching --width 512 --threads 1");
  matching->callback([options] { bench_matching(*options); });
}

}  // namespace riemflow::app
