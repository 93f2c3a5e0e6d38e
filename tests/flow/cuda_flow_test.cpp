// The GPU against the CPU in double precision, on every manifold, layer and estimator that it has. Skipped
// where there is no GPU or no CUDA in the build; CONTRIBUTING.md has the command for a machine with one.

#include "riemflow/flow/cuda_flow.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <thread>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/base.hpp"
#include "riemflow/distribution/draws.hpp"
#include "riemflow/distribution/von_mises_fisher.hpp"
#include "riemflow/fit/trainer.hpp"
#include "riemflow/flow/flow.hpp"
#include "riemflow/manifold/parse.hpp"
#include "tests/flow/transports.hpp"

namespace riemflow {
namespace {

using namespace test;

FlowConfig wide(const std::string& manifold, double tolerance) {
  FlowConfig config;
  config.manifold = manifold;
  config.solver.rtol = config.solver.atol = tolerance;
  return config;
}

#define NEEDS_GPU() \
  if (const std::string reason = why_not_cuda(wide("sphere:2", 1e-5)); !reason.empty()) GTEST_SKIP() << reason

struct Case {
  std::string name;
  FlowConfig config;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* manifold :
       {"sphere:1", "sphere:2", "sphere:2,K=0.5", "ball:2", "ball:2,K=-0.5", "torus:2", "euclidean:2"}) {
    for (const InputLayer input : {InputLayer::linear, InputLayer::geodesic}) {
      for (const DivergenceEstimator estimator :
           {DivergenceEstimator::exact, DivergenceEstimator::hutchinson}) {
        FlowConfig config = wide(manifold, 1e-6);
        config.field.input = input;
        config.divergence.estimator = estimator;
        config.divergence.noise = input == InputLayer::linear ? Noise::rademacher : Noise::gaussian;
        config.field.activation = input == InputLayer::linear ? Activation::tanh : Activation::swish;
        config.field.depth = input == InputLayer::linear ? 3 : 2;
        config.field.scaling = input == InputLayer::linear ? BallScaling::unit : BallScaling::paper;
        config.regularisation.kinetic = estimator == DivergenceEstimator::exact ? 0.1 : 0;
        all.push_back({std::string(manifold) + (input == InputLayer::linear ? " linear" : " geodesic") +
                           (estimator == DivergenceEstimator::exact ? " exact" : " hutchinson"),
                       config});
      }
    }
  }
  // Widths that do and do not fill the tiles of the tensor cores, depths, and a bounded output.
  for (const auto& [width, depth] : {std::pair{8, 1}, {32, 4}, {100, 3}, {128, 3}, {256, 2}}) {
    FlowConfig config = wide("sphere:2", 1e-6);
    config.field.width = width;
    config.field.depth = depth;
    config.field.bound = width == 32 ? 1.5 : 0;
    config.regularisation.kinetic = 0.1;
    all.push_back({"sphere:2 " + std::to_string(width) + " wide", config});
  }
  // Waves as the first layer.
  for (const char* manifold : {"sphere:2", "torus:2", "torus:7", "ball:2"}) {
    FlowConfig config = wide(manifold, 1e-6);
    config.field.input = InputLayer::fourier;
    config.field.frequency = 2;
    config.field.activation = Activation::swish;
    config.field.depth = 3;
    all.push_back({std::string(manifold) + " fourier", config});
  }
  // Every kernel at its limits, every shape beyond two dimensions, and products.
  for (const char* manifold : {"sphere:4",
                               "sphere:5,K=2",
                               "sphere:16",
                               "ball:3",
                               "ball:5",
                               "ball:8",
                               "torus:1",
                               "torus:3",
                               "torus:7",
                               "torus:16",
                               "euclidean:1",
                               "euclidean:6",
                               "euclidean:16",
                               "sphere:2 x torus:1",
                               "ball:2,K=-0.5 x sphere:1 x euclidean:2",
                               "torus:2 x sphere:3 x ball:3 x torus:1",
                               "stiefel:3,1",
                               "stiefel:3,2",
                               "stiefel:5,3",
                               "stiefel:8,2",
                               "grassmann:2,1",
                               "grassmann:3,1",
                               "grassmann:4,2",
                               "torus:1 x stiefel:3,2 x sphere:2,K=2",
                               "ball:2 x grassmann:3,2"}) {
    for (const DivergenceEstimator estimator :
         {DivergenceEstimator::exact, DivergenceEstimator::hutchinson}) {
      FlowConfig config = wide(manifold, 1e-6);
      config.divergence.estimator = estimator;
      config.divergence.probes = 2;
      config.field.bound = estimator == DivergenceEstimator::exact ? 2 : 0;
      config.regularisation.kinetic = 0.1;
      all.push_back({std::string(manifold) +
                         (estimator == DivergenceEstimator::exact ? " exact bounded" : " hutchinson"),
                     config});
    }
  }
  for (const char* manifold : {"sphere:5", "ball:4"}) {
    FlowConfig config = wide(manifold, 1e-6);
    config.field.input = InputLayer::geodesic;
    config.field.width = 48;
    all.push_back({std::string(manifold) + " geodesic", config});
  }
  return all;
}

/// The same flow in double at a tolerance beyond the other's.
std::unique_ptr<Transport<double>> exact_of(const Transport<float>& flow) {
  FlowConfig config = flow.config();
  config.solver.rtol = config.solver.atol = 1e-9;
  return in_double(flow, config);
}

Points<double> widened(const Points<float>& points) {
  Points<double> wide_points(points.size(), points.dimension);
  std::copy(points.values.begin(), points.values.end(), wide_points.values.begin());
  return wide_points;
}

std::unique_ptr<Transport<float>> on_gpu(const FlowConfig& config, std::uint64_t seed) {
  auto flow = make_transport<float>(config, seed, 1, Device::cuda);
  for (float& p : flow->parameters()) p *= 1.5f;
  return flow;
}

/// What float arithmetic leaves of a gradient, by the CPU's: near the poles of its hyperplanes a geodesic
/// neuron bends with a radius of 0.01.
double float_error(const Transport<float>& flow, std::span<const double> truth,
                   const std::function<void(Transport<float>&, std::span<float>)>& gradient) {
  const auto host = make_transport<float>(flow.config(), 0, 1);
  std::copy(flow.parameters().begin(), flow.parameters().end(), host->parameters().begin());
  std::vector<float> own(truth.size());
  gradient(*host, own);
  double off = 0, size = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    off += std::pow(static_cast<double>(own[i]) - truth[i], 2);
    size += truth[i] * truth[i];
  }
  return std::sqrt(off / size);
}

