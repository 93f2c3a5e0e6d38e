#pragma once
// Where settings come from: a preset, a configuration file, the run that is resumed, the command line; each
// overrides those before it. Settings travel as text by the long names of their options.

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace riemflow::app {

using Values = std::map<std::string, std::string>;

/// What the user gave on the command line.
Values given_values(const CLI::App& app);
/// All settings as they are now, numbers in their shortest form. Options without a value are left out.
Values effective_values(const CLI::App& app);

/// Throws Error if settings of one source cannot all be meant; `where` begins the message.
void refuse_contradictions(const Values& values, const std::string& where);

/// Whether a setting describes one model and its training, and not data or running.
bool is_of_one_model(const CLI::App& app, const std::string& name);

/// Throws Error for a name that is none.
Values preset_values(const std::string& name);
/// The presets, by name.
std::vector<std::string> preset_names();

/// What an objective has for defaults of its own, below every other source.
Values objective_values(const std::string& objective);

/// Of the file, whose names are checked against the options of `app` and whose values by check(name, value),
/// which throws Error. Throws Error: no_input, configuration with file:line.
Values values_of_file(const std::string& path, const CLI::App& app,
                      const std::function<void(const std::string&, const std::string&)>& check);

/// `lower` with what `upper` sets; --epochs and --iterations replace each other.
Values overridden(Values lower, const Values& upper);

/// The options take these values. Throws Error(Fault::configuration).
void set_values(CLI::App& app, const Values& values);

/// As a configuration file, with each option's help.
std::string to_toml(const CLI::App& app, const Values& values);

}  // namespace riemflow::app
