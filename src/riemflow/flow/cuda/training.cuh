#pragma once
// Training that stays on the GPU: a stretch of steps, by likelihood or flow matching, recorded and played.

#include "riemflow/core/executor.hpp"
#include "riemflow/flow/flow_matching.hpp"
#include "riemflow/flow/cuda/host_draws.cuh"
#include "riemflow/flow/cuda/paths.cuh"
#include "riemflow/flow/cuda/recording.cuh"
#include "riemflow/flow/cuda/update.cuh"
#include "riemflow/flow/cuda/workspace.cuh"
#include "riemflow/flow/resident.hpp"

namespace riemflow::cuda {

/// What a flow is made of, as the training needs it; it belongs to the flow.
struct FlowParts {
  const FlowConfig& config;
  const VectorField<float>& field;
  const Distribution<float>& base;
  bool uniform_base;
  std::vector<float>& parameters;
  Workspace& work;

  int jets() const { return jets_of(config, field.manifold()); }
};

/// The group of flow matching in device memory, where its mean velocities are known.
class DeviceEnds {
 public:
  void upload(const FlowParts& flow, const Points<float>& group);
  /// Replaces the targets of a step by mean velocities, where there is a group.
  void run(const Problem& problem, const float* points, const float* times, float* targets, cudaStream_t stream) const;
  const Ends& ends() const { return ends_; }

 private:
  Ends ends_{};
  DeviceArray<float> values_;
};

class Training final : public ResidentTraining<float> {
 public:
  explicit Training(FlowParts flow);
  std::vector<ResidentOutcome> train(const ResidentSteps<float>& steps, ResidentState<float> state) override;

 private:
  Update make_update(const ResidentSteps<float>& steps, const ResidentState<float>& state, const Problem& problem);

  FlowParts flow_;
  Executor executor_;
  DeviceEnds ends_;
  DeviceArray<float> parameters_, mean_, square_, average_, offsets_;
  DeviceArray<std::uint32_t> picks_;
  DeviceArray<double> rates_, squares_;
  DeviceArray<Carry> carry_;
  DeviceArray<ResidentOutcome> outcomes_;
  Recording stretch_;
};

}  // namespace riemflow::cuda
