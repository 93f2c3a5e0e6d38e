// A field evaluation, a solve and a gradient of one tile, and whole calls of Flow, with the 3 × 64 network.

#include <benchmark/benchmark.h>

#include "riemflow/flow/flow.hpp"

namespace riemflow {
namespace {

constexpr const char* kNames[] = {"sphere:2", "ball:2", "torus:2", "euclidean:2", "sphere:2 x torus:1"};

/// A flow with its working weights and one tile of base points. Arguments: manifold, input layer.
struct Fixture {
  explicit Fixture(const benchmark::State& state) : flow(configuration(state), 0, 1) {
    const VectorField<float>& field = flow.field();
    working.resize(field.working_size());
    gradient.resize(field.working_size() + simd::kOverhang);
    field.prepare(flow.parameters(), working.data());
    tile.resize(static_cast<std::size_t>(flow.manifold().ambient()));
    flow.sample_base(kLanes, 1).load_tile(0, tile.data());
  }
  static FlowConfig configuration(const benchmark::State& state) {
    FlowConfig config;
    config.manifold = kNames[state.range(0)];
    config.field.input = static_cast<InputLayer>(state.range(1));
    return config;
  }
  Flow<float> flow;
  AlignedVector<float> working, gradient;
  std::vector<Pack<float>> tile;
};

void label(benchmark::State& state) {
  state.SetLabel(std::string(kNames[state.range(0)]) + (state.range(1) == 0 ? " linear" : " geodesic"));
}
void cases(benchmark::internal::Benchmark* b) {
  for (int i = 0; i < static_cast<int>(std::size(kNames)); ++i) b->Args({i, 0});
  b->Args({0, 1})->Args({1, 1});
}

void field_forward(benchmark::State& state) {
  Fixture f(state);
  FieldPass<float> pass(f.flow.field(), {}, false, true);
  AlignedVector<float> tape(pass.tape_size());
  std::vector<Pack<float>> rate(f.tile.size());
  Rates<float> rates;
  for (auto _ : state) pass.evaluate(f.working.data(), 0.5f, f.tile.data(), rate.data(), rates, tape.data());
  label(state);
}
void field_backward(benchmark::State& state) {
  Fixture f(state);
  FieldPass<float> pass(f.flow.field(), {}, false, true);
  AlignedVector<float> tape(pass.tape_size());
  std::vector<Pack<float>> rate(f.tile.size()), rate_bar(f.tile.size()), z_bar(f.tile.size());
  Rates<float> rates;
  pass.evaluate(f.working.data(), 0.5f, f.tile.data(), rate.data(), rates, tape.data());
  const Rates<float> rates_bar{Pack<float>(1), Pack<float>(0), Pack<float>(0)};
  for (auto _ : state) {
    std::fill(rate_bar.begin(), rate_bar.end(), Pack<float>(1));
    std::fill(z_bar.begin(), z_bar.end(), Pack<float>(0));
    pass.backward(f.working.data(), 0.5f, tape.data(), rate_bar.data(), rates_bar, z_bar.data(),
                  f.gradient.data());
  }
  label(state);
}
void tile_log_prob(benchmark::State& state) {
  Fixture f(state);
  TileFlow<float> tile_flow(f.flow.field(), f.flow.base(), f.flow.config());
  tile_flow.bind(f.working.data());
  int evaluations = 0;
  for (auto _ : state) {
    std::vector<Pack<float>> x = f.tile;
    Pack<float> value;
    evaluations = tile_flow.log_prob(x.data(), value, {}, 0).evaluations;
  }
  state.counters["evaluations"] = evaluations;
  state.SetItemsProcessed(state.iterations() * kLanes);
  label(state);
}
void tile_gradient(benchmark::State& state) {
  Fixture f(state);
  TileFlow<float> tile_flow(f.flow.field(), f.flow.base(), f.flow.config());
  tile_flow.bind(f.working.data(), f.gradient.data());
  int evaluations = 0;
  for (auto _ : state) {
    TileLoss loss;
    evaluations = tile_flow.nll_gradient(f.tile.data(), Pack<float>(1.0 / kLanes), {}, 0, loss).evaluations;
  }
  state.counters["evaluations"] = evaluations;
  state.SetItemsProcessed(state.iterations() * kLanes);
  label(state);
}
BENCHMARK(field_forward)->Apply(cases);
BENCHMARK(field_backward)->Apply(cases);
BENCHMARK(tile_log_prob)->Apply(cases);
BENCHMARK(tile_gradient)->Apply(cases);

}  // namespace
}  // namespace riemflow
