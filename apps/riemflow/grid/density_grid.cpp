#include "apps/riemflow/grid/density_grid.hpp"

#include <algorithm>
#include <cmath>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/support/exact_flow.hpp"
#include "apps/riemflow/support/signals.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/manifold/earth.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow::app {
namespace {

constexpr std::size_t kMostCells = 50'000'000;

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

}  // namespace

GridLayout layout_of(const GridChoice& options, const Model& model) {
  const std::string& manifold_name = model.config.manifold;
  const auto manifold = parse_manifold<double>(manifold_name);
  const std::vector<Factor<double>> factors = manifold->factors();
  const Geometry geometry = factors[0].geometry;
  const double K = factors[0].curvature;
  const bool plane = factors.size() == 1 && manifold->dimension() == 2;
  require(plane && (geometry != Geometry::sphere || K == 1),
          fmt::format("{}: the model is on {}", model.path, manifold_name),
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

void GridProgress::at(std::size_t done, std::size_t all) {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  if (seconds < next_ || done == all) return;
  next_ = seconds + 10;
  const double share = static_cast<double>(done) / static_cast<double>(all);
  say("{:.0f} % of {} cells, {:.0f} s left.", 100 * share, all, seconds / share - seconds);
}

template <class T>
std::vector<double> evaluate_cells(Density<T>& density, const GridLayout& layout, std::size_t first,
                                   std::size_t n, GridSummary& summary) {
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

template std::vector<double> evaluate_cells(Density<float>&, const GridLayout&, std::size_t, std::size_t,
                                            GridSummary&);
template std::vector<double> evaluate_cells(Density<double>&, const GridLayout&, std::size_t, std::size_t,
                                            GridSummary&);

DensityGrid density_grid(const Model& model, const ModelChoice& choice, const GridLayout& layout) {
  DensityGrid grid{layout, {}, {}};
  const std::size_t all = layout.lattice.size();
  grid.log_density.reserve(all);
  with_exact_density(model, choice, [&](auto& density) {
    GridProgress progress;
    for (std::size_t first = 0; first < all; first += kCellsAtOnce) {
      if (interrupted()) throw Exit{kInterrupted};
      const std::size_t n = std::min(kCellsAtOnce, all - first);
      const std::vector<double> values = evaluate_cells(density, layout, first, n, grid.summary);
      grid.log_density.insert(grid.log_density.end(), values.begin(), values.end());
      progress.at(first + n, all);
    }
  });
  return grid;
}

}  // namespace riemflow::app
