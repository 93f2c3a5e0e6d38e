#include "riemflow/reproduce/figures.hpp"

#include <algorithm>
#include <cmath>

#include "riemflow/core/error.hpp"
#include "riemflow/figure/map.hpp"
#include "riemflow/reproduce/earth_data.hpp"

namespace riemflow {
namespace {

using namespace figure;

constexpr double kSheetWidth = 180 / 25.4 * 72, kDpi = 150;  // two columns of a journal
constexpr double kLeastLog = -30;                            // densities below are 0 in any picture

/// A grid of the results, four times as fine: its logarithms are interpolated.
EarthGrid density_of(const Json& grid) {
  EarthGrid coarse{
      static_cast<int>(grid.at("rows").size()), static_cast<int>(grid.at("columns").size()), -180, {}};
  for (const Json& value : grid.at("log_density"))
    coarse.values.push_back(value.is_number() ? std::max(kLeastLog, value.get<double>()) : kLeastLog);
  EarthGrid fine{4 * coarse.rows, 4 * coarse.columns, coarse.west, {}};
  for (int i = 0; i < fine.rows; ++i)
    for (int j = 0; j < fine.columns; ++j)
      fine.values.push_back(std::exp(coarse.at({fine.latitude(i), fine.longitude(j)})));
  return fine;
}

double largest(const EarthGrid& grid) { return *std::max_element(grid.values.begin(), grid.values.end()); }

struct EarthPoints {
  std::vector<Vec3> training, test;
};

/// The split of seed 0; none where the set is not there.
EarthPoints points_of(const EarthSet& set, const std::string& data_dir, TaskObserver& observer) {
  try {
    check_earth_set(set, data_dir);
    const EarthSplit split = earth_split(set, Protocol::customary, 0, data_dir);
    EarthPoints points{vectors_of(split.training.values), vectors_of(split.test.values)};
    const std::vector<Vec3> validation = vectors_of(split.validation.values);
    points.training.insert(points.training.end(), validation.begin(), validation.end());
    return points;
  } catch (const Error& error) {
    observer.tell("The maps of {} are without its points: {}.", set.name, error.what());
    return {};
  }
}

/// Through the same points, without corners: Catmull and Rom's cubics, back on the sphere.
SphereLine smooth(const std::vector<Vec3>& points) {
  constexpr int kPieces = 6;
  SphereLine line;
  const auto at = [&](std::ptrdiff_t i) {
    return points[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(i, 0, std::ssize(points) - 1))];
  };
  for (std::ptrdiff_t i = 0; i + 1 < std::ssize(points); ++i) {
    const Vec3 a = at(i - 1), b = at(i), c = at(i + 1), d = at(i + 2);
    for (int k = 0; k < kPieces; ++k) {
      const double t = static_cast<double>(k) / kPieces;
      Vec3 x;
      double square = 0;
      for (std::size_t j = 0; j < 3; ++j) {
        x[j] =
            b[j] + t / 2 *
                       (c[j] - a[j] +
                        t * (2 * a[j] - 5 * b[j] + 4 * c[j] - d[j] + t * (3 * (b[j] - c[j]) + d[j] - a[j])));
        square += x[j] * x[j];
      }
      for (double& coordinate : x) coordinate /= std::sqrt(square);
      line.points.push_back(x);
    }
  }
  line.points.push_back(points.back());
  return line;
}

/// Where a data set is best seen.
LatLon view_of(const std::string& set) {
  if (set == "volcano") return {10, 170};
  if (set == "flood") return {15, 80};
  if (set == "fire") return {5, 20};
  return {25, 110};
}

std::string capital(std::string word) {
  if (!word.empty()) word[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(word[0])));
  return word;
}

}  // namespace

