#include "riemflow/core/thread_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

TEST(ThreadPool, EveryPieceOnceWithAWorkerInRange) {
  for (int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    ASSERT_EQ(pool.size(), threads);
    for (std::size_t pieces : {0u, 1u, 2u, 7u, 1000u}) {
      std::vector<std::atomic<int>> count(pieces);
      std::atomic<bool> in_range = true;
      pool.run(pieces, [&](std::size_t piece, int worker) {
        ++count[piece];
        if (worker < 0 || worker >= threads) in_range = false;
      });
      for (auto& c : count) EXPECT_EQ(c, 1);
      EXPECT_TRUE(in_range);
    }
  }
}

TEST(ThreadPool, AWorkerIsNeverInTwoPiecesAtOnce) {
  ThreadPool pool(4);
  std::vector<std::atomic<int>> inside(4);
  std::atomic<bool> clash = false;
  pool.run(2000, [&](std::size_t, int worker) {
    if (++inside[static_cast<std::size_t>(worker)] != 1) clash = true;
    --inside[static_cast<std::size_t>(worker)];
  });
  EXPECT_FALSE(clash);
}

TEST(ThreadPool, AnExceptionArrivesAndThePoolLivesOn) {
  ThreadPool pool(3);
  for (int round = 0; round < 20; ++round) {
    EXPECT_THROW(pool.run(100,
                          [](std::size_t piece, int) {
                            if (piece == 17) throw std::runtime_error("17");
                          }),
                 std::runtime_error);
    std::atomic<int> count = 0;
    pool.run(50, [&](std::size_t, int) { ++count; });
    EXPECT_EQ(count, 50);
  }
}

TEST(ThreadPool, NumberOfThreads) {
  EXPECT_GE(ThreadPool(0).size(), 1);
  EXPECT_THROW(ThreadPool(-1), Error);
  EXPECT_THROW(ThreadPool(1000000), Error);
}

}  // namespace
}  // namespace riemflow
