// Operations of the manifolds on one tile of 16 points.

#include <benchmark/benchmark.h>

#include "riemflow/manifold/parse.hpp"

namespace riemflow {
namespace {

constexpr const char* kNames[] = {"euclidean:2", "sphere:2", "sphere:16",         "ball:2",
                                  "ball:16",     "torus:2",  "sphere:2 x torus:1"};

struct Tile {
  explicit Tile(const char* name) : manifold(parse_manifold<float>(name)) {
    const auto n = static_cast<std::size_t>(manifold->ambient());
    for (auto* v : {&x, &y, &v1, &w}) v->resize(n);
    e.resize(n * static_cast<std::size_t>(manifold->dimension()));
    for (int l = 0; l < kLanes; ++l) {
      Random random(1, Purpose::test, 0, static_cast<std::uint64_t>(l));
      for (std::size_t i = 0; i < n; ++i) {
        x[i][l] = static_cast<float>(0.3 * random.normal() / std::sqrt(static_cast<double>(n)));
        y[i][l] = static_cast<float>(0.3 * random.normal() / std::sqrt(static_cast<double>(n)));
      }
    }
    manifold->project(x.data());
    manifold->project(y.data());
    manifold->log(x.data(), y.data(), v1.data());
  }
  std::unique_ptr<const Manifold<float>> manifold;
  std::vector<Pack<float>> x, y, v1, w, e;
};

template <class Body>
void run(benchmark::State& state, const Body& body) {
  Tile tile(kNames[state.range(0)]);
  for (auto _ : state) {
    body(tile);
    benchmark::ClobberMemory();
  }
  state.SetLabel(kNames[state.range(0)]);
  state.SetItemsProcessed(state.iterations() * kLanes);
}

void exp_map(benchmark::State& state) {
  run(state, [](Tile& t) { t.manifold->exp(t.x.data(), t.v1.data(), t.w.data()); });
}
void log_map(benchmark::State& state) {
  run(state, [](Tile& t) { t.manifold->log(t.x.data(), t.y.data(), t.w.data()); });
}
void distance(benchmark::State& state) {
  run(state, [](Tile& t) { benchmark::DoNotOptimize(t.manifold->distance(t.x.data(), t.y.data())); });
}
void transport(benchmark::State& state) {
  run(state, [](Tile& t) { t.manifold->transport(t.x.data(), t.y.data(), t.v1.data(), t.w.data()); });
}
void seed_basis(benchmark::State& state) {
  run(state, [](Tile& t) { t.manifold->seed_basis(t.x.data(), {t.e.data(), t.manifold->dimension()}); });
}
BENCHMARK(exp_map)->DenseRange(0, std::size(kNames) - 1);
BENCHMARK(log_map)->DenseRange(0, std::size(kNames) - 1);
BENCHMARK(distance)->DenseRange(0, std::size(kNames) - 1);
BENCHMARK(transport)->DenseRange(0, std::size(kNames) - 1);
BENCHMARK(seed_basis)->DenseRange(0, std::size(kNames) - 1);

}  // namespace
}  // namespace riemflow
