#pragma once
// Each command adds itself to the command line; its work is its callback. It says what went wrong by throwing
// Error, and ends with another exit code than 0, after having said all there is to say, by throwing Exit.

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace riemflow::app {

struct Exit {
  int code;
};

/// A new command below `app`, and its options, which live as long as it does; run(options) is its work.
template <class Options>
std::pair<CLI::App&, Options&> add_command(CLI::App& app, const char* name, const char* help,
                                           void (*run)(const Options&)) {
  CLI::App* command = app.add_subcommand(name, help);
  auto options = std::make_shared<Options>();
  command->callback([options, run] { run(*options); });
  return {*command, *options};
}

/// What the command line `riemflow WORDS…` does; its exit code.
int run_command(const std::vector<std::string>& words);

void add_demo(CLI::App& app);
void add_fit(CLI::App& app);
void add_pool(CLI::App& app);
void add_compare(CLI::App& app);
void add_score(CLI::App& app);
void add_sample(CLI::App& app);
void add_trajectories(CLI::App& app);
void add_grid(CLI::App& app);
void add_plot(CLI::App& app);
void add_prob(CLI::App& app);
void add_report(CLI::App& app);
void add_check(CLI::App& app);
void add_info(CLI::App& app);
void add_data_command(CLI::App& app);
void add_reproduce(CLI::App& app);
void add_bench(CLI::App& app);
void add_completion(CLI::App& app);
void add_manual(CLI::App& app);
void add_version(CLI::App& app);

}  // namespace riemflow::app