double relative_error(std::span<const float> a, std::span<const double> b) {
  double off = 0, size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    off += std::pow(static_cast<double>(a[i]) - b[i], 2);
    size += b[i] * b[i];
  }
  return std::sqrt(off / size);
}

TEST(CudaFlow, LogDensities) {
  NEEDS_GPU();
  for (const Case& c : cases()) {
    const auto flow = on_gpu(c.config, 3);
    const auto exact = exact_of(*flow);
    const Points<float> points = flow->sample_base(37, 5);
    const LogProb<float> own = flow->log_prob(points, {2, 7});
    const LogProb<double> truth = exact->log_prob(widened(points), {2, 7});
    EXPECT_TRUE(own.summary.ok()) << c.name << own.summary.message();
    for (std::size_t i = 0; i < points.size(); ++i)
      EXPECT_NEAR(own.values[i], truth.values[i], 1e-4 * std::max(1.0, std::abs(truth.values[i])))
          << c.name << i;
    Points<double> base = widened(own.base_points);
    EXPECT_LT(largest_distance(exact->manifold(), base, truth.base_points), 1e-3) << c.name;
  }
}

// Made on the host, with the parameters as they are now.
TEST(CudaFlow, GradientsInThePoint) {
  NEEDS_GPU();
  for (const char* manifold : {"sphere:2", "ball:2", "sphere:2 x torus:1"}) {
    const auto flow = on_gpu(wide(manifold, 1e-6), 3);
    for (float& p : flow->parameters()) p *= 1.5f;
    const Points<float> points = flow->sample_base(37, 5);
    const LogProbGradient own = flow->log_prob_gradient(points);
    const LogProbGradient truth = exact_of(*flow)->log_prob_gradient(widened(points));
    const LogProb<float> values = flow->log_prob(points);
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_NEAR(own.values[i], values.values[i], 1e-4 * std::max(1.0, std::abs(own.values[i])));
      for (std::size_t c = 0; c < truth.gradients[i].size(); ++c)
        EXPECT_NEAR(own.gradients[i][c], truth.gradients[i][c],
                    1e-3 * std::max(1.0, std::abs(truth.gradients[i][c])))
            << manifold;
    }
  }
}

