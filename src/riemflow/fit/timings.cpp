#include "riemflow/fit/timings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "riemflow/core/stopwatch.hpp"
#include "riemflow/distribution/draws.hpp"
#include "riemflow/distribution/von_mises_fisher.hpp"
#include "riemflow/fit/trainer.hpp"
#include "riemflow/flow/field/vector_field.hpp"
#include "riemflow/flow/flow.hpp"
#include "riemflow/io/embedded.hpp"
#include "riemflow/model/flow_density.hpp"
#include "riemflow/model/score_points.hpp"

namespace riemflow {
namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

FlowConfig earthquake_flow(double tolerance, int width = 64, int dimension = 2) {
  FlowConfig config;
  config.manifold = fmt::format("sphere:{}", dimension);
  config.field.width = width;
  config.solver.rtol = config.solver.atol = tolerance;
  return config;
}

/// Of the field at one point; with the value, so many derivatives, all of them unless given.
double flops_of_evaluation(const FlowConfig& config, int derivatives = -1) {
  const std::shared_ptr<const Manifold<float>> manifold = config.manifold.on<float>();
  return VectorField<float>(manifold, config.field)
      .flops(derivatives < 0 ? manifold->dimension() : derivatives);
}

/// Of a step of training, in forward evaluations: backward passes the six stages of each accepted step, with
/// twice the products of a forward evaluation.
double evaluations_worth(const SolveSummary& cost) {
  return static_cast<double>(cost.evaluations) + 2.0 * 6 * static_cast<double>(cost.accepted);
}

/// Fused multiply-adds on registers, all threads at once: the most this machine does now, in GFLOP/s.
double measured_peak(int threads) {
  Executor executor(threads);
  double best = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::vector<double> work(static_cast<std::size_t>(threads));
    const auto start = Clock::now();
    executor.run(work.size(), [&](std::size_t piece, int) {
      float sink = 0;
      work[piece] = simd::kernels<float>().spin(400000, &sink);
    });
    double total = 0;
    for (double w : work) total += w;
    best = std::max(best, total / seconds_since(start) * 1e-9);
  }
  return best;
}

std::vector<float> trained_parameters(std::uint64_t iterations) {
  Flow<float> flow(earthquake_flow(1e-3), 0);
  Trainer<float> trainer(flow, TrainConfig{});
  const Points<float> data = embedded_earthquakes<float>();
  LikelihoodObjective<float> likelihood(flow, data, {});
  for (std::uint64_t i = 0; i < iterations; ++i) trainer.step(likelihood);
  return {flow.parameters().begin(), flow.parameters().end()};
}

