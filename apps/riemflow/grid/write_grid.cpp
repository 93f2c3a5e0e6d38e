#include "apps/riemflow/grid/write_grid.hpp"

#include <cmath>
#include <limits>
#include <span>

#include "riemflow/io/atomic_file.hpp"
#include "riemflow/io/netcdf_file.hpp"
#include "riemflow/io/npy.hpp"
#include "riemflow/io/number.hpp"

namespace riemflow::app {
namespace {

using Next = std::function<std::vector<double>(std::size_t first)>;

/// visit(first, values) for all cells.
template <class Visit>
void for_each_chunk(const Lattice& lattice, const Next& next, const Visit& visit) {
  for (std::size_t first = 0; first < lattice.size();) {
    const std::vector<double> values = next(first);
    visit(first, values);
    first += values.size();
  }
}

void append(std::string& line, double value, bool single) {
  if (single)
    append_number(line, static_cast<float>(value));
  else
    append_number(line, value);
}

void write_csv(Sink& sink, const GridLayout& layout, bool single, const Next& next) {
  const Lattice& lattice = layout.lattice;
  const std::size_t columns = lattice.columns.centres.size();
  sink.write(lattice.rows.name + "," + lattice.columns.name + ",density,log_density\n");
  double point[3];
  for_each_chunk(lattice, next, [&](std::size_t first, const std::vector<double>& values) {
    std::string lines;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double row = lattice.rows.centres[(first + i) / columns],
                   column = lattice.columns.centres[(first + i) % columns];
      if (!lattice.place(row, column, point)) continue;
      append_number(lines, row);
      lines += ',';
      append_number(lines, column);
      lines += ',';
      append(lines, std::exp(values[i]), single);
      lines += ',';
      append(lines, values[i], single);
      lines += '\n';
    }
    sink.write(lines);
  });
}

void write_npy(Sink& sink, const Lattice& lattice, const Next& next) {
  sink.write(npy_header<double>({lattice.rows.centres.size(), lattice.columns.centres.size()}));
  for_each_chunk(lattice, next, [&](std::size_t, std::vector<double> values) {
    for (double& value : values) value = std::exp(value);
    sink.write(std::as_bytes(std::span(values)));
  });
}

/// [low, high] of each cell.
std::vector<double> bounds(const LatticeAxis& axis) {
  std::vector<double> result;
  for (std::size_t i = 0; i < axis.centres.size(); ++i) {
    result.push_back(axis.edges[i]);
    result.push_back(axis.edges[i + 1]);
  }
  return result;
}

/// Attributes and short names as the CF conventions 1.8 have them.
void write_netcdf(Sink& sink, const GridLayout& layout, const GridSource& source, const Next& next) {
  const Lattice& lattice = layout.lattice;
  std::vector<double> log_density;
  log_density.reserve(lattice.size());
  for_each_chunk(lattice, next, [&](std::size_t, const std::vector<double>& values) {
    log_density.insert(log_density.end(), values.begin(), values.end());
  });
  std::vector<double> density(log_density.size());
  for (std::size_t i = 0; i < density.size(); ++i) density[i] = std::exp(log_density[i]);

  const bool earth = lattice.rows.name == "latitude";
  const std::string first = earth ? "lat" : lattice.rows.name, second = earth ? "lon" : lattice.columns.name;
  const std::vector<double> first_bounds = bounds(lattice.rows), second_bounds = bounds(lattice.columns);
  const auto axis_attributes = [&](const LatticeAxis& axis, const std::string& name) {
    std::vector<NetcdfAttribute> result;
    if (earth) result.push_back({"standard_name", axis.name});
    result.push_back({"long_name", axis.name});
    result.push_back({"units", axis.units});
    result.push_back({"bounds", name + "_bnds"});
    return result;
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::string method = layout.means ? "area: mean" : first + ": " + second + ": point";
  NetcdfContent content;
  content.dimensions = {
      {first, lattice.rows.centres.size()}, {second, lattice.columns.centres.size()}, {"nv", 2}};
  content.attributes = {{"Conventions", "CF-1.8"},
                        {"title", "probability density of " + source.model},
                        {"source", "riemflow " + source.version},
                        {"history", source.command}};
  content.variables = {{first, {first}, axis_attributes(lattice.rows, first), lattice.rows.centres},
                       {second, {second}, axis_attributes(lattice.columns, second), lattice.columns.centres},
                       {first + "_bnds", {first, "nv"}, {}, first_bounds},
                       {second + "_bnds", {second, "nv"}, {}, second_bounds},
                       {"density",
                        {first, second},
                        {{"long_name", "probability density per " + layout.measure},
                         {"units", layout.units},
                         {"cell_methods", method},
                         {"_FillValue", kNan}},
                        density},
                       {"log_density",
                        {first, second},
                        {{"long_name", "natural logarithm of the probability density per " + layout.measure},
                         {"units", "1"},
                         {"cell_methods", method},
                         {"_FillValue", kNan}},
                        log_density}};
  sink.write(netcdf_bytes(content));
}

}  // namespace

void write_grid(const std::string& path, GridFormat format, const GridLayout& layout,
                const GridSource& source, bool single, const Next& next) {
  write_file_atomically(path, [&](Sink& sink) {
    switch (format) {
      case GridFormat::csv:
        return write_csv(sink, layout, single, next);
      case GridFormat::npy:
        return write_npy(sink, layout.lattice, next);
      case GridFormat::netcdf:
        return write_netcdf(sink, layout, source, next);
    }
  });
}

}  // namespace riemflow::app
