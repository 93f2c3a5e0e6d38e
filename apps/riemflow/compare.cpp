// riemflow compare: one table of what a user could take, on the same splits of the user's own data.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <thread>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/compare/comparison.hpp"
#include "apps/riemflow/compare/summary.hpp"
#include "apps/riemflow/fit/run.hpp"
#include "apps/riemflow/reproduce/jobs.hpp"
#include "apps/riemflow/reproduce/machine.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/data.hpp"
#include "apps/riemflow/support/outputs.hpp"
#include "apps/riemflow/support/signals.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/core/version.hpp"
#include "riemflow/fit/data_set.hpp"
#include "riemflow/fit/pool_flow.hpp"
#include "riemflow/flow/cuda_flow.hpp"
#include "riemflow/io/atomic_file.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow::app {
namespace {

constexpr std::uint64_t kLastSeed = 1'000'000;

struct Options {
  DataFile data;
  std::string manifold, directory = "compare", methods, protocol = "both", time_limit = "60s",
                        split = "80/10/10", device = "cpu", seeds = "0-4", group_within;
  std::vector<std::string> rows, notes;
  int splits = 0, threads = 0, jobs = 1;
  bool json = false, force = false, quiet = false;
};

std::vector<const Method*> chosen_methods(const std::string& list) {
  std::vector<const Method*> chosen;
  std::vector<std::string> wanted;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    wanted.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  const bool all = wanted.empty();
  for (const Method& method : all_methods())
    if (all || std::erase(wanted, method.name) > 0) chosen.push_back(&method);
  require(wanted.empty(), fmt::format("--methods: there is no '{}'", wanted.empty() ? "" : wanted.front()),
          fmt::format("the methods are {}", fmt::join(method_names(), ",")), Fault::usage);
  return chosen;
}

std::vector<Method> rows_of(const std::vector<std::string>& texts) {
  std::vector<Method> rows;
  for (const std::string& text : texts) {
    rows.push_back(row_of(text));
    for (std::size_t i = 0; i + 1 < rows.size(); ++i)
      require(rows[i].name != rows.back().name, fmt::format("two rows are named '{}'", rows.back().name),
              "give each --row a name of its own", Fault::usage);
  }
  return rows;
}

/// --seeds A-B or A, or the first --splits of them.
SeedRange seeds_of(const Options& options) {
  if (options.splits > 0) return {0, static_cast<std::uint64_t>(options.splits) - 1};
  const std::string& text = options.seeds;
  const char* const end = text.data() + text.size();
  SeedRange seeds;
  auto [stop, code] = std::from_chars(text.data(), end, seeds.first);
  bool good = code == std::errc();
  seeds.last = seeds.first;
  if (good && stop != end) {
    good = *stop == '-';
    const auto second = std::from_chars(stop + 1, end, seeds.last);
    good = good && second.ec == std::errc() && second.ptr == end;
  }
  require(good && seeds.first <= seeds.last && seeds.last - seeds.first < 1000 && seeds.last <= kLastSeed,
          fmt::format("--seeds {} is no range of seeds", text),
          "give the first and the last, as in 100-109; at most 1000, none above a million", Fault::usage);
  return seeds;
}

/// What all runs of a file must have in common, to be compared and to be resumed.
std::string configuration(const Options& options, const std::string& sha256) {
  return fmt::format("data {}, split {}, time limit {}, manifold {}, columns {}{}", sha256.substr(0, 16),
                     options.split, options.time_limit,
                     options.manifold.empty() ? "inferred" : options.manifold,
                     options.data.reading.columns.empty() ? "inferred" : options.data.reading.columns,
                     options.group_within.empty() ? "" : ", groups within " + options.group_within);
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
  if (options.device != "cpu") line += " --device " + options.device;
  if (options.jobs > 1) line += fmt::format(" --jobs {}", options.jobs);
  return line;
}

Values fit_settings(const Options& options) {
  const int all =
      options.threads > 0 ? options.threads : static_cast<int>(std::thread::hardware_concurrency());
  Values values = {{"split", options.split}, {"threads", std::to_string(std::max(1, all / options.jobs))}};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) values[name] = value;
  };
  add("manifold", options.manifold);
  add("columns", options.data.reading.columns);
  const Units units = options.data.reading.units;
  add("units", units == Units::automatic ? "" : units == Units::degrees ? "degrees" : "radians");
  add("format", options.data.reading.format);
  add("data-dir", options.data.data_dir);
  if (options.data.reading.skip_invalid) values["skip-invalid"] = "true";
  return values;
}

/// Reads the data once: they must be good before hours are spent, and their manifold says which rows there
/// are.
std::string manifold_of_data(const Options& options, const Values& settings) {
  Method plain = all_methods().front();
  plain.preset = "default";
  Teller teller;
  return read_data_set(options.data.path, options_for(plain, settings), teller).manifold;
}

