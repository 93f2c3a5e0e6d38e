// riemflow report: all there is to know of a model, in one HTML page that opens anywhere.

#include <cstring>
#include <filesystem>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/fit/output_file.hpp"
#include "apps/riemflow/fit/progress.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/outputs.hpp"
#include "apps/riemflow/support/signals.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/io/atomic_file.hpp"
#include "riemflow/report/report.hpp"

namespace riemflow::app {
namespace {

struct PageOptions {
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
std::string command_of(const PageOptions& options) {
  std::string text = "riemflow report " + shell_word(file_name(options.model.path));
  if (!options.data.path.empty()) text += " " + shell_word(file_name(options.data.path));
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += fmt::format(" {} {}", name, shell_word(value));
  };
  add("--log", file_name(options.log));
  add("--title", options.title);
  add("--columns", options.data.reading.columns);
  if (options.data.reading.units != Units::automatic)
    add("--units", std::string(name_of(options.data.reading.units)));
  add("--weights", options.data.reading.weights);
  add("--format", options.data.reading.format);
  if (options.data.reading.skip_invalid) text += " --skip-invalid";
  if (options.model.tolerance > 0) text += fmt::format(" --tolerance {:g}", options.model.tolerance);
  add("-o", file_name(options.output));
  return text;
}

void run(const PageOptions& options) {
  const auto start = Clock::now();
  require_safe({{"MODEL", options.model.path}, input_of(options.data), {"--log", options.log}},
               {{"-o", options.output, FileKind::page}}, options.force);
  const Model model = load_model(options.model.path);
  std::optional<TrainingHistory> history;
  if (!options.log.empty()) history = read_training_log(options.log);
  Teller teller;
  std::optional<ModelData> data;
  if (!options.data.path.empty())
    data = read_model_data(model, options.data.by(options.model.threads), teller);
  const std::string path = options.output == "-" ? "/dev/stdout" : options.output;
  if (path != "/dev/stdout") require_writable(path);
  end_on_interrupts();  // no file has been begun
  const Report report = make_report(model, data ? &*data : nullptr, history ? &*history : nullptr,
                                    {options.title, command_of(options), options.model}, teller);
  watch_interrupts();
  write_file_atomically(path, report.page);
  if (report.examination.trust.verdict() != Verdict::trustworthy)
    say("Warning: the likelihood is {}; the page says so.", verdict_of(report.examination));
  if (path != "/dev/stdout")
    answer("report   {}: {:.2f} MB, made in {:.1f} s; open it in a browser\n", options.output,
           static_cast<double>(report.page.size()) / 1e6, seconds_since(start));
}

}  // namespace

void add_report(CLI::App& app) {
  auto [command, options] = add_command<PageOptions>(
      app, "report", "Write one HTML page about a model: interactive, self-contained", run);
  add_model(command, options.model);
  add_data(command, options.data);
  add_weights(command, options.data.reading);
  add_text(command, "-o,--output", options.output, "FILE", "The page to write; - is standard output")
      ->required();
  add_text(command, "--log", options.log, "FILE", "What fit --log wrote, for the learning curves");
  command.add_option("--title", options.title, "Title of the page; the name of the model unless given");
  add_force(command, options.force);
  command.footer(
      R"(The page holds an interactive globe (a torus, a disk, a plane, as the model is) with the density, the data and
the samples on their way from the base, a flat map, learning curves, scores against the baselines, the verdict of
check and the whole configuration. It needs no network. Of the data that the model was fitted to, training and
test points are told apart, scores are of the test points, and points count by the weights of the fit.

Examples:
  riemflow report quakes.model quakes.csv -o report.html
  riemflow report quakes.model quakes.csv --log training.jsonl --title 'Earthquakes' -o report.html
  riemflow report torsions.model -o torsions.html)");
}

}  // namespace riemflow::app
