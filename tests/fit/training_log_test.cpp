#include "riemflow/fit/training_log.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

class TrainingLogFile : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path); }

  static void ignore(const std::string&) {}
  static FitProgress at(long iteration, Objective objective, bool validated = false,
                        double validation = NAN) {
    FitProgress progress;
    progress.iteration = progress.best_iteration = iteration;
    progress.loss = 1.0 / static_cast<double>(iteration);
    progress.validation = progress.best = validation;
    progress.validated = validated;
    progress.objective = objective;
    return progress;
  }

  const std::string path =
      (std::filesystem::temp_directory_path() / ("riemflow-log-" + std::to_string(::getpid()) + ".jsonl"))
          .string();
};

// What the default of fit does: two trials, flow matching, likelihood, each of which counts from 1.
TEST_F(TrainingLogFile, StagesThatCountFromOneAreOneLog) {
  const struct {
    const char* name;
    Objective objective;
    long iterations;
    double validation;
  } stages[] = {{"flow 1, trial", Objective::flow_matching, 23, 2.0},
                {"flow 1, trial", Objective::flow_matching, 23, 1.5},  // the same name: it counts anew
                {"flow 1, flow matching", Objective::flow_matching, 40, 0.5},
                {"flow 1, likelihood", Objective::likelihood, 15, 0.25}};
  {
    TrainingLog log(path, 0, ignore);
    double seconds = 0;
    for (const auto& stage : stages)
      for (long i = 1; i <= stage.iterations; ++i)
        log.add(stage.name, at(i, stage.objective, i == stage.iterations, stage.validation), ++seconds);
    EXPECT_EQ(log.iteration(), 101);
  }
  const TrainingHistory history = read_training_log(path);
  EXPECT_TRUE(history.named);
  // Two trainings of one name and one objective cannot be told apart when they are read.
  ASSERT_EQ(history.stages.size(), 3u);
  EXPECT_EQ(history.stages[0].name, "flow 1, trial");
  EXPECT_EQ(history.stages[0].objective, Objective::flow_matching);
  EXPECT_EQ(history.stages[2].name, "flow 1, likelihood");
  EXPECT_EQ(history.stages[2].objective, Objective::likelihood);
  std::vector<double> iterations;
  for (const TrainingStage& stage : history.stages)
    for (const TrainingEntry& entry : stage.entries) {
      iterations.push_back(entry.iteration);
      EXPECT_EQ(entry.seconds, entry.iteration);  // one step per second above
    }
  EXPECT_EQ(iterations, (std::vector<double>{10, 20, 23, 33, 43, 46, 56, 66, 76, 86, 96, 101}));
  ASSERT_NE(best_validation(history), nullptr);
  EXPECT_EQ(best_validation(history)->iteration, 101);
  EXPECT_EQ(best_validation(history)->validation, 0.25);
  std::ifstream file(path);
  std::string line, last;
  while (std::getline(file, line)) last = line;
  EXPECT_NE(last.find("\"best_iteration\":101"), std::string::npos) << last;
}

TEST_F(TrainingLogFile, WhatFailedIsWritten) {
  {
    TrainingLog log(path, 0, ignore);
    FitProgress progress = at(10, Objective::likelihood);
    log.add("", progress, 1);
    progress.iteration = 20;
    progress.skipped = 3;
    progress.failed_points = 7;
    log.add("", progress, 2);
  }
  std::ifstream file(path);
  std::string first, second;
  std::getline(file, first);
  std::getline(file, second);
  EXPECT_EQ(first.find("skipped"), std::string::npos) << first;
  EXPECT_EQ(first.find("failed_points"), std::string::npos) << first;
  EXPECT_NE(second.find("\"skipped\":3,\"failed_points\":7"), std::string::npos) << second;
}

// What a kill leaves: half a line at the end. Elsewhere it is no log.
TEST_F(TrainingLogFile, HalfALineAtTheEndIsLeftOut) {
  std::ofstream(path) << "{\"iteration\":10}\n{\"iterati";
  const TrainingHistory history = read_training_log(path);
  EXPECT_TRUE(history.truncated);
  ASSERT_EQ(history.stages.size(), 1u);
  EXPECT_EQ(history.stages[0].entries.size(), 1u);
  std::ofstream(path) << "{\"iterati\n{\"iteration\":10}\n";
  EXPECT_THROW(read_training_log(path), Error);
  std::ofstream(path) << "{\"iterati";
  EXPECT_THROW(read_training_log(path), Error);
}

TEST_F(TrainingLogFile, OneTrainingThatIsResumed) {
  {
    TrainingLog log(path, 0, ignore);
    for (long i = 1; i <= 35; ++i) log.add("", at(i, Objective::flow_matching), 1);
  }
  {
    TrainingLog log(path, 20, ignore);  // line 30 was after the checkpoint
    for (long i = 21; i <= 40; ++i)
      log.add("", at(i, i <= 30 ? Objective::flow_matching : Objective::likelihood), 1);
    EXPECT_EQ(log.iteration(), 40);
  }
  const TrainingHistory history = read_training_log(path);
  EXPECT_FALSE(history.named);
  ASSERT_EQ(history.stages.size(), 2u);  // fine-tuning by likelihood is another quantity
  EXPECT_EQ(history.stages[0].name, "flow matching");
  EXPECT_EQ(history.stages[0].entries.size(), 3u);
  EXPECT_EQ(history.stages[1].name, "likelihood");
  EXPECT_EQ(history.stages[1].entries.front().iteration, 40);
  EXPECT_EQ(best_validation(history), nullptr);
}

TEST_F(TrainingLogFile, TwoLogsInOneFileAreRefused) {
  std::ofstream(path) << "{\"iteration\":10}\n{\"iteration\":10}\n";
  EXPECT_THROW(read_training_log(path), Error);
  std::ofstream(path) << "{\"iteration\":10}\n{\"iteration\":5}\n";
  try {
    read_training_log(path);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::bad_data);
    EXPECT_NE(std::string(error.what()).find(":2: iteration 5 after 10"), std::string::npos) << error.what();
  }
}

TEST_F(TrainingLogFile, OneStageHasNoName) {
  std::ofstream(path) << "{\"iteration\":10,\"loss\":null,\"validation\":3}\n";
  const TrainingHistory history = read_training_log(path);
  ASSERT_EQ(history.stages.size(), 1u);
  EXPECT_EQ(history.stages[0].name, "");
  EXPECT_TRUE(std::isnan(history.stages[0].entries[0].loss));
  EXPECT_EQ(best_validation(history)->validation, 3);
}

}  // namespace
}  // namespace riemflow
