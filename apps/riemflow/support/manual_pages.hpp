#pragma once
// The manual of a command line, from its description.

#include <string>
#include <string_view>

#include "apps/riemflow/support/command_tree.hpp"

namespace riemflow::app {

/// For man(1): roff of the man macros, ASCII.
std::string man_page(const CommandInfo& top);

/// For docs/cli.md.
std::string markdown_page(const CommandInfo& top);

// What both say beside the options.

struct Entry {
  std::string_view name, text;
};

inline constexpr std::string_view kConventions =
    "Results go to standard output, messages to standard error. A file that is written is complete or not "
    "there: after a failure the one that was there before is as it was.";

inline constexpr Entry kExitCodes[] = {
    {"0", "fine"},
    {"2", "the command line cannot be understood"},
    {"65", "a file's contents are not what they should be"},
    {"66", "a file cannot be opened or read"},
    {"70", "a bug in riemflow"},
    {"73", "a file cannot be created or written"},
    {"75", "a computation failed; the message names the points"},
    {"78", "settings that are out of range or contradict each other"},
    {"130", "interrupted"},
};

inline constexpr Entry kEnvironment[] = {
    {"RIEMFLOW_DATA", "Folder of the paper's data sets, as --data-dir."},
    {"RIEMFLOW_SIMD",
     "Instruction set to use: avx512, avx2, sse4 or scalar; the best there is unless given."},
};

}  // namespace riemflow::app
