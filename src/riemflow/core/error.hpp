#pragma once
// Misuse throws at the public door, with advice. Numerical failure is not misuse: it is a returned status
// (ode/status.hpp).

#include <stdexcept>
#include <string>

namespace riemflow {

/// Something the caller asked for cannot be done. `what()` says what was wrong; `advice()` what to do.
class Error : public std::runtime_error {
 public:
  Error(const std::string& problem, std::string advice)
      : std::runtime_error(problem + "; " + advice), advice_(std::move(advice)) {}
  const std::string& advice() const { return advice_; }

 private:
  std::string advice_;
};

/// Throws Error unless `condition` holds.
inline void require(bool condition, const std::string& problem, const std::string& advice) {
  if (!condition) throw Error(problem, advice);
}

}  // namespace riemflow
