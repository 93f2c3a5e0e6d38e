// riemflow compare: one table of what a user could take, on the same splits of the user's own data.

#include <algorithm>
#include <filesystem>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/compare/tables.hpp"
#include "apps/riemflow/fit/options.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/outputs.hpp"
#include "apps/riemflow/support/signals.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/core/text.hpp"
#include "riemflow/flow/cuda_flow.hpp"
#include "riemflow/io/atomic_file.hpp"

namespace riemflow::app {
namespace {

constexpr std::uint64_t kLastSeed = 1'000'000;

struct Options {
  DataFile data;
  std::string manifold, directory = "compare", methods, protocol = "both", time_limit = "60s",
                        split = "80/10/10", seeds = "0-4", group_within;
  Device device = Device::cpu;
  std::vector<std::string> rows, notes;
  int splits = 0, threads = 0, jobs = 1;
  bool json = false, force = false, quiet = false;
};

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Method& method : all_methods()) names.push_back(method.name);
  return names;
}

/// A row of the user's own, from NAME=OPTIONS.
Method row_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  require(equals != text.npos && !name.empty(), fmt::format("--row '{}' has no name", text),
          "give NAME=OPTIONS, as in --row 'wide=--width 128 --rate 0.003'", Fault::usage);
  CLI::App options;
  std::string preset = "default";
  declare(options);
  options.add_option("--preset", preset);
  try {
    options.parse(text.substr(equals + 1));
  } catch (const CLI::ParseError& error) {
    throw Error(fmt::format("--row '{}': {}", name, error.what()),
                "give options of riemflow fit, as its --help lists them", Fault::usage);
  }
  return own_method(name, preset, given_values(options));
}

/// Those of --methods, in the order of the table, and the user's rows.
std::vector<Method> methods_of(const Options& options) {
  std::vector<Method> chosen;
  const std::string& list = options.methods;
  std::vector<std::string_view> wanted = split(list, [&](std::size_t i) { return list[i] == ','; });
  const bool all = std::erase(wanted, "") > 0 && wanted.empty();
  for (const Method& method : all_methods())
    if (all || std::erase(wanted, method.name) > 0) chosen.push_back(method);
  require(wanted.empty(), fmt::format("--methods: there is no '{}'", wanted.empty() ? "" : wanted.front()),
          fmt::format("the methods are {}", fmt::join(method_names(), ",")), Fault::usage);
  for (const std::string& text : options.rows) {
    Method row = row_of(text);
    for (const Method& other : chosen)
      require(other.name != row.name, fmt::format("two rows are named '{}'", row.name),
              "give each --row a name of its own", Fault::usage);
    chosen.push_back(std::move(row));
  }
  return chosen;
}

/// --seeds A-B or A, or the first --splits of them.
SeedRange seeds_of(const Options& options) {
  if (options.splits > 0) return {0, static_cast<std::uint64_t>(options.splits) - 1};
  const std::string& text = options.seeds;
  const std::size_t dash = std::min(text.find('-'), text.size());
  const auto first = parse_number<std::uint64_t>(text.substr(0, dash)),
             last = dash == text.size() ? first : parse_number<std::uint64_t>(text.substr(dash + 1));
  require(first && last && *first <= *last && *last - *first < 1000 && *last <= kLastSeed,
          fmt::format("--seeds {} is no range of seeds", text),
          "give the first and the last, as in 100-109; at most 1000, none above a million", Fault::usage);
  return {*first, *last};
}

/// The command that makes these results, for their header.
std::string command_line(const Options& options, const std::string& data) {
  std::string line = "riemflow compare " + data;
  if (!options.methods.empty()) line += " --methods " + options.methods;
  for (const std::string& row : options.rows) line += fmt::format(" --row '{}'", row);
  if (options.protocol != "both") line += " --protocol " + options.protocol;
  const SeedRange seeds = seeds_of(options);
  line += fmt::format(" --seeds {}-{} --time-limit {}", seeds.first, seeds.last, options.time_limit);
  if (!options.group_within.empty()) line += " --group-within " + options.group_within;
  if (!options.data.reading.weights.empty())
    line += fmt::format(" --weights '{}'", options.data.reading.weights);
  if (options.device != Device::cpu) line += fmt::format(" --device {}", name_of(options.device));
  if (options.jobs > 1) line += fmt::format(" --jobs {}", options.jobs);
  return line;
}

