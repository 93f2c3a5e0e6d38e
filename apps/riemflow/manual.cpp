#include <fmt/format.h>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/support/manual_pages.hpp"
#include "apps/riemflow/support/options.hpp"

namespace riemflow::app {

void add_manual(CLI::App& app) {
  auto* command =
      app.add_subcommand("manual", "Print this tool's manual, which is made from the options themselves");
  auto format = std::make_shared<std::string>();
  add_choice(*command, "FORMAT", *format, {"man", "markdown"}, "A page for man, or Markdown")->required();
  command->footer("Examples:\n  riemflow manual man | man -l -\n  riemflow manual markdown > cli.md");
  command->callback([format, &app] {
    const CommandInfo top = describe(app);
    fmt::print("{}", *format == "man" ? man_page(top) : markdown_page(top));
  });
}

}  // namespace riemflow::app
