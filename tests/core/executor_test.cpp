#include "riemflow/core/executor.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

TEST(Executor, EveryPieceOnceWithAWorkerInRange) {
  for (int threads : {1, 2, 3, 8}) {
    Executor executor(threads);
    ASSERT_EQ(executor.size(), threads);
    for (std::size_t pieces : {0u, 1u, 2u, 7u, 1000u}) {
      std::vector<std::atomic<int>> count(pieces);
      std::atomic<bool> in_range = true;
      executor.run(pieces, [&](std::size_t piece, int worker) {
        ++count[piece];
        if (worker < 0 || worker >= threads) in_range = false;
      });
      for (auto& c : count) EXPECT_EQ(c, 1);
      EXPECT_TRUE(in_range);
    }
  }
}

TEST(Executor, PiecesOfARangeMakeItUp) {
  Executor executor(3);
  for (Executor* const one : {&executor, static_cast<Executor*>(nullptr)})
    for (const std::size_t n : {0u, 1u, 63u, 64u, 65u, 1000u}) {
      std::vector<std::atomic<int>> count(n);
      in_pieces(one, n, 64, [&](std::size_t begin, std::size_t end) {
        EXPECT_EQ(begin % 64, 0u);
        EXPECT_EQ(end, std::min(n, begin + 64));
        for (std::size_t i = begin; i < end; ++i) ++count[i];
      });
      for (auto& c : count) EXPECT_EQ(c, 1);
    }
}

TEST(Executor, AWorkerIsNeverInTwoPiecesAtOnce) {
  Executor executor(4);
  std::vector<std::atomic<int>> inside(4);
  std::atomic<bool> clash = false;
  executor.run(2000, [&](std::size_t, int worker) {
    if (++inside[static_cast<std::size_t>(worker)] != 1) clash = true;
    --inside[static_cast<std::size_t>(worker)];
  });
  EXPECT_FALSE(clash);
}

TEST(Executor, AnExceptionArrivesAndThePoolLivesOn) {
  Executor executor(3);
  for (int round = 0; round < 20; ++round) {
    EXPECT_THROW(executor.run(100,
                              [](std::size_t piece, int) {
                                if (piece == 17) throw std::runtime_error("17");
                              }),
                 std::runtime_error);
    std::atomic<int> count = 0;
    executor.run(50, [&](std::size_t, int) { ++count; });
    EXPECT_EQ(count, 50);
  }
}

int threads_of_process() {
  int n = 0;
  for ([[maybe_unused]] const auto& task : std::filesystem::directory_iterator("/proc/self/task")) ++n;
  return n;
}

// A executor of nine members asks for as many threads as one of them.
TEST(Executor, AllPoolsShareTheThreadsOfTheProcess) {
  Executor first(3);
  const int before = threads_of_process();
  std::vector<std::unique_ptr<Executor>> members;
  for (int m = 0; m < 9; ++m) members.push_back(std::make_unique<Executor>(3));
  EXPECT_EQ(threads_of_process(), before);
  for (const auto& member : members) {
    std::mutex mutex;
    std::set<std::thread::id> seen;
    member->run(300, [&](std::size_t, int worker) {
      EXPECT_LT(worker, 3);
      const std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    });
    EXPECT_LE(seen.size(), 3u);
  }
  EXPECT_EQ(threads_of_process(), before);
}

TEST(Executor, WorkMayRunPiecesAndSeveralThreadsMayCall) {
  Executor outer(3), inner(2);
  std::atomic<int> count = 0;
  outer.run(20, [&](std::size_t, int) { inner.run(10, [&](std::size_t, int) { ++count; }); });
  EXPECT_EQ(count, 200);
  std::vector<std::jthread> callers;
  for (int c = 0; c < 4; ++c)
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) outer.run(10, [&](std::size_t, int) { ++count; });
    });
  callers.clear();
  EXPECT_EQ(count, 2200);
}

TEST(Executor, NumberOfThreads) {
  EXPECT_GE(Executor(0).size(), 1);
  EXPECT_THROW(Executor(-1), Error);
  EXPECT_THROW(Executor(1000000), Error);
}

}  // namespace
}  // namespace riemflow
