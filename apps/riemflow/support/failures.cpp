#include "apps/riemflow/support/failures.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/support/console.hpp"
#include "riemflow/core/error.hpp"

namespace riemflow::app {

void Failures::add(const std::function<std::string()>& place, Status status) {
  if (count++ < kNamed) named.push_back({place(), status});
}

std::vector<std::string> Failures::sentences() const {
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

void add_allow_failures(CLI::App& command, bool& allowed) {
  command.add_flag("--allow-failures", allowed,
                   "Exit with 0 although some points could not be computed; they are nan in the output");
}

void end_on_failures(const Failures& failures, std::uint64_t of, const char* what, bool nan_in_output,
                     bool allowed) {
  if (failures.count == 0 || allowed) return;
  say("{} of {} {} failed{}; --allow-failures makes this no error.", failures.count, of, what,
      nan_in_output ? ", nan in the output" : "");
  finish_output();
  throw Exit{static_cast<int>(Fault::numerical)};
}

}  // namespace riemflow::app