/// Of every fit.
Values fit_settings(const Options& options) {
  Values values = {{"split", options.split},
                   {"threads", std::to_string(options.threads)},
                   {"time-limit", options.time_limit},
                   {"device", std::string(name_of(options.device))}};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) values[name] = value;
  };
  add("manifold", options.manifold);
  add("group-within", options.group_within);
  add("columns", options.data.reading.columns);
  add("weights", options.data.reading.weights);
  if (options.data.reading.units != Units::automatic)
    add("units", std::string(name_of(options.data.reading.units)));
  add("format", options.data.reading.format);
  add("data-dir", options.data.data_dir);
  if (options.data.reading.skip_invalid) values["skip-invalid"] = "true";
  return values;
}

/// Where the files of a comparison are, by their endings.
std::string path_of(const Options& options, const char* ending) {
  const std::string name = std::filesystem::path(options.data.name()).stem().string();
  return (std::filesystem::path(options.directory) / (name + ending)).string();
}

/// Written and printed.
void tell(const Comparison& comparison, const Options& options, const DataSet& data) {
  const SeedRange seeds = seeds_of(options);
  const auto manifold = data.manifold.on<double>();
  std::string legend = "| row | made by | |\n|---|---|---|\n";
  for (const Method& method : comparison.methods)
    legend +=
        fmt::format("| {} | `{}` | {} |\n", method.name, command_of(method, *manifold), method.description);
  const std::string page = fmt::format(
      "# {}\n\n`{}`; {}.\n\nMean test NLL in nats over the splits of seeds {} to {} (lower is better){}. "
      "Differences are paired: the same test points of the same splits; below 0 is better than the kernel "
      "density. The best kernel density is the best on the test points. Kernel densities have training and "
      "validation points as centres. A fit {}. Mass: the farthest from 1 of all splits; of flows by a change "
      "of variables at 300 points.\n\n{}\n{}",
      data.name, command_line(options, data.name), comparison.origin, seeds.first, seeds.last,
      data.weight_column.empty() ? "" : fmt::format(", points weighted by '{}'", data.weight_column),
      options.time_limit == "none" ? "takes as long as it takes"
                                   : fmt::format("takes {} at most", options.time_limit),
      tables_of(comparison.summaries), legend);
  nlohmann::ordered_json json = {{"data", data.name},
                                 {"sha256", data.sha256},
                                 {"manifold", data.manifold.name()},
                                 {"configuration", comparison.configuration},
                                 {"seeds", {seeds.first, seeds.last}},
                                 {"protocols", nlohmann::ordered_json::array()}};
  if (!data.weight_column.empty()) json["weights"] = data.weight_column;
  for (const Summary& summary : comparison.summaries) json["protocols"].push_back(json_of(summary));
  // Never the name of the data, which may lie in the same directory.
  write_file_atomically(path_of(options, ".compare.md"), page);
  write_file_atomically(path_of(options, ".compare.csv"), csv_of(comparison.summaries));
  write_file_atomically(path_of(options, ".compare.json"), json.dump(2) + "\n");
  if (options.json)
    print_json(json);
  else
    answer("{}", page);
}

