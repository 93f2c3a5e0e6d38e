#pragma once
// Misuse throws at the public door, with advice. Numerical failure is not misuse: it is a returned status
// (flow/ode/status.hpp).

#include <stdexcept>
#include <string>
#include <utility>

namespace riemflow {

/// What kind of thing went wrong; the tool's exit code.
enum class Fault {
  usage = 2,           ///< the command line cannot be understood
  bad_data = 65,       ///< a file's contents are not what they should be
  no_input = 66,       ///< a file cannot be opened or read
  internal = 70,       ///< a bug
  cannot_write = 73,   ///< a file cannot be created or written
  numerical = 75,      ///< a computation failed
  configuration = 78,  ///< settings that are out of range or contradict each other
};

/// Something the caller asked for cannot be done. `what()` says what was wrong and, after a semicolon, what
/// to do.
class Error : public std::runtime_error {
 public:
  Error(const std::string& problem, std::string advice, Fault fault = Fault::configuration)
      : std::runtime_error(problem + "; " + advice),
        problem_(problem),
        advice_(std::move(advice)),
        fault_(fault) {}
  const std::string& problem() const { return problem_; }
  const std::string& advice() const { return advice_; }
  Fault fault() const { return fault_; }

 private:
  std::string problem_, advice_;
  Fault fault_;
};

/// Throws Error unless `condition` holds.
inline void require(bool condition, const std::string& problem, const std::string& advice,
                    Fault fault = Fault::configuration) {
  if (!condition) throw Error(problem, advice, fault);
}

}  // namespace riemflow
