#include "riemflow/fit/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <thread>

#include "riemflow/core/cancel.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/core/version.hpp"
#include "riemflow/fit/baselines.hpp"
#include "riemflow/fit/fit_model.hpp"
#include "riemflow/fit/jobs.hpp"
#include "riemflow/fit/lifted.hpp"
#include "riemflow/fit/pool_flow.hpp"
#include "riemflow/fit/provenance.hpp"
#include "riemflow/model/mass.hpp"
#include "riemflow/model/model_file.hpp"
#include "riemflow/model/space.hpp"

namespace riemflow {
namespace {

const CubatureOptions kMassOptions{1e-3, 0, 200'000};
constexpr std::size_t kMassSamples = 300;

/// Says nothing, and ends with another.
struct Unseen final : Observer {
  explicit Unseen(const Observer& outer) : outer_(outer) {}
  bool cancelled() const override { return outer_.cancelled(); }

 private:
  const Observer& outer_;
};

std::string value_of(const Values& values, const std::string& name, const std::string& otherwise) {
  const auto found = values.find(name);
  return found == values.end() ? otherwise : found->second;
}

/// What all runs of a file must have in common, to be compared and to be resumed.
std::string configuration_of(const Values& settings, const DataSet& data) {
  const std::string within = value_of(settings, "group-within", "");
  return fmt::format("data {}, split {}, time limit {}, manifold {}, columns {}{}{}",
                     data.sha256.substr(0, 16), value_of(settings, "split", FitOptions().split),
                     value_of(settings, "time-limit", "none"), value_of(settings, "manifold", "inferred"),
                     value_of(settings, "columns", "inferred"),
                     data.weight_column.empty() ? "" : ", weights " + data.weight_column,
                     within.empty() ? "" : ", groups within " + within);
}

/// Settings of fit that a protocol adds.
Values protocol_values(const Values& settings, const std::string& protocol) {
  Values values = settings;
  if (protocol == kDistinct)
    values["dedup"] = "true";
  else
    values.erase("group-within");
  return values;
}

/// Whether a GPU is of any use to it: kernel densities and mixtures are the CPU's.
bool has_device(const Method& method) {
  const std::string model = value_of(method.options, "model", "");
  return !method.preset.empty() && model != "kde" && model != "vmf-mixture";
}

/// In the results.
std::string cell_name(const std::string& method, const std::string& protocol) {
  return method + " " + protocol;
}

/// Of the test points.
void add_scores(const std::vector<double>& log_densities, const DataSet& data, Json& result) {
  const MeanScore score = mean_score(log_densities, data.weights_of(data.split.test));
  result["nll"] = score.nll;
  result["nll_error"] = score.error;
  result["failed"] = score.failed;
  result["log_densities"] = rounded_array(log_densities, 6);
}

/// A kernel density as good as it can be: its recipe chosen on the validation points, which then are centres
/// too, as in a pool.
Model with_all_centres(const KernelRecipe& recipe, const DataSet& data, int threads) {
  Executor executor(threads);
  const std::shared_ptr<const Manifold<double>> manifold = data.manifold.on<double>();
  KernelData centres(manifold, part_of<double>(data.points, data.split.known()),
                     std::max(recipe.neighbours, recipe.shape_neighbours), &executor, {},
                     data.weights_of(data.split.known()));
  Model model = make_model(data.manifold, centres.parameters(recipe));
  keep_standardisation(model, data.standardisation);
  if (data.space) keep_space(model, *data.space);
  return model;
}

void add_fit(const DataSet& data, const FitOptions& options, const Observer& observer, Json& result) {
  Unseen unseen(observer);
  FitResult fitted = fit(data, options, unseen);
  if (fitted.stopped == "interrupted") throw Cancelled{};
  Model& model = *fitted.model;
  if (model.config.model == ModelKind::kde)
    model =
        with_all_centres(fitted.kernels.value().recipe, standardised(lifted(data), unseen), options.threads);
  const Evaluation choice{0, options.threads};
  add_scores(log_densities_of_model(model, choice, part_of<double>(data.points, data.split.test)), data,
             result);
  const Mass mass = make_exact_density(model, choice, unseen)
                        ->mass({kMassOptions, kMassSamples, options.seed, FlowMass::by_change_of_variables});
  result["mass"] = mass.integral.value;
  result["mass_error"] = mass.integral.error;
  result["validation_nll"] = fitted.progress.best;
  result["fit_seconds"] = fitted.seconds;
  result["iterations"] = fitted.progress.iteration;
  result["stopped"] = fitted.stopped;
  if (!fitted.members.empty()) result["members"] = json_of(fitted.members);
}

/// The data by protocols, and what is fitted in each cell.
class ComparedCells {
 public:
  ComparedCells(const DataSet& data, const CompareOptions& options, const std::vector<Method>& methods,
                Observer& observer)
      : observer_(observer), settings_(options.settings) {
    const int threads = options_of(settings_).threads;
    const int all = threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency());
    settings_["threads"] = std::to_string(std::max(1, all / options.jobs));
    const auto manifold = data.manifold.on<double>();
    const double limit = seconds_of(value_of(settings_, "time-limit", "none"));
    Observer silent;
    for (const std::string& protocol : options.protocols) {
      data_[protocol] = divided(data, options_of(protocol_values(settings_, protocol)), silent);
      for (const Method& method : methods) {
        cells.push_back({cell_name(method.name, protocol), std::min(limit, method.seconds)});
        places_[cells.back().name] = {on(method, *manifold), protocol};
      }
    }
    choose_devices(methods, data.manifold);
  }

  std::vector<Cell> cells;

  Json run(const Job& job) const {
    const auto& [method, protocol] = places_.at(job.cell);
    DataSet data = data_.at(protocol);
    data.split = split_points(data.groups, shares(), job.seed);
    Json result = {{"split", job.seed}};
    if (method.preset.empty()) {
      add_scores(base_log_densities(data), data, result);
    } else {
      Values extra = protocol_values(settings_, protocol);
      extra["seed"] = std::to_string(job.seed);
      extra["device"] = value_of(devices_, method.name, "cpu");
      add_fit(data, options_for(method, extra), observer_, result);
    }
    result["points"] = {data.split.training.size(), data.split.validation.size(), data.split.test.size()};
    return result;
  }

  const Weights& weights(const std::string& protocol) const { return data_.at(protocol).weights; }

  TestPoints tests(const std::string& protocol, const SeedRange& seeds) const {
    TestPoints tests;
    for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed)
      tests[seed] = split_points(data_.at(protocol).groups, shares(), seed).test;
    return tests;
  }

