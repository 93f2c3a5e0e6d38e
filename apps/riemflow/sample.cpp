#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/coordinate_rows.hpp"
#include "apps/riemflow/support/failures.hpp"
#include "apps/riemflow/support/outputs.hpp"
#include "apps/riemflow/support/task_progress.hpp"
#include "riemflow/core/pieces.hpp"
#include "riemflow/model/space.hpp"

namespace riemflow::app {
namespace {

struct SampleOptions {
  ModelChoice model;
  std::uint64_t n = 0, seed = 0;
  std::string output = "-";
  bool vectors = false, allow_failures = false, force = false;
};

void run(const SampleOptions& options) {
  table_format(options.output);  // a name that cannot be is said before any work
  require_safe({{"MODEL", options.model.path}}, {output_named(options.output)}, options.force);
  const Model model = load_model(options.model.path);
  const auto manifold = space_of(model).on<double>();
  CoordinateRows coordinates(*manifold, options.vectors);
  std::vector<TableColumn> columns;
  coordinates.append_columns(columns);
  Failures failures;
  const std::unique_ptr<Density> density = make_density(model, options.model);
  const int digits = digits_of(precision_of(model));
  write_table(options.output, columns, digits, options.model.threads, [&](TableWriter& table) {
    Executor executor(options.model.threads);
    TaskProgress progress("Sample", static_cast<double>(options.n));
    Pieces pieces;
    for (std::uint64_t first = 0, n = 0; first < options.n; first += n) {
      n = std::min<std::uint64_t>(pieces.next(), options.n - first);
      auto drawn = density->sample(n, options.seed, first);
      table.rows(coordinates.of(std::move(drawn.frames.back()), executor));
      for (const Failure& failure : drawn.summary.failures)
        failures.add([&] { return fmt::format("draw {}", first + failure.point + 1); }, failure.status);
      progress.advance(static_cast<double>(n));
    }
  });
  for (const std::string& sentence : failures.sentences()) say_text(sentence);
  end_on_failures(failures, options.n, "draws", true, options.allow_failures);
}

}  // namespace

void add_sample(CLI::App& app) {
  auto [command, options] = add_command<SampleOptions>(app, "sample", "Draw points from a model", run);
  add_model(command, options.model);
  add_count(command, "-n,--points", options.n, 1, 1'000'000'000'000, "Points to draw; 1e6 is a million")
      ->required();
  add_text(command, "-o,--output", options.output, "FILE",
           "Where the points go: .csv, .tsv or .npy; - for CSV on standard output")
      ->capture_default_str();
  command.add_option("--seed", options.seed, "Seed of the random numbers: same seed, same points")
      ->capture_default_str();
  command.add_flag("--vectors", options.vectors,
                   "Coordinates of the surrounding space, such as unit vectors, instead of degrees");
  add_allow_failures(command, options.allow_failures);
  add_force(command, options.force);
  command.footer(
      "Columns: latitude, longitude on sphere:2; angle_1 … on a torus, all in degrees; on other spaces those "
      "of\n"
      "docs/spaces.md.\n"
      "The points depend on the model, the seed and the tolerance, not on the threads.\n\n"
      "Examples:\n"
      "  riemflow sample quakes.model -n 1000\n"
      "  riemflow sample quakes.model -n 1e6 --seed 7 -o synthetic.npy\n"
      "  riemflow sample quakes.model -n 1000 | riemflow score quakes.model -");
}

}  // namespace riemflow::app
