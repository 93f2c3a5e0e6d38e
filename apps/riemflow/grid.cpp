// riemflow grid: a density on a regular grid, as CSV, NPY or NetCDF.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/grid/write_grid.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/exact_flow.hpp"
#include "apps/riemflow/support/failures.hpp"
#include "apps/riemflow/support/options.hpp"
#include "apps/riemflow/support/signals.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/manifold/earth.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow::app {
namespace {

struct GridOptions {
  ModelChoice model;
  std::string output, format, per, longitude = "-180";
  double resolution = 0, extent = 0;
  bool quiet = false, allow_failures = false;
};

constexpr std::size_t kMostCells = 50'000'000;
constexpr std::size_t kChunk = 1 << 15;

/// Cells along `whole` at this resolution, which must divide it.
std::size_t cells_along(double whole, double resolution, const std::string& unit) {
  const double cells = std::round(whole / resolution);
  require(cells >= 1 && std::abs(cells * resolution - whole) <= 1e-9 * whole,
          fmt::format("cells of {:g}{} do not fill {:g}{}", resolution, unit, whole, unit),
          fmt::format("give a --resolution that divides it, such as {:g}",
                      whole / std::max(1.0, std::ceil(whole / resolution - 1e-9))),
          Fault::usage);
  require(cells <= 1e6, fmt::format("cells of {:g}{} are {:.0f} along one side", resolution, unit, cells),
          "give a larger --resolution", Fault::usage);
  return static_cast<std::size_t>(cells);
}

/// `wanted`, or the first of `possible`.
std::string measure_of(const std::string& wanted, const std::vector<std::string>& possible,
                       const std::string& manifold) {
  if (wanted.empty()) return possible.front();
  require(std::find(possible.begin(), possible.end(), wanted) != possible.end(),
          fmt::format("--per {} has no meaning on {}", wanted, manifold),
          fmt::format("give {}", fmt::join(possible, " or ")), Fault::usage);
  return wanted;
}

/// The grid of a model's manifold, with the measure of the density.
GridLayout layout_of(const GridOptions& options, const std::string& manifold_name) {
  const auto manifold = parse_manifold<double>(manifold_name);
  const std::vector<Factor<double>> factors = manifold->factors();
  const Geometry geometry = factors[0].geometry;
  const double K = factors[0].curvature;
  const bool plane = factors.size() == 1 && manifold->dimension() == 2;
  require(plane && (geometry != Geometry::sphere || K == 1),
          fmt::format("{}: the model is on {}", options.model.path, manifold_name),
          "a grid is for sphere:2 (the Earth), torus:2, ball:2 and euclidean:2; riemflow score evaluates "
          "points of "
          "any manifold");
  require(geometry == Geometry::euclidean || options.extent == 0, "--extent is for euclidean:2",
          "leave it out on " + manifold_name, Fault::usage);
  require(geometry == Geometry::sphere || options.longitude == "-180",
          "--longitude is for the Earth, sphere:2", "leave it out on " + manifold_name, Fault::usage);
  GridLayout layout;
  const auto resolution = [&](double otherwise) {
    return layout.resolution = options.resolution > 0 ? options.resolution : otherwise;
  };
  if (geometry == Geometry::sphere) {
    layout.lattice =
        earth_lattice(cells_along(180, resolution(1), " degrees"), options.longitude == "0" ? 0 : -180);
    const bool km2 = measure_of(options.per, {"sr", "km2"}, manifold_name) == "km2";
    layout.units = km2 ? "km-2" : "sr-1";
    layout.measure = km2 ? "square kilometre of the Earth (radius 6371.0088 km)" : "steradian";
    if (km2) layout.log_factor = [](const double*) { return -std::log(kEarthKm2PerSr); };
    layout.resolution_unit = "degrees";
  } else if (geometry == Geometry::torus) {
    layout.lattice = torus_lattice(cells_along(360, resolution(1), " degrees"));
    measure_of(options.per, {"rad2"}, manifold_name);
    layout.units = "rad-2";
    layout.measure = "square radian";
    layout.resolution_unit = "degrees";
  } else if (geometry == Geometry::ball) {
    const double R = 1 / std::sqrt(-K);
    layout.lattice = ball_lattice(cells_along(2 * R, resolution(R / 50), ""), K);
    const bool euclid = measure_of(options.per, {"volume", "euclid"}, manifold_name) == "euclid";
    layout.units = "1";
    layout.measure = euclid ? "Euclidean area of the disk" : "hyperbolic area";
    if (euclid)  // λ²
      layout.log_factor = [K](const double* x) {
        return 2 * std::log(2 / (1 + K * (x[0] * x[0] + x[1] * x[1])));
      };
  } else {
    require(options.extent > 0, "euclidean:2 has no end", "give the half side of the square with --extent",
            Fault::usage);
    layout.lattice = euclidean_lattice(cells_along(2 * options.extent, resolution(options.extent / 50), ""),
                                       options.extent);
    measure_of(options.per, {"volume"}, manifold_name);
    layout.units = "1";
    layout.measure = "area";
  }
  require(layout.lattice.size() <= kMostCells, fmt::format("the grid has {} cells", layout.lattice.size()),
          fmt::format("give a larger --resolution, for at most {}", kMostCells), Fault::usage);
  return layout;
}

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
              "name it .csv, .npy or .nc, or give --format", Fault::usage);
}

