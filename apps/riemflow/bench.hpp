#pragma once
// Benchmarks that are files of their own; bench.cpp lists them.

namespace CLI {
class App;
}

namespace riemflow::app {

void add_bench_matching(CLI::App& bench);
void add_bench_score(CLI::App& bench);
void add_bench_gpu(CLI::App& bench);

}  // namespace riemflow::app
