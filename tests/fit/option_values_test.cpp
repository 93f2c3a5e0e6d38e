#include "riemflow/fit/option_values.hpp"

#include <gtest/gtest.h>

#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

TEST(OptionValues, BecomeOptionsAndBack) {
  const Values values{{"model", "kde"}, {"width", "7"}, {"epochs", "2.5"}, {"dedup", "true"}};
  const FitOptions options = options_of(values);
  EXPECT_EQ(options.model, ModelKind::kde);
  EXPECT_EQ(options.width, 7);
  EXPECT_EQ(options.epochs, 2.5);
  EXPECT_TRUE(options.dedup);
  const Values back = values_of(options);
  for (const auto& [name, value] : values) EXPECT_EQ(back.at(name), value) << name;
  EXPECT_FALSE(back.contains("iterations"));  // epochs are in force
  EXPECT_FALSE(back.contains("target"));      // is not set
  EXPECT_EQ(values_of(FitOptions()).at("iterations"), "3000");
  EXPECT_EQ(values_of(options_of(back)), back);
}

TEST(OptionValues, TheUpperSourceWins) {
  const Values lower{{"width", "8"}, {"iterations", "10"}}, upper{{"epochs", "3"}, {"depth", "2"}};
  EXPECT_EQ(overridden(lower, upper), (Values{{"width", "8"}, {"epochs", "3"}, {"depth", "2"}}));
  EXPECT_EQ(overridden(upper, lower), (Values{{"width", "8"}, {"iterations", "10"}, {"depth", "2"}}));
}

TEST(OptionValues, PresetsAreOfOptionsThatThereAre) {
  for (const std::string& name : preset_names()) {
    const FitOptions options = options_of(preset_values(name));
    EXPECT_EQ(options.model, name == "auto" ? ModelKind::pool : ModelKind::riemannian);
  }
  EXPECT_EQ(options_of(preset_values("auto")).time_limit, "60s");
  EXPECT_EQ(options_of(preset_values("paper")).epochs, 1000);
  EXPECT_NO_THROW(options_of(objective_values("flow-matching")));
  EXPECT_THROW(preset_values("papers"), Error);
}

TEST(OptionValues, ATomlFileIsReadAsItIsWritten) {
  const Values values = values_of_toml(
      "# a comment\npreset = \"paper\"\nwidth = 32\nrate = 1e-3\ndedup = true\n"
      "columns = 'a \"b\",c'\ntime-limit = \"5m\"\ntolerance = \"1e-6\"\n",
      "f.toml");
  EXPECT_EQ(values, (Values{{"preset", "paper"},
                            {"width", "32"},
                            {"rate", "0.001"},
                            {"dedup", "true"},
                            {"columns", "a \"b\",c"},
                            {"time-limit", "5m"},
                            {"tolerance", canonical("tolerance", "1e-6")}}));
  FitOptions options = options_of({{"columns", "a \"b\\\",c"}, {"rate", "0.125"}, {"group-split", "true"}});
  EXPECT_EQ(values_of_toml(to_toml(values_of(options)), "again"), values_of(options));
}

std::string refusal(const std::string& text) {
  try {
    values_of_toml(text, "f.toml");
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::configuration);
    return error.what();
  }
  return "";
}

TEST(OptionValues, ErrorsCarryTheSettingAndItsValue) {
  const auto error_from = [](auto&& f) {
    try {
      f();
    } catch (const Error& error) {
      return error;
    }
    return Error("", "");
  };
  const Error one = error_from([] { options_of({{"width", "-3"}}); });
  EXPECT_EQ(one.setting() + " " + one.value(), "width -3");
  EXPECT_EQ(one.place().file, "");
  const Error other = error_from([] { values_of_toml("depth = 2\nwidth = -3\n", "a.toml"); });
  EXPECT_EQ(other.setting() + " " + other.value(), "width -3");
  EXPECT_EQ(other.place().text(), "a.toml:2:1: ");
  EXPECT_EQ(other.fault(), Fault::configuration);
  EXPECT_EQ(error_from([] { values_of_toml("width = \n", "b.toml"); }).place().text(), "b.toml:1:9: ");
}

TEST(OptionValues, WhatIsWrongInAFileHasALineAndAColumn) {
  EXPECT_TRUE(refusal("width = 3\n  widht = 4\n")
                  .starts_with("f.toml:2:3: there is no setting 'widht', perhaps you meant 'width'"));
  EXPECT_TRUE(
      refusal("\nwidth = 0\n").starts_with("f.toml:2:1: ‹width›: 0 is out of range; give a number from 1"));
  EXPECT_TRUE(refusal("width = \n").starts_with("f.toml:1:9: "));
  EXPECT_TRUE(refusal("width = 3\nwidth = 4\n").starts_with("f.toml:2:"));
  EXPECT_TRUE(refusal("[table]\nwidth = 3\n").starts_with("f.toml:1:2: there is no setting 'table'"));
  EXPECT_TRUE(
      refusal("width = [3]\n").starts_with("f.toml:1:1: a value that is no text, number, true or false"));
  EXPECT_TRUE(refusal("tolerance = nan\n").starts_with("f.toml:1:1: ‹tolerance›: 'nan' is no finite number"));
  EXPECT_TRUE(refusal("dedup = 5\n").starts_with("f.toml:1:1: ‹dedup›: '5' is neither true nor false"));
  EXPECT_TRUE(refusal("width = true\n").starts_with("f.toml:1:1: ‹width›: 'true' is no whole number"));
  EXPECT_TRUE(refusal("preset = 'papers'\n").starts_with("f.toml:1:1: there is no preset 'papers'"));
  EXPECT_TRUE(
      refusal("epochs = 1\niterations = 2\n").starts_with("f.toml: both epochs and iterations are set"));
}

}  // namespace
}  // namespace riemflow
