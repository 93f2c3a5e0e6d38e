#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/support/options.hpp"
#include "riemflow/core/simd/kernels.hpp"
#include "riemflow/core/version.hpp"
#include "riemflow/flow/cuda_flow.hpp"

namespace riemflow::app {

void add_version(CLI::App& app) {
  auto* command = app.add_subcommand(
      "version", "Print the version, the SIMD instruction set in use, the cores and whether there is a GPU");
  auto json = std::make_shared<bool>(false);
  add_json(*command, *json);
  command->callback([json] {
    const auto available = simd::available_instruction_sets();
    const std::string why_not = why_not_cuda(FlowConfig{});
    if (*json) {
      const nlohmann::json out = {{"version", kVersion},
                                  {"gpu", why_not.empty()},
                                  {"simd", simd::instruction_set()},
                                  {"simd_available", available},
                                  {"cores", std::thread::hardware_concurrency()}};
      fmt::print("{}\n", out.dump(2));
      return;
    }
    std::string others;
    for (const std::string& name : available) others += (others.empty() ? "" : " ") + name;
    fmt::print("riemflow {}\nsimd     {} (of {}; RIEMFLOW_SIMD chooses)\ncores    {}\ngpu      {}\n",
               kVersion, simd::instruction_set(), others, std::thread::hardware_concurrency(),
               why_not.empty() ? "there for --device cuda" : "none: " + why_not);
  });
}

}  // namespace riemflow::app
