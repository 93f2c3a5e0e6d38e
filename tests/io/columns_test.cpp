#include "riemflow/io/columns.hpp"

#include <gtest/gtest.h>

namespace riemflow::io {
namespace {

TEST(Columns, Meanings) {
  const std::pair<const char*, Meaning> cases[] = {{"lat", Meaning::latitude},
                                                   {"LATITUDE", Meaning::latitude},
                                                   {"Latitude (deg)", Meaning::latitude},
                                                   {"lat_rad", Meaning::latitude},
                                                   {"lng", Meaning::longitude},
                                                   {"Long", Meaning::longitude},
                                                   {"lon[rad]", Meaning::longitude},
                                                   {"x", Meaning::x},
                                                   {"Y", Meaning::y},
                                                   {"z (km)", Meaning::z},
                                                   {"phi", Meaning::phi},
                                                   {"psi_deg", Meaning::psi},
                                                   {"PSI degrees", Meaning::psi},
                                                   {"chi1", Meaning::angle},
                                                   {"theta", Meaning::angle},
                                                   {"angle 2", Meaning::angle},
                                                   {"phi2", Meaning::angle},
                                                   {"", Meaning::none},
                                                   {"depth", Meaning::none},
                                                   {"x_deg", Meaning::none},
                                                   {"deg", Meaning::none},
                                                   {"lat2", Meaning::none},
                                                   {"latlon", Meaning::none},
                                                   {"x1", Meaning::none},
                                                   {"1", Meaning::none},
                                                   {"chi1a", Meaning::none},
                                                   {"φ", Meaning::none}};
  for (const auto& [name, meaning] : cases) EXPECT_EQ(meaning_of(name).meaning, meaning) << name;
}

TEST(Columns, UnitsInNames) {
  EXPECT_EQ(meaning_of("lat").units, Units::automatic);
  EXPECT_EQ(meaning_of("phi_deg").units, Units::degrees);
  EXPECT_EQ(meaning_of("phiDegrees").units, Units::degrees);
  EXPECT_EQ(meaning_of("lon (rad)").units, Units::radians);
  EXPECT_EQ(meaning_of("theta_radians").units, Units::radians);
  EXPECT_EQ(meaning_of("lat (WGS84)").units, Units::automatic);
}

TEST(Columns, NumbersNamesAndRanges) {
  Table table;
  table.path = "f";
  table.width = 5;
  table.names = {"a", "B", "c-d", "3-4", "e"};
  EXPECT_EQ(find_columns("2,a", table), (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(find_columns("b,C-D", table), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(find_columns("5,1-3", table), (std::vector<std::size_t>{4, 0, 1, 2}));
  EXPECT_EQ(find_columns("3-4", table), (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(split_columns(" a , b,"), (std::vector<std::string>{"a", "b", ""}));
}

}  // namespace
}  // namespace riemflow::io
