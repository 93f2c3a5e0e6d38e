#include "apps/riemflow/support/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "riemflow/core/error.hpp"
#include "riemflow/io/data_sets.hpp"

namespace riemflow::app {

CLI::Option* add_force(CLI::App& command, bool& force) {
  return command.add_flag(
      "--force", force,
      "Replace a file that is of another kind than what is written; what is read is never replaced");
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

void create_folder(const std::string& directory) {
  std::error_code code;
  std::filesystem::create_directories(directory, code);
  require(!code, fmt::format("cannot create the directory {}: {}", directory, code.message()),
          "name another one with --directory", Fault::cannot_write);
}

void add_notes(CLI::App& command, std::vector<std::string>& notes) {
  add_text(command, "--note", notes, "KEY=VALUE",
           "Something for the header of the results, such as commit=abc123")
      ->allow_extra_args(false);
}

Notes notes_of(const std::vector<std::string>& texts) {
  Notes notes;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    require(equals != text.npos && equals > 0, fmt::format("the note '{}' has no name", text),
            "give it as KEY=VALUE", Fault::usage);
    notes.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return notes;
}

void refuse_failed_runs(std::size_t failed, std::size_t runs) {
  require(failed == 0, fmt::format("{} of {} runs failed, and are not in the table", failed, runs),
          "the messages above say why; the same command tries them again", Fault::numerical);
}

}  // namespace riemflow::app
