#pragma once
// A fit in progress inside its model file: the best parameters so far are the model's own, everything else
// that is needed to go on to the same bits is in tensors named state.….

#include "riemflow/fit/fit.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow {

/// state = the tensors of Model::state.
template <class T>
std::vector<Tensor> state_tensors(const FitState<T>& state);

bool has_state(const Model& model);

/// The inverse, from a model that was read. Throws Error(Fault::bad_data) if the state is not there, of
/// another size or precision, or cannot be one.
template <class T>
FitState<T> fit_state(const Model& model);

}  // namespace riemflow
