#include "riemflow/model/write_grid.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <span>

#include "riemflow/core/version.hpp"
#include "riemflow/io/atomic_file.hpp"
#include "riemflow/io/netcdf_file.hpp"
#include "riemflow/io/npy.hpp"
#include "riemflow/io/number.hpp"

namespace riemflow {
namespace {

/// Visits all cells: visit(first, log-densities).
using Cells = std::function<void(
    const std::function<void(std::size_t first, const std::vector<double>& log_density)>& visit)>;

void append_digits(std::string& line, double value, bool single) {
  if (single)
    append_number(line, static_cast<float>(value));
  else
    append_number(line, value);
}

void write_csv(Sink& sink, const GridLayout& layout, bool single, const Cells& cells) {
  const Lattice& lattice = layout.lattice;
  const std::size_t columns = lattice.columns.centres.size();
  sink.write(lattice.rows.name + "," + lattice.columns.name + ",density,log_density\n");
  double point[3];
  cells([&](std::size_t first, const std::vector<double>& values) {
    std::string lines;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double row = lattice.rows.centres[(first + i) / columns],
                   column = lattice.columns.centres[(first + i) % columns];
      if (!lattice.place(row, column, point)) continue;
      append_number(lines, row);
      lines += ',';
      append_number(lines, column);
      lines += ',';
      append_digits(lines, std::exp(values[i]), single);
      lines += ',';
      append_digits(lines, values[i], single);
      lines += '\n';
    }
    sink.write(lines);
  });
}

void write_npy(Sink& sink, const Lattice& lattice, const Cells& cells) {
  sink.write(npy_header<double>({lattice.rows.centres.size(), lattice.columns.centres.size()}));
  cells([&](std::size_t, const std::vector<double>& log_density) {
    std::vector<double> density(log_density);
    for (double& value : density) value = std::exp(value);
    sink.write(std::as_bytes(std::span(density)));
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

void write_netcdf(Sink& sink, const GridLayout& layout, const GridSource& source, const Cells& cells) {
  std::vector<double> log_density;
  log_density.reserve(layout.lattice.size());
  cells([&](std::size_t, const std::vector<double>& values) {
    log_density.insert(log_density.end(), values.begin(), values.end());
  });
  sink.write(netcdf_bytes(grid_content(layout, std::move(log_density), source)));
}

}  // namespace

NetcdfContent grid_content(const GridLayout& layout, std::vector<double> log_density,
                           const GridSource& source) {
  const Lattice& lattice = layout.lattice;
  std::vector<double> density(log_density.size());
  for (std::size_t i = 0; i < density.size(); ++i) density[i] = std::exp(log_density[i]);

  const bool earth = lattice.rows.name == "latitude";
  const std::string first = earth ? "lat" : lattice.rows.name, second = earth ? "lon" : lattice.columns.name;
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
                        {"source", fmt::format("riemflow {}", kVersion)},
                        {"history", source.command}};
  content.variables = {{first, {first}, axis_attributes(lattice.rows, first), lattice.rows.centres},
                       {second, {second}, axis_attributes(lattice.columns, second), lattice.columns.centres},
                       {first + "_bnds", {first, "nv"}, {}, bounds(lattice.rows)},
                       {second + "_bnds", {second, "nv"}, {}, bounds(lattice.columns)},
                       {"density",
                        {first, second},
                        {{"long_name", "probability density per " + layout.measure},
                         {"units", layout.units},
                         {"cell_methods", method},
                         {"_FillValue", kNan}},
                        std::move(density)},
                       {"log_density",
                        {first, second},
                        {{"long_name", "natural logarithm of the probability density per " + layout.measure},
                         {"units", "1"},
                         {"cell_methods", method},
                         {"_FillValue", kNan}},
                        std::move(log_density)}};
  return content;
}

GridSummary write_grid(const std::string& path, GridFormat format, const Model& model, const Evaluation& how,
                       const GridLayout& layout, const GridSource& source, TaskObserver& observer) {
  GridSummary summary;
  const Cells cells = [&](const auto& visit) {
    summary = visit_cells(model, how, layout, "Grid", observer,
                          [&](std::size_t first, const std::vector<double>& log_density,
                              const std::vector<double>&) { visit(first, log_density); });
  };
  write_file_atomically(path, [&](Sink& sink) {
    switch (format) {
      case GridFormat::csv:
        return write_csv(sink, layout, precision_of(model) == "float", cells);
      case GridFormat::npy:
        return write_npy(sink, layout.lattice, cells);
      case GridFormat::netcdf:
        return write_netcdf(sink, layout, source, cells);
    }
  });
  return summary;
}

}  // namespace riemflow
