// The kernels on the shapes of a 3 × 64 network on S²: jets of a value and two derivatives; densities in
// blocks as the kernels of a density are computed.

#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "riemflow/core/aligned.hpp"
#include "riemflow/core/random.hpp"
#include "riemflow/core/simd/densities.hpp"
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

/// 16 blocks of densities. Arguments: the kind's number in simd::DensityFactor::Kind, d, and the deviation's
/// logarithm to base 10; all count.
void densities(benchmark::State& state) {
  using simd::DensityFactor;
  const auto kind = static_cast<DensityFactor::Kind>(state.range(0));
  const int d = static_cast<int>(state.range(1));
  const bool sphere = kind == DensityFactor::Kind::sphere, ball = kind == DensityFactor::Kind::ball;
  const DensityFactor factor{kind, d, d + (sphere ? 1 : 0), ball ? -1.0 : 1.0, 0, 2};
  const int rows = 2 + factor.rows();
  constexpr std::size_t kBlocks = 16;
  const double deviation = std::pow(10, static_cast<double>(state.range(2)));
  AlignedVector<double> numbers(kBlocks * static_cast<std::size_t>(rows) * simd::kBlock),
      out(kBlocks * simd::kBlock), scratch(static_cast<std::size_t>(factor.ambient * simd::kBlock)),
      x(static_cast<std::size_t>(d) + 1);
  Random random(1, Purpose::test, 0, 0);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const int row = static_cast<int>(i) / simd::kBlock % rows - 2;
    numbers[i] = row < 0 ? 0 : deviation * random.normal();  // centres near the point
    if (row == (sphere ? 0 : d) && (sphere || ball)) numbers[i] = 1;
    if (sphere && row == d + 1) numbers[i] = deviation * deviation;
    if (row >= factor.ambient + (sphere || ball ? 1 : 0)) numbers[i] = random.normal() / deviation;
  }
  x[sphere ? 0 : static_cast<std::size_t>(d)] = 1;  // a pole, or b of the ball
  const simd::DensityLayout layout{&factor, 1, rows, factor.ambient * simd::kBlock};
  for (auto _ : state) {
    simd::densities().log_values(layout, numbers.data(), kBlocks, x.data(), x.data(), -INFINITY,
                                 scratch.data(), out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * kBlocks * simd::kBlock);
}
BENCHMARK(densities)
    ->Args({0, 2, -2})
    ->Args({1, 2, -2})
    ->Args({1, 7, -2})
    ->Args({2, 2, -2})
    ->Args({2, 2, 0})
    ->Args({2, 5, -2})
    ->Args({3, 2, -2});

void add_exponentials(benchmark::State& state) {
  AlignedVector<double> values(static_cast<std::size_t>(state.range(0)));
  Random random(1, Purpose::test, 0, 0);
  for (double& value : values) value = -10 * random.uniform();
  double log_scale = 0, sum = 1;
  for (auto _ : state) simd::densities().add_exponentials(values.size(), values.data(), &log_scale, &sum);
  benchmark::DoNotOptimize(sum);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * values.size()));
}
BENCHMARK(add_exponentials)->Arg(32)->Arg(256);

/// Argument: numbers of a centre.
void log_bounds(benchmark::State& state) {
  const int width = static_cast<int>(state.range(0));
  const simd::DensityFactor factor{simd::DensityFactor::Kind::round, width, width, 0, 0, 3};
  const simd::BallLayout layout{&factor, 1, 3 + width, 1};
  AlignedVector<double> block(static_cast<std::size_t>((3 + width) * simd::kBlock), 0.3), out(simd::kBlock);
  const std::vector<double> x(static_cast<std::size_t>(width), 0.9);
  for (auto _ : state) {
    simd::densities().log_bounds(layout, block.data(), x.data(), out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * simd::kBlock);
}
BENCHMARK(log_bounds)->Arg(3)->Arg(14);

}  // namespace
}  // namespace riemflow
