#include "apps/riemflow/support/outputs.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "riemflow/io/data_sets.hpp"

namespace riemflow::app {

CLI::Option* add_force(CLI::App& command, bool& force) {
  return command.add_flag(
      "--force", force,
      "Replace a file that is of another kind than what is written; what is read is never "
      "replaced");
}

InputFile input_of(const DataFile& data, const std::string& role) {
  std::error_code ignored;
  const auto sets = known_data_sets();
  const bool is_set =
      std::any_of(sets.begin(), sets.end(), [&](const KnownData& set) { return set.name == data.path; });
  if (!is_set || std::filesystem::exists(data.path, ignored)) return {role, data.path};
  const auto found = look_for_data_set(data.path, data.data_dir);
  return {role, found ? found->path : ""};
}

OutputFile output_named(const std::string& path) { return {"-o", path, kind_of_name(path)}; }

}  // namespace riemflow::app
