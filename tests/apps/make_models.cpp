// make_models FOLDER: model files for the tests of the tool.

#include <cstdio>
#include <nlohmann/json.hpp>

#include "riemflow/core/error.hpp"
#include "riemflow/engine/flow.hpp"
#include "riemflow/io/model_file.hpp"

namespace {

using namespace riemflow;

FlowConfig small(const std::string& manifold) {
  FlowConfig config;
  config.manifold = manifold;
  config.field.width = 16;
  config.field.depth = 2;
  config.solver.rtol = config.solver.atol = 1e-4;
  return config;
}

/// A flow whose field is `scale` times the random one: 0 is the base itself.
template <class T>
Model model(const FlowConfig& config, T scale) {
  Flow<T> flow(config, 1, 1);
  for (T& parameter : flow.parameters()) parameter *= scale;
  Model result = make_model(flow);
  result.metadata["seed"] = "1";
  result.metadata["data_name"] = "nothing";
  result.metadata["riemflow_version"] = "0.1.0";
  return result;
}

void write_models(const std::string& folder) {
  const auto path = [&](const char* name) { return folder + "/" + name + ".safetensors"; };
  save_model(path("uniform"), model<float>(small("sphere:2"), 0));
  save_model(path("sphere"), model<float>(small("sphere:2"), 1.5f));
  save_model(path("sphere_double"), model<double>(small("sphere:2"), 1.5));
  save_model(path("torus"), model<float>(small("torus:2"), 1.5f));
  save_model(path("ball"), model<float>(small("ball:2"), 1));
  save_model(path("product"), model<double>(small("sphere:2 x torus:1"), 1));

  // Some of its points need more evaluations than it allows.
  FlowConfig hasty = small("sphere:2");
  hasty.solver.rtol = hasty.solver.atol = 1e-6;
  hasty.solver.max_evaluations = 40;
  save_model(path("hasty"), model<float>(hasty, 1.8f));

  FlowConfig noisy = small("sphere:2");
  noisy.divergence.estimator = DivergenceEstimator::hutchinson;
  save_model(path("noisy"), model<float>(noisy, 1.5f));

  // What a stranger may have written into a file.
  Model hostile = model<float>(small("sphere:2"), 1);
  hostile.metadata["data_name"] = "\x1b[2Jcleared\a\n" + std::string(300, 'x');
  hostile.metadata["bell\a"] = "ring\r\nring";
  hostile.metadata["provenance"] = nlohmann::json{
      {"command", "riemflow \x1b[31mfit"},
      {"iterations", 300},
      {"scores", {{"test_nll", 0.5}}},
      {"list", {1, 2}}}.dump();
  const std::vector<float> numbers = {1, 2, 3};
  hostile.state.push_back(make_tensor<float>("state.adam.m", {3}, numbers));
  save_model(path("hostile"), hostile);
  Model broken = model<float>(small("sphere:2"), 1);
  broken.metadata["provenance"] = "{not json";
  save_model(path("broken_provenance"), broken);
  broken.metadata["provenance"] = std::string(100000, '[') + std::string(100000, ']');
  save_model(path("deep_provenance"), broken);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_models FOLDER\n");
    return 2;
  }
  try {
    write_models(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_models: %s\n", error.what());
    return 1;
  }
}