 private:
  SplitShares shares() const { return parse_split(options_of(settings_).split); }

  /// Of a base on standardised coordinates.
  std::vector<double> base_log_densities(const DataSet& data) const {
    Unseen unseen(observer_);
    const DataSet own = standardised(data, unseen);
    std::vector<double> values = reference_scores(own, part_of<double>(own.points, own.split.test));
    for (double& value : values) value -= own.log_unit();
    return values;
  }

  /// With ‹device› cuda the CPU where the GPU has no code for a method.
  void choose_devices(const std::vector<Method>& methods, const Space& manifold) {
    const std::string device = value_of(settings_, "device", "cpu");
    for (const Method& method : methods) {
      if (device == "cpu" || !has_device(method)) continue;
      std::string why;
      if (device == "cuda" && method.preset == "auto")
        why = why_no_pool_flow_on_gpu(manifold);
      else if (device == "cuda")
        why = why_not_on_gpu(options_for(on(method, *manifold), settings_), manifold);
      if (why.empty())
        devices_[method.name] = device;
      else
        observer_.tell("{} is fitted on the CPU: {}.", method.name, why);
    }
  }

  Observer& observer_;
  Values settings_, devices_;  // devices_: of those that are not fitted on the CPU, by name
  std::map<std::string, DataSet> data_;
  std::map<std::string, std::pair<Method, std::string>> places_;
};

double number_of(const Json& run, const char* key) {
  const auto found = run.find(key);
  return found != run.end() && found->is_number() ? found->get<double>() : Estimate().mean;
}

/// As add_scores and add_fit wrote it.
ComparedRun compared_run(const std::string& method, const std::string& protocol, const Json& run) {
  ComparedRun result{.method = method, .protocol = protocol, .seed = run.value("split", std::uint64_t{0})};
  if (run.contains("log_densities"))
    for (const Json& value : run["log_densities"])
      result.log_densities.push_back(value.is_number() ? value.get<double>() : Estimate().mean);
  if (run.contains("points") && run["points"].size() == 3)
    result.points = run["points"].get<std::array<std::size_t, 3>>();
  else
    result.log_densities.clear();  // not of these data
  result.failed = run.value("failed", std::size_t{0});
  result.nll = {number_of(run, "nll"), number_of(run, "nll_error")};
  result.validation = number_of(run, "validation_nll");
  result.mass = {number_of(run, "mass"), number_of(run, "mass_error")};
  result.seconds = number_of(run, "fit_seconds");
  return result;
}

/// Of rows of the caller's own.
void refuse_other_rows(const std::vector<Method>& methods, const std::string& path, Results& results) {
  for (const Method& row : methods) {
    if (row.made_by.empty()) continue;
    const std::string key = "row " + row.name, before = results.description(key);
    require(before.empty() || before == row.made_by,
            fmt::format("{} holds runs of another row '{}' ({}; this one is {})", path, row.name, before,
                        row.made_by),
            "give the row another name");
    results.describe(key, row.made_by);
  }
}

}  // namespace

