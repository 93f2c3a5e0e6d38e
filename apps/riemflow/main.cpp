// riemflow: the command-line tool. One file a command.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "apps/riemflow/commands.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/core/suggest.hpp"

namespace {

int exit_code(riemflow::Fault fault) { return static_cast<int>(fault); }

/// CLI11 only says that a command is missing; this says which word it did not understand. Empty if it did.
std::string unknown_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), word) != names.end()) return "";
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string_view nearest = riemflow::nearest_name(word, known);
  return "there is no command '" + word + "'" +
         (nearest.empty() ? "" : ", perhaps you meant '" + std::string(nearest) + "'") +
         "; riemflow --help lists the commands";
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Probability densities on curved spaces by Riemannian continuous normalizing flows",
               "riemflow");
  app.require_subcommand(1);
  riemflow::app::add_version(app);
  riemflow::app::add_bench(app);
  const CLI::App* level = &app;
  for (int i = 1; i < argc && argv[i][0] != '-' && !level->get_subcommands({}).empty(); ++i) {
    if (const std::string problem = unknown_command(*level, argv[i]); !problem.empty()) {
      std::fprintf(stderr, "riemflow: %s\n", problem.c_str());
      return exit_code(riemflow::Fault::usage);
    }
    level = level->get_subcommand(argv[i]);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : exit_code(riemflow::Fault::usage);
  } catch (const riemflow::Error& error) {
    std::fprintf(stderr, "riemflow: %s\n", error.what());
    return exit_code(error.fault());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "riemflow: internal error: %s\n", error.what());
    return exit_code(riemflow::Fault::internal);
  }
  return 0;
}
