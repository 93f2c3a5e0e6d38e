#pragma once
// Points whose computation failed: counted, the first few named.

#include <fmt/format.h>

#include <algorithm>
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

  void add(const std::function<std::string()>& place, Status status) {
    if (count++ < kNamed) named.push_back({place(), status});
  }
  /// "quakes.csv:17: the solver …" for each that is named, how many more, and what to try.
  std::vector<std::string> sentences() const {
    std::vector<std::string> result, advice;
    for (const Named& failure : named) {
      const std::string_view text = explain(failure.status);
      const std::size_t end = text.find(';');
      result.push_back(fmt::format("{}: {}", failure.place, text.substr(0, end)));
      if (end == text.npos) continue;
      const std::string sentence = fmt::format("What to try:{}.", text.substr(end + 1));
      if (std::find(advice.begin(), advice.end(), sentence) == advice.end()) advice.push_back(sentence);
    }
    if (count > named.size()) result.push_back(fmt::format("and {} more", count - named.size()));
    result.insert(result.end(), advice.begin(), advice.end());
    return result;
  }
};

}  // namespace riemflow
