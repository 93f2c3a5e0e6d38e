// riemflow bench gpu: training and log-densities on a GPU, the paper's earthquake setting.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <thread>

#include "apps/riemflow/bench.hpp"
#include "apps/riemflow/fit/progress.hpp"
#include "apps/riemflow/support/console.hpp"
#include "riemflow/distribution/draws.hpp"
#include "riemflow/distribution/von_mises_fisher.hpp"
#include "riemflow/fit/trainer.hpp"
#include "riemflow/flow/field/vector_field.hpp"
#include "riemflow/io/embedded.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow::app {
namespace {

using Json = nlohmann::ordered_json;

FlowConfig setting(double tolerance, int width = 64, int dimension = 2) {
  FlowConfig config;
  config.manifold = fmt::format("sphere:{}", dimension);
  config.field.width = width;
  config.solver.rtol = config.solver.atol = tolerance;
  return config;
}

/// Of one point, value and all derivatives.
double flops_of_evaluation(const FlowConfig& config) {
  const std::shared_ptr<const Manifold<float>> manifold = parse_manifold<float>(config.manifold);
  return VectorField<float>(manifold, config.field).flops(manifold->dimension());
}

/// The earthquakes; beyond two dimensions draws around a pole.
Points<float> data_on(int dimension) {
  if (dimension == 2) return embedded_earthquakes<float>();
  Eigen::VectorXd pole = Eigen::VectorXd::Zero(dimension + 1);
  pole[0] = 1;
  return draws_of(VonMisesFisher<float>(pole, 20), 5871, 1, 0, 0);
}

/// The data over and over, for batches larger than they are.
Points<float> repeated(const Points<float>& data, std::size_t n) {
  Points<float> result(n, data.dimension);
  for (std::size_t i = 0; i < n; ++i)
    std::copy(data[i % data.size()].begin(), data[i % data.size()].end(), result[i].begin());
  return result;
}

struct Stretch {
  double milliseconds = 0, evaluations = 0, loss = 0, teraflops = 0;  ///< a step
};

/// Steps `from` to `to` of a training run on the device, everything included.
class Training {
 public:
  Training(std::size_t batch, std::uint64_t seed, int width = 64, int dimension = 2)
      : data_(repeated(data_on(dimension), std::max<std::size_t>(batch, 5871))),
        batch_(batch),
        flow_(make_transport<float>(setting(1e-3, width, dimension), seed, 1, Device::cuda)),
        trainer_(*flow_, configured(batch, seed)) {}

  Stretch run(long steps, long at_once = 100) {
    Stretch all;
    const auto start = Clock::now();
    double work = 0;
    for (long done = 0; done < steps;) {
      for (const StepReport& report : trainer_.steps_likelihood(data_, std::min(at_once, steps - done))) {
        const SolveSummary& cost = report.loss.summary;
        all.evaluations += cost.mean_evaluations();
        all.loss = report.loss.total;
        // Backward passes the six stages of each accepted step, with twice the products of a forward
        // evaluation.
        work += (static_cast<double>(cost.evaluations) + 2.0 * 6 * static_cast<double>(cost.accepted)) *
                static_cast<double>(batch_) / static_cast<double>(cost.solves);
        ++done;
      }
    }
    const double seconds = seconds_since(start);
    all.milliseconds = 1e3 * seconds / static_cast<double>(steps);
    all.evaluations /= static_cast<double>(steps);
    all.teraflops = 1e-12 * work * flops_of_evaluation(flow_->config()) / seconds;
    return all;
  }

 private:
  static TrainConfig configured(std::size_t batch, std::uint64_t seed) {
    TrainConfig config;
    config.batch = batch;
    config.seed = seed;
    return config;
  }
  Points<float> data_;
  std::size_t batch_;
  std::unique_ptr<Transport<float>> flow_;
  Trainer<float> trainer_;

