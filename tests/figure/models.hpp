#pragma once
// Models whose densities are known in closed form, and what an observer was told.

#include <string>
#include <vector>

#include "riemflow/core/task_observer.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow {

/// One round kernel (kernel/kernels.hpp): on the sphere a von Mises–Fisher density of κ = 1/h².
inline Model kernel_at(const std::string& manifold, const std::vector<double>& centre, double bandwidth) {
  Points<double> centres(1, static_cast<int>(centre.size()));
  centres.values = centre;
  Model model = make_model(manifold, KernelParameters{centres, {1}, {bandwidth}, {}, 1e-9});
  model.path = "folder/one.model";
  return model;
}

/// A flow with random parameters, `strength` times those that a training begins with.
inline Model some_flow(const std::string& manifold, double strength = 1, int evaluations = 10'000,
                       double tolerance = 1e-4) {
  FlowConfig config;
  config.manifold = manifold;
  config.field.width = 16;
  config.field.depth = 2;
  config.solver.rtol = config.solver.atol = tolerance;
  config.solver.max_evaluations = evaluations;
  Flow<float> flow(config, 1, 1);
  for (float& p : flow.parameters()) p *= static_cast<float>(strength);
  return make_model(flow);
}

/// Keeps what is said; cancels when it is told to.
struct Listener : TaskObserver {
  std::vector<std::string> sentences;
  bool cancel = false;
  void say(const std::string& sentence) override { sentences.push_back(sentence); }
  bool cancelled() const override { return cancel; }
};

}  // namespace riemflow
