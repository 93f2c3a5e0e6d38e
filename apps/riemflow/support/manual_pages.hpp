#pragma once
// The manual of a command line, from its description.

#include <string>

#include "apps/riemflow/support/command_tree.hpp"

namespace riemflow::app {

/// For man(1): roff of the man macros, ASCII.
std::string man_page(const CommandInfo& top);

/// For docs/cli.md.
std::string markdown_page(const CommandInfo& top);

}  // namespace riemflow::app
