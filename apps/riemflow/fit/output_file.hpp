#pragma once
// Where the model of a fit goes. Until the fit has ended, what there is of it is in NAME.model.partial, a
// model like any other, so that a finished model is replaced by a finished one alone. Whether both can be
// written is said before the training, not after.

#include <string>

#include "riemflow/model/model_file.hpp"

namespace riemflow::app {

/// "quakes.model.partial" of "quakes.model".
std::string partial_path(const std::string& path);

/// The model of a fit that has ended, in one step; what there was of it goes.
void save_finished(const std::string& path, const Model& model);

/// Throws Error(Fault::cannot_write) unless the model and what there will be of it can be written, each a
/// file or nothing yet. Both are left as they are.
void require_place(const std::string& path);

/// Throws Error(Fault::cannot_write) if the path cannot be written, and leaves what is there as it is.
void require_writable(const std::string& path);

/// The same, and where it is neither a file nor nothing yet.
void require_writable_file(const std::string& path);

}  // namespace riemflow::app
