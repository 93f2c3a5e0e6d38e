// make_model PATH KEY=VALUE…: a model file with random parameters, for the tests of the tool.
//   manifold=sphere:2  strength=2  tolerance=1e-5  precision=float  divergence=exact  evaluations=10000
//   width=16  depth=2  seed=1  state=no  metadata.NAME=…
// strength: the parameters are that many times those a training begins with; 0 is the base itself. state=yes:
// a tensor that is none of a training's.

#include <cstdio>
#include <map>
#include <string>

#include "riemflow/core/error.hpp"
#include "riemflow/model/model_file.hpp"

namespace {

using namespace riemflow;
using Settings = std::map<std::string, std::string>;
constexpr std::string_view kMetadata = "metadata.";

template <class T>
void make(const std::string& path, Settings& settings) {
  FlowConfig config;
  config.manifold = settings["manifold"];
  config.field.width = std::stoi(settings["width"]);
  config.field.depth = std::stoi(settings["depth"]);
  config.solver.rtol = config.solver.atol = std::stod(settings["tolerance"]);
  config.solver.max_evaluations = std::stoi(settings["evaluations"]);
  if (settings["divergence"] == "hutchinson") config.divergence.estimator = DivergenceEstimator::hutchinson;
  Flow<T> flow(config, std::stoull(settings["seed"]), 1);
  for (T& p : flow.parameters()) p *= static_cast<T>(std::stod(settings["strength"]));
  Model model = make_model(flow);
  model.metadata["riemflow_version"] = "test";
  model.metadata["seed"] = settings["seed"];
  for (const auto& [key, value] : settings)
    if (key.starts_with(kMetadata)) model.metadata[key.substr(kMetadata.size())] = value;
  if (settings["state"] == "yes") {
    const std::vector<T> numbers = {1, 2, 3};
    model.state.push_back(make_tensor<T>("state.numbers", {3}, numbers));
  }
  save_model(path, model);
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings = {{"manifold", "sphere:2"}, {"strength", "2"},       {"tolerance", "1e-5"},
                       {"precision", "float"},   {"divergence", "exact"}, {"evaluations", "10000"},
                       {"width", "16"},          {"depth", "2"},          {"seed", "1"},
                       {"state", "no"}};
  if (argc < 2) {
    std::fprintf(stderr, "usage: make_model PATH [KEY=VALUE…]\n");
    return 2;
  }
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    if (equals == word.npos || !(settings.contains(key) || key.starts_with(kMetadata))) {
      std::fprintf(stderr, "make_model: %s is no setting\n", argv[i]);
      return 2;
    }
    settings[key] = word.substr(equals + 1);
  }
  try {
    settings["precision"] == "double" ? make<double>(argv[1], settings) : make<float>(argv[1], settings);
  } catch (const Error& error) {
    std::fprintf(stderr, "make_model: %s\n", error.what());
    return static_cast<int>(error.fault());
  }
  return 0;
}