/// The angles of a geodesic layer on the sphere lose digits where the others do not.
double least_bar(const Case& c) {
  return c.name.find("sphere") != c.name.npos && c.config.field.input == InputLayer::geodesic ? 5e-3 : 1e-3;
}

TEST(CudaFlow, GradientsOfTheLikelihood) {
  NEEDS_GPU();
  for (const Case& c : cases()) {
    const auto flow = on_gpu(c.config, 4);
    const auto exact = exact_of(*flow);
    const Points<float> points = flow->sample_base(41, 6);
    std::vector<float> own(flow->parameters().size());
    std::vector<double> truth(own.size());
    const Loss loss = flow->gradient_of(LikelihoodBatch{points}, own, {{1, 9}, 0});
    const Loss true_loss = exact->gradient_of(LikelihoodBatch{widened(points)}, truth, {{1, 9}, 0});
    EXPECT_NEAR(loss.total, true_loss.total, 1e-4) << c.name;
    EXPECT_NEAR(loss.kinetic, true_loss.kinetic, 1e-3 * (1 + true_loss.kinetic)) << c.name;
    const double bar =
        std::max(least_bar(c), 3 * float_error(*flow, truth, [&](Transport<float>& host, std::span<float> g) {
                                 host.gradient_of(LikelihoodBatch{points}, g, {{1, 9}, 0});
                               }));
    EXPECT_LT(bar, 0.03) << c.name;
    EXPECT_LT(relative_error(own, truth), bar) << c.name;
    // Same bits again; and a step size that is known beforehand changes nothing that matters.
    std::vector<float> again(own.size()), hinted(own.size());
    flow->gradient_of(LikelihoodBatch{points}, again, {{1, 9}, 0});
    EXPECT_EQ(own, again) << c.name;
    flow->gradient_of(LikelihoodBatch{points}, hinted, {{1, 9}, loss.summary.first_step()});
    EXPECT_LT(relative_error(hinted, truth), bar) << c.name;
  }
}

TEST(CudaFlow, GradientsOfTheReverseDivergence) {
  NEEDS_GPU();
  for (const Case& c : cases()) {
    const auto flow = on_gpu(c.config, 8);
    const auto exact = exact_of(*flow);
    // The manifold's own base as the target.
    const std::shared_ptr<const Distribution<double>> target =
        default_base<double>(c.config.manifold.on<double>());
    std::vector<float> own(flow->parameters().size());
    std::vector<double> truth(own.size());
    const Loss loss = flow->gradient_of(ReverseKlBatch{30, target}, own, {{5, 2}});
    const Loss true_loss = exact->gradient_of(ReverseKlBatch{30, target}, truth, {{5, 2}});
    EXPECT_NEAR(loss.total, true_loss.total, 2e-4) << c.name;
    const double bar =
        std::max(least_bar(c), 3 * float_error(*flow, truth, [&](Transport<float>& host, std::span<float> g) {
                                 host.gradient_of(ReverseKlBatch{30, target}, g, {{5, 2}});
                               }));
    EXPECT_LT(relative_error(own, truth), bar) << c.name;
  }
}

