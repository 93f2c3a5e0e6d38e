// riemflow report: all there is to know of a model, in one HTML page that opens anywhere.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/fit/output_file.hpp"
#include "apps/riemflow/fit/progress.hpp"
#include "apps/riemflow/plot/names.hpp"
#include "apps/riemflow/report/page.hpp"
#include "apps/riemflow/report/still.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/exact_flow.hpp"
#include "apps/riemflow/support/numbers.hpp"
#include "apps/riemflow/support/outputs.hpp"
#include "apps/riemflow/support/signals.hpp"
#include "apps/riemflow/support/task_progress.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/core/thinned.hpp"
#include "riemflow/io/atomic_file.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow::app {
namespace {

struct ReportOptions {
  ModelChoice model;
  DataFile data;
  std::string output, log, title;
  bool force = false;
};

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

/// In quotes where a shell would take it apart.
std::string shell_word(const std::string& word) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || std::strchr("_-./,:=+", c);
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// The command with the names of the files, not where they lie: the page is to be passed on.
std::string command_of(const ReportOptions& options) {
  std::string text = "riemflow report " + shell_word(file_name(options.model.path));
  if (!options.data.path.empty()) text += " " + shell_word(file_name(options.data.path));
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += fmt::format(" {} {}", name, shell_word(value));
  };
  add("--log", file_name(options.log));
  add("--title", options.title);
  add("--columns", options.data.reading.columns);
  const Units units = options.data.reading.units;
  add("--units", units == Units::automatic ? "" : units == Units::degrees ? "degrees" : "radians");
  add("--format", options.data.reading.format);
  if (options.data.reading.skip_invalid) text += " --skip-invalid";
  if (options.model.tolerance > 0) text += fmt::format(" --tolerance {:g}", options.model.tolerance);
  add("-o", file_name(options.output));
  return text;
}

/// Points that are scored, at most, and training points of the kernel densities that are fitted beside it.
constexpr std::size_t kMostScored = 20'000, kMostKernels = 50'000;
constexpr std::size_t kScoresAtOnce = 2048;

/// Every density on the test points; those where the model's fails are left out of all.
void score(const ReportOptions& options, PageContent& content) {
  const std::string& manifold = content.model->config.manifold;
  const ModelData& data = *content.data;
  const Points<double> asked = thinned(data.test, kMostScored);
  content.scored = asked.size();
  if (asked.size() < data.test.size())
    say("{} of {} points are scored, at equal steps; riemflow score takes all.", counted(asked.size()),
        counted(data.test.size()));
  say("Scoring the points.");
  std::vector<double> own;
  with_exact_density_said(*content.model, options.model, [&](auto& density) {
    TaskProgress progress("Scores", static_cast<double>(asked.size()));
    for (std::size_t first = 0; first < asked.size(); first += kScoresAtOnce) {
      Points<double> some;
      some.dimension = asked.dimension;
      const std::size_t last = std::min(asked.size(), first + kScoresAtOnce);
      for (std::size_t i = first; i < last; ++i)
        some.values.insert(some.values.end(), asked[i].begin(), asked[i].end());
      const std::vector<double> log_p = log_density_at(density, some);
      own.insert(own.end(), log_p.begin(), log_p.end());
      progress.advance(static_cast<double>(last - first));
    }
  });
  Points<double> test;
  test.dimension = asked.dimension;
  PointScores model{"this model", {}};
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (std::isnan(own[i])) {
      ++content.failed_scores;
      continue;
    }
    model.log_densities.push_back(own[i]);
    test.values.insert(test.values.end(), asked[i].begin(), asked[i].end());
  }
  content.scores.push_back(base_scores(manifold, test));
  if (data.split_known && data.training.size() > kMostKernels) {
    say("Kernel densities of {} points are not fitted for a report; riemflow compare does.",
        counted(data.training.size()));
  } else if (data.split_known && data.validation.size() > 0) {
    say("Fitting kernel densities to compare with.");
    Teller teller;
    for (PointScores& kernels :
         kernel_density_scores(manifold, data.training, data.validation, test, teller, options.model.threads))
      content.scores.push_back(std::move(kernels));
  }
  content.scores.push_back(std::move(model));
}

void run(const ReportOptions& options) {
  const auto start = Clock::now();
  require_safe({{"MODEL", options.model.path}, input_of(options.data), {"--log", options.log}},
               {{"-o", options.output, FileKind::page}}, options.force);
  const Model model = load_model(options.model.path);
  PageContent content;
  content.model = &model;
  content.model_name = file_name(options.model.path);
  content.title = options.title.empty() ? content.model_name : options.title;
  content.command = command_of(options);
  if (!options.log.empty()) content.history = read_training_log(options.log);
  Teller teller;
  if (!options.data.path.empty()) content.data = read_model_data(model, options.data, teller);
  std::vector<std::string> columns = column_names(model, 2);
  if (columns.empty() && model.config.manifold.starts_with("torus")) columns = {"angle 1", "angle 2"};
  content.axes = {columns.empty() ? "x" : columns[0], columns.empty() ? "y" : columns[1]};
  const std::string path = options.output == "-" ? "/dev/stdout" : options.output;
  if (path != "/dev/stdout") require_writable(path);
  end_on_interrupts();  // no file has been begun
  const Points<double> all = content.data ? joined(*content.data) : Points<double>();
  content.scene = make_scene(model, options.model, all);
  if (content.scene) {
    say("Drawing the picture.");
    content.still = still_png(*content.scene, content.data ? &*content.data : nullptr, content.axes);
  }
  if (content.data && content.data->test.size() > 0) score(options, content);
  say("Checking whether the likelihood is to be trusted.");
  content.examination = examine_model(model, options.model, {}, teller);
  const std::string page = page_of(content);
  watch_interrupts();
  write_file_atomically(path, page);
  if (content.examination.trust.verdict() != Verdict::trustworthy)
    say("Warning: the likelihood is {}; the page says so.", verdict_of(content.examination));
  if (path != "/dev/stdout")
    answer("report   {}: {:.2f} MB, made in {:.1f} s; open it in a browser\n", options.output,
           static_cast<double>(page.size()) / 1e6, seconds_since(start));
}

}  // namespace

void add_report(CLI::App& app) {
  auto* command =
      app.add_subcommand("report", "Write one HTML page about a model: interactive, self-contained");
  auto options = std::make_shared<ReportOptions>();
  add_model(*command, options->model);
  add_data(*command, options->data);
  command->add_option("-o,--output", options->output, "The page to write; - is standard output")
      ->required()
      ->type_name("FILE");
  command->add_option("--log", options->log, "What fit --log wrote, for the learning curves")
      ->type_name("FILE");
  command->add_option("--title", options->title, "Title of the page; the name of the model unless given");
  add_force(*command, options->force);
  command->footer(
      "The page holds an interactive globe (a torus, a disk, a plane, as the model is) with the density, the "
      "data and\n"
      "the samples on their way from the base, a flat map, learning curves, scores against the baselines, "
      "the "
      "verdict of\n"
      "check and the whole configuration. It needs no network. Of the data that the model was fitted to, "
      "training and\n"
      "test points are told apart, and scores are of the test points.\n\n"
      "Examples:\n"
      "  riemflow report quakes.model quakes.csv -o report.html\n"
      "  riemflow report quakes.model quakes.csv --log training.jsonl --title 'Earthquakes' -o report.html\n"
      "  riemflow report torsions.model -o torsions.html");
  command->callback([options] { run(*options); });
}

}  // namespace riemflow::app
