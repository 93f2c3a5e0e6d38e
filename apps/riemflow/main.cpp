// riemflow: the command-line tool. One file a command.

#include <CLI/CLI.hpp>
#include <cstdio>

#include "apps/riemflow/commands.hpp"
#include "riemflow/core/error.hpp"

int main(int argc, char** argv) {
  CLI::App app("Probability densities on curved spaces by Riemannian continuous normalizing flows", "riemflow");
  app.require_subcommand(1);
  riemflow::app::add_version(app);
  riemflow::app::add_bench(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? riemflow::app::kExitOk : riemflow::app::kExitUsage;
  } catch (const riemflow::Error& error) {
    std::fprintf(stderr, "riemflow: %s\n", error.what());
    return riemflow::app::kExitConfiguration;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "riemflow: internal error: %s\n", error.what());
    return riemflow::app::kExitInternal;
  }
  return riemflow::app::kExitOk;
}
