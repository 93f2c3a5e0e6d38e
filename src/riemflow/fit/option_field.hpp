#pragma once
// An option of a fit as data: what the tool's flags, configuration files, documentation and other languages
// are made from. Texts name other options as ‹name› (core/setting.hpp).

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "riemflow/fit/fit_options.hpp"

namespace riemflow {

/// What a value is made of; a flag is true or false.
enum class OptionKind { flag, whole, natural, real, choice, text };

struct OptionField {
  std::string name;  ///< "time-limit"
  std::string group, help;
  OptionKind kind;
  std::string type;  ///< for people: "INT", "FLOAT in [0 - 1]", "NAME", or the choices with | between
  std::vector<std::string> choices;  ///< of a choice
  std::string initial;               ///< the default, as text() gives it; empty: none

  /// Of the options, the shortest text that reads back as the same; empty where a text is not set.
  std::function<std::string(const FitOptions&)> text;
  /// Throws Error where it is no such value, in words that do not repeat the option's name.
  std::function<void(FitOptions&, const std::string&)> set;
};

/// All of them, in the order of their groups.
const std::vector<OptionField>& option_fields();
/// Null where there is none.
const OptionField* option_field(std::string_view name);

}  // namespace riemflow
