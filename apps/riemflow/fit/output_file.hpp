#pragma once
// Whether a model can be written where it is to go: said before the training, not after.

#include <string>

namespace riemflow::app {

/// Throws Error(Fault::cannot_write) if the path cannot be written, and leaves what is there as it is.
void require_writable(const std::string& path);

/// Throws Error(Fault::cannot_write) unless it is a file or nothing yet: checkpoints replace each other.
void require_file(const std::string& path);

}  // namespace riemflow::app
