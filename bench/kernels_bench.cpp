// The kernels on the shapes of a 3 × 64 network on S²: jets of a value and two derivatives.

#include <benchmark/benchmark.h>

#include "riemflow/core/aligned.hpp"
#include "riemflow/core/random.hpp"
#include "riemflow/core/simd/kernels.hpp"

namespace riemflow {
namespace {

constexpr int kColumns = 3 * kLanes;

AlignedVector<float> random_numbers(std::size_t n) {
  AlignedVector<float> v(n);
  Random random(1, Purpose::test, 0, n);
  for (float& x : v) x = static_cast<float>(random.uniform() - 0.5);
  return v;
}

/// Arguments: rows and columns of the weight matrix.
void shapes(benchmark::internal::Benchmark* b) {
  b->Args({64, 3})->Args({64, 64})->Args({3, 64})->Args({256, 256});
}

template <class Body>
void run_product(benchmark::State& state, const Body& body) {
  const int m = static_cast<int>(state.range(0)), k = static_cast<int>(state.range(1));
  const auto size = [](int rows, int columns) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  };
  AlignedVector<float> weight = random_numbers(size(m, k) + simd::kOverhang),
                       in = random_numbers(size(k, kColumns)), out = random_numbers(size(m, kColumns)),
                       scratch(simd::outer_scratch(m, kColumns, k));
  for (auto _ : state) {
    body(m, k, weight.data(), in.data(), out.data(), scratch.data());
    benchmark::ClobberMemory();
  }
  state.counters["FLOP/s"] = benchmark::Counter(
      2.0 * m * k * kColumns * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void multiply(benchmark::State& state) {
  run_product(state, [](int m, int k, float* weight, float* in, float* out, float*) {
    simd::kernels<float>().multiply(m, kColumns, k, weight, k, in, out, false);
  });
}
void multiply_transposed(benchmark::State& state) {
  run_product(state, [](int m, int k, float* weight, float* in, float* out, float*) {
    simd::kernels<float>().multiply_transposed(m, kColumns, k, weight, k, out, in, false);
  });
}
void add_outer(benchmark::State& state) {
  run_product(state, [](int m, int k, float* weight, float* in, float* out, float* scratch) {
    simd::kernels<float>().add_outer(m, kColumns, k, out, in, weight, k, scratch);
  });
}
BENCHMARK(multiply)->Apply(shapes);
BENCHMARK(multiply_transposed)->Apply(shapes);
BENCHMARK(add_outer)->Apply(shapes);

/// Argument: the function's number in simd::Function.
void activation(benchmark::State& state) {
  const auto function = static_cast<simd::Function>(state.range(0));
  AlignedVector<float> start = random_numbers(64 * kColumns), jet = start, out(start.size()), bias(64);
  for (auto _ : state) {
    state.PauseTiming();
    jet = start;
    state.ResumeTiming();
    simd::kernels<float>().activate(function, 64, kColumns, bias.data(), jet.data(), out.data());
    benchmark::ClobberMemory();
  }
}
void activation_backward(benchmark::State& state) {
  const auto function = static_cast<simd::Function>(state.range(0));
  const AlignedVector<float> kept = random_numbers(64 * kColumns);
  AlignedVector<float> bar(kept.size(), 1e-3f);
  for (auto _ : state) {
    simd::kernels<float>().activate_backward(function, 64, kColumns, kept.data(), bar.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(activation)->DenseRange(0, 3);
BENCHMARK(activation_backward)->DenseRange(0, 3);

}  // namespace
}  // namespace riemflow