/// The device of each method that has one: with --device cuda the CPU where the GPU has no code for it.
std::map<const Method*, std::string> devices_of(const std::vector<const Method*>& methods,
                                                const std::string& device, const Values& settings,
                                                const std::string& manifold) {
  std::map<const Method*, std::string> devices;
  if (device == "cpu") return devices;
  for (const Method* method : methods) {
    if (!has_device(*method)) continue;
    std::string why;
    if (device == "cuda" && method->preset == "auto")
      why = why_no_pool_flow_on_gpu(manifold);
    else if (device == "cuda")
      why = why_not_on_gpu(options_for(on(*method, *parse_manifold<double>(manifold)), settings), manifold);
    if (why.empty())
      devices[method] = device;
    else
      say("{} is fitted on the CPU: {}.", method->name, why);
  }
  return devices;
}

void run(const Options& options) {
  if (options.quiet) be_quiet();
  std::error_code code;
  require(is_regular(options.data.path) ||
              (options.data.path != "-" && !std::filesystem::exists(options.data.path, code)),
          "compare reads its data several times", "give a file instead of a pipe", Fault::usage);
  if (options.device == "cuda") {
    const std::string why = why_not_cuda(FlowConfig{});
    require(why.empty(), "--device cuda: " + why, "use --device cpu");
  }
  const Values settings = fit_settings(options);
  ComparisonOptions comparison;
  comparison.data = options.data.path;
  comparison.extra = settings;
  comparison.time_limit = options.time_limit;
  comparison.directory = options.directory;
  comparison.seeds = seeds_of(options);
  comparison.group_within = options.group_within;
  std::vector<const Method*> wanted = chosen_methods(options.methods);
  const std::vector<Method> rows = rows_of(options.rows);
  for (const Method& row : rows) wanted.push_back(&row);
  const std::string manifold = manifold_of_data(options, settings);
  for (const Method* method : wanted) {
    const std::string reason = why_not(*method, *parse_manifold<double>(manifold));
    if (reason.empty())
      comparison.methods.push_back(method);
    else
      say("Without {}: {}, and these points are on {}.", method->name, reason, manifold);
  }
  require(!comparison.methods.empty(), "no method is left", "name others with --methods", Fault::usage);
  if (options.protocol != kDistinct) comparison.protocols.emplace_back(kCustomary);
  if (options.protocol != kCustomary) comparison.protocols.emplace_back(kDistinct);
  comparison.devices = devices_of(comparison.methods, options.device, settings, manifold);

  std::filesystem::create_directories(options.directory, code);
  require(!code, fmt::format("cannot create the directory {}: {}", options.directory, code.message()),
          "name another one with --directory", Fault::cannot_write);
  const struct { std::string name, sha256; } data{options.data.name(), options.data.sha256()};
  const std::string name = std::filesystem::path(data.name).stem().string();
  const auto path = [&](const char* ending) {
    return (std::filesystem::path(options.directory) / (name + ending)).string();
  };
  require_safe({input_of(options.data)},
               {{"", path(".compare.md"), FileKind::table},
                {"", path(".compare.csv"), FileKind::table},
                {"", path(".compare.json"), FileKind::json},
                {"", path(".runs.json"), FileKind::json}},
               options.force);
  Results results(path(".runs.json"), "compare", false);
  const std::string now = configuration(options, data.sha256), before = results.description("configuration");
  require(before.empty() || before == now,
          fmt::format("{} holds runs of another comparison ({}; this one is {})", path(".runs.json"), before,
                      now),
          "name another --directory, or move it away");
  for (const Method& row : rows) {
    const std::string key = "row " + row.name, made = command_of(row, *parse_manifold<double>(manifold)),
                      old = results.description(key);
    require(old.empty() || old == made,
            fmt::format("{} holds runs of another row '{}' ({}; this one is {})", path(".runs.json"),
                        row.name, old, made),
            "give the row another name");
    results.describe(key, made);
  }
  const auto experiment = make_comparison(comparison);
  const std::vector<Job> jobs = jobs_left(*experiment, results, comparison.seeds, "", false);
  if (!jobs.empty()) {
    results.describe("configuration", now);
    results.describe("version", kVersion);
    results.describe("machine", machine_name());
    results.describe("command", command_line(options, data.name));
  }
  for (const std::string& note : options.notes) {
    const std::size_t equals = note.find('=');
    require(equals != note.npos && equals > 0, fmt::format("the note '{}' has no name", note),
            "give it as KEY=VALUE", Fault::usage);
    results.note(note.substr(0, equals), note.substr(equals + 1));
  }
  watch_interrupts();
  // One at a time unless the user wants it otherwise: each has all threads, and times are those of a fit
  // alone.
  const std::size_t failed = work_off(*experiment, jobs, {}, options.jobs, results);
  if (interrupted()) {
    say("Interrupted; {} holds the runs that are done. The same command goes on.", path(".runs.json"));
    throw Exit{kInterrupted};
  }
  results.take_in();
  const std::vector<Summary> summaries = summaries_of(results, comparison);
  std::string legend = "| row | made by | |\n|---|---|---|\n";
  for (const Method* method : comparison.methods)
    legend += fmt::format("| {} | `{}` | {} |\n", method->name,
                          command_of(*method, *parse_manifold<double>(manifold)), method->description);
  const std::string page = fmt::format(
      "# {}\n\n`{}`; {}.\n\nMean test NLL in nats over the splits of seeds {} to {} (lower is better). "
      "Differences are paired: the same test points of the same splits; below 0 is better than the kernel "
      "density. The best kernel density is the best on the test points. Kernel densities have training and "
      "validation points as centres. A fit {}. Mass: the farthest from 1 of all "
      "splits; of flows by a change of variables at 300 points.\n\n{}\n{}",
      data.name, command_line(options, data.name), results.origin(), comparison.seeds.first,
      comparison.seeds.last,
      options.time_limit == "none" ? "takes as long as it takes"
                                   : fmt::format("takes {} at most", options.time_limit),
      tables_of(summaries), legend);
  Json json = {{"data", data.name},
               {"sha256", data.sha256},
               {"manifold", manifold},
               {"configuration", now},
               {"seeds", {comparison.seeds.first, comparison.seeds.last}},
               {"protocols", Json::array()}};
  for (const Summary& summary : summaries) json["protocols"].push_back(json_of(summary));
  // Never the name of the data, which may lie in the same directory.
  write_file_atomically(path(".compare.md"), page);
  write_file_atomically(path(".compare.csv"), csv(summaries));
  write_file_atomically(path(".compare.json"), json.dump(2) + "\n");
  if (options.json)
    print_json(json);
  else
    answer("{}", page);
  require(failed == 0, fmt::format("{} of {} runs failed, and are not in the table", failed, jobs.size()),
          "the messages above say why; the same command tries them again", Fault::numerical);
}

}  // namespace

