// Samples and trajectories of the model that is plotted.

#include <fmt/format.h>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/plot/request.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/numbers.hpp"
#include "apps/riemflow/support/signals.hpp"
#include "apps/riemflow/support/task_progress.hpp"
#include "apps/riemflow/support/with_flow.hpp"
#include "riemflow/core/thinned.hpp"

namespace riemflow::app {
namespace {

/// Draws computed between two looks at Ctrl-C.
constexpr std::size_t kAtOnce = 16384;
static_assert(kAtOnce % kLanes == 0);

}  // namespace

PlotPoints dots_of(const Points<double>& points, const std::string& label) {
  PlotPoints dots{thinned(points, kMostDots), label};
  const std::string drawn = counted(dots.points.size());
  if (dots.points.size() == points.size()) {
    dots.label += fmt::format(" ({})", drawn);
  } else {
    dots.label += fmt::format(" ({} of {})", drawn, counted(points.size()));
    say("{}: {} of {} points are drawn, more cannot be told apart.", label, drawn, counted(points.size()));
  }
  return dots;
}

Points<double> drawn_samples(const PlotRequest& request, Drawing& drawing) {
  Points<double> result;
  with_density(request.model, request.choice, [&]<class T>(Density<T>& density) {
    result.dimension = density.manifold().ambient();
    TaskProgress progress("Samples", static_cast<double>(request.samples));
    for (std::uint64_t first = 0; first < request.samples; first += kAtOnce) {
      if (interrupted()) throw Exit{kInterrupted};
      const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(kAtOnce, request.samples - first));
      const Carried<T> drawn = density.sample(n, request.seed, first);
      const Points<double> good = converted<double>(finite_points(drawn.frames.back()));
      result.values.insert(result.values.end(), good.values.begin(), good.values.end());
      for (const Failure& failure : drawn.summary.failures)
        drawing.failures.add([&] { return fmt::format("draw {}", first + failure.point + 1); },
                             failure.status);
      progress.advance(static_cast<double>(n));
    }
  });
  return result;
}

std::vector<Points<double>> drawn_paths(const PlotRequest& request, int frames, Drawing& drawing) {
  std::vector<Points<double>> result;
  if (request.trajectories == 0) return result;
  with_flow(request.model, request.choice, "trajectories", [&]<class T>(Transport<T>& flow) {
    const TaskProgress progress("Trajectories", 0);
    const Carried<T> path = flow.draw_paths(static_cast<std::size_t>(request.trajectories), request.seed, 0,
                                            equally_spaced(0, 1, frames));
    for (std::size_t i = 0; i < path.frames.front().size(); ++i) {
      Points<double> line(static_cast<std::size_t>(frames), path.frames.front().dimension);
      bool good = true;
      for (std::size_t k = 0; k < path.frames.size(); ++k) {
        const auto point = path.frames[k][i];
        good = good && is_finite<T>(point);
        std::copy(point.begin(), point.end(), line[k].begin());
      }
      if (good) result.push_back(std::move(line));
    }
    for (const Failure& failure : path.summary.failures)
      drawing.failures.add([&] { return fmt::format("trajectory {}", failure.point + 1); }, failure.status);
  });
  return result;
}

}  // namespace riemflow::app
