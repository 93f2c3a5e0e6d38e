// riemflow: the command-line tool. One file a command.

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <system_error>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/options.hpp"
#include "apps/riemflow/support/signals.hpp"
#include "riemflow/core/cancel.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/core/suggest.hpp"
#include "riemflow/io/message.hpp"

namespace {

using namespace riemflow;

/// In the order of --help.
constexpr void (*kCommands[])(CLI::App&) = {
    app::add_demo,   app::add_fit,          app::add_pool,   app::add_compare,      app::add_score,
    app::add_sample, app::add_trajectories, app::add_grid,   app::add_plot,         app::add_prob,
    app::add_report, app::add_check,        app::add_info,   app::add_data_command, app::add_reproduce,
    app::add_bench,  app::add_completion,   app::add_manual, app::add_version};

int failed(const std::string& message, Fault fault) {
  std::fprintf(stderr, "riemflow: %s\n", io::printable(app::with_flags(message)).c_str());
  return static_cast<int>(fault);
}

/// ", perhaps you meant 'NAME'", or nothing.
std::string suggestion(const std::string& word, const std::vector<std::string>& names) {
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string_view nearest = nearest_name(word, known);
  return nearest.empty() ? "" : fmt::format(", perhaps you meant '{}'", nearest);
}

/// CLI11 only says that a command is missing; this says which word it did not understand. Empty if it did.
std::string unknown_command(const CLI::App& level, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : level.get_subcommands({})) names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), word) != names.end()) return "";
  return fmt::format("there is no command '{}'{}; riemflow --help lists the commands", word,
                     suggestion(word, names));
}

/// "riemflow bench iteration"
std::string full_name(const CLI::App& command) {
  return command.get_parent() == nullptr ? command.get_name()
                                         : full_name(*command.get_parent()) + " " + command.get_name();
}

/// The option of `command` that was mistyped, with the near one; empty if they are all known.
std::string unknown_option(const CLI::App& command, const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    if (!name.starts_with("--") || name == "--") continue;
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    return fmt::format("there is no option '{}'{}; {} --help lists the options", name,
                       suggestion(name, names), full_name(command));
  }
  return "";
}

int parse_and_run(const std::vector<std::string>& words) {
  CLI::App top("Probability densities on curved spaces by Riemannian continuous normalizing flows",
               "riemflow");
  top.require_subcommand(1);
  for (const auto add : kCommands) add(top);
  app::refuse_odd_numbers(top);

  const CLI::App* level = &top;
  std::size_t used = 0;
  for (; used < words.size() && !words[used].starts_with('-') && !level->get_subcommands({}).empty();
       ++used) {
    if (const std::string problem = unknown_command(*level, words[used]); !problem.empty())
      return failed(problem, Fault::usage);
    level = level->get_subcommand(words[used]);
  }
  try {
    top.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 wants them reversed
  } catch (const CLI::ExtrasError& error) {
    const std::string problem =
        unknown_option(*level, {words.begin() + static_cast<std::ptrdiff_t>(used), words.end()});
    return failed(problem.empty() ? error.what() : problem, Fault::usage);
  } catch (const CLI::Success& success) {
    return top.exit(success);  // --help
  } catch (const CLI::ParseError& error) {
    return failed(error.what(), Fault::usage);
  }
  app::finish_output();
  return 0;
}

}  // namespace

int riemflow::app::run_command(const std::vector<std::string>& words) { return parse_and_run(words); }

int main(int argc, char** argv) {
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);  // why: riemflow/flow/cuda_flow.hpp
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is an error to report, not a death
  try {
    return parse_and_run({argv + std::min(1, argc), argv + argc});
  } catch (const Error& error) {
    return failed(error.what(), error.fault());
  } catch (const app::Exit& exit) {
    return exit.code;
  } catch (const Cancelled&) {
    return app::kInterrupted;
  } catch (const std::system_error& error) {  // fmt::print's way to say that it cannot
    return failed(
        fmt::format("cannot write the output: {}; make room, or write to a file with -o", error.what()),
        Fault::cannot_write);
  } catch (const std::bad_alloc&) {
    return failed("there is not enough memory; give fewer points, or a smaller network", Fault::numerical);
  } catch (const std::exception& error) {
    return failed(fmt::format("internal error: {}", error.what()), Fault::internal);
  }
}
