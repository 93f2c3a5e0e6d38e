#include "apps/riemflow/support/failures.hpp"

#include <algorithm>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/support/console.hpp"
#include "riemflow/core/error.hpp"

namespace riemflow::app {

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
