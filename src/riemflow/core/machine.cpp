#include "riemflow/core/machine.hpp"

#include <fmt/format.h>

#include <fstream>
#include <thread>

namespace riemflow {

std::string machine_name() {
  std::string model = "unknown processor";
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (!line.starts_with("model name") || colon == line.npos) continue;
    model = line.substr(colon + 2);
    break;
  }
  const unsigned cores = std::thread::hardware_concurrency();
  return fmt::format("{}, {} core{}", model, cores, cores == 1 ? "" : "s");
}

}  // namespace riemflow
