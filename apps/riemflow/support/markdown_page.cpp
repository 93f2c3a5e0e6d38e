#include <fmt/format.h>

#include <span>

#include "apps/riemflow/support/manual_pages.hpp"

namespace riemflow::app {
namespace {

/// In a cell of a table, and nowhere taken for HTML.
std::string cell(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '|')
      result += "\\|";
    else if (c == '<')
      result += "&lt;";
    else
      result += c == '\n' ? ' ' : c;
  }
  return result;
}

std::string code(std::string_view text) { return text.empty() ? "" : "`" + cell(text) + "`"; }

std::string option_row(const OptionInfo& option) {
  std::string names;
  for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + code(name);
  return fmt::format("| {} | {} | {} | {} |\n", names, code(option.type),
                     option.required ? "required" : code(option.initial), cell(option.help));
}

/// Text in paragraphs; what follows a line "Example(s):" is code.
std::string footer(std::string_view text) {
  const std::size_t example = text.find("Example");
  const std::string_view prose = text.substr(0, std::min(example, text.size()));
  std::string result;
  if (!prose.empty()) {
    result += "\n";
    result += prose.substr(0, prose.find_last_not_of('\n') + 1);
    result += "\n";
  }
  if (example == text.npos) return result;
  const std::size_t line = text.find('\n', example);
  if (line == text.npos) return result;
  result += "\n";
  std::string_view rest = text.substr(line + 1);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view command = rest.substr(0, end);
    command.remove_prefix(std::min(command.find_first_not_of(' '), command.size()));
    result += command.empty() ? "\n" : fmt::format("    {}\n", command);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return result;
}

std::string entries(const char* title, const char* head, std::span<const Entry> list) {
  std::string text = fmt::format("\n## {}\n\n| {} | |\n|---|---|\n", title, head);
  for (const Entry& entry : list) text += fmt::format("| {} | {} |\n", code(entry.name), cell(entry.text));
  return text;
}

}  // namespace

std::string markdown_page(const CommandInfo& top) {
  std::string text = fmt::format(
      "# riemflow: the commands\n\nWritten by `scripts/docs` from the tool's own options; the same as a man "
      "page: `riemflow manual man`.\n\n{}\n\n| command | does |\n|---|---|\n",
      kConventions);
  for (const CommandInfo& command : top.commands)
    text += fmt::format("| [{}](#riemflow-{}) | {} |\n", command.name, command.name, cell(command.help));
  for_each_command(top, [&](const CommandInfo& command) {
    if (&command == &top) return;
    text += fmt::format("\n## {}\n\n{}.\n\n    {}\n", command.path, command.help, command.usage());
    if (!command.options.empty()) text += "\n| option | value | unless given | what |\n|---|---|---|---|\n";
    for (const OptionInfo& option : command.options) text += option_row(option);
    text += footer(command.footer);
  });
  text += entries("Exit status", "code", kExitCodes);
  text += entries("Environment", "variable", kEnvironment);
  return text;
}

}  // namespace riemflow::app
