#include "riemflow/fit/option_choice.hpp"

#include <gtest/gtest.h>

#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

FitOptions chosen(Values user, std::optional<std::string> preset = {}) {
  OptionSources sources;
  sources.user = std::move(user);
  sources.preset = std::move(preset);
  return chosen_options(sources);
}

TEST(OptionChoice, NothingButDataIsThePoolOfAMinute) {
  const FitOptions options = chosen({});
  EXPECT_EQ(options.model, ModelKind::pool);
  EXPECT_EQ(seconds_of(options.time_limit), 60);
}

TEST(OptionChoice, ASettingOfOneModelAsksForAFlow) {
  EXPECT_EQ(chosen({{"width", "32"}}).model, ModelKind::riemannian);
  EXPECT_EQ(chosen({{"width", "32"}}).width, 32);
  EXPECT_EQ(chosen({{"model", "kde"}}).model, ModelKind::kde);
  EXPECT_EQ(chosen({{"seed", "3"}}).model, ModelKind::pool);
  OptionSources runs;
  runs.one_flow = true;
  EXPECT_EQ(runs.preset_in_force(), "default");
}

TEST(OptionChoice, LaterSourcesOverride) {
  OptionSources sources;
  sources.preset = "paper";
  sources.file = {{"width", "20"}, {"depth", "2"}};
  sources.user = {{"width", "30"}};
  const FitOptions options = chosen_options(sources);
  EXPECT_EQ(options.width, 30);
  EXPECT_EQ(options.depth, 2);
  EXPECT_EQ(options.activation, options_of(preset_values("paper")).activation);
}

TEST(OptionChoice, AnObjectiveHasDefaultsBelowAllOthers) {
  const Values own = objective_values("flow-matching");
  ASSERT_TRUE(own.contains("width"));
  EXPECT_EQ(std::to_string(chosen({{"objective", "flow-matching"}}).width), own.at("width"));
  EXPECT_EQ(chosen({{"objective", "flow-matching"}, {"width", "7"}}).width, 7);
}

TEST(OptionChoice, WhatCannotBeMeantIsRefusedByName) {
  const auto refused = [](const Values& user, std::optional<std::string> preset, const std::string& words) {
    try {
      chosen(user, std::move(preset));
      ADD_FAILURE() << "nothing was refused: " << words;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  refused({{"model", "pool"}, {"width", "3"}}, {}, "‹width› with ‹model› pool");
  refused({{"model", "kde"}}, "paper", "‹preset› paper with ‹model› kde");
  refused({{"model", "kde"}, {"rate", "1"}}, {}, "‹rate› with ‹model› kde");
  refused({{"target", "uniform"}, {"width", "3"}}, {}, "‹target› beside ‹objective› nll");
  refused({{"objective", "reverse-kl"}}, {}, "without a target");
}

}  // namespace
}  // namespace riemflow
