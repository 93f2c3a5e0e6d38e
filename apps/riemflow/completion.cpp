#include <fmt/format.h>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/support/command_tree.hpp"
#include "apps/riemflow/support/options.hpp"

namespace riemflow::app {
namespace {

/// For any of the shells: in single quotes, on one line.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'')
      result += "'\\''";
    else
      result += c == '\n' ? ' ' : c;
  }
  return result + "'";
}

/// fish has its own way to put a quote between quotes.
std::string quoted_for_fish(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + "'";
}

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

/// What a value may be: words, and @file, @dir or @any.
std::string values_of(const OptionInfo& option) {
  std::vector<std::string> words = option.choices;
  if (option.file) words.push_back("@file");
  if (option.folder) words.push_back("@dir");
  if (words.empty()) words.push_back("@any");
  return joined(words);
}

/// _riemflow_value COMMAND OPTION|NUMBER: $values = what follows the option, or stands as argument NUMBER
/// from 1; empty if it takes nothing. The same for bash and zsh.
std::string value_function(const CommandInfo& top) {
  std::string text = "_riemflow_value() {\n  case \"$1:$2\" in\n";
  for_each_command(top, [&](const CommandInfo& command) {
    int number = 0;
    for (const OptionInfo& option : command.options) {
      if (option.type.empty()) continue;
      std::string names;
      if (option.argument)
        names = fmt::format("'{}:{}'", command.path, ++number);
      else
        for (const std::string& name : option.names)
          names += fmt::format("{}'{}:{}'", names.empty() ? "" : "|", command.path, name);
      text += fmt::format("    {}) values={} ;;\n", names, quoted(values_of(option)));
    }
  });
  return text + "    *) values= ;;\n  esac\n}\n";
}

/// $at = the command that words[i..last−1] lead to, $number = that of the argument at the cursor. The names
/// of the variables keep clear of those that zsh gives a meaning: path, options, commands.
constexpr const char* kWalk = R"(  at=riemflow number=1
  while [ "$i" -lt "$last" ]; do
    word=${words[$i]}
    case "$at $word" in
      @PATHS@) at="$at $word" ;;
      *)
        case $word in
          -*=*) ;;
          -*)
            _riemflow_value "$at" "$word"
            [ -z "$values" ] || i=$((i + 1)) ;;
          *) number=$((number + 1)) ;;
        esac ;;
    esac
    i=$((i + 1))
  done
)";

std::string walk(const CommandInfo& top) {
  std::string paths;
  for_each_command(top, [&](const CommandInfo& command) {
    if (&command != &top) paths += fmt::format("{}'{}'", paths.empty() ? "" : "|", command.path);
  });
  std::string text = kWalk;
  return text.replace(text.find("@PATHS@"), 7, paths);
}

std::string bash(const CommandInfo& top) {
  std::string text =
      "# bash completion of riemflow, written by `riemflow completion bash`\n" + value_function(top);
  text += "_riemflow_words() {\n  case $1 in\n";
  for_each_command(top, [&](const CommandInfo& command) {
    std::vector<std::string> options = {"--help"}, commands;
    for (const OptionInfo& option : command.options)
      if (!option.argument) options.insert(options.end(), option.names.begin(), option.names.end());
    for (const CommandInfo& below : command.commands) commands.push_back(below.name);
    text += fmt::format("    {}) flags={} verbs={} ;;\n", quoted(command.path), quoted(joined(options)),
                        quoted(joined(commands)));
  });
  text += R"(  esac
}
_riemflow() {
  local at number word values flags verbs i=1
  local -a words=("${COMP_WORDS[@]}")
  local last=$COMP_CWORD current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  # --option=value comes as three words
  if [ "$current" = "=" ]; then current=""; elif [ "$before" = "=" ]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi
)";
  text += walk(top);
  text += R"(  _riemflow_words "$at"
  values=
  case $before in -*) _riemflow_value "$at" "$before" ;; esac
  if [ -z "$values" ]; then
    case $current in
      -*) values=$flags ;;
      *) values=$verbs; [ -n "$values" ] || _riemflow_value "$at" "$number" ;;
    esac
  fi
  local -a found=()
  for word in $values; do
    case $word in
      @file) compopt -o filenames 2>/dev/null; mapfile -t -O "${#found[@]}" found < <(compgen -f -- "$current") ;;
      @dir) compopt -o filenames 2>/dev/null; mapfile -t -O "${#found[@]}" found < <(compgen -d -- "$current") ;;
      @any) ;;
      "$current"*) found+=("$word") ;;
    esac
  done
  COMPREPLY=("${found[@]}")
}
complete -F _riemflow riemflow
)";
  return text;
}