/// Says how far it is, now and then, once it takes long.
class Progress {
 public:
  void at(std::size_t done, std::size_t all) {
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    if (seconds < next_ || done == all) return;
    next_ = seconds + 10;
    const double share = static_cast<double>(done) / static_cast<double>(all);
    say("{:.0f} % of {} cells, {:.0f} s left.", 100 * share, all, seconds / share - seconds);
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  double next_ = 5;
};

struct GridSummary {
  std::size_t failed = 0, outside = 0;
  double mass = 0, largest = 0, smallest = std::numeric_limits<double>::infinity();
};

/// Evaluates the next cells in order; log-densities, NaN where it fails or where there is no point.
template <class T>
std::vector<double> evaluate(Density<T>& density, const GridLayout& layout, std::size_t first, std::size_t n,
                             GridSummary& summary) {
  const Lattice& lattice = layout.lattice;
  const std::size_t columns = lattice.columns.centres.size();
  std::vector<std::size_t> cells;
  Points<double> points;
  points.dimension = lattice.ambient;
  double x[3];
  for (std::size_t cell = first; cell < first + n; ++cell) {
    if (!lattice.place(lattice.rows.centres[cell / columns], lattice.columns.centres[cell % columns], x))
      continue;
    points.values.insert(points.values.end(), x, x + lattice.ambient);
    cells.push_back(cell);
  }
  const std::vector<double> log_p = log_density_at(density, points);
  std::vector<double> result(n, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!std::isfinite(log_p[i])) {
      ++summary.failed;
      continue;
    }
    summary.mass += std::exp(log_p[i]) * lattice.volume(cells[i] / columns, cells[i] % columns);
    const double value = log_p[i] + (layout.log_factor ? layout.log_factor(points[i].data()) : 0);
    summary.largest = std::max(summary.largest, std::exp(value));
    summary.smallest = std::min(summary.smallest, std::exp(value));
    result[cells[i] - first] = value;
  }
  summary.outside += n - cells.size();
  return result;
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
                      : format == GridFormat::csv ? "; a line a cell, columns fastest"
                                                  : "");
  text += fmt::format("density  per {}, from {:.4g} to {:.4g}\n", layout.measure, summary.smallest,
                      summary.largest);
  text += fmt::format("mass     {:.6f}, the sum of density at the centre × {} of each cell\n", summary.mass,
                      lattice.exact_volume ? "exact area" : "hyperbolic area (that of its centre)");
  const bool to_stdout = options.output == "-" || options.output == "/dev/stdout";
  if (to_stdout) {
    text.pop_back();
    say_text(text);
  } else if (!options.quiet) {
    fmt::print("{}", text);
  }
}

