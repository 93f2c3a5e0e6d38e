// The flows of the default fit, as they are saved.

#include "riemflow/fit/pool_flow.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <string_view>
#include <thread>

#include "riemflow/core/random.hpp"

namespace riemflow {
namespace {

TEST(PoolFlow, IsSavedWithTheToleranceOfEvaluationWhereNoStepOfTuningFits) {
  PoolFlow job{"ball:2", Points<float>(8, 2), Points<float>(8, 2), 1, 1, Device::cpu};
  Random random(1, Purpose::test, 0, 0);
  for (Points<float>* points : {&job.training, &job.held_out})
    for (float& x : points->values) x = static_cast<float>(0.5 * (random.uniform() - 0.5));
  const double seconds = 1;
  const auto start = std::chrono::steady_clock::now();
  const std::optional<Model> model =
      fit_pool_flow(job, seconds, [&](const char* stage, const FitProgress& p, long steps) {
        // Time for nothing but the look at what a step of tuning takes.
        if (std::string_view(stage) == "flow matching" && p.iteration == steps)
          std::this_thread::sleep_until(start + std::chrono::duration<double>(seconds - 5e-3));
        return true;
      });
  ASSERT_TRUE(model.has_value());
  EXPECT_EQ(model->config.solver.rtol, 1e-5);
  EXPECT_EQ(model->config.solver.atol, 1e-5);
}

}  // namespace
}  // namespace riemflow
