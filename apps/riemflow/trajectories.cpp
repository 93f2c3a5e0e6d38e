#include <algorithm>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/coordinate_rows.hpp"
#include "apps/riemflow/support/data.hpp"
#include "apps/riemflow/support/failures.hpp"
#include "apps/riemflow/support/outputs.hpp"
#include "apps/riemflow/support/task_progress.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/model/flow_density.hpp"
#include "riemflow/model/score_points.hpp"
#include "riemflow/model/space.hpp"

namespace riemflow::app {
namespace {

struct TrajectoryOptions {
  ModelChoice model;
  DataFile data;
  std::uint64_t n = 0, frames = 0, seed = 0;
  std::string output = "-";
  bool vectors = false, allow_failures = false, force = false;
};

/// Paths on their way to the table: rows point, frame, time, coordinates; by point, then by rising time.
class PathRows {
 public:
  PathRows(const TrajectoryOptions& options, const Manifold<double>& manifold)
      : options_(options), coordinates_(manifold, options.vectors) {}

  std::vector<TableColumn> columns() const {
    std::vector<TableColumn> result = {{"point", true}, {"frame", true}, {"time"}};
    coordinates_.append_columns(result);
    return result;
  }

  /// from_data: the frames run from time 1 to 0.
  void write(TableWriter& table, const Carried<double>& path, bool from_data) {
    rows_.clear();
    const std::size_t frames = path.frames.size();
    for (std::size_t i = 0; i < path.frames.front().size(); ++i) {
      for (std::size_t k = 0; k < frames; ++k) {
        rows_.push_back(static_cast<double>(written_ + i + 1));
        rows_.push_back(static_cast<double>(k + 1));
        rows_.push_back(static_cast<double>(k) / static_cast<double>(frames - 1));
        coordinates_.append(path.frames[from_data ? frames - 1 - k : k][i], rows_);
      }
    }
    table.rows(rows_);
    written_ += path.frames.front().size();
  }

  std::uint64_t written() const { return written_; }
  /// Points computed at a time, so that the rows of all frames stay a few megabytes and progress is seen.
  std::size_t chunk() const {
    const std::uint64_t most =
        std::max<std::uint64_t>(1, std::min<std::uint64_t>(2048, 16384 / options_.frames) / kLanes);
    return static_cast<std::size_t>(most * kLanes);
  }

