#include <gtest/gtest.h>

#include <set>

#include "riemflow/core/error.hpp"
#include "riemflow/core/setting.hpp"
#include "riemflow/fit/option_field.hpp"

namespace riemflow {
namespace {

std::string refusal(const char* name, const std::string& value) {
  FitOptions options;
  try {
    option_field(name)->set(options, value);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(OptionTable, NamesAreUniqueAndGroupsTogether) {
  std::set<std::string> names, groups;
  std::string group;
  for (const OptionField& field : option_fields()) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    EXPECT_FALSE(field.help.empty()) << field.name;
    if (field.group != group) {
      EXPECT_TRUE(groups.insert(group = field.group).second) << field.group;
    }
  }
  EXPECT_EQ(option_field("no-such-option"), nullptr);
}

/// Help texts name options that are there.
TEST(OptionTable, HelpNamesWhatThereIs) {
  for (const OptionField& field : option_fields())
    with_settings(field.help, [&](std::string_view name) {
      EXPECT_NE(option_field(name), nullptr) << field.name << " names " << name;
      return std::string();
    });
}

/// Each is set and read through its own member: another value changes that one text and no other.
TEST(OptionTable, EachHasAPlaceOfItsOwn) {
  for (const OptionField& field : option_fields()) {
    FitOptions options;
    EXPECT_EQ(field.text(options), field.initial) << field.name;
    std::string value = "7";
    if (field.kind == OptionKind::flag) value = "true";
    if (field.kind == OptionKind::choice)
      value = field.choices.back() == field.initial ? field.choices.front() : field.choices.back();
    if (field.kind == OptionKind::text)
      value = field.name == "split" ? "70/20/10" : field.name == "time-limit" ? "7s" : "7";
    if (!refusal(field.name.c_str(), value).empty()) value = "0.0625";
    if (field.name == "max-evaluations") value = "77";
    ASSERT_EQ(refusal(field.name.c_str(), value), "") << field.name;
    field.set(options, value);
    for (const OptionField& other : option_fields())
      EXPECT_EQ(other.text(options), other.name == field.name ? value : other.initial)
          << field.name << " set to " << value << ": " << other.name;
  }
}

TEST(OptionTable, TextsAreTheShortestThatReadBack) {
  FitOptions options;
  const auto shown = [&](const char* name, const std::string& value) {
    option_field(name)->set(options, value);
    return option_field(name)->text(options);
  };
  EXPECT_EQ(shown("rate", "1e-2"), "0.01");
  EXPECT_EQ(shown("rate", "3.0"), "3");
  EXPECT_EQ(shown("iterations", "1e3"), "1000");
  EXPECT_EQ(shown("seed", "18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(shown("tolerance", "0.00001"), shown("tolerance", "1e-5"));
  EXPECT_EQ(shown("bound", "-0"), shown("bound", "0"));
}

TEST(OptionTable, RefusesWhatCannotBeMeant) {
  EXPECT_EQ(refusal("width", "0"), "0 is out of range; give a number from 1");
  EXPECT_EQ(refusal("width", "2.5"), "'2.5' is no whole number; give its digits");
  EXPECT_EQ(refusal("beta1", "1"), "1 is out of range; give a number from 0, below 1");
  EXPECT_EQ(refusal("rate", "0"), "0 is out of range; give a number above 0");
  EXPECT_EQ(refusal("rate", "nan"), "'nan' is no finite number; give one such as 0.5 or 1e-3");
  EXPECT_EQ(refusal("seed", "-1"), "'-1' is no whole number from 0 to 18446744073709551615; give its digits");
  EXPECT_EQ(refusal("tolerance", "5"), "5 is out of range; give a number from 1e-12 to 0.1");
  EXPECT_EQ(refusal("dedup", "maybe"), "'maybe' is neither true nor false; give true or false");
  EXPECT_NE(refusal("model", "kd").find("there is no 'kd', perhaps you meant 'kde'; give one of riemannian"),
            std::string::npos);
  EXPECT_NE(refusal("threads", "100000").find("threads make no sense"), std::string::npos);
  for (const auto& [name, value] : {std::pair("split", "1/2"),
                                    {"time-limit", "soon"},
                                    {"components", "3,x"},
                                    {"rates", "-1"},
                                    {"split-seed", "x"},
                                    {"group-within", "far"}})
    EXPECT_NE(refusal(name, value), "") << name;
}

}  // namespace
}  // namespace riemflow
