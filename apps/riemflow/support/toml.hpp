#pragma once
// Flat TOML: lines `key = value`, comments and blank lines. Values are strings ("…" with escapes, '…'
// without), numbers and booleans. No tables and no arrays: a configuration has none, and what is not
// understood is refused.

#include <string>
#include <string_view>
#include <vector>

namespace riemflow::app {

struct TomlEntry {
  std::string key, value;  ///< a string without its quotes, anything else as it stands
  int line;                ///< from 1
};

/// `name` stands for the text in messages. Throws Error(Fault::configuration) with name:line:column.
std::vector<TomlEntry> parse_toml(std::string_view text, const std::string& name);

/// A value as it stands in a file: numbers and booleans bare, anything else quoted.
std::string toml_value(const std::string& value);

}  // namespace riemflow::app
