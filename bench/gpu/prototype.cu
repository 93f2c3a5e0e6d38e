#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>
#include "solve.cuh"
using namespace riemflow::cuda;
#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { std::printf("%s: %s\n", #x, cudaGetErrorString(e)); std::exit(1); } } while (0)
template <class V> V* device(size_t n) { V* p; CHECK(cudaMalloc(&p, n * sizeof(V))); CHECK(cudaMemset(p, 0xff, n * sizeof(V))); return p; }
template <class V> V* upload(const std::vector<V>& v) { V* p = device<V>(v.size()); CHECK(cudaMemcpy(p, v.data(), v.size() * sizeof(V), cudaMemcpyHostToDevice)); return p; }
template <class V> std::vector<V> download(const V* p, size_t n) { std::vector<V> v(n); CHECK(cudaMemcpy(v.data(), p, n * sizeof(V), cudaMemcpyDeviceToHost)); return v; }
int main(int argc, char** argv) {
  for (int a = 1; a < argc; ++a) {
    std::FILE* f = std::fopen(argv[a], "rb");
    int header[2];
    if (std::fread(header, 4, 2, f) != 2) return 1;
    const int n = header[0], size = header[1];
    std::vector<float> xyz(3 * n), parameters(size);
    std::vector<double> log_p(400), gradient(size);
    size_t r = std::fread(xyz.data(), 4, 3 * n, f) + std::fread(parameters.data(), 4, size, f) + std::fread(log_p.data(), 8, 400, f) + std::fread(gradient.data(), 8, size, f);
    std::fclose(f);
    if (r == 0) return 1;
    Problem p{};
    p.depth = 3;
    p.points = 400;
    p.working_size = size;
    p.max_evaluations = 10000;
    p.most_steps = 128;
    p.log_base = -std::log(4 * M_PI);
    int at = 0;
    Offsets& o = p.offsets;
    const auto take = [&](int k) { int here = at; at += k; return here; };
    o.input_weight = take(3 * 64); o.time[0] = take(64); o.bias[0] = take(64);
    for (int l = 1; l < 3; ++l) { o.hidden[l - 1] = take(64 * 64); o.time[l] = take(64); o.bias[l] = take(64); }
    o.output_weight = take(3 * 64); o.output_time = take(3); o.output_bias = take(3);
    if (at != size) { std::printf("layout %d %d\n", at, size); return 1; }
    const int blocks = 100, most_blocks = 132 * 6;
    Buffers b{};
    float* working = upload(parameters);
    float* all = upload(xyz);
    b.working = working;
    b.points = all;
    const int large = 100000;
    b.values = device<float>(large); b.base_points = device<float>(3 * large); b.gradients = device<float>((size_t)blocks * size);
    b.tape_size = tape_floats() * (p.most_steps * 6 + 1);
    b.tape = device<float>(b.tape_size * blocks);
    b.unprojected = device<float>((size_t)most_blocks * p.most_steps * 32);
    b.steps = device<double2>((size_t)most_blocks * p.most_steps);
    b.reports = device<Report>(large);
    float* sum = device<float>(size);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    for (double tol : {1e-5, 1e-6}) {
      p.rtol = p.atol = tol;
      p.mean_square = false;
      CHECK(run_solve(p, b, blocks, true, stream));
      run_reduce(b.gradients, blocks, size, sum, stream);
      CHECK(cudaStreamSynchronize(stream));
      auto v = download(b.values, 400); auto g = download(sum, size); auto reports = download(b.reports, 100);
      double worst = 0, num = 0, den = 0; int failed = 0; double evals = 0;
      for (int i = 0; i < 400; ++i) { worst = std::max(worst, std::abs(v[i] - log_p[i]) / std::max(1.0, std::abs(log_p[i]))); if (!std::isfinite(v[i])) ++failed; }
      for (int i = 0; i < size; ++i) { num += (g[i] - gradient[i]) * (g[i] - gradient[i]); den += gradient[i] * gradient[i]; }
      for (auto& q : reports) evals += q.evaluations / 100.0;
      std::printf("%s tol %g: log p off by %.2e, gradient by %.2e (relative), %d failed, %.1f evaluations\n", argv[a], tol, worst, std::sqrt(num / den), failed, evals);
      CHECK(run_solve(p, b, blocks, true, stream));
      run_reduce(b.gradients, blocks, size, sum, stream);
      CHECK(cudaStreamSynchronize(stream));
      std::printf("  same bits again: %s\n", download(sum, size) == g ? "yes" : "NO");
    }
    // Training from here: Adam on random batches, all on the device.
    cudaEvent_t e0, e1;
    cudaEventCreate(&e0); cudaEventCreate(&e1);
    const int iterations = 2000;
    std::vector<float> batches((size_t)iterations * 1200);
    std::mt19937 rng(1);
    for (int i = 0; i < iterations * 400; ++i) { int q = rng() % n; for (int c = 0; c < 3; ++c) batches[3 * (size_t)i + c] = xyz[3 * q + c]; }
    float* all_batches = upload(batches);
    std::vector<float> zeros(size);
    float *mean = upload(zeros), *square = upload(zeros);
    p.rtol = p.atol = 1e-3;
    p.mean_square = true;
    double first = 0;
    for (int i = 0; i < iterations; ++i) {
      if (i == 200 || i == 1000) CHECK(cudaEventRecord(e0, stream));
      b.points = all_batches + (size_t)i * 1200;
      p.first_step = first;
      CHECK(run_solve(p, b, blocks, true, stream));
      run_adam(b.gradients, blocks, size, working, mean, square, 1e-3, 1 - std::pow(0.9, i + 1), 1 - std::pow(0.999, i + 1), stream);
      if (i == 399 || i == 1999) {
        CHECK(cudaEventRecord(e1, stream));
        CHECK(cudaEventSynchronize(e1));
        float ms; cudaEventElapsedTime(&ms, e0, e1);
        auto v = download(b.values, 400); auto reports = download(b.reports, 100);
        double loss = 0, evals = 0; for (float x : v) loss -= x / 400; for (auto& q : reports) evals += q.evaluations / 100.0;
        std::printf("  iteration %d: %.4f ms, loss %.4f, %.1f evaluations\n", i + 1, ms / (i == 399 ? 200 : 1000), loss, evals);
      }
      if (i % 10 == 5 && i < 200) { auto reports = download(b.reports, 100); first = 0; for (auto& q : reports) first += q.first_step / 100; }
    }
    // 100,000 densities.
    std::vector<float> many(3 * large);
    for (int i = 0; i < 3 * large; ++i) many[i] = xyz[i % (3 * n)];
    float* many_device = upload(many);
    b.points = many_device;
    p.points = large; p.rtol = p.atol = 1e-5; p.mean_square = false; p.first_step = 0;
    for (int grid : {132, 264, 528, 792}) {
      CHECK(run_solve(p, b, grid, false, stream));
      CHECK(cudaEventRecord(e0, stream));
      for (int k = 0; k < 3; ++k) CHECK(run_solve(p, b, grid, false, stream));
      CHECK(cudaEventRecord(e1, stream));
      CHECK(cudaEventSynchronize(e1));
      float ms; cudaEventElapsedTime(&ms, e0, e1);
      auto reports = download(b.reports, large / 4);
      double evals = 0; for (auto& q : reports) evals += q.evaluations; evals /= large / 4.0;
      std::printf("  100,000 densities at 1e-5 on %d blocks: %.2f ms, %.1f evaluations, %.1f TFLOP/s\n", grid, ms / 3, evals, large * evals * 3 * 2 * 8576.0 / (ms / 3e3) / 1e12);
    }
    for (void* q : {(void*)working, (void*)all, (void*)b.values, (void*)b.base_points, (void*)b.gradients, (void*)b.tape, (void*)b.unprojected, (void*)b.steps, (void*)b.reports, (void*)sum, (void*)all_batches, (void*)mean, (void*)square, (void*)many_device}) cudaFree(q);
  }
}
