// Writes what the GPU is compared with: parameters, points, and the CPU's log-densities and gradient in
// double.
#include <cstdio>
#include <fstream>
#include <random>
#include "riemflow/engine/flow.hpp"
#include "riemflow/io/data_sets.hpp"
#include "riemflow/io/point_source.hpp"
using namespace riemflow;
template <class V>
void put(std::FILE* f, const V& v) {
  std::fwrite(v.data(), sizeof(v[0]), v.size(), f);
}
int main(int argc, char** argv) {
  // points: lat lon text, one a line
  std::ifstream in(argv[1]);
  std::vector<float> xyz;
  double lat, lon;
  while (in >> lat >> lon) {
    const double a = lat * M_PI / 180, b = lon * M_PI / 180;
    for (double c : {std::cos(a) * std::cos(b), std::cos(a) * std::sin(b), std::sin(a)})
      xyz.push_back((float)c);
  }
  const std::size_t n = xyz.size() / 3;
  FlowConfig config;
  config.solver.rtol = config.solver.atol = 1e-9;
  Flow<double> exact(config, 0, 2);
  Flow<float> flow(config, 0, 2);
  const double strength = std::atof(argv[3]);
  for (std::size_t i = 0; i < flow.parameters().size(); ++i) {
    flow.parameters()[i] *= (float)strength;
    exact.parameters()[i] = flow.parameters()[i];
  }
  Points<double> batch(400, 3);
  for (std::size_t i = 0; i < 1200; ++i) batch.values[i] = xyz[i];
  const LogProb<double> p = exact.log_prob(batch);
  std::vector<double> gradient(exact.parameters().size());
  const Loss loss = exact.nll_gradient(batch, gradient);
  std::FILE* f = std::fopen(argv[2], "wb");
  const std::int32_t header[2] = {(int)n, (int)flow.parameters().size()};
  std::fwrite(header, 4, 2, f);
  put(f, xyz);
  put(f, flow.parameters());
  put(f, p.values);
  put(f, gradient);
  std::fclose(f);
  std::printf("%zu points, %zu parameters, loss %.8f, evaluations %.1f\n", n, gradient.size(), loss.total,
              p.summary.mean_evaluations());
}
