#include "riemflow/reproduce/reproduce.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "riemflow/core/error.hpp"
#include "tests/fit/temporary_file.hpp"

namespace riemflow {
namespace {

ReproduceOptions kernels_of_the_earth() {
  ReproduceOptions options;
  options.experiment = "earth";
  options.quick = true;
  options.only = "kernel-density customary";
  options.command = "a test";
  options.notes = {{"commit", "abc"}};
  return options;
}

/// Without the seconds, which differ.
std::string scores_of(const std::string& page) { return page.substr(0, page.find("Beside the scores")); }

TEST(Reproduce, IsTheSameTwiceAndGoesOnFromItsFile) {
  const TemporaryFile file("reproduce");
  ReproduceOptions options = kernels_of_the_earth();
  TaskObserver silent;
  const Reproduction in_memory = reproduce(options, silent);
  EXPECT_EQ(in_memory.jobs, 1u);
  EXPECT_EQ(in_memory.failed, 0u);
  EXPECT_NE(in_memory.page.find("`a test`; "), std::string::npos);
  EXPECT_NE(in_memory.page.find("; commit: abc"), std::string::npos);
  options.results = file.path;
  const Reproduction first = reproduce(options, silent), second = reproduce(options, silent);
  EXPECT_EQ(first.jobs, 1u);
  EXPECT_EQ(second.jobs, 0u);
  EXPECT_EQ(scores_of(first.page), scores_of(in_memory.page));
  EXPECT_EQ(second.page, first.page);
  options.quick = false;
  EXPECT_THROW(reproduce(options, silent), Error);
}

TEST(Reproduce, EndsWithoutAPageWhereItIsCancelled) {
  struct Stop : TaskObserver {
    bool cancelled() const override { return true; }
  } stop;
  const Reproduction nothing = reproduce(kernels_of_the_earth(), stop);
  EXPECT_TRUE(nothing.interrupted);
  EXPECT_EQ(nothing.page, "");
}

TEST(Reproduce, SaysWhichExperimentsAndCellsThereAre) {
  TaskObserver silent;
  ReproduceOptions options = kernels_of_the_earth();
  options.only = "nowhere";
  try {
    reproduce(options, silent);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "no cell of earth has the words 'nowhere' in its name");
    EXPECT_NE(error.advice().find("earthquakes mixture customary; "), std::string::npos) << error.advice();
  }
  options.experiment = "moon";
  EXPECT_THROW(reproduce(options, silent), Error);
  EXPECT_EQ(experiment_names().size(), 6u);
}

TEST(Reproduce, DrawsFromResultsAlone) {
  const auto figures = [](const std::string& name, TaskObserver& observer) {
    ReproduceOptions options;
    options.experiment = name;
    options.results = RIEMFLOW_SOURCE_DIR "/experiments/results/" + name + ".json";
    options.data_dir = "/nowhere";
    return figures_of(options, observer);
  };
  struct Listens : TaskObserver {
    std::string all;
    void say(const std::string& sentence) override { all += sentence; }
  } listens;
  const std::vector<FigureFile> vmf = figures("vmf", listens);
  ASSERT_EQ(vmf.size(), 1u);
  EXPECT_EQ(vmf[0].name, "densities.png");
  EXPECT_EQ(vmf[0].bytes.substr(1, 3), "PNG");
  EXPECT_EQ(figures("trajectories", listens)[0].name, "paths.png");
  EXPECT_EQ(listens.all, "");
  ReproduceOptions none;
  none.experiment = "vmf";
  none.results = "/nowhere/vmf.json";
  EXPECT_THROW(figures_of(none, listens), Error);
}

}  // namespace
}  // namespace riemflow
