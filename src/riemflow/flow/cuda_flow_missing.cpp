// In place of flow/cuda/ where the build has no CUDA.

#include "riemflow/core/error.hpp"
#include "riemflow/flow/cuda_flow.hpp"

namespace riemflow {

std::string why_not_cuda(const FlowConfig&) {
  return "this riemflow was built without CUDA (build it where nvcc is, with -DRIEMFLOW_CUDA=ON)";
}

std::unique_ptr<Transport<float>> make_cuda_flow(const FlowConfig& config, std::uint64_t) {
  throw Error("no GPU: " + why_not_cuda(config), "use ‹device› cpu");
}

}  // namespace riemflow
