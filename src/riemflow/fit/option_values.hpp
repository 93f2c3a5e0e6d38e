#pragma once
// Where the options of a fit come from: a preset, a configuration file, the run that is resumed, the caller;
// each overrides those before it. On the way they are texts by the names of the options.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "riemflow/fit/fit_options.hpp"

namespace riemflow {

using Values = std::map<std::string, std::string>;

/// All that are set, each in its shortest form; of epochs and iterations the one in force.
Values values_of(const FitOptions& options);
/// The defaults with these. Throws Error.
FitOptions options_of(const Values& values);
/// Throws Error, naming the option.
void set_value(FitOptions& options, const std::string& name, const std::string& value);
/// Equal values are equal texts. Throws Error where it is none.
std::string canonical(const std::string& name, const std::string& value);

/// Of words such as "width=64 depth=3".
Values values_in(std::string_view words);

/// Throws Error if values of one source cannot all be meant; `where` begins the message.
void refuse_contradictions(const Values& values, const std::string& where);

/// Whether it changes what a fit computes: what a model records, and what must be as it was to resume.
bool is_recorded(std::string_view name);
/// Recorded, and yet free to differ when a run is resumed.
bool may_change(std::string_view name);
/// Whether it describes one model and its training, and not data or running.
bool is_of_one_model(std::string_view name);

/// Throws Error for a name that is none.
Values preset_values(const std::string& name);
/// The presets, by name.
std::vector<std::string> preset_names();

/// What an objective has for defaults of its own, below every other source.
Values objective_values(const std::string& objective);

/// Of a configuration in TOML: lines such as width = 64. `name` stands for the text in messages. Throws
/// Error(Fault::configuration) with name:line:column.
Values values_of_toml(std::string_view text, const std::string& name);
/// The same of a file. Throws Error(Fault::no_input) too.
Values values_of_file(const std::string& path);
/// As a configuration file, with each option's help.
std::string to_toml(const Values& values);

/// `lower` with what `upper` sets; epochs and iterations replace each other.
Values overridden(Values lower, const Values& upper);

}  // namespace riemflow
