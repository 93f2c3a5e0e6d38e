#include "riemflow/model/density_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "riemflow/core/cancel.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/manifold/earth.hpp"
#include "riemflow/model/cell_masses.hpp"
#include "riemflow/model/space.hpp"

namespace riemflow {
namespace {

constexpr std::size_t kMostCells = 50'000'000;
constexpr std::size_t kCellsAtOnce = 1 << 13;

/// Cells along `whole` at this resolution, which must divide it.
std::size_t cells_along(double whole, double resolution, const std::string& unit) {
  const double cells = std::round(whole / resolution);
  require(cells >= 1 && std::abs(cells * resolution - whole) <= 1e-9 * whole,
          fmt::format("cells of {:g}{} do not fill {:g}{}", resolution, unit, whole, unit),
          fmt::format("give a ‹resolution› that divides it, such as {:g}",
                      whole / std::max(1.0, std::ceil(whole / resolution - 1e-9))),
          Fault::usage);
  require(cells <= 1e6, fmt::format("cells of {:g}{} are {:.0f} along one side", resolution, unit, cells),
          "give a larger ‹resolution›", Fault::usage);
  return static_cast<std::size_t>(cells);
}

/// `wanted`, or the first of `possible`.
std::string measure_of(const std::string& wanted, const std::vector<std::string>& possible,
                       const std::string& manifold) {
  if (wanted.empty()) return possible.front();
  require(std::find(possible.begin(), possible.end(), wanted) != possible.end(),
          fmt::format("‹per› {} has no meaning on {}", wanted, manifold),
          fmt::format("give {}", fmt::join(possible, " or ")), Fault::usage);
  return wanted;
}

/// What the cells of a grid hold, computed row by row.
class CellValues {
 public:
  CellValues(const Density& density, const GridLayout& layout)
      : density_(density), layout_(layout), masses_(density, layout.lattice) {}

  /// Rows to ask for at a time.
  std::size_t rows_at_once() const {
    return std::max<std::size_t>(1, kCellsAtOnce / layout_.lattice.columns.centres.size());
  }
  /// Of the rows from `first` to before `last`: log-densities per `measure`, NaN where it fails or where
  /// there is no point. masses = those of the cells. Throws Cancelled (core/cancel.hpp).
  std::vector<double> rows(std::size_t first, std::size_t last, std::vector<double>& masses) {
    give_up_if_asked();
    const Lattice& lattice = layout_.lattice;
    const std::size_t columns = lattice.columns.centres.size();
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> result = layout_.means ? std::vector<double>() : at_centres(first, last, masses);
    if (layout_.means) masses = masses_.rows(first, last, give_up_if_asked);
    result.resize(masses.size(), kNone);
    double x[3];
    for (std::size_t i = 0; i < masses.size(); ++i) {
      const std::size_t row = first + i / columns, column = i % columns;
      if (!lattice.place(lattice.rows.centres[row], lattice.columns.centres[column], x)) {
        ++summary_.outside;
        masses[i] = result[i] = kNone;
        continue;
      }
      if (layout_.means) result[i] = std::log(masses[i] / layout_.size(row, column));
      if (std::isnan(result[i]) || result[i] == INFINITY) {
        ++summary_.failed;
        masses[i] = result[i] = kNone;
        continue;
      }
      summary_.mass += masses[i];
      summary_.largest = std::max(summary_.largest, std::exp(result[i]));
      summary_.smallest = std::min(summary_.smallest, std::exp(result[i]));
    }
    if (layout_.means) summary_.error = masses_.error();
    return result;
  }

  const GridSummary& summary() const { return summary_; }

 private:
  std::vector<double> at_centres(std::size_t first, std::size_t last, std::vector<double>& masses) {
    const Lattice& lattice = layout_.lattice;
    const std::size_t columns = lattice.columns.centres.size(), n = (last - first) * columns;
    std::vector<std::size_t> cells;
    Points<double> points;
    points.dimension = lattice.ambient;
    double x[3];
    for (std::size_t cell = 0; cell < n; ++cell) {
      if (!lattice.place(lattice.rows.centres[first + cell / columns],
                         lattice.columns.centres[cell % columns], x))
        continue;
      points.values.insert(points.values.end(), x, x + lattice.ambient);
      cells.push_back(cell);
    }
    const std::vector<double> log_p = density_.log_prob(points).values;
    std::vector<double> result(n, std::numeric_limits<double>::quiet_NaN());
    masses = result;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      result[cells[i]] = log_p[i] + (layout_.log_factor ? layout_.log_factor(points[i].data()) : 0);
      masses[cells[i]] = std::exp(log_p[i]) * lattice.volume(first + cells[i] / columns, cells[i] % columns);
    }
    return result;
  }

  const Density& density_;
  const GridLayout& layout_;
  CellMasses masses_;
  GridSummary summary_;
};

}  // namespace

