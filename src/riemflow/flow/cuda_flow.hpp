#pragma once
// Flow on a GPU: the same density, in float, with the same random numbers and the same solver; step sizes are
// shared by eight points instead of sixteen, so results agree to the tolerance and not to the bit. Same seed,
// same bits, from run to run. The header is the same whether the build has CUDA or not.
//
// A program that trains several flows side by side on one GPU needs CUDA_MODULE_LOADING=EAGER in its
// environment, since a kernel that is loaded while another run records its steps makes one of the two fail,
// and is quicker with CUDA_DEVICE_MAX_CONNECTIONS=32, a queue a run instead of 8 for all. The environment is
// the program's, to be set before its first call of CUDA: the tool does so.

#include <memory>
#include <string>

#include "riemflow/flow/transport.hpp"

namespace riemflow {

/// Empty if a flow of this configuration can be computed on the GPU of this machine, else why not: the build,
/// the machine, or what the kernels do not have.
std::string why_not_cuda(const FlowConfig& config);

/// Random parameters from `seed`, those of Flow<float>. Throws Error with why_not_cuda.
std::unique_ptr<Transport<float>> make_cuda_flow(const FlowConfig& config, std::uint64_t seed);

}  // namespace riemflow
