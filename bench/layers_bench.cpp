// The parts of an evaluation around the perceptron, and the solver around the field, on one tile.

#include <benchmark/benchmark.h>

#include "riemflow/flow/ode/solver.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow {
namespace {

constexpr int kDerivatives = 2;

/// A jet with small random entries: inside the ball, harmless elsewhere.
std::vector<Pack<float>> random_jet(int rows) {
  std::vector<Pack<float>> jet(static_cast<std::size_t>(rows * (1 + kDerivatives)));
  Random random(1, Purpose::test, 0, 0);
  for (Pack<float>& pack : jet) {
    for (float& x : pack.lane) x = static_cast<float>(0.3 * (random.uniform() - 0.5));
  }
  return jet;
}

constexpr const char* kNames[] = {"euclidean:2", "sphere:2", "ball:2", "torus:2"};

/// Arguments: the space, and whether its geodesic neurons see it.
void features(benchmark::State& state) {
  const auto manifold = parse_manifold<float>(kNames[state.range(0)]);
  const auto neurons = state.range(1) != 0 ? manifold->geodesic_neurons() : nullptr;
  const auto seen = neurons ? neurons->features() : manifold->features();
  std::vector<Pack<float>> in = random_jet(3), out = random_jet(4);
  for (auto _ : state) {
    seen->embed(kDerivatives, {in.data(), 1 + kDerivatives}, {out.data(), 1 + kDerivatives});
    benchmark::ClobberMemory();
  }
  state.SetLabel(kNames[state.range(0)]);
}
BENCHMARK(features)->ArgsProduct({{0, 1, 2, 3}, {0, 1}});

void velocity(benchmark::State& state) {
  const auto manifold = parse_manifold<float>(kNames[state.range(0)]);
  std::vector<Pack<float>> in = random_jet(3), u = random_jet(3), f(3);
  Rates<float> rates{Pack<float>(0), Pack<float>(0), Pack<float>(0)};
  for (auto _ : state) {
    manifold->velocity({{in.data(), 1 + kDerivatives},
                        {u.data(), 1 + kDerivatives},
                        kDerivatives,
                        1.0f,
                        false,
                        BallScaling::unit},
                       f.data(), rates);
    benchmark::ClobberMemory();
  }
  state.SetLabel(kNames[state.range(0)]);
}
BENCHMARK(velocity)->DenseRange(0, static_cast<int>(std::size(kNames)) - 1);

/// A rotation in the plane: next to nothing to evaluate, so what is measured is the solver.
class Rotation final : public OdeSystem<float> {
 public:
  int rows() const override { return 2; }
  int moving() const override { return 2; }
  int controlled() const override { return 2; }
  std::size_t tape_size() const override { return kLanes; }
  bool evaluate(double, const Pack<float>* y, Pack<float>* rate, float*) override {
    rate[0] = -y[1];
    rate[1] = y[0];
    return true;
  }
  void backward(double, const float*, Pack<float>* rate_bar, Pack<float>* y_bar) override {
    y_bar[0] += rate_bar[1];
    y_bar[1] -= rate_bar[0];
  }
  void project(Pack<float>*) const override {}
  void project_backward(const Pack<float>*, Pack<float>*) const override {}
  void error_weight(const Pack<float>*, Pack<float>* weight) const override { weight[0] = weight[1] = 1; }
};

void solver(benchmark::State& state) {
  Rotation system;
  Solver<float> solver_of_tile{SolverOptions{}};
  int evaluations = 0;
  for (auto _ : state) {
    Pack<float> y[2] = {Pack<float>(1), Pack<float>(0)};
    evaluations = solver_of_tile.solve(system, 0, 1, y).evaluations;
    benchmark::DoNotOptimize(y);
  }
  state.counters["evaluations"] = evaluations;
}
BENCHMARK(solver);

}  // namespace
}  // namespace riemflow