TEST(CudaFlow, GradientsOfFlowMatching) {
  NEEDS_GPU();
  for (const Case& c : cases()) {
    const auto flow = on_gpu(c.config, 7);
    const auto host = make_transport<float>(c.config, 0, 1);
    std::copy(flow->parameters().begin(), flow->parameters().end(), host->parameters().begin());
    const Points<float> group = flow->sample_base(203, 6);
    for (const std::size_t n : {41u, 5000u}) {  // fewer tiles than blocks, and more than a block keeps
      if (n > 1000 && c.config.manifold != "sphere:2" && c.config.manifold != "torus:7") continue;
      const Points<float> points = flow->sample_base(n, 8);
      for (const Points<float>& among : {Points<float>(0, group.dimension), group}) {
        std::vector<float> own(flow->parameters().size()), again(own.size()), theirs(own.size());
        const Loss loss = flow->gradient_of(MatchingBatch{points, &among}, own, {{3, 4}});
        const Loss host_loss = host->gradient_of(MatchingBatch{points, &among}, theirs, {{3, 4}});
        flow->gradient_of(MatchingBatch{points, &among}, again, {{3, 4}});
        // The host's draws in float, so that its pairs are the same.
        const std::vector<double> truth(theirs.begin(), theirs.end());
        EXPECT_NEAR(loss.total, host_loss.total, 1e-4 * std::max(1.0, host_loss.total)) << c.name;
        EXPECT_LT(relative_error(own, truth), least_bar(c)) << c.name << " " << n << " " << among.size();
        EXPECT_EQ(own, again) << c.name;
      }
    }
  }
}

TEST(CudaFlow, PathsAndSamples) {
  NEEDS_GPU();
  for (const Case& c : cases()) {
    const auto flow = on_gpu(c.config, 9);
    const auto exact = exact_of(*flow);
    const Points<float> start = flow->sample_base(21, 3);
    const Carried<float> own = flow->push(start, 4);
    const Carried<double> truth = exact->push(widened(start), 4);
    for (std::size_t f = 0; f < 4; ++f)
      EXPECT_LT(largest_distance(exact->manifold(), widened(own.frames[f]), truth.frames[f]), 1e-3)
          << c.name << f;
  }
}

TEST(CudaFlow, Charts) {
  NEEDS_GPU();
  for (const auto& [kind, manifold] :
       {std::pair{ModelKind::stereographic, "sphere:2"}, {ModelKind::wrapped, "ball:2"}}) {
    FlowConfig config = wide(manifold, 1e-6);
    config.model = kind;
    const auto flow = on_gpu(config, 2);
    const auto exact = exact_of(*flow);
    const Points<float> points = flow->sample(20, 4).frames[0];
    const LogProb<double> truth = exact->log_prob(widened(points));
    const LogProb<float> own = flow->log_prob(points);
    for (std::size_t i = 0; i < points.size(); ++i)
      EXPECT_NEAR(own.values[i], truth.values[i], 1e-3) << manifold;
  }
}