GridLayout layout_of(const GridChoice& options, const Model& model) {
  const Space& manifold = space_of(model);
  const std::string& manifold_name = manifold.name();
  const Picture::Kind picture = manifold->picture().kind;
  const double K = manifold->curvature();
  require(picture != Picture::Kind::pairs && manifold->covering() == nullptr,
          fmt::format("{}: the model is on {}", model.path, manifold_name),
          "a grid is for sphere:2 (the Earth), torus:2, ball:2 and euclidean:2; riemflow score evaluates "
          "points of any manifold");
  require(picture == Picture::Kind::plane || options.extent == 0, "‹extent› is for euclidean:2",
          "leave it out on " + manifold_name, Fault::usage);
  require(picture == Picture::Kind::globe || options.longitude == "-180",
          "‹longitude› is for the Earth, sphere:2", "leave it out on " + manifold_name, Fault::usage);
  GridLayout layout;
  layout.means = options.cell == "mean";
  const auto resolution = [&](double otherwise) {
    return layout.resolution = options.resolution > 0 ? options.resolution : otherwise;
  };
  switch (picture) {
    case Picture::Kind::globe: {
      layout.lattice =
          earth_lattice(cells_along(180, resolution(1), " degrees"), options.longitude == "0" ? 0 : -180);
      const bool km2 = measure_of(options.per, {"sr", "km2"}, manifold_name) == "km2";
      layout.units = km2 ? "km-2" : "sr-1";
      layout.measure = km2 ? "square kilometre of the Earth (radius 6371.0088 km)" : "steradian";
      if (km2) {
        layout.log_factor = [](const double*) { return -std::log(kEarthKm2PerSr); };
        layout.size = [volume = layout.lattice.volume](std::size_t row, std::size_t column) {
          return kEarthKm2PerSr * volume(row, column);
        };
      }
      layout.resolution_unit = "degrees";
      break;
    }
    case Picture::Kind::torus:
      layout.lattice = torus_lattice(cells_along(360, resolution(1), " degrees"));
      measure_of(options.per, {"rad2"}, manifold_name);
      layout.units = "rad-2";
      layout.measure = "square radian";
      layout.resolution_unit = "degrees";
      break;
    case Picture::Kind::disk: {
      const double R = 1 / std::sqrt(-K);
      layout.lattice = ball_lattice(cells_along(2 * R, resolution(R / 50), ""), K);
      const bool euclid = measure_of(options.per, {"volume", "euclid"}, manifold_name) == "euclid";
      layout.units = "1";
      layout.measure = euclid ? "Euclidean area of the disk" : "hyperbolic area";
      if (euclid) {  // λ²
        layout.log_factor = [K](const double* x) {
          return 2 * std::log(2 / (1 + K * (x[0] * x[0] + x[1] * x[1])));
        };
        layout.size = [side = layout.resolution](std::size_t, std::size_t) { return side * side; };
      }
      break;
    }
    case Picture::Kind::plane:
      require(options.extent > 0, "euclidean:2 has no end", "give the half side of the square with ‹extent›",
              Fault::usage);
      layout.lattice = euclidean_lattice(cells_along(2 * options.extent, resolution(options.extent / 50), ""),
                                         options.extent);
      measure_of(options.per, {"volume"}, manifold_name);
      layout.units = "1";
      layout.measure = "area";
      break;
    case Picture::Kind::pairs:
    case Picture::Kind::axes:
    case Picture::Kind::rotations:
    case Picture::Kind::cover:
      break;  // refused above
  }
  if (!layout.size) layout.size = layout.lattice.volume;
  require(layout.lattice.size() <= kMostCells, fmt::format("the grid has {} cells", layout.lattice.size()),
          fmt::format("give a larger ‹resolution›, for at most {}", kMostCells), Fault::usage);
  return layout;
}

GridSummary visit_cells(const Model& model, const Evaluation& how, const GridLayout& layout,
                        const std::string& task, TaskObserver& observer, const CellVisitor& visit) {
  const CancelScope scope([&] { return observer.cancelled(); });
  const std::unique_ptr<Density> density = make_exact_density(model, how, observer);
  CellValues values(*density, layout);
  const std::size_t all = layout.lattice.rows.centres.size(), columns = layout.lattice.columns.centres.size();
  ObservedTask progress(observer, task, static_cast<double>(all));
  for (std::size_t row = 0; row < all; row += values.rows_at_once()) {
    const std::size_t last = std::min(all, row + values.rows_at_once());
    std::vector<double> masses;
    const std::vector<double> log_density = values.rows(row, last, masses);
    visit(row * columns, log_density, masses);
    progress.reach(static_cast<double>(last), static_cast<double>(all));
  }
  return values.summary();
}

DensityGrid density_grid(const Model& model, const Evaluation& how, const GridLayout& layout,
                         TaskObserver& observer) {
  DensityGrid grid{layout, {}, {}, {}};
  grid.log_density.reserve(layout.lattice.size());
  grid.masses.reserve(layout.lattice.size());
  grid.summary = visit_cells(
      model, how, layout, "Density", observer,
      [&](std::size_t, const std::vector<double>& log_density, const std::vector<double>& masses) {
        grid.log_density.insert(grid.log_density.end(), log_density.begin(), log_density.end());
        grid.masses.insert(grid.masses.end(), masses.begin(), masses.end());
      });
  return grid;
}

}  // namespace riemflow
