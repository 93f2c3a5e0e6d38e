#include <sstream>

#include "riemflow/core/error.hpp"
#include "riemflow/kernel/learned_kernels.hpp"

extern const unsigned char riemflow_kernel_network[];
extern const std::size_t riemflow_kernel_network_size;

namespace riemflow {

const KernelNetwork& universal_kernel_network() {
  static const KernelNetwork network = [] {
    KernelNetwork read = LearnedKernels::network(0);
    std::istringstream text(
        {reinterpret_cast<const char*>(riemflow_kernel_network), riemflow_kernel_network_size});
    text.imbue(std::locale::classic());
    for (double& parameter : read.parameters())
      require(static_cast<bool>(text >> parameter), "data/kernel_network.txt has too few numbers",
              "make it anew with experiments/kernel_network", Fault::internal);
    return read;
  }();
  return network;
}

}  // namespace riemflow
