#pragma once
// Options that several commands share, declared once.

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "riemflow/io/read_options.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow::app {

/// An option whose value, a text or several, is of a type that help and completions name: "FILE", "LAT,LON".
template <class T>
CLI::Option* add_text(CLI::App& command, const std::string& flag, T& value, const std::string& type,
                      const std::string& help) {
  return command.add_option(flag, value, help)->type_name(type);
}

/// An option whose value is a number from `least` to `most`.
template <class T, class Bound>
CLI::Option* add_ranged(CLI::App& command, const std::string& flag, T& value, Bound least, Bound most,
                        const std::string& help) {
  return command.add_option(flag, value, help)->capture_default_str()->check(CLI::Range(least, most));
}

/// An option whose value is a number of things as people write it, 1000000 or 1e6: a whole one from `least`
/// to `most` ≤ 2^53; anything else is refused with the range.
CLI::Option* add_count(CLI::App& command, const std::string& flag, std::uint64_t& value, std::uint64_t least,
                       std::uint64_t most, const std::string& help);

/// An option whose value is one of `names`; a misspelt one gets the near name suggested.
CLI::Option* add_choice(CLI::App& command, const std::string& flag, std::string& value,
                        const std::vector<std::string>& names, const std::string& help);

/// Of `app` and all commands below it, the options that take a number refuse what is none, NaN and
/// infinities, and numbers below 0 where they are unsigned. CLI11 takes NaN for a number of any range, and -1
/// for 2^64 - 1.
void refuse_odd_numbers(CLI::App& app);

/// The option refuses a text for which `parse` throws Error.
CLI::Option* check_by(CLI::Option* option, std::function<void(const std::string&)> parse);

/// --json
CLI::Option* add_json(CLI::App& command, bool& json);

/// --device
CLI::Option* add_device(CLI::App& command, Device& device);

/// --threads, 0 for one a core; refuses more than make sense on this machine.
CLI::Option* add_threads(CLI::App& command, int& threads);

/// How a data file is to be read: --columns, --units, --skip-invalid, --format, as a fit has them. The
/// manifold is a model's, or an option of its own.
void add_reading(CLI::App& command, ReadOptions& reading);

/// --weights, the column of what each point counts, for commands that make means of points.
void add_weights(CLI::App& command, ReadOptions& reading);

/// A model file and how it is evaluated: the positional MODEL, --tolerance, --threads,
/// --device.
struct ModelChoice {
  std::string path;
  double tolerance = 0;  ///< 0: the model's own
  int threads = 0;
  Device device = Device::cpu;
  operator Evaluation() const { return {tolerance, threads, device}; }
};
void add_model(CLI::App& command, ModelChoice& choice);
/// --tolerance and --threads alone.
void add_evaluation(CLI::App& command, ModelChoice& choice);

}  // namespace riemflow::app