/// The embedded earthquakes, over and over, as the text of a CSV file.
std::string earthquakes_csv(std::uint64_t points) {
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

/// Steps `from` to `to` of a training run on the device, everything included.
class TimedTraining {
 public:
  TimedTraining(std::size_t batch, std::uint64_t seed, int width = 64, int dimension = 2)
      : data_(repeated(data_on(dimension), std::max<std::size_t>(batch, 5871))),
        batch_(batch),
        flow_(make_transport<float>(earthquake_flow(1e-3, width, dimension), seed, 1, Device::cuda)),
        likelihood_(*flow_, data_, configured(batch, seed)),
        trainer_(*flow_, configured(batch, seed)) {}

  GpuTraining run(long steps, long at_once = 100) {
    GpuTraining all;
    const auto start = Clock::now();
    double work = 0;
    for (long done = 0; done < steps;) {
      for (const StepReport& report : trainer_.steps(likelihood_, std::min(at_once, steps - done))) {
        const SolveSummary& cost = report.loss.summary;
        all.evaluations += cost.mean_evaluations();
        all.loss = report.loss.total;
        work += evaluations_worth(cost) * static_cast<double>(batch_) / static_cast<double>(cost.solves);
        ++done;
      }
    }
    const double seconds = seconds_since(start);
    all.milliseconds = 1e3 * seconds / static_cast<double>(steps);
    all.evaluations /= static_cast<double>(steps);
    all.teraflops = 1e-12 * work * flops_of_evaluation(flow_->config()) / seconds;
    return all;
  }

  std::span<const float> parameters() const { return std::as_const(*flow_).parameters(); }

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
  LikelihoodObjective<float> likelihood_;
  Trainer<float> trainer_;
};

/// Seeds side by side, each with a host thread and a stream of its own.
double seconds_of_seeds(int seeds, long steps) {
  std::vector<std::unique_ptr<TimedTraining>> runs;
  for (int i = 0; i < seeds; ++i) {
    runs.push_back(std::make_unique<TimedTraining>(400, static_cast<std::uint64_t>(i)));
    runs.back()->run(100);  // a stretch like those to come, so that it is recorded
  }
  const auto start = Clock::now();
  std::vector<std::thread> threads;
  for (auto& run : runs) threads.emplace_back([&run, steps] { run->run(steps); });
  for (std::thread& thread : threads) thread.join();
  return seconds_since(start);
}

GpuScore gpu_score(std::span<const float> parameters, std::size_t points, std::size_t at_once, int repeats,
                   int width = 64, int dimension = 2) {
  const auto flow = make_transport<float>(earthquake_flow(1e-5, width, dimension), 0, 1, Device::cuda);
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
  const double per_solve = static_cast<double>(evaluations) / static_cast<double>(solves);
  const double typical = median(seconds);
  return {points, failed, typical, per_solve,
          1e-12 * static_cast<double>(points) * per_solve * flops_of_evaluation(flow->config()) / typical};
}

}  // namespace

IterationTiming time_iteration(int threads, int iterations) {
  Flow<float> flow(earthquake_flow(1e-3), 0, threads);
  Trainer<float> trainer(flow, TrainConfig{});
  const Points<float> data = embedded_earthquakes<float>();
  LikelihoodObjective<float> likelihood(flow, data, {});
  const double per_tile = flops_of_evaluation(flow.config()) * kLanes;
  std::vector<double> ms, evaluations, gflops;
  IterationTiming timing;
  for (int i = 0; i < iterations; ++i) {
    const auto start = Clock::now();
    const StepReport step = trainer.step(likelihood);
    const double seconds = seconds_since(start);
    timing.loss = step.loss.total;
    if (i < iterations / 2) continue;
    ms.push_back(seconds * 1e3);
    evaluations.push_back(step.loss.summary.mean_evaluations());
    gflops.push_back(per_tile * evaluations_worth(step.loss.summary) / seconds * 1e-9);
  }
  timing.threads = flow.threads();
  timing.milliseconds = median(ms);
  timing.evaluations = median(evaluations);
  timing.gflops = median(gflops);
  timing.peak_gflops = measured_peak(flow.threads());
  return timing;
}

MatchingTiming time_matching(const MatchingOptions& options) {
  FlowConfig config = earthquake_flow(1e-3, options.width);
  config.field.depth = options.depth;
  config.field.activation = Activation::swish;
  config.field.input = InputLayer::fourier;
  const auto flow = make_transport<float>(config, 0, options.threads, options.device);
  TrainConfig train;
  train.batch = options.batch;
  Trainer<float> trainer(*flow, train);
  const Points<float> data = embedded_earthquakes<float>();
  MatchingObjective<float> matching(*flow, data, train);
  LikelihoodObjective<float> likelihood(*flow, data, train);
  // A GPU makes a hundred steps at a time.
  const auto median_ms = [](long count, const auto& steps) {
    std::vector<double> ms;
    for (long done = 0; done < count;) {
      const auto start = Clock::now();
      const std::vector<StepReport> reports = steps(std::min(100L, count - done));
      ms.push_back(1e3 * seconds_since(start) / static_cast<double>(reports.size()));
      done += static_cast<long>(reports.size());
    }
    return median(ms);
  };
  MatchingTiming timing;
  timing.threads = flow->threads();
  timing.matching_ms =
      median_ms(options.iterations, [&](long most) { return trainer.steps(matching, most); });
  timing.likelihood_ms = median_ms(std::max(1L, options.iterations / 10), [&](long most) {
    const std::vector<StepReport> reports = trainer.steps(likelihood, most);
    timing.evaluations = reports.back().loss.summary.mean_evaluations();
    return reports;
  });
  // The backward pass has twice the products of the forward one.
  timing.matching_gflops =
      3 * flops_of_evaluation(config, 0) * static_cast<double>(options.batch) / timing.matching_ms * 1e-6;
  return timing;
}