void run(const Options& options) {
  std::error_code code;
  require(is_regular(options.data.path) ||
              (options.data.path != "-" && !std::filesystem::exists(options.data.path, code)),
          "compare reads its data several times", "give a file instead of a pipe", Fault::usage);
  if (options.device == Device::cuda) {
    const std::string why = why_not_cuda(FlowConfig{});
    require(why.empty(), "--device cuda: " + why, "use --device cpu");
  }
  CompareOptions wanted{.methods = methods_of(options),
                        .protocols = {options.protocol},
                        .seeds = seeds_of(options),
                        .settings = fit_settings(options),
                        .jobs = options.jobs,
                        .notes = notes_of(options.notes)};
  if (options.protocol == "both") wanted.protocols = {kCustomary, kDistinct};
  // Read once, before hours are spent; grouping is of the distinct points.
  Values reading = wanted.settings;
  reading.erase("group-within");
  Teller teller(options.quiet);
  const DataSet data = read_data_set(options.data.path, options_of(reading), teller);
  for (Method& method : wanted.methods)
    if (method.description.empty()) method.made_by = command_of(method, *data.manifold);
  wanted.results = path_of(options, ".runs.json");
  wanted.command = command_line(options, data.name);
  create_folder(options.directory);
  require_safe({input_of(options.data)},
               {{"", path_of(options, ".compare.md"), FileKind::table},
                {"", path_of(options, ".compare.csv"), FileKind::table},
                {"", path_of(options, ".compare.json"), FileKind::json},
                {"", wanted.results, FileKind::json}},
               options.force);
  watch_interrupts();
  // One at a time unless the user wants it otherwise: each has all threads, and times are those of a fit
  // alone.
  const Comparison comparison = compare(data, wanted, teller);
  if (comparison.interrupted) {
    Voice{options.quiet}.say("Interrupted; {} holds the runs that are done. The same command goes on.",
                             wanted.results);
    throw Exit{kInterrupted};
  }
  tell(comparison, options, data);
  refuse_failed_runs(comparison.failed, comparison.jobs);
}

}  // namespace

void add_compare(CLI::App& app) {
  auto [command, options] = add_command<Options>(
      app, "compare", "Fit kernel densities, mixtures and flows to your data, and tabulate their scores",
      run);
  add_data(command, options.data)->required();
  add_weights(command, options.data.reading);
  auto* seeds = add_text(command, "--seeds", options.seeds, "A-B",
                         "Random splits of these seeds, the same for all methods; the table is of these "
                         "alone. Choose by some, report others that were run once")
                    ->capture_default_str();
  command.add_option("--splits", options.splits, "So many splits: --seeds 0-(N−1)")
      ->check(CLI::Range(1, 1000))
      ->excludes(seeds);
  add_text(command, "--methods", options.methods, "NAME,…",
           fmt::format("Rows of the table, with commas between: {}; all unless given",
                       fmt::join(method_names(), ", ")));
  add_text(command, "--row", options.rows, "NAME=OPTIONS",
           "A row of your own, with options of fit: --row 'wide=--width 128'; may be given several times")
      ->allow_extra_args(false);
  add_choice(command, "--protocol", options.protocol, {"both", kCustomary, kDistinct},
             "customary: equal points on both sides of the split; distinct: one of each is kept; or both");
  check_by(add_text(command, "--time-limit", options.time_limit, "TIME",
                    "Time limit of each fit: 90, 90s, 10m, 2h; none"),
           [](const std::string& text) { seconds_of(text); })
      ->capture_default_str();
  check_by(
      add_text(command, "--split", options.split, "A/B/C", "Shares of training, validation and test points"),
      [](const std::string& text) { parse_split(text); })
      ->capture_default_str();
  check_by(
      add_text(
          command, "--group-within", options.group_within, "DISTANCE",
          "Of distinct points: keep those linked by steps of at most this distance on one side, as fit does"),
      [](const std::string& text) { distance_of(text); });
  add_text(command, "--manifold", options.manifold, "NAME", "Where the points live; inferred unless given");
  add_text(command, "--directory", options.directory, "DIR",
           "Where NAME.compare.md, .csv and .json and NAME.runs.json are, after the name of the data")
      ->capture_default_str();
  add_force(command, options.force);
  add_device(command, options.device);
  add_threads(command, options.threads);
  add_ranged(command, "--jobs", options.jobs, 1, 256,
             "Fits side by side, which share the threads and the GPU; times in the table are then longer "
             "than those of a fit alone");
  add_notes(command, options.notes);
  add_json(command, options.json);
  command.add_flag("--quiet", options.quiet, "Say nothing but results and errors");
  command.footer(
      R"(Runs that are done are kept: an interrupted comparison goes on where it stopped, --seeds may grow,
and several processes may share a directory.

Examples:
  riemflow compare quakes.csv
  riemflow compare quakes.csv --methods kernel-one,kernel-local,auto --splits 3 --protocol distinct
  riemflow compare stations.csv --weights events
  riemflow compare torsions.csv --columns phi,psi --time-limit 5m --directory results
  riemflow compare quakes.csv --methods kernel-local,flow-matching --row 'wide=--objective flow-matching --width 256')");
}

}  // namespace riemflow::app