/// Ten steps on the GPU, one stretch, beside the same on the CPU.
void compare_training(const FlowConfig& flow_config, const std::string& name, double bar,
                      bool matching = false) {
  FlowConfig config = flow_config;
  config.solver.rtol = config.solver.atol = 1e-5;
  TrainConfig train;
  train.batch = 42;
  train.average = 0.9;
  train.clip = 1;
  train.schedule.rate = 1e-3;
  train.adam.decay = matching ? 0.1 : 0;
  const auto gpu = make_transport<float>(config, 6, 1, Device::cuda),
             again = make_transport<float>(config, 6, 1, Device::cuda),
             cpu = make_transport<float>(config, 6, 1);
  const Points<float> data = cpu->sample(150, 9).frames[0];
  Trainer<float> on_device(*gpu, train), repeated(*again, train), on_host(*cpu, train);
  const auto kind = matching ? Objective::flow_matching : Objective::likelihood;
  const auto steps = [&](Trainer<float>& trainer, Transport<float>& flow) {
    return trainer.steps(*make_objective(kind, flow, data, train), 10);
  };
  const auto host_objective = make_objective(kind, *cpu, data, train);
  const std::vector<StepReport> reports = steps(on_device, *gpu);
  steps(repeated, *again);
  ASSERT_EQ(reports.size(), 10u) << name;
  for (const StepReport& report : reports) {
    const StepReport step = on_host.step(*host_objective);
    EXPECT_NEAR(report.loss.total, step.loss.total, 1e-3 * (1 + std::abs(step.loss.total))) << name;
    // The first steps; then what float left in the gradients of geodesic layers has led them apart.
    if (step.rate > 0 && &report - reports.data() < 3) {
      EXPECT_NEAR(report.gradient_norm, step.gradient_norm, bar * step.gradient_norm + 1e-4) << name;
    }
    EXPECT_EQ(report.rate, step.rate);
    EXPECT_FALSE(report.skipped);
  }
  // Adam divides by the gradient's size: an entry of nearly 0 may step either way, so most, not all, agree.
  const std::vector<float> parameters(gpu->parameters().begin(), gpu->parameters().end());
  std::size_t far = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (std::abs(parameters[i] - cpu->parameters()[i]) > 1e-3f) ++far;
  EXPECT_LT(far, parameters.size() / 50) << name;
  EXPECT_TRUE(std::equal(parameters.begin(), parameters.end(), again->parameters().begin())) << name;
  EXPECT_EQ(on_device.state().adam.steps, 10) << name;
  EXPECT_EQ(on_device.state().average.steps, 10) << name;
}

TEST(CudaFlow, TrainsAsTheHostDoes) {
  NEEDS_GPU();
  for (const Case& c : cases())
    for (const bool matching : {false, true}) compare_training(c.config, c.name, 5 * least_bar(c), matching);
  FlowConfig chart = wide("sphere:2", 1e-5);
  chart.model = ModelKind::stereographic;
  for (const bool matching : {false, true}) compare_training(chart, "stereographic", 5e-3, matching);
}

// A run of some length ends at the same likelihood.
TEST(CudaFlow, SameLikelihoodInTheEnd) {
  NEEDS_GPU();
  const VonMisesFisher<float> target(Eigen::Vector3d(0, 0.6, -0.8), 20);
  const Points<float> data = draws_of(target, 5000, 1, 0, 0), test = draws_of(target, 5000, 2, 0, 0);
  std::vector<double> nll;
  for (const Device device : {Device::cuda, Device::cpu}) {
    const auto flow = make_transport<float>(wide("sphere:2", 1e-4), 3, 0, device);
    TrainConfig train;
    train.schedule = {Schedule::Shape::cosine, 3e-3, 600};
    Trainer<float> trainer(*flow, train);
    LikelihoodObjective<float> likelihood(*flow, data, train);
    while (trainer.iteration() < 600) trainer.steps(likelihood, 600 - trainer.iteration());
    nll.push_back(-flow->log_prob(test).mean());
  }
  EXPECT_NEAR(nll[0], nll[1], 0.01);
}

/// Parameters after a few steps of both kinds.
std::vector<float> trained(int width) {
  FlowConfig config = wide("sphere:2", 1e-4);
  config.field.width = width;
  const auto flow = make_transport<float>(config, 3, 1, Device::cuda);
  const Points<float> data =
      draws_of(VonMisesFisher<float>(Eigen::Vector3d(0, 0.6, -0.8), 20), 1000, 1, 0, 0);
  Trainer<float> trainer(*flow, TrainConfig{});
  MatchingObjective<float> matching(*flow, data, {});
  LikelihoodObjective<float> likelihood(*flow, data, {});
  while (trainer.iteration() < 150) trainer.steps(matching, 150 - trainer.iteration());
  while (trainer.iteration() < 200) trainer.steps(likelihood, 200 - trainer.iteration());
  return {flow->parameters().begin(), flow->parameters().end()};
}