std::vector<FigureFile> vmf_densities(const Results& results) {
  MapSheet sheet;
  sheet.row_titles = {"Stereographic", "Riemannian"};
  sheet.column_titles = {"Base", "Model", "Target"};
  double most = 0;
  for (const char* model : {"stereographic", "riemannian"}) {
    const Json* grids = of_first_run(results, std::string(model) + " nll kappa=10", "grids");
    if (grids == nullptr) return {};
    auto& row = sheet.maps.emplace_back();
    for (const char* which : {"base", "model", "target"}) {
      Map& map = row.emplace_back();
      map.projection = ProjectionKind::mollweide;
      map.centre = {0, 90};  // between μ₀ and the target
      map.coastlines = false;
      map.density = density_of(grids->at(which));
      most = std::max(most, largest(map.density));
    }
  }
  const double target = largest(sheet.maps[0][2].density);
  for (auto& row : sheet.maps)
    for (Map& map : row)
      map.bar = {{0, target}, "probability density per steradian", false, false, most > 1.001 * target};
  return {{"densities.png", sheet.draw(FileKind::png, kSheetWidth, kDpi)}};
}

const Json* of_first_run(const Results& results, const std::string& cell, const char* key) {
  for (const Json* run : results.runs_of(cell))
    if (const auto found = run->find(key); found != run->end()) return &*found;
  return nullptr;
}

std::vector<FigureFile> earth_maps(const Results& results, const std::string& data_dir,
                                   TaskObserver& observer) {
  MapSheet spheres{{{}, {}}, {"Stereographic", "Riemannian"}, {}},
      robinson{{}, {}, {"Stereographic", "Riemannian"}};
  for (const EarthSet& set : earth_sets(results.quick())) {
    const std::string name = set.name;
    const EarthPoints points = points_of(set, data_dir, observer);
    std::vector<Map> pair;
    for (const char* model : {"stereographic", "riemannian"}) {
      const Json* grid = of_first_run(results, name + " " + model + " customary", "grid");
      if (grid == nullptr) break;
      Map& map = pair.emplace_back();
      map.density = density_of(*grid);
      map.bar = {{1e-4, 10, true}, "probability density per steradian", false, true, true};
      map.centre = view_of(name);
      if (points.training.empty()) continue;
      map.dots.push_back({points.training, kBlue, 0.4, "training and validation points"});
      map.dots.push_back({points.test, kTeal, 0.4, "test points"});
    }
    if (pair.size() < 2) continue;
    spheres.column_titles.push_back(capital(name));
    robinson.row_titles.push_back(capital(name));
    for (std::size_t i = 0; i < 2; ++i) {
      pair[i].projection = ProjectionKind::orthographic;
      spheres.maps[i].push_back(pair[i]);
      pair[i].projection = ProjectionKind::robinson;
      pair[i].centre = {0, name == "volcano" || name.starts_with("earthquake") ? 180.0 : 0.0};
    }
    robinson.maps.push_back(std::move(pair));
  }
  if (robinson.maps.empty()) return {};
  return {{"spheres.png", spheres.draw(FileKind::png, kSheetWidth, kDpi)},
          {"robinson.png", robinson.draw(FileKind::png, kSheetWidth, kDpi)}};
}

std::vector<FigureFile> trajectory_map(const Results& results, const std::string& cell) {
  const Json* frames = of_first_run(results, cell, "frames");
  const Json* grid = of_first_run(results, cell, "grid");
  if (frames == nullptr || grid == nullptr) return {};
  Map map;
  map.projection = ProjectionKind::orthographic;
  map.centre = {12, 175};
  map.density = density_of(*grid);
  map.bar = {{1e-4, 10, true}, "probability density per steradian", true, true, true};
  MapLines paths{{}, {kBlue.with_alpha(0.8), 0.6}, 0.3, "paths"};
  MapDots starts{{}, kBlue, 0.7, "start, uniformly distributed"},
      ends{{}, kTeal, 1.3, "end, distributed as the model"};
  for (std::size_t i = 0; i < frames->front().size(); ++i) {
    std::vector<Vec3> path;
    for (const Json& frame : *frames) {
      const Json& place = frame.at(i);
      if (place.at(0).is_number())
        path.push_back(vector_of({place.at(0).get<double>(), place.at(1).get<double>()}));
    }
    if (path.empty()) continue;
    starts.points.push_back(path.front());
    ends.points.push_back(path.back());
    paths.lines.push_back(smooth(path));
  }
  map.lines = {std::move(paths)};
  map.dots = {std::move(starts), std::move(ends)};
  return {{"paths.png", map_figure(FileKind::png, 120 / 25.4 * 72, 200, map)}};
}

}  // namespace riemflow
