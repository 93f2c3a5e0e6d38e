// riemflow grid: a density on a regular grid, as CSV, NPY or NetCDF.

#include <cmath>
#include <filesystem>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/data.hpp"
#include "apps/riemflow/support/failures.hpp"
#include "apps/riemflow/support/options.hpp"
#include "apps/riemflow/support/outputs.hpp"
#include "apps/riemflow/support/signals.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/model/write_grid.hpp"

namespace riemflow::app {
namespace {

struct GridOptions {
  ModelChoice model;
  GridChoice grid;
  std::string output, format;
  bool quiet = false, allow_failures = false, force = false;
};

GridFormat format_of(const GridOptions& options) {
  std::string name = options.format;
  if (name.empty()) {
    const std::string extension = std::filesystem::path(options.output).extension().string();
    name = extension.empty() ? "" : extension.substr(1);
  }
  if (name == "csv") return GridFormat::csv;
  if (name == "npy") return GridFormat::npy;
  if (name == "nc") return GridFormat::netcdf;
  throw Error(fmt::format("the output {} has no ending that tells its format", options.output),
              "name it .csv, .npy or .nc, or give --format; riemflow plot draws pictures", Fault::usage);
}

void print_summary(const GridOptions& options, const GridLayout& layout, const GridSummary& summary,
                   GridFormat format) {
  const Lattice& lattice = layout.lattice;
  const auto span = [](const LatticeAxis& axis) {
    return fmt::format("{} {:g} … {:g}", axis.name, axis.centres.front(), axis.centres.back());
  };
  std::string text =
      fmt::format("grid     {}: {} × {} cells of {:g}{}{}\n", options.output, lattice.rows.centres.size(),
                  lattice.columns.centres.size(), layout.resolution,
                  layout.resolution_unit.empty() ? "" : " ", layout.resolution_unit);
  text += fmt::format("rows     {}; columns {}{}\n", span(lattice.rows), span(lattice.columns),
                      format == GridFormat::npy   ? "; density as float64 [row][column]"
                      : format == GridFormat::csv ? "; one line per cell, columns fastest"
                                                  : "");
  text += fmt::format("density  per {}, from {:.4g} to {:.4g}\n", layout.measure, summary.smallest,
                      summary.largest);
  text += layout.means
              ? fmt::format("mass     {:.5f} ± {:.0e}, the sum of mean density × area of each cell\n",
                            summary.mass, std::max(summary.error, 1e-5))
              : fmt::format("mass     {:.6f}, the sum of density at the centre × area of each cell\n",
                            summary.mass);
  const bool to_stdout = options.output == "-" || options.output == "/dev/stdout";
  if (to_stdout) {
    text.pop_back();
    Voice{options.quiet}.say_text(text);
  } else if (!options.quiet) {
    answer("{}", text);
  }
}

void run(const GridOptions& options) {
  const GridFormat format = format_of(options);
  const FileKind kind = format == GridFormat::csv   ? FileKind::table
                        : format == GridFormat::npy ? FileKind::npy
                                                    : FileKind::netcdf;
  require_safe({{"MODEL", options.model.path}}, {{"-o", options.output, kind}}, options.force);
  const Model model = load_model(options.model.path);
  const GridLayout layout = layout_of(options.grid, model);
  const std::string path = options.output == "-" ? "/dev/stdout" : options.output;
  GridSource source;
  source.model = std::filesystem::path(options.model.path).filename().string();
  source.command = fmt::format("riemflow grid {} --resolution {:g}", source.model, layout.resolution);
  if (!options.grid.per.empty()) source.command += " --per " + options.grid.per;
  if (options.grid.longitude != "-180") source.command += " --longitude " + options.grid.longitude;
  if (options.grid.cell != "mean") source.command += " --cell " + options.grid.cell;
  if (options.grid.extent > 0) source.command += fmt::format(" --extent {:g}", options.grid.extent);
  if (options.model.tolerance > 0)
    source.command += fmt::format(" --tolerance {:g}", options.model.tolerance);

  watch_interrupts();
  const Voice voice{options.quiet};
  Teller teller(options.quiet);
  const GridSummary summary = write_grid(path, format, model, options.model, layout, source, teller);
  print_summary(options, layout, summary, format);
  finish_output();
  // On the plane and the ball, mass may lie outside of the grid as well.
  const bool whole = model.config.manifold->compact();
  if (whole && !layout.means && summary.failed == 0 && std::abs(summary.mass - 1) > 0.01)
    voice.say(
        "Warning: the cells are coarse for this density, so that their mass is not 1; take --cell mean or a "
        "smaller --resolution.");
  if (summary.failed == 0) return;
  const std::size_t cells = layout.lattice.size() - summary.outside;
  voice.say("Warning: the density could not be computed in {} of {} cells; they are nan in {}.",
            summary.failed, cells, options.output);
  if (!options.allow_failures) {
    voice.say("riemflow check tells more; --allow-failures accepts them.");
    throw Exit{static_cast<int>(Fault::numerical)};
  }
}

}  // namespace

void add_grid(CLI::App& app) {
  auto [command, options] = add_command<GridOptions>(
      app, "grid", "Write the density on a regular grid, as CSV, NPY or NetCDF", run);
  add_model(command, options.model);
  add_text(command, "-o,--output", options.output, "FILE",
           "File to write; its ending tells the format; - is standard output")
      ->required();
  add_choice(command, "--format", options.format, {"csv", "npy", "nc"},
             "Format of the output; by its ending unless given");
  command
      .add_option("--resolution", options.grid.resolution,
                  "Side of a cell: degrees on sphere:2 and torus:2, 1 unless given; coordinates on ball:2 "
                  "and euclidean:2, a hundredth of the square unless given")
      ->check(CLI::PositiveNumber);
  add_choice(command, "--per", options.grid.per, {"sr", "km2", "rad2", "volume", "euclid"},
             "What the density is per: sr or km2 on the Earth, rad2 on the torus, volume (hyperbolic) or "
             "euclid on the ball; the first unless given");
  add_choice(command, "--longitude", options.grid.longitude, {"-180", "0"},
             "Where the first column of the Earth begins");
  command.add_option("--extent", options.grid.extent, "Half the side of the square, on euclidean:2")
      ->check(CLI::PositiveNumber);
  add_choice(command, "--cell", options.grid.cell, {"mean", "centre"},
             "What a cell holds: the mean of the density over it, so that mean × area adds up to the mass at "
             "any resolution, or the density at its centre");
  add_allow_failures(command, options.allow_failures);
  add_force(command, options.force);
  command.add_flag("--quiet", options.quiet, "Say nothing but errors");
  command.footer(R"(Examples:
  riemflow grid quakes.model -o quakes.nc --resolution 0.5 --per km2
  riemflow grid quakes.model -o quakes.csv --longitude 0
  riemflow grid torsions.model -o torsions.npy --resolution 2
  riemflow grid plane.model -o plane.csv --extent 4 --resolution 0.1)");
}

}  // namespace riemflow::app
