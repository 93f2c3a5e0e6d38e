#pragma once
// Points whose computation failed: counted, the first few named.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "riemflow/flow/ode/status.hpp"

namespace CLI {
class App;
}

namespace riemflow::app {

struct Failures {
  static constexpr std::size_t kNamed = 10;
  struct Named {
    std::string place;
    Status status;
  };
  std::vector<Named> named;
  std::uint64_t count = 0;

  void add(const std::function<std::string()>& place, Status status);
  /// "quakes.csv:17: the solver …" for each that is named, how many more, and what to try.
  std::vector<std::string> sentences() const;
};

/// --allow-failures
void add_allow_failures(CLI::App& command, bool& allowed);

/// Ends the command with Fault::numerical, after saying so, if there is a failure and it is not allowed.
/// what: "points", "draws".
void end_on_failures(const Failures& failures, std::uint64_t of, const char* what, bool nan_in_output,
                     bool allowed);

}  // namespace riemflow::app