Comparison compare(const DataSet& data, const CompareOptions& options, Observer& observer) {
  Comparison result;
  const auto manifold = data.manifold.on<double>();
  std::vector<std::pair<std::string, std::vector<std::string>>> left_out;  // by what they are for
  for (const Method& method : options.methods) {
    const std::string purpose = why_not(method, *manifold);
    if (purpose.empty()) {
      result.methods.push_back(method);
      continue;
    }
    auto same = std::ranges::find(left_out, purpose, [](const auto& group) { return group.first; });
    if (same == left_out.end()) same = left_out.insert(same, {purpose, {}});
    same->second.push_back(method.name);
  }
  for (const auto& [purpose, names] : left_out)
    observer.tell("Without {}: {} {}, and these points are on {}.", fmt::join(names, ", "),
                  names.size() == 1 ? "it is" : "they are", purpose, data.manifold.name());
  require(!result.methods.empty(), "no method is left", "name others with ‹methods›", Fault::usage);
  const ComparedCells cells(data, options, result.methods, observer);

  Results results(options.results, "compare", false);
  result.configuration = configuration_of(options.settings, data);
  const std::string before = results.description("configuration");
  require(before.empty() || before == result.configuration,
          fmt::format("{} holds runs of another comparison ({}; this one is {})", options.results, before,
                      result.configuration),
          "name another ‹directory›, or move it away");
  refuse_other_rows(result.methods, options.results, results);
  const std::vector<Job> jobs = jobs_left(cells.cells, results, options.seeds);
  if (!jobs.empty()) {
    results.describe("configuration", result.configuration);
    results.describe("version", kVersion);
    results.describe("machine", machine_name());
    results.describe("command", options.command);
  }
  results.note(options.notes);
  const std::vector<FailedJob> failed = work_off(
      jobs, [&](const Job& job) { return cells.run(job); }, options.jobs, results, observer);
  result.jobs = jobs.size();
  result.failed = failed.size();
  result.interrupted = observer.cancelled();
  results.take_in();
  result.origin = results.origin();
  for (const std::string& protocol : options.protocols) {
    for (const Method& method : result.methods) {
      const std::string cell = cell_name(method.name, protocol);
      for (const Json* kept : results.runs_of(cell))
        if (ComparedRun run = compared_run(method.name, protocol, *kept);
            run.seed >= options.seeds.first && run.seed <= options.seeds.last)
          result.runs.push_back(std::move(run));
      for (const auto& [job, problem] : failed)
        if (job.cell == cell) result.runs.push_back({method.name, protocol, job.seed, problem});
    }
    if (result.interrupted) continue;
    result.summaries.push_back(summarise(result.runs, result.methods, protocol,
                                         cells.tests(protocol, options.seeds), cells.weights(protocol)));
  }
  return result;
}

}  // namespace riemflow
