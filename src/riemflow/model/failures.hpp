#pragma once
// Points whose computation failed: counted, the first few named.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "riemflow/flow/ode/status.hpp"

namespace riemflow {

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

}  // namespace riemflow
