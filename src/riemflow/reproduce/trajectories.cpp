// First figure of the paper: paths on the sphere, from the uniform distribution to that of volcanoes.

#include <fmt/format.h>

#include <cmath>

#include "riemflow/flow/flow.hpp"
#include "riemflow/manifold/earth.hpp"
#include "riemflow/reproduce/earth_run.hpp"
#include "riemflow/reproduce/figures.hpp"

namespace riemflow {
namespace {

constexpr int kFrames = 11;
constexpr std::size_t kPaths = 200;

/// [[latitude, longitude] in degrees, …]
Json degrees(const Points<float>& points) {
  Json all = Json::array();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double x = points[i][0], y = points[i][1], z = points[i][2];
    all.push_back({rounded_to(std::atan2(z, std::hypot(x, y)) / kRadians, 5),
                   rounded_to(std::atan2(y, x) / kRadians, 5)});
  }
  return all;
}

/// Mean length of the paths through the frames, in radians.
double mean_length(const std::vector<Points<float>>& frames) {
  double sum = 0;
  for (std::size_t f = 1; f < frames.size(); ++f)
    for (std::size_t i = 0; i < frames[f].size(); ++i) {
      double square = 0;
      for (std::size_t c = 0; c < 3; ++c)
        square +=
            std::pow(static_cast<double>(frames[f][i][c]) - static_cast<double>(frames[f - 1][i][c]), 2);
      sum += 2 * std::asin(std::min(1.0, std::sqrt(square) / 2));
    }
  return sum / static_cast<double>(frames.front().size());
}

class Trajectories final : public Experiment {
 public:
  std::string name() const override { return "trajectories"; }
  int runs() const override { return 1; }
  std::string settings(bool quick) const override {
    return fmt::format(
        "The riemannian model of {} as in the experiment earth, and the paths of {} draws of its base, seen "
        "at {} equally spaced times.",
        earth_sets(quick).front().name, kPaths, kFrames);
  }
  std::vector<Cell> cells(bool quick) const override { return {{earth_sets(quick).front().name, 90}}; }
  void check(const std::string& /*cell*/, const ReproduceOptions& options) const override {
    check_earth_set(earth_sets(options.quick).front(), options.data_dir);
  }

  Json run(const std::string& /*cell*/, std::uint64_t seed, const ReproduceOptions& options) const override {
    const EarthSet& set = earth_sets(options.quick).front();
    const EarthSplit split = earth_split(set, Protocol::customary, seed, options.data_dir);
    const FittedFlow fitted = fit_earth_flow({&set, ModelKind::riemannian, false, seed}, split, options);
    Flow<float> flow(fitted.config.flow, 0, options.threads_per_run);
    std::copy(fitted.best.begin(), fitted.best.end(), flow.parameters().begin());
    const Carried<float> paths = flow.push(flow.sample_base(kPaths, seed), kFrames);
    Json frames = Json::array();
    for (const Points<float>& frame : paths.frames) frames.push_back(degrees(frame));
    Candidate candidate(fitted.config.flow, options.threads_per_run, options.device);
    candidate.take(fitted.best);
    return {{"nll", -flow.log_prob(converted<float>(split.test)).mean()},
            {"mean_length", mean_length(paths.frames)},
            {"evaluations", paths.summary.mean_evaluations()},
            {"failed", paths.summary.failures.size()},
            {"mass", candidate.mass()},
            {"frames", std::move(frames)},
            {"grid", grid_of(earth_lattice(45, -180),
                             [&](const Points<double>& points) { return candidate.log_prob(points); })}};
  }

  std::string table(const Results& results) const override {
    std::string text =
        "| data | test NLL | mean length of a path, radians | mass | runs |\n|---|---|---|---|---|\n";
    for (const Cell& cell : cells(results.quick()))
      text += fmt::format("| {} | {} | {} | {} | {} |\n", cell.name, results.mean_text(cell.name, "nll", 3),
                          results.mean_text(cell.name, "mean_length", 3),
                          results.mean_text(cell.name, "mass", 4), results.runs(cell.name));
    return text + "\nThe paths are in the JSON file: frames[time][point] = [latitude, longitude].\n";
  }

  std::vector<FigureFile> figures(const Results& results, const std::string& /*data_dir*/,
                                  TaskObserver& /*observer*/) const override {
    return trajectory_map(results, cells(results.quick()).front().name);
  }
};

}  // namespace

std::unique_ptr<Experiment> make_trajectories_experiment() { return std::make_unique<Trajectories>(); }

}  // namespace riemflow