void add_compare(CLI::App& app) {
  auto* command = app.add_subcommand(
      "compare", "Fit kernel densities, mixtures and flows to your data, and tabulate their scores");
  auto options = std::make_shared<Options>();
  add_data(*command, options->data)->required();
  auto* seeds = command
                    ->add_option("--seeds", options->seeds,
                                 "Random splits of these seeds, the same for all methods; the table is of "
                                 "these alone. Choose by some, report others that were run once")
                    ->capture_default_str()
                    ->type_name("A-B");
  command->add_option("--splits", options->splits, "So many splits: --seeds 0-(N−1)")
      ->check(CLI::Range(1, 1000))
      ->excludes(seeds);
  command
      ->add_option("--methods", options->methods,
                   fmt::format("Rows of the table, with commas between: {}; all unless given",
                               fmt::join(method_names(), ", ")))
      ->type_name("NAME,…");
  command
      ->add_option(
          "--row", options->rows,
          "A row of your own, with options of fit: --row 'wide=--width 128'; may be given several times")
      ->type_name("NAME=OPTIONS")
      ->allow_extra_args(false);
  add_choice(*command, "--protocol", options->protocol, {"both", kCustomary, kDistinct},
             "customary: equal points on both sides of the split; distinct: one of each is kept; or both");
  check_by(command->add_option("--time-limit", options->time_limit,
                               "Time limit of each fit: 90, 90s, 10m, 2h; none"),
           [](const std::string& text) { seconds_of(text); })
      ->capture_default_str()
      ->type_name("TIME");
  check_by(command->add_option("--split", options->split, "Shares of training, validation and test points"),
           [](const std::string& text) { parse_split(text); })
      ->capture_default_str()
      ->type_name("A/B/C");
  check_by(
      command->add_option("--group-within", options->group_within,
                          "Of distinct points: keep those linked by steps of at most this distance on one "
                          "side, as fit does"),
      [](const std::string& text) { distance_of(text); })
      ->type_name("DISTANCE");
  command->add_option("--manifold", options->manifold, "Where the points live; inferred unless given")
      ->type_name("NAME");
  command
      ->add_option("--directory", options->directory,
                   "Where NAME.compare.md, .csv and .json and NAME.runs.json are, after the name of the data")
      ->capture_default_str()
      ->type_name("DIR");
  add_force(*command, options->force);
  add_device(*command, options->device);
  add_threads(*command, options->threads);
  command
      ->add_option(
          "--jobs", options->jobs,
          "Fits side by side, which share the threads and the GPU; times in the table are then longer "
          "than those of a fit alone")
      ->capture_default_str()
      ->check(CLI::Range(1, 256));
  command
      ->add_option("--note", options->notes, "Something for the header of the results, such as commit=abc123")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  add_json(*command, options->json);
  command->add_flag("--quiet", options->quiet, "Say nothing but results and errors");
  command->footer(
      "Runs that are done are kept: an interrupted comparison goes on where it stopped, --seeds may "
      "grow,\n"
      "and several processes may share a directory.\n\n"
      "Examples:\n"
      "  riemflow compare quakes.csv\n"
      "  riemflow compare quakes.csv --methods kernel-one,kernel-local,auto --splits 3 --protocol distinct\n"
      "  riemflow compare torsions.csv --columns phi,psi --time-limit 5m --directory results\n"
      "  riemflow compare quakes.csv --methods kernel-local,flow-matching --row 'wide=--objective "
      "flow-matching --width 256'");
  command->callback([options] { run(*options); });
}

}  // namespace riemflow::app
