#include "apps/riemflow/compare/comparison.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/fit/output_file.hpp"
#include "apps/riemflow/fit/run.hpp"
#include "apps/riemflow/support/baselines.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/exact_flow.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/fit/pooling.hpp"
#include "riemflow/fit/provenance.hpp"
#include "riemflow/kernel/kernel_choice.hpp"
#include "riemflow/manifold/parse.hpp"
#include "riemflow/model/model_standardisation.hpp"

namespace riemflow::app {
namespace {

const CubatureOptions kMassOptions{1e-3, 0, 200'000};
constexpr std::size_t kMassSamples = 300;

/// Settings of fit that a protocol adds.
Values protocol_values(const ComparisonOptions& options, const std::string& protocol) {
  Values values = options.extra;
  values["quiet"] = "true";
  if (protocol != kDistinct) return values;
  values["dedup"] = "true";
  if (!options.group_within.empty()) values["group-within"] = options.group_within;
  return values;
}

/// The uniform density needs no fit, but its data are read as for one.
Method readable(const Method& method) {
  Method own = method;
  if (own.preset.empty()) own.preset = "default";
  return own;
}

class Comparison final : public Experiment {
 public:
  explicit Comparison(ComparisonOptions options) : options_(std::move(options)) {}

  std::string name() const override { return "compare"; }
  int runs() const override { return 5; }
  std::string settings(bool) const override { return ""; }
  std::vector<Cell> cells(bool) const override {
    std::vector<Cell> all;
    const double limit = seconds_of(options_.time_limit);
    for (const std::string& protocol : options_.protocols)
      for (const Method* method : options_.methods)
        all.push_back({cell_name(*method, protocol), std::min(limit, method->seconds)});
    return all;
  }

  Json run(const std::string& cell, std::uint64_t split, const RunOptions&) const override {
    const Silence silence;  // of what each fit would say
    const auto [method, protocol] = place_of(cell);
    Values extra = protocol_values(options_, protocol);
    extra["seed"] = std::to_string(split);
    if (!method->preset.empty()) extra["time-limit"] = options_.time_limit;
    if (const auto device = options_.devices.find(method); device != options_.devices.end())
      extra["device"] = device->second;
    const Method own = readable(*method);
    Observer silent;
    const DataSet data = read_data_set(options_.data, options_for(own, extra), silent);
    FitRequest request{"", options_for(on(own, *parse_manifold<double>(data.manifold)), extra)};
    const Points<double> test = part_of<double>(data.points, data.split.test);
    Json result = {{"split", split}};
    if (method->preset.empty())
      add_scores(base_log_densities(standardised(data, silent)), result);
    else
      fit(request, data, test, fmt::format("{}-{}-{}-{}", method->name, protocol, split, getpid()), result);
    result["points"] = {data.split.training.size(), data.split.validation.size(), test.size()};
    return result;
  }

  std::string table(const Results& results) const override {
    return tables_of(summaries_of(results, options_));
  }

 private:
  std::pair<const Method*, std::string> place_of(const std::string& cell) const {
    for (const Method* method : options_.methods)
      for (const std::string& protocol : options_.protocols)
        if (cell_name(*method, protocol) == cell) return {method, protocol};
    throw Error("unknown cell " + cell, "report this", Fault::internal);
  }

  static std::vector<double> base_log_densities(const DataSet& data) {
    const Points<double> test = part_of<double>(data.points, data.split.test);
    std::vector<double> values = base_scores(data.manifold, test).log_densities;
    for (double& value : values) value -= data.standardisation.log_scale();
    return values;
  }

  static void add_scores(const std::vector<double>& log_densities, Json& result) {
    const MeanScore score = mean_score(log_densities);
    result["nll"] = score.nll;
    result["nll_error"] = score.error;
    result["failed"] = score.failed;
    result["log_densities"] = rounded_array(log_densities, 6);
  }

  void fit(FitRequest& request, const DataSet& data, const Points<double>& test, const std::string& name,
           Json& result) const {
    request.output = (std::filesystem::path(options_.directory) / (name + ".model")).string();
    struct Cleanup {
      std::string path;
      ~Cleanup() {
        std::error_code ignored;
        std::filesystem::remove(path, ignored);
        std::filesystem::remove(partial_path(path), ignored);
      }
    } cleanup{request.output};
    const FitResult fitted = run_fit(request, data);
    Model model = load_model(request.output);
    Observer silent;
    if (model.config.model == ModelKind::kde)
      model = with_all_centres(fitted.kernels.value().recipe, standardised(data, silent),
                               request.options.threads);
    const Evaluation choice{0, request.options.threads};
    add_scores(log_densities_of_model(model, choice, test), result);
    const Mass mass = with_exact_density(model, choice, [&](auto& density) {
      return total_mass(density, kMassOptions, kMassSamples, request.options.seed,
                        FlowMass::by_change_of_variables);
    });
    result["mass"] = mass.integral.value;
    result["mass_error"] = mass.integral.error;
    result["validation_nll"] = fitted.progress.best;
    result["fit_seconds"] = fitted.seconds;
    result["iterations"] = fitted.progress.iteration;
    result["stopped"] = fitted.stopped;
    if (!fitted.members.empty()) result["members"] = json_of(fitted.members);
  }

  /// A kernel density as good as it can be: its recipe chosen on the validation points, which then are
  /// centres too, as in the pool of `fit`.
  static Model with_all_centres(const KernelRecipe& recipe, const DataSet& data, int threads) {
    ThreadPool pool(threads);
    const std::shared_ptr<const Manifold<double>> manifold = parse_manifold<double>(data.manifold);
    std::vector<std::size_t> known = data.split.training;
    known.insert(known.end(), data.split.validation.begin(), data.split.validation.end());
    KernelData centres(manifold, part_of<double>(data.points, known),
                       std::max(recipe.neighbours, recipe.shape_neighbours), &pool);
    Model model = make_model(data.manifold, centres.parameters(recipe));
    keep_standardisation(model, data.standardisation);
    return model;
  }

  ComparisonOptions options_;
};

}  // namespace

std::vector<Summary> summaries_of(const Results& results, const ComparisonOptions& options) {
  std::vector<Summary> summaries;
  for (const std::string& protocol : options.protocols) {
    const FitOptions settings =
        options_for(readable(*options.methods.front()), protocol_values(options, protocol));
    Observer silent;
    const DataSet data = read_data_set(options.data, settings, silent);
    TestPoints tests;
    for (std::uint64_t seed = options.seeds.first; seed <= options.seeds.last; ++seed)
      tests[seed] = split_points(data.groups, parse_split(settings.split), seed).test;
    summaries.push_back(summarise(results, options.methods, protocol, tests));
  }
  return summaries;
}

std::string tables_of(const std::vector<Summary>& summaries) {
  std::string text;
  for (const Summary& summary : summaries)
    text += fmt::format(
        "## {}\n\n{}\n\n{}\n", summary.protocol == kDistinct ? "Distinct points" : "Customary split",
        summary.protocol == kDistinct
            ? "One of each set of equal points is kept before the split: a test point is new."
            : "Equal points fall on both sides of the split, as in the literature. Where there are "
              "many, a test point may be a training point, and the score has no bound.",
        markdown(summary));
  return text + footnote() + "\n";
}

std::unique_ptr<Experiment> make_comparison(ComparisonOptions options) {
  return std::make_unique<Comparison>(std::move(options));
}

}  // namespace riemflow::app
