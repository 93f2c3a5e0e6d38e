#pragma once
// The command line as data: what completions and the manual are made of. Options are declared once, where
// they are read.

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace riemflow::app {

struct OptionInfo {
  std::vector<std::string> names;    ///< "-o", "--output"; of an argument, its one name: "MODEL"
  std::string type;                  ///< "FILE", "INT in [2 - 1000000]", "csv|tsv"; empty for a flag
  std::vector<std::string> choices;  ///< words that it may be
  std::string initial;               ///< what it is unless given; empty where that is nothing
  std::string help, group;
  bool argument = false;  ///< stands by its place
  bool required = false;
  bool file = false, folder = false;
};

struct CommandInfo {
  std::string path;  ///< "riemflow bench iteration"
  std::string name, help, footer;
  std::vector<OptionInfo> options;  ///< arguments first, in their order; without --help
  std::vector<CommandInfo> commands;

  /// "riemflow score [OPTIONS] MODEL DATA"
  std::string usage() const;
};

/// Of `app` and all below it. Hidden ones are left out.
CommandInfo describe(const CLI::App& app);

/// visit(command) for it and all below, those above first.
template <class Visit>
void for_each_command(const CommandInfo& command, const Visit& visit) {
  visit(command);
  for (const CommandInfo& below : command.commands) for_each_command(below, visit);
}

}  // namespace riemflow::app
