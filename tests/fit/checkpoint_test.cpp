#include "riemflow/fit/checkpoint.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>

#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

FlowConfig small() {
  FlowConfig config;
  config.field.width = 3;
  config.field.depth = 1;
  return config;
}

/// A state with a different number everywhere, also those that JSON could not hold.
template <class T>
FitState<T> odd_state(std::size_t size, bool average) {
  FitState<T> state;
  const auto ramp = [&](double first) {
    std::vector<T> values(size);
    for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<T>(first + 0.1 * static_cast<double>(i));
    return values;
  };
  state.parameters = ramp(1);
  state.best_parameters = ramp(2);
  state.trainer.adam = {7, ramp(3), ramp(4)};
  if (average) state.trainer.average = {8, ramp(5)};
  state.trainer.iteration = 9;
  state.trainer.first_step = 0.1;
  state.progress = {10,
                    1.0 / 3,
                    std::numeric_limits<double>::infinity(),
                    std::numeric_limits<double>::quiet_NaN(),
                    11,
                    13.5,
                    1e-3,
                    12,
                    13,
                    false};
  state.validations_since_best = 14;
  return state;
}

template <class T>
Model model_with(const FitState<T>& state) {
  const Flow<T> flow(small(), 1, 1);
  Model model = make_model(flow);
  model.state = state_tensors(state);
  return model_from_tensors(parse_safetensors(serialise(model_to_tensors(model)), "m"), "m");
}

template <class T>
class Checkpoint : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Checkpoint, Precisions);

TYPED_TEST(Checkpoint, ComesBackBitForBit) {
  using T = TypeParam;
  const std::size_t size = Flow<T>(small(), 1, 1).parameters().size();
  for (bool average : {false, true}) {
    const FitState<T> before = odd_state<T>(size, average);
    const FitState<T> after = fit_state<T>(model_with(before));
    // The tensors are all of a state: equal tensors, equal states.
    EXPECT_EQ(state_tensors(before), state_tensors(after));
    EXPECT_EQ(after.parameters, before.parameters);
    EXPECT_EQ(after.best_parameters, before.best_parameters);
    EXPECT_EQ(after.trainer.adam.mean, before.trainer.adam.mean);
    EXPECT_EQ(after.trainer.adam.square, before.trainer.adam.square);
    EXPECT_EQ(after.trainer.average.average, before.trainer.average.average);
    EXPECT_EQ(after.trainer.iteration, 9);
    EXPECT_EQ(after.trainer.first_step, 0.1);
    EXPECT_EQ(after.trainer.adam.steps, 7);
    EXPECT_EQ(after.trainer.average.steps, average ? 8 : 0);
    const FitProgress& p = after.progress;
    EXPECT_EQ(p.iteration, 10);
    EXPECT_EQ(p.loss, 1.0 / 3);
    EXPECT_TRUE(std::isinf(p.validation));
    EXPECT_TRUE(std::isnan(p.best));
    EXPECT_EQ(p.best_iteration, 11);
    EXPECT_EQ(p.evaluations, 13.5);
    EXPECT_EQ(p.rate, 1e-3);
    EXPECT_EQ(p.skipped, 12);
    EXPECT_EQ(p.failed_points, 13);
    EXPECT_EQ(after.validations_since_best, 14);
  }
}

TEST(Checkpoint, RefusesADamagedState) {
  const std::size_t size = Flow<float>(small(), 1, 1).parameters().size();
  const Model good = model_with(odd_state<float>(size, true));
  ASSERT_TRUE(has_state(good));
  const auto refused = [&](const std::string& name, const std::function<void(Tensor&)>& change) {
    Model model = good;
    for (Tensor& tensor : model.state)
      if (tensor.name == name) change(tensor);
    try {
      fit_state<float>(model);
      ADD_FAILURE() << name << " was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::bad_data);
    }
  };
  for (const Tensor& tensor : good.state) {
    refused(tensor.name, [](Tensor& t) { t.name = "state.other"; });
    refused(tensor.name, [](Tensor& t) { t.dtype = t.dtype == DType::F32 ? DType::F64 : DType::F32; });
    if (tensor.name != "state.average")
      refused(tensor.name, [](Tensor& t) { t.bytes.resize(t.bytes.size() - item_size(t.dtype)); });
  }
  const auto number = [](std::size_t i, double value) {
    return [=](Tensor& t) { std::memcpy(t.bytes.data() + 8 * i, &value, 8); };
  };
  refused("state.numbers", number(0, -1));
  refused("state.numbers", number(0, 1.5));
  refused("state.numbers", number(4, std::numeric_limits<double>::quiet_NaN()));
  refused("state.numbers", number(4, 1e300));
  refused("state.numbers", [](Tensor& t) { t.bytes.resize(t.bytes.size() + 8); });
  refused("state.parameters", [](Tensor& t) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::memcpy(t.bytes.data(), &nan, 4);
  });
  EXPECT_THROW(fit_state<double>(good), Error);
  Model none = good;
  none.state.clear();
  EXPECT_FALSE(has_state(none));
  EXPECT_THROW(fit_state<float>(none), Error);
}

}  // namespace
}  // namespace riemflow