 public:
  std::span<const float> parameters() const { return std::as_const(*flow_).parameters(); }
};

Json json_of(const Stretch& s) {
  return {{"ms_per_iteration", s.milliseconds},
          {"evaluations_per_solve", s.evaluations},
          {"teraflops", s.teraflops},
          {"loss", s.loss}};
}

/// Seeds side by side, each with a host thread and a stream of its own.
double seconds_of_seeds(int seeds, long steps) {
  std::vector<std::unique_ptr<Training>> runs;
  for (int i = 0; i < seeds; ++i) {
    runs.push_back(std::make_unique<Training>(400, static_cast<std::uint64_t>(i)));
    runs.back()->run(100);  // a stretch like those to come, so that it is recorded
  }
  const auto start = Clock::now();
  std::vector<std::thread> threads;
  for (auto& run : runs) threads.emplace_back([&run, steps] { run->run(steps); });
  for (std::thread& thread : threads) thread.join();
  return seconds_since(start);
}

Json score(std::span<const float> parameters, std::size_t points, std::size_t at_once, int repeats,
           int width = 64, int dimension = 2) {
  const auto flow = make_transport<float>(setting(1e-5, width, dimension), 0, 1, Device::cuda);
  std::copy(parameters.begin(), parameters.end(), flow->parameters().begin());
  const Points<float> places = flow->sample_base(at_once, 7);
  flow->log_prob(places);  // memory and first launch
  std::vector<double> seconds;
  long evaluations = 0;
  std::size_t solves = 0, failed = 0;
  for (int r = 0; r < repeats; ++r) {
    evaluations = 0;
    solves = failed = 0;
    const auto start = Clock::now();
    for (std::size_t done = 0; done < points; done += at_once) {
      const LogProb<float> result = flow->log_prob(places);
      evaluations += result.summary.evaluations;
      solves += result.summary.solves;
      failed += result.summary.failures.size();
    }
    seconds.push_back(seconds_since(start));
  }
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[seconds.size() / 2];
  return {{"points", points},
          {"seconds", median},
          {"points_per_second", static_cast<double>(points) / median},
          {"evaluations_per_solve", static_cast<double>(evaluations) / static_cast<double>(solves)},
          {"teraflops", 1e-12 * static_cast<double>(points) * static_cast<double>(evaluations) /
                            static_cast<double>(solves) * flops_of_evaluation(flow->config()) / median},
          {"failed", failed}};
}

void run() {
  Training training(400, 0);
  Json out = {{"setting", "S2, 3x64 tanh, exact divergence, dopri5 1e-3 (training) and 1e-5 (densities)"}};
  training.run(60);
  say("densities");
  out["densities_100k_after_60_iterations"] = score(training.parameters(), 100'000, 100'000, 7);
  say("training");
  training.run(140);
  out["iterations_200_to_400"] = json_of(training.run(200));
  training.run(600);
  out["iterations_1000_to_2000"] = json_of(training.run(1000));
  out["densities_100k"] = score(training.parameters(), 100'000, 100'000, 7);
  out["densities_10m"] = score(training.parameters(), 10'000'000, 1'000'000, 1);
  say("batches");
  for (const std::size_t batch : {400u, 4000u, 40'000u, 400'000u}) {
    Training large(batch, 0);
    large.run(20, 10);
    out["batches"][std::to_string(batch)] = json_of(large.run(batch > 10'000 ? 20 : 100, 20));
  }
  say("widths and dimensions");
  const auto grown = [](int width, int dimension) {
    Training larger(400, 0, width, dimension);
    larger.run(60);
    return Json{{"iteration", json_of(larger.run(100))},
                {"densities_20k", score(larger.parameters(), 20'000, 20'000, 3, width, dimension)}};
  };
  for (const int width : {32, 64, 128, 256}) out["widths"][std::to_string(width)] = grown(width, 2);
  for (const int dimension : {2, 4, 8, 16})
    out["dimensions"][std::to_string(dimension)] = grown(64, dimension);
  say("seeds side by side");
  for (const int seeds : {1, 2, 4, 8, 12}) out["seeds"][std::to_string(seeds)] = seconds_of_seeds(seeds, 400);
  print_json(out);
}

}  // namespace

void add_bench_gpu(CLI::App& bench) {
  auto* command = bench.add_subcommand("gpu", "Time training and log-densities on a GPU, as JSON");
  command->footer("Everything is timed on the host, copies included.\n\nExample:\n  riemflow bench gpu");
  command->callback([] { run(); });
}

}  // namespace riemflow::app
