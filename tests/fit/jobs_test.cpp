#include "riemflow/fit/jobs.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <set>
#include <thread>

#include "riemflow/core/cancel.hpp"
#include "riemflow/core/error.hpp"
#include "tests/fit/temporary_file.hpp"

namespace riemflow {
namespace {

/// Keeps what it is told, and from which threads.
struct JobWitness : TaskObserver {
  std::vector<std::string> sentences;
  std::set<std::thread::id> threads;
  std::atomic<bool> stop = false;

  void say(const std::string& sentence) override {
    sentences.push_back(sentence);
    threads.insert(std::this_thread::get_id());
  }
  void task(double done, double of, const char*) override {
    EXPECT_GE(done, 0);
    EXPECT_LE(done, of);
    threads.insert(std::this_thread::get_id());
  }
  bool cancelled() const override { return stop; }
};

const std::vector<Cell> kCells = {{"short", 1}, {"long", 10}, {"longer", 20}};

Json square(const Job& job) { return {{"value", job.seed * job.seed}}; }

TEST(Jobs, AreSeedBySeedTheLongestFirstWithoutThoseThatAreDone) {
  Results results("", "test", false);
  results.add("long", 3, {{"value", 1}});
  std::string order;
  for (const Job& job : jobs_left(kCells, results, {3, 4}))
    order += job.cell + std::to_string(job.seed) + " ";
  EXPECT_EQ(order, "longer3 short3 longer4 long4 short4 ");
}

TEST(Jobs, AreAllDoneWhateverRunsSideBySide) {
  for (const int side_by_side : {1, 3, 8}) {
    Results results("", "test", false);
    JobWitness witness;
    const auto jobs = jobs_left(kCells, results, {0, 3});
    EXPECT_TRUE(work_off(jobs, square, side_by_side, results, witness).empty());
    std::vector<double> values;  // by their seeds, whichever was done first
    for (const Json* run : results.runs_of("long")) values.push_back((*run)["value"].get<double>());
    EXPECT_EQ(values, (std::vector<double>{0, 1, 4, 9}));
    EXPECT_EQ(results.values("short", "seconds").size(), 4u);
    ASSERT_EQ(witness.sentences.size(), 12u);
    EXPECT_TRUE(witness.sentences.back().starts_with("12/12  ")) << witness.sentences.back();
    EXPECT_EQ(witness.threads, std::set{std::this_thread::get_id()});
  }
}

TEST(Jobs, ThatFailAreSaidAndLeftOutAndTheOthersGoOn) {
  Results results("", "test", false);
  JobWitness witness;
  const auto failed = work_off(
      jobs_left(kCells, results, {0, 1}),
      [](const Job& job) {
        require(job.cell != "long" || job.seed == 0, "it broke", "mend it", Fault::numerical);
        return square(job);
      },
      2, results, witness);
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0].job.cell, "long");
  EXPECT_EQ(failed[0].job.seed, 1u);
  EXPECT_EQ(failed[0].problem, "it broke; mend it");
  EXPECT_TRUE(results.has("long", 0));
  EXPECT_FALSE(results.has("long", 1));
  EXPECT_TRUE(results.has("short", 1));
  EXPECT_EQ(witness.sentences.size(), 6u);
}

TEST(Jobs, ThatAreCancelledLeaveWhatWasDone) {
  Results results("", "test", false);
  JobWitness witness;
  int begun = 0;
  const auto failed = work_off(
      jobs_left(kCells, results, {0, 1}),
      [&](const Job& job) {
        if (++begun < 3) return square(job);
        witness.stop = true;
        give_up_if_asked();
        return Json();
      },
      1, results, witness);
  EXPECT_TRUE(failed.empty());
  EXPECT_EQ(begun, 3);
  EXPECT_TRUE(results.has("longer", 0) && results.has("long", 0));
  EXPECT_FALSE(results.has("short", 0));
}

TEST(Jobs, OfAnotherProcessAreTakenInAndNotDoneAgain) {
  const TemporaryFile file("jobs");
  Results ours(file.path, "test", false);
  const auto jobs = jobs_left(kCells, ours, {0, 0});
  Results(file.path, "test", false).add("short", 0, {{"value", 77}});
  JobWitness witness;
  int done = 0;
  work_off(
      jobs, [&](const Job& job) { return ++done, square(job); }, 1, ours, witness);
  EXPECT_EQ(done, 2);
  EXPECT_EQ(ours.values("short", "value"), std::vector<double>{77});
  EXPECT_TRUE(witness.sentences.back().ends_with("another process has done it"));
  const Results read(file.path, "test", false);
  for (const Cell& cell : kCells) EXPECT_TRUE(read.has(cell.name, 0)) << cell.name;
  EXPECT_THROW(Results(file.path, "other", false), Error);
  EXPECT_THROW(Results(file.path, "test", true), Error);
}

TEST(Jobs, EndWhereAResultCannotBeWritten) {
  Results results("/nowhere/at/all.json", "test", false);
  JobWitness witness;
  int done = 0;
  EXPECT_THROW(work_off(
                   jobs_left(kCells, results, {0, 9}), [&](const Job& job) { return ++done, square(job); }, 1,
                   results, witness),
               Error);
  EXPECT_EQ(done, 1);
}

TEST(Results, IntervalsAreOfTheMean) {
  const Interval three = interval_of({1, 2, 6});
  EXPECT_DOUBLE_EQ(three.mean, 3);
  EXPECT_DOUBLE_EQ(three.half_width, 1.96 * std::sqrt(7.0 / 3));
  EXPECT_EQ(text_of(three), "3.00 ± 2.99");
  EXPECT_EQ(text_of(interval_of({5}), 1), "5.0");
  EXPECT_EQ(text_of(interval_of({})), "–");
}

}  // namespace
}  // namespace riemflow
