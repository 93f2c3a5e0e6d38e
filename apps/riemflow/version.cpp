#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <thread>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/support/options.hpp"
#include "riemflow/core/simd/kernels.hpp"

namespace riemflow::app {

void add_version(CLI::App& app) {
  auto* command =
      app.add_subcommand("version", "Print the version, the SIMD instruction set in use and the cores");
  auto json = std::make_shared<bool>(false);
  add_json(*command, *json);
  command->callback([json] {
    const auto available = simd::available_instruction_sets();
    if (*json) {
      const nlohmann::json out = {{"version", RIEMFLOW_VERSION},
                                  {"simd", simd::instruction_set()},
                                  {"simd_available", available},
                                  {"cores", std::thread::hardware_concurrency()}};
      fmt::print("{}\n", out.dump(2));
      return;
    }
    std::string others;
    for (const std::string& name : available) others += (others.empty() ? "" : " ") + name;
    fmt::print("riemflow {}\nsimd     {} (of {}; RIEMFLOW_SIMD chooses)\ncores    {}\n", RIEMFLOW_VERSION,
               simd::instruction_set(), others, std::thread::hardware_concurrency());
  });
}

}  // namespace riemflow::app
