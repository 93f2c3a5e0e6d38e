#pragma once
// What a command reads and writes, for require_safe (io/output_guard.hpp), which every command with an output
// calls before it begins.

#include "apps/riemflow/support/data.hpp"
#include "riemflow/core/machine.hpp"
#include "riemflow/io/output_guard.hpp"

namespace riemflow::app {

/// --force
CLI::Option* add_force(CLI::App& command, bool& force);

/// The file that is read; of an embedded data set, and where no data are given, without a path.
InputFile input_of(const DataFile& data, const std::string& role = "DATA");

/// -o, of the kind that its name says.
OutputFile output_named(const std::string& path);

/// Throws Error(Fault::cannot_write).
void create_folder(const std::string& directory);

/// --note, which may be given several times.
void add_notes(CLI::App& command, std::vector<std::string>& notes);
/// Throws Error(Fault::usage) unless each is KEY=VALUE.
Notes notes_of(const std::vector<std::string>& texts);

/// Throws Error(Fault::numerical) if there are any.
void refuse_failed_runs(std::size_t failed, std::size_t runs);

}  // namespace riemflow::app