// Runs of different sizes side by side: each as if it were alone.
TEST(CudaFlow, SizesSideBySide) {
  NEEDS_GPU();
  const std::vector<int> widths = {16, 128, 40, 100, 64, 200, 24, 128, 64, 16};
  std::vector<std::vector<float>> together(widths.size());
  std::vector<std::string> problems(widths.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < widths.size(); ++i)
      threads.emplace_back([&, i] {
        try {
          together[i] = trained(widths[i]);
        } catch (const std::exception& error) {
          problems[i] = error.what();
        }
      });
  }
  for (std::size_t i = 0; i < widths.size(); ++i) {
    EXPECT_EQ(problems[i], "");
    EXPECT_EQ(together[i], trained(widths[i])) << widths[i] << " wide";
  }
}

// Small, for compute-sanitizer: every kernel once or twice.
TEST(CudaFlow, Sanitized) {
  NEEDS_GPU();
  for (const Case& c : cases()) {
    if (c.name != "sphere:2 linear exact" && c.name != "ball:2 geodesic hutchinson" &&
        c.name != "sphere:2 100 wide" && c.name != "sphere:5 geodesic" && c.name != "torus:7 exact bounded" &&
        c.name != "ball:2,K=-0.5 x sphere:1 x euclidean:2 hutchinson")
      continue;
    FlowConfig config = c.config;
    config.solver.rtol = config.solver.atol = 1e-3;
    const auto flow = make_transport<float>(config, 1, 1, Device::cuda);
    const Points<float> points = flow->sample(6, 2).frames[0];
    std::vector<float> gradient(flow->parameters().size());
    EXPECT_TRUE(flow->log_prob(points).summary.ok());
    EXPECT_TRUE(flow->gradient_of(LikelihoodBatch{points}, gradient).summary.ok());
    TrainConfig train;
    train.batch = 6;
    train.average = 0.9;
    Trainer<float> trainer(*flow, train);
    for (const Objective kind : {Objective::likelihood, Objective::flow_matching})
      EXPECT_EQ(trainer.steps(*make_objective(kind, *flow, points, train), 2).size(), 2u);
  }
}

TEST(CudaFlow, SaysWhatItCannot) {
  const auto reason = [](auto change) {
    FlowConfig config = wide("sphere:2", 1e-5);
    change(config);
    return why_not_cuda(config);
  };
  // Without a GPU there is a reason for everything.
  EXPECT_NE(reason([](FlowConfig& c) { c.field.width = 257; }), "");
  EXPECT_NE(reason([](FlowConfig& c) { c.field.depth = 9; }), "");
  EXPECT_NE(reason([](FlowConfig& c) { c.manifold = "sphere:17"; }), "");
  EXPECT_NE(reason([](FlowConfig& c) { c.manifold = "torus:1 x torus:1 x torus:1 x torus:1 x torus:1"; }),
            "");
  EXPECT_NE(reason([](FlowConfig& c) {
              c.manifold = "torus:16";
              c.field.width = 256;
            }),
            "");
  EXPECT_NE(reason([](FlowConfig& c) {
              c.manifold = "sphere:2 x ball:2";
              c.field.input = InputLayer::geodesic;
            }),
            "");
  EXPECT_NE(reason([](FlowConfig& c) { c.regularisation.frobenius = 1; }), "");
  const std::string given = reason([](FlowConfig& c) { c.field.given = 1; });
  EXPECT_NE(given, "");
  EXPECT_EQ(given.find("Frobenius"), std::string::npos) << given;
  EXPECT_NE(reason([](FlowConfig& c) { c.solver.method = "tsit5"; }), "");
  FlowConfig config = wide("sphere:17", 1e-5);
  EXPECT_THROW(make_transport<float>(config, 0, 1, Device::cuda), Error);
  EXPECT_THROW(make_transport<double>(wide("sphere:2", 1e-5), 0, 1, Device::cuda), Error);
  EXPECT_NO_THROW(make_transport<float>(config, 0, 1, Device::automatic));
}

}  // namespace
}  // namespace riemflow
