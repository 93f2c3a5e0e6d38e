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

TEST(Columns, WestAndSouthInNames) {
  for (const char* name : {"Longitude (°W)", "Longitude (\xb0W)", "lon_w", "W longitude", "longitude west",
                           "LonW", "lon [deg W]", "Longitude (degrees west)", "lon_w_deg",
                           "longitude_degrees_west", "Longitude (positive west)", "RA (W)"}) {
    EXPECT_EQ(meaning_of(name).meaning, Meaning::longitude) << name;
    EXPECT_TRUE(meaning_of(name).reversed) << name;
  }
  for (const char* name : {"lat_s", "Latitude (S)", "South latitude", "lat (°S)", "latitude (deg S)"}) {
    EXPECT_EQ(meaning_of(name).meaning, Meaning::latitude) << name;
    EXPECT_TRUE(meaning_of(name).reversed) << name;
  }
  for (const char* name : {"Longitude (°E)", "lon_e", "east longitude", "Latitude (N)", "lat_n", "lat (degs)",
                           "Longitude (E/W)", "Longitude (W negative)", "Longitude (west is negative)",
                           "Latitude (WGS84)", "latitude", "longitude"}) {
    EXPECT_NE(meaning_of(name).meaning, Meaning::none) << name;
    EXPECT_FALSE(meaning_of(name).reversed) << name;
  }
  for (const char* name : {"west", "w", "lat_w", "lon_s", "x_w", "phi_s"})
    EXPECT_EQ(meaning_of(name).meaning, Meaning::none) << name;
  EXPECT_EQ(meaning_of("lon (deg W)").units, Units::degrees);
  EXPECT_EQ(meaning_of("lon_w_rad").units, Units::radians);
}

TEST(Columns, OrderByNames) {
  EXPECT_EQ(order_by_names("lat", "lon"), Order::as_given);
  EXPECT_EQ(order_by_names("lon", "lat"), Order::exchanged);
  EXPECT_EQ(order_by_names("longitude", "b"), Order::exchanged);
  EXPECT_EQ(order_by_names("a", "longitude"), Order::as_given);
  EXPECT_EQ(order_by_names("x", "y"), Order::exchanged);
  EXPECT_EQ(order_by_names("ra", "dec"), Order::exchanged);
  EXPECT_EQ(order_by_names("dec", "RA_deg"), Order::as_given);
  // A declination is a latitude on the sky, a longitude of a magnetic field.
  EXPECT_EQ(order_by_names("inc", "dec"), Order::unknown);
  EXPECT_EQ(order_by_names("dec", "inc"), Order::unknown);
  EXPECT_EQ(order_by_names("a", "b"), Order::unknown);
  EXPECT_EQ(order_by_names("lon", "long"), Order::unknown);
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
