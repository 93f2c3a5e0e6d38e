#include "riemflow/fit/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

constexpr const char* kNumbers = "state.numbers";
constexpr double kLargestWhole = 9007199254740992.0;  // 2^53: what a double counts exactly

/// The numbers of a state in their order in the file, each by its address: one list for both directions.
template <class T, class Visit>
void each_number(FitState<T>& state, Visit&& visit) {
  const auto each = [&](auto&... numbers) { (visit(numbers), ...); };
  TrainerState<T>& trainer = state.trainer;
  FitProgress& p = state.progress;
  each(trainer.iteration, trainer.first_step, trainer.adam.steps, trainer.average.steps);
  each(p.iteration, p.loss, p.validation, p.best, p.best_iteration, p.evaluations, p.rate, p.skipped);
  each(p.failed_points, state.validations_since_best, state.matched);
}

template <class T, class Visit>
void each_vector(FitState<T>& state, Visit&& visit) {
  visit("state.parameters", state.parameters);
  visit("state.best_parameters", state.best_parameters);
  visit("state.adam.mean", state.trainer.adam.mean);
  visit("state.adam.square", state.trainer.adam.square);
  visit("state.average", state.trainer.average.average);
}

[[noreturn]] void refuse(const Model& model, const std::string& problem) {
  throw Error(fmt::format("{}: {}", model.path, problem), "start anew without ‹resume›", Fault::bad_data);
}

const Tensor& tensor_of(const Model& model, const std::string& name) {
  for (const Tensor& tensor : model.state)
    if (tensor.name == name) return tensor;
  refuse(model, fmt::format("it has no {}, so its training cannot go on", name));
}

}  // namespace

bool has_state(const Model& model) {
  return std::any_of(model.state.begin(), model.state.end(),
                     [](const Tensor& tensor) { return tensor.name == kNumbers; });
}

template <class T>
std::vector<Tensor> state_tensors(const FitState<T>& state) {
  FitState<T> copy = state;
  std::vector<Tensor> tensors;
  each_vector(copy, [&](const char* name, std::vector<T>& values) {
    tensors.push_back(make_tensor<T>(name, {values.size()}, values));
  });
  std::vector<double> numbers;
  each_number(copy, [&](auto& number) { numbers.push_back(static_cast<double>(number)); });
  tensors.push_back(make_tensor<double>(kNumbers, {numbers.size()}, numbers));
  return tensors;
}

template <class T>
FitState<T> fit_state(const Model& model) {
  FitState<T> state;
  each_vector(state, [&](const char* name, std::vector<T>& values) {
    values = values_of<T>(tensor_of(model, name));
  });
  const std::vector<double> numbers = values_of<double>(tensor_of(model, kNumbers));
  std::size_t used = 0;
  each_number(state, [&](auto& number) {
    if (used == numbers.size()) refuse(model, fmt::format("{} has {} numbers, too few", kNumbers, used));
    const double value = numbers[used++];
    if constexpr (std::is_integral_v<std::decay_t<decltype(number)>>) {
      if (!(value >= 0 && value <= kLargestWhole && value == std::floor(value)))
        refuse(model, fmt::format("{}[{}] is {}, no count", kNumbers, used - 1, value));
      number = static_cast<std::decay_t<decltype(number)>>(value);
    } else {
      number = value;
    }
  });
  if (used != numbers.size())
    refuse(model, fmt::format("{} has {} numbers, too many", kNumbers, numbers.size()));
  const std::size_t size = state.parameters.size(), average = state.trainer.average.average.size();
  if (state.best_parameters.size() != size || state.trainer.adam.mean.size() != size ||
      state.trainer.adam.square.size() != size || (average != 0 && average != size))
    refuse(model, "the tensors of its state have different sizes");
  for (const T value : state.parameters)
    if (!std::isfinite(value)) refuse(model, "the parameters of its state are not finite");
  return state;
}

template std::vector<Tensor> state_tensors(const FitState<float>&);
template std::vector<Tensor> state_tensors(const FitState<double>&);
template FitState<float> fit_state(const Model&);
template FitState<double> fit_state(const Model&);

}  // namespace riemflow
