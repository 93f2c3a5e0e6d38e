#include "riemflow/core/cancel.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "riemflow/core/executor.hpp"

namespace riemflow {
namespace {

TEST(Cancel, ScopesNestAndEnd) {
  EXPECT_NO_THROW(give_up_if_asked());
  {
    const CancelScope outer([] { return true; });
    EXPECT_THROW(give_up_if_asked(), Cancelled);
    {
      const CancelScope whole({});
      EXPECT_NO_THROW(give_up_if_asked());
    }
    EXPECT_THROW(give_up_if_asked(), Cancelled);
  }
  EXPECT_NO_THROW(give_up_if_asked());
}

TEST(Cancel, ThreadsThatWorkForACallerStopWithIt) {
  for (const int threads : {1, 3}) {
    Executor executor(threads);
    std::atomic<int> done = 0;
    {
      const CancelScope scope([&] { return done >= 10; });
      EXPECT_THROW(executor.run(10000, [&](std::size_t, int) { ++done; }), Cancelled);
      EXPECT_GE(done, 10);
      EXPECT_LE(done, 10 + threads);
      // Inside a piece, in whichever thread.
      done = 0;
      EXPECT_THROW(executor.run(static_cast<std::size_t>(threads),
                                [&](std::size_t, int) {
                                  for (;;) {
                                    ++done;
                                    give_up_if_asked();
                                  }
                                }),
                   Cancelled);
    }
    done = 0;
    executor.run(100, [&](std::size_t, int) { ++done; });
    EXPECT_EQ(done, 100);
  }
}

}  // namespace
}  // namespace riemflow
