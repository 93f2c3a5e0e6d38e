#include "apps/riemflow/support/command_tree.hpp"

#include <algorithm>

#include "apps/riemflow/support/data.hpp"
#include "riemflow/core/text.hpp"
#include "riemflow/io/data_sets.hpp"

namespace riemflow::app {
namespace {

/// CLI11 puts what a validator says after a colon, with the type again: "FLOAT:FLOAT in [0 - 1]".
std::string type_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t colon = type.find(':');
  return colon == type.npos ? type : type.substr(colon + 1);
}

OptionInfo describe(const CLI::Option& option) {
  OptionInfo info;
  info.argument = option.get_positional() && !option.nonpositional();
  if (info.argument) info.names = {option.get_name(true)};
  for (const std::string& name : option.get_snames()) info.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) info.names.push_back("--" + name);
  info.help = option.get_description();
  info.group = option.get_group();
  info.required = option.get_required();
  if (option.get_items_expected_max() == 0) return info;  // a flag
  info.type = type_of(option);
  info.initial = option.get_default_str();
  info.folder = info.type == "DIR";
  info.file = info.type == "FILE" || info.type == "MODEL" || info.type == kDataType;
  if (info.type == kDataType) {
    for (const KnownData& known : known_data_sets()) info.choices.emplace_back(known.name);
  } else if (info.type.find('|') != info.type.npos) {
    for (const std::string_view word : split(info.type, [&](std::size_t i) { return info.type[i] == '|'; }))
      info.choices.emplace_back(word);
  }
  return info;
}

CommandInfo describe(const CLI::App& app, const std::string& above) {
  CommandInfo info;
  info.name = app.get_name();
  info.path = above.empty() ? info.name : above + " " + info.name;
  info.help = app.get_description();
  info.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty() && option != app.get_help_ptr())
      info.options.push_back(describe(*option));
  std::stable_partition(info.options.begin(), info.options.end(),
                        [](const OptionInfo& option) { return option.argument; });
  for (const CLI::App* command : app.get_subcommands({}))
    if (!command->get_group().empty()) info.commands.push_back(describe(*command, info.path));
  return info;
}

}  // namespace

std::string CommandInfo::usage() const {
  std::string text = path;
  if (!commands.empty()) return text + " COMMAND …";
  for (const OptionInfo& option : options)
    if (option.argument) text += option.required ? " " + option.names[0] : " [" + option.names[0] + "]";
  for (const OptionInfo& option : options)
    if (!option.argument && option.required) text += " " + option.names[0] + " " + option.type;
  const bool more = std::any_of(options.begin(), options.end(), [](const OptionInfo& option) {
    return !option.argument && !option.required;
  });
  return more ? text + " [OPTIONS]" : text;
}

CommandInfo describe(const CLI::App& app) { return describe(app, ""); }

}  // namespace riemflow::app