 private:
  const TrajectoryOptions& options_;
  CoordinateRows coordinates_;
  std::vector<double> rows_;
  std::uint64_t written_ = 0;
};

void from_base(const TrajectoryOptions& options, const FlowDensity& flow, PathRows& rows, TableWriter& table,
               Failures& failures) {
  TaskProgress progress("Trajectories", static_cast<double>(options.n));
  for (std::uint64_t first = 0; first < options.n; first += rows.chunk()) {
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(rows.chunk(), options.n - first));
    const Carried<double> path =
        flow.draw_paths(n, options.seed, first, equally_spaced(0, 1, static_cast<int>(options.frames)));
    rows.write(table, path, false);
    progress.advance(static_cast<double>(n));
    for (const Failure& failure : path.summary.failures)
      failures.add([&] { return fmt::format("point {}", first + failure.point + 1); }, failure.status);
  }
}

void from_data(const TrajectoryOptions& options, PointSource& source, const FlowDensity& flow, PathRows& rows,
               TableWriter& table, Failures& failures) {
  Points<double> points;
  std::vector<std::uint64_t> lines;
  TaskProgress progress("Trajectories", static_cast<double>(options.n));
  while (options.n == 0 || rows.written() < options.n) {
    std::size_t most = rows.chunk();
    if (options.n > 0)
      most = static_cast<std::size_t>(std::min<std::uint64_t>(most, options.n - rows.written()));
    if (!source.next(most, points, &lines)) break;
    require_density_at(flow, points, lines, source.assumptions());
    const Carried<double> path = flow.carry(points, equally_spaced(1, 0, static_cast<int>(options.frames)));
    rows.write(table, path, true);
    progress.reach(
        static_cast<double>(rows.written()),
        options.n > 0 ? static_cast<double>(options.n) : points_about(rows.written(), source.share_done()));
    for (const Failure& failure : path.summary.failures)
      failures.add([&] { return place_of(source.assumptions(), lines[failure.point]); }, failure.status);
  }
  for (const std::string& sentence : source.remarks()) say_text(sentence);
}

/// use(flow), a FlowDensity, of a model that is one, or of a pool's flow with the largest weight, which is
/// said. Throws Error for others: `what` they do not have.
template <class Use>
auto with_flow(const Model& model, const ModelChoice& choice, const char* what, Use&& use) {
  const std::optional<Model> flow = leading_flow(model);
  require(flow.has_value(),
          fmt::format("{}: a {} {}has no {}", model.path, name_of(model.config.model),
                      model.config.model == ModelKind::pool ? "without flows " : "", what),
          "give a model that is a flow");
  if (model.config.model == ModelKind::pool)
    say("The {} are those of the pool's flow with the largest weight.", what);
  const std::unique_ptr<Density> density = make_density(*flow, Evaluation(choice));
  return use(*density->parts().front().flow());
}

void run(const TrajectoryOptions& options) {
  table_format(options.output);  // a name that cannot be is said before any work
  require(options.n > 0 || !options.data.path.empty(), "no points to follow",
          "give their number with -n, or their file with --from-data", Fault::usage);
  require_safe({{"MODEL", options.model.path}, input_of(options.data, "--from-data")},
               {output_named(options.output)}, options.force);
  const Model model = load_model(options.model.path);
  const auto manifold = model.config.manifold.on<double>();
  const auto source = options.data.path.empty()
                          ? nullptr
                          : open_said(options.data.by(options.model.threads), model.config.manifold.name());
  if (const Space& space = space_of(model); space != model.config.manifold)
    say("The paths are on {}, through which {} is told, in its coordinates.", model.config.manifold.name(),
        space.name());
  PathRows rows(options, *manifold);
  Failures failures;
  with_flow(model, options.model, "paths", [&](const FlowDensity& flow) {
    const int digits = digits_of(precision_of(model));
    write_table(options.output, rows.columns(), digits, options.model.threads, [&](TableWriter& table) {
      if (source)
        from_data(options, *source, flow, rows, table, failures);
      else
        from_base(options, flow, rows, table, failures);
    });
  });
  for (const std::string& sentence : failures.sentences()) say_text(sentence);
  end_on_failures(failures, rows.written(), "points", true, options.allow_failures);
}

}  // namespace

void add_trajectories(CLI::App& app) {
  auto [command, options] = add_command<TrajectoryOptions>(
      app, "trajectories", "Follow points from the base to the model's density", run);
  add_model(command, options.model);
  add_count(command, "-n,--points", options.n, 1, 1'000'000'000,
            "Points to follow; all of them with --from-data unless given");
  add_count(command, "--frames", options.frames, 2, 100'000, "Times between 0 and 1 at which they are seen")
      ->required();
  add_text(command, "-o,--output", options.output, "FILE",
           "Where the rows go: .csv, .tsv or .npy; - for CSV on standard output")
      ->capture_default_str();
  command.add_option("--seed", options.seed, "Seed of the draws from the base: same seed, same paths")
      ->capture_default_str();
  command.add_flag("--vectors", options.vectors,
                   "Coordinates of the surrounding space, such as unit vectors, instead of degrees");
  add_allow_failures(command, options.allow_failures);
  add_force(command, options.force);
  add_data(command, options.data, "--from-data");
  command.footer(
      R"(Rows: point and frame, both from 1, time, coordinates as `riemflow sample` writes them. Time 0 is the
base, time 1 the model's density. With --from-data the paths are those that end in the given points.

Examples:
  riemflow trajectories quakes.model -n 500 --frames 40 -o paths.csv
  riemflow trajectories quakes.model --from-data quakes.csv --frames 11 -o paths.npy)");
}

}  // namespace riemflow::app