void run(const GridOptions& options) {
  if (options.quiet) be_quiet();
  const GridFormat format = format_of(options);
  const Model model = load_model(options.model.path);
  const GridLayout layout = layout_of(options, model.config.manifold);
  const std::string path = options.output == "-" ? "/dev/stdout" : options.output;
  GridSource source;
  source.version = RIEMFLOW_VERSION;
  source.model = std::filesystem::path(options.model.path).filename().string();
  source.command = fmt::format("riemflow grid {} --resolution {:g}", source.model, layout.resolution);
  if (!options.per.empty()) source.command += " --per " + options.per;
  if (options.longitude != "-180") source.command += " --longitude " + options.longitude;
  if (options.extent > 0) source.command += fmt::format(" --extent {:g}", options.extent);
  if (options.model.tolerance > 0)
    source.command += fmt::format(" --tolerance {:g}", options.model.tolerance);

  watch_interrupts();
  GridSummary summary;
  with_exact_density(model, options.model, [&](auto& density) {
    Progress progress;
    const std::size_t all = layout.lattice.size();
    write_grid(path, format, layout, source, model.precision == "float", [&](std::size_t first) {
      if (interrupted()) throw Exit{kInterrupted};  // the file is as before
      const std::size_t n = std::min(kChunk, all - first);
      std::vector<double> values = evaluate(density, layout, first, n, summary);
      progress.at(first + n, all);
      return values;
    });
  });
  print_summary(options, layout, summary, format);
  finish_output();
  // On the plane and the ball, mass may lie outside of the grid as well.
  const bool whole =
      model.config.manifold.starts_with("sphere") || model.config.manifold.starts_with("torus");
  if (whole && summary.failed == 0 && std::abs(summary.mass - 1) > 0.01)
    say("Warning: the cells are coarse for this density, so that their mass is not 1; take a smaller "
        "--resolution.");
  if (summary.failed == 0) return;
  const std::size_t cells = layout.lattice.size() - summary.outside;
  say("Warning: the density could not be computed in {} of {} cells; they are nan in {}.", summary.failed,
      cells, options.output);
  if (!options.allow_failures) {
    say("riemflow check tells more; --allow-failures accepts them.");
    throw Exit{static_cast<int>(Fault::numerical)};
  }
}

}  // namespace

void add_grid(CLI::App& app) {
  auto* command = app.add_subcommand("grid", "Density on a regular grid, as CSV, NPY or NetCDF");
  auto options = std::make_shared<GridOptions>();
  add_model(*command, options->model);
  command
      ->add_option("-o,--output", options->output,
                   "File to write; its ending tells the format; - is standard output")
      ->required()
      ->type_name("FILE");
  add_choice(*command, "--format", options->format, {"csv", "npy", "nc"},
             "Of the output; by its ending unless given");
  command
      ->add_option(
          "--resolution", options->resolution,
          "Side of a cell: degrees on sphere:2 and torus:2, 1 unless given; coordinates on ball:2 and "
          "euclidean:2, a hundredth of the square unless given")
      ->check(CLI::PositiveNumber);
  add_choice(
      *command, "--per", options->per, {"sr", "km2", "rad2", "volume", "euclid"},
      "What the density is per: sr or km2 on the Earth, rad2 on the torus, volume (hyperbolic) or euclid on "
      "the ball; the first unless given");
  add_choice(*command, "--longitude", options->longitude, {"-180", "0"},
             "Where the first column of the Earth begins");
  command->add_option("--extent", options->extent, "Half the side of the square, on euclidean:2")
      ->check(CLI::PositiveNumber);
  add_allow_failures(*command, options->allow_failures);
  command->add_flag("--quiet", options->quiet, "Say nothing but errors");
  command->footer(
      "Examples:\n"
      "  riemflow grid quakes.model -o quakes.nc --resolution 0.5 --per km2\n"
      "  riemflow grid quakes.model -o quakes.csv --longitude 0\n"
      "  riemflow grid torsions.model -o torsions.npy --resolution 2\n"
      "  riemflow grid plane.model -o plane.csv --extent 4 --resolution 0.1");
  command->callback([options] { run(*options); });
}

}  // namespace riemflow::app