ScoreTimings time_score(std::uint64_t points, std::uint64_t iterations) {
  const FlowConfig config = earthquake_flow(1e-5);
  const std::vector<float> parameters = trained_parameters(iterations);
  const std::string csv = earthquakes_csv(points);
  ReadOptions options;
  options.columns = "latitude,longitude";
  options.manifold = config.manifold.name();
  ScoreTimings timings;
  timings.bytes = csv.size();
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  for (int threads = 1; threads <= cores; threads += std::max(1, cores - 1)) {
    Flow<float> flow(config, 0, threads);
    std::copy(parameters.begin(), parameters.end(), flow.parameters().begin());
    options.threads = threads;
    auto start = Clock::now();
    const auto only_read = open_points_in(csv, "earthquakes", options);
    Points<double> chunk;
    while (only_read->next(kChunk, chunk)) continue;
    const double reading = seconds_since(start);

    start = Clock::now();
    const auto source = open_points_in(csv, "earthquakes", options);
    TaskObserver nobody;
    const Scores scores = score_points(seen_as_density(flow), *source, nobody);
    timings.runs.push_back({flow.threads(), seconds_since(start), reading, scores.points,
                            scores.failures.count,
                            static_cast<double>(scores.evaluations) /
                                static_cast<double>(std::max<std::uint64_t>(1, scores.solves)),
                            -scores.log_density.mean()});
  }
  return timings;
}

std::vector<GpuTiming> time_gpu(TaskObserver& observer) {
  std::vector<GpuTiming> all;
  TimedTraining training(400, 0);
  training.run(60);
  observer.say("densities");
  all.push_back(
      {{"densities_100k_after_60_iterations"}, gpu_score(training.parameters(), 100'000, 100'000, 7)});
  observer.say("training");
  training.run(140);
  all.push_back({{"iterations_200_to_400"}, training.run(200)});
  training.run(600);
  all.push_back({{"iterations_1000_to_2000"}, training.run(1000)});
  all.push_back({{"densities_100k"}, gpu_score(training.parameters(), 100'000, 100'000, 7)});
  all.push_back({{"densities_10m"}, gpu_score(training.parameters(), 10'000'000, 1'000'000, 1)});
  observer.say("batches");
  for (const std::size_t batch : {400u, 4000u, 40'000u, 400'000u}) {
    TimedTraining large(batch, 0);
    large.run(20, 10);
    all.push_back({{"batches", std::to_string(batch)}, large.run(batch > 10'000 ? 20 : 100, 20)});
  }
  observer.say("widths and dimensions");
  const auto grown = [&](const char* what, int which, int width, int dimension) {
    TimedTraining larger(400, 0, width, dimension);
    larger.run(60);
    all.push_back({{what, std::to_string(which), "iteration"}, larger.run(100)});
    all.push_back({{what, std::to_string(which), "densities_20k"},
                   gpu_score(larger.parameters(), 20'000, 20'000, 3, width, dimension)});
  };
  for (const int width : {32, 64, 128, 256}) grown("widths", width, width, 2);
  for (const int dimension : {2, 4, 8, 16}) grown("dimensions", dimension, 64, dimension);
  observer.say("seeds side by side");
  for (const int seeds : {1, 2, 4, 8, 12})
    all.push_back({{"seeds", std::to_string(seeds)}, seconds_of_seeds(seeds, 400)});
  return all;
}

}  // namespace riemflow
