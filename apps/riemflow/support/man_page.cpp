#include <fmt/format.h>

#include <span>
#include <utility>

#include "apps/riemflow/support/manual_pages.hpp"
#include "riemflow/core/version.hpp"

namespace riemflow::app {
namespace {

/// The number of the UTF-8 character at `i`, which moves to its last byte.
unsigned code_point(std::string_view text, std::size_t& i) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const int more = byte(i) >= 0xf0 ? 3 : byte(i) >= 0xe0 ? 2 : 1;
  unsigned code = byte(i) & (0x3fu >> more);
  for (int k = 0; k < more && i + 1 < text.size(); ++k) code = code << 6 | (byte(++i) & 0x3fu);
  return code;
}

/// Characters that roff would obey, and those that not every device of troff has: … ‖ λ ∫ ∇ ².
constexpr std::pair<unsigned, std::string_view> kSpelled[] = {
    {'\\', "\\e"},      {'-', "\\-"},     {'^', "\\(ha"},    {'~', "\\(ti"},
    {'`', "\\(ga"},     {'\'', "\\(aq"},  {0x2026, "..."},   {0x2016, "||"},
    {0x03bb, "lambda"}, {0x222b, "int "}, {0x2207, "grad "}, {0x00b2, "\\(ha2"}};

std::string spelled(unsigned code) {
  for (const auto& [known, text] : kSpelled)
    if (known == code) return std::string(text);
  return code < 0x80 ? std::string(1, static_cast<char>(code)) : fmt::format("\\[u{:04X}]", code);
}

/// As roff: a hyphen that can be copied, no line that is taken for a request, ASCII alone.
std::string roff(std::string_view text) {
  std::string result;
  bool starts_line = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (starts_line && (c == '.' || c == '\'')) result += "\\&";
    starts_line = c == '\n';
    result += spelled(static_cast<unsigned char>(c) < 0x80 ? static_cast<unsigned>(c) : code_point(text, i));
  }
  return result;
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }

std::string option_entry(const OptionInfo& option) {
  std::string names;
  for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + bold(name);
  std::string text = fmt::format(
      ".TP\n{}{}\n{}", names,
      option.type.empty() || option.argument ? "" : " \\fI" + roff(option.type) + "\\fR", roff(option.help));
  if (!option.initial.empty()) text += fmt::format(" (unless given: {})", roff(option.initial));
  return text + ".\n";
}

/// Text with its line breaks.
std::string verbatim(std::string_view text) { return fmt::format(".PP\n.nf\n{}\n.fi\n", roff(text)); }

std::string entries(std::span<const Entry> list) {
  std::string text;
  for (const Entry& entry : list) text += fmt::format(".TP\n{}\n{}\n", bold(entry.name), roff(entry.text));
  return text;
}

}  // namespace

std::string man_page(const CommandInfo& top) {
  std::string text = fmt::format(
      ".TH RIEMFLOW 1 \"\" \"riemflow {}\" \"User Commands\"\n.SH NAME\nriemflow \\- {}\n.SH SYNOPSIS\n"
      "{} \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n{}\n.PP\n{} lists the commands, {} says what "
      "one does.\n"
      ".SH COMMANDS\n",
      kVersion, roff(top.help), bold("riemflow"), roff(kConventions), bold("riemflow --help"),
      bold("riemflow COMMAND --help"));
  for_each_command(top, [&](const CommandInfo& command) {
    if (&command == &top || !command.commands.empty()) return;
    text += fmt::format(".SS {}\n{}.\n", roff(command.usage()), roff(command.help));
    for (const OptionInfo& option : command.options) text += option_entry(option);
    if (!command.footer.empty()) text += verbatim(command.footer);
  });
  text += ".SH EXIT STATUS\n" + entries(kExitCodes);
  text += ".SH ENVIRONMENT\n" + entries(kEnvironment);
  return text;
}

}  // namespace riemflow::app