std::string zsh(const CommandInfo& top) {
  std::string text =
      "#compdef riemflow\n# zsh completion of riemflow, written by `riemflow completion zsh`\n" +
      value_function(top);
  const auto described = [](const std::string& name, const std::string& help) {
    return quoted(name + ":" + help);
  };
  text += "_riemflow_words() {\n  case $1 in\n";
  for_each_command(top, [&](const CommandInfo& command) {
    std::string options = described("--help", "Print this help message and exit"), commands;
    for (const OptionInfo& option : command.options)
      if (!option.argument)
        for (const std::string& name : option.names) options += " " + described(name, option.help);
    for (const CommandInfo& below : command.commands)
      commands += (commands.empty() ? "" : " ") + described(below.name, below.help);
    text += fmt::format("    {}) flags=({}) verbs=({}) ;;\n", quoted(command.path), options, commands);
  });
  text += R"(  esac
}
_riemflow() {
  local at number word values before i=2 last=$CURRENT
  local -a flags verbs
)";
  text += walk(top);
  text += R"(  _riemflow_words "$at"
  values= before=${words[CURRENT-1]}
  case ${words[CURRENT]} in
    --*=*) before=${words[CURRENT]%%=*}; compset -P 1 '*=' ;;
  esac
  case $before in -*) _riemflow_value "$at" "$before" ;; esac
  if [ -z "$values" ]; then
    case ${words[CURRENT]} in
      -*) _describe option flags; return ;;
    esac
    if [ ${#verbs} -gt 0 ]; then _describe command verbs; return; fi
    _riemflow_value "$at" "$number"
  fi
  for word in ${=values}; do
    case $word in
      @file) _files ;;
      @dir) _files -/ ;;
      @any) ;;
      *) compadd -- "$word" ;;
    esac
  done
}
if [ "$funcstack[1]" = _riemflow ]; then _riemflow "$@"; else compdef _riemflow riemflow; fi
)";
  return text;
}

std::string fish(const CommandInfo& top) {
  std::string paths;
  for_each_command(top, [&](const CommandInfo& command) {
    if (&command != &top) paths += " " + quoted_for_fish(command.path);
  });
  std::string text = fmt::format(R"(# fish completion of riemflow, written by `riemflow completion fish`
function __riemflow_at
    set -l path riemflow
    for word in (commandline -opc)[2..-1]
        if contains -- "$path $word"{}
            set path "$path $word"
        end
    end
    test "$path" = "$argv[1]"
end
complete -c riemflow -f
)",
                                 paths);
  for_each_command(top, [&](const CommandInfo& command) {
    const std::string here =
        fmt::format("complete -c riemflow -n {}", quoted_for_fish("__riemflow_at \"" + command.path + "\""));
    for (const CommandInfo& below : command.commands)
      text += fmt::format("{} -a {} -d {}\n", here, below.name, quoted_for_fish(below.help));
    text += fmt::format("{} -s h -l help -d 'Print this help message and exit'\n", here);
    for (const OptionInfo& option : command.options) {
      text += here;
      for (const std::string& name : option.names) {
        if (option.argument) continue;
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (option.file || option.folder) text += " -F";
      if (!option.argument && !option.type.empty()) text += option.file || option.folder ? " -r" : " -x";
      if (!option.choices.empty()) text += " -a " + quoted_for_fish(joined(option.choices));
      if (!option.argument) text += " -d " + quoted_for_fish(option.help);
      text += "\n";
    }
  });
  return text;
}

}  // namespace

void add_completion(CLI::App& app) {
  auto* command =
      app.add_subcommand("completion", "Print completions of commands and options for your shell");
  auto shell = std::make_shared<std::string>();
  add_choice(*command, "SHELL", *shell, {"bash", "zsh", "fish"}, "The shell")->required();
  command->footer(
      "Examples:\n"
      "  source <(riemflow completion bash)                                      # this bash\n"
      "  riemflow completion zsh > ~/.zfunc/_riemflow                            # a folder of $fpath\n"
      "  riemflow completion fish > ~/.config/fish/completions/riemflow.fish");
  command->callback([shell, &app] {
    const CommandInfo top = describe(app);
    fmt::print("{}", *shell == "bash" ? bash(top) : *shell == "zsh" ? zsh(top) : fish(top));
  });
}

}  // namespace riemflow::app
