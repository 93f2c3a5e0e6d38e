// What is written is read back by the NetCDF library itself.

#include "riemflow/io/netcdf_file.hpp"

#include <gtest/gtest.h>
#include <netcdf.h>
#include <netcdf_mem.h>

#include <cmath>
#include <limits>

#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

const std::vector<double> kLatitudes = {-45, 45}, kLongitudes = {-120, 0, 120};
const std::vector<double> kValues = {1, 2, 3, 4, std::numeric_limits<double>::quiet_NaN(), 6};

NetcdfContent netcdf_example() {
  NetcdfContent content;
  content.dimensions = {{"lat", 2}, {"lon", 3}};
  content.attributes = {{"Conventions", "CF-1.8"}, {"title", "dénsity"}};
  content.variables = {{"lat", {"lat"}, {{"units", "degrees_north"}}, kLatitudes},
                       {"lon", {"lon"}, {{"units", "degrees_east"}}, kLongitudes},
                       {"density", {"lat", "lon"}, {{"units", "sr-1"}, {"scale", 0.1}}, kValues}};
  return content;
}

TEST(Netcdf, ReadsBack) {
  std::vector<std::byte> bytes = netcdf_bytes(netcdf_example());
  int file = 0;
  ASSERT_EQ(nc_open_mem("test", NC_NOWRITE, bytes.size(), bytes.data(), &file), NC_NOERR);
  int variable = 0, dimensions = 0, ids[NC_MAX_VAR_DIMS];
  ASSERT_EQ(nc_inq_varid(file, "density", &variable), NC_NOERR);
  ASSERT_EQ(nc_inq_varndims(file, variable, &dimensions), NC_NOERR);
  ASSERT_EQ(dimensions, 2);
  ASSERT_EQ(nc_inq_vardimid(file, variable, ids), NC_NOERR);
  std::size_t rows = 0, columns = 0;
  nc_inq_dimlen(file, ids[0], &rows);
  nc_inq_dimlen(file, ids[1], &columns);
  EXPECT_EQ(rows, 2u);
  EXPECT_EQ(columns, 3u);
  double values[6];
  ASSERT_EQ(nc_get_var_double(file, variable, values), NC_NOERR);
  for (std::size_t i = 0; i < 6; ++i) {
    if (i == 4)
      EXPECT_TRUE(std::isnan(values[i]));
    else
      EXPECT_EQ(values[i], kValues[i]);
  }
  double scale = 0;
  EXPECT_EQ(nc_get_att_double(file, variable, "scale", &scale), NC_NOERR);
  EXPECT_EQ(scale, 0.1);
  std::size_t length = 0;
  ASSERT_EQ(nc_inq_attlen(file, NC_GLOBAL, "title", &length), NC_NOERR);
  std::string title(length, ' ');
  EXPECT_EQ(nc_get_att_text(file, NC_GLOBAL, "title", title.data()), NC_NOERR);
  EXPECT_EQ(title, "dénsity");
  nc_close(file);
}

TEST(Netcdf, SameContentSameBytes) {
  EXPECT_EQ(netcdf_bytes(netcdf_example()), netcdf_bytes(netcdf_example()));
}

TEST(Netcdf, ContradictionsAreRefused) {
  NetcdfContent content = netcdf_example();
  content.dimensions[1].length = 4;
  EXPECT_THROW(netcdf_bytes(content), Error);
  content = netcdf_example();
  content.variables[0].dimensions = {"depth"};
  EXPECT_THROW(netcdf_bytes(content), Error);
}

}  // namespace
}  // namespace riemflow
