// riemflow pool: fitted models as one density, weighed on points that none of them has learned from.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/fit/output_file.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/outputs.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/core/version.hpp"
#include "riemflow/fit/data_set.hpp"
#include "riemflow/fit/pooling.hpp"
#include "riemflow/fit/provenance.hpp"
#include "riemflow/fit/recorded.hpp"
#include "riemflow/model/held_out.hpp"

namespace riemflow::app {
namespace {

struct PoolOptions {
  DataFile data;
  std::vector<std::string> members;
  std::string output;
  ModelChoice evaluation;
  bool json = false, force = false;
};

/// The points that choose the weights, and those left for a test: of the data that members were fitted to,
/// those that no member has seen as it was scored, and the test points of their split, which must be one; of
/// other data all points.
struct HeldOut {
  std::vector<std::size_t> numbers;  ///< of the validation points, as the fits read them
  Points<double> validation, test;
  const Model* split = nullptr;  ///< whose split it is; null: all points, none of a fit's
  /// Of members that have seen these points since: their log-densities before that.
  std::map<const Model*, std::vector<double>> scores;
};

/// The points that the member may be judged by: those it kept scores of or, if it has learned from none of
/// them, its validation points.
HeldOutScores honest_scores(const Model& member, const ModelData& own, const std::string& data) {
  if (auto kept = held_out_of(member)) {
    const std::size_t all = own.split.training.size() + own.split.validation.size() + own.split.test.size();
    for (const std::size_t point : kept->points)
      require(point < all,
              fmt::format("{} has scores of point {}, but {} has {} points", member.path, point, data, all),
              "use the file as riemflow wrote it", Fault::bad_data);
    return *kept;
  }
  const Values settings = recorded_settings(member);
  const auto model = settings.find("model");
  const bool fitted_pool = model != settings.end() && model->second == name_of(ModelKind::pool);
  require(!fitted_pool && !has_learned_from_validation(member, own.training, own.validation),
          fmt::format("{} has learned from the validation points of {} and does not hold its scores of them "
                      "from before, so that it would get all the weight",
                      member.path, data),
          "fit it again (files of version 0.1 lack these scores), or weigh the members on points that none "
          "of them has seen: give another file",
          Fault::bad_data);
  return {own.split.validation, {}};
}

HeldOut held_out(const PoolOptions& options, const std::vector<Model>& members) {
  HeldOut result;
  std::map<const Model*, std::map<std::size_t, double>> kept;
  std::map<std::size_t, std::vector<double>> points;  // by their numbers
  const std::string sha256 = options.data.sha256();
  for (const Model& member : members) {
    const std::string trained_on = metadata_of(member, "data_sha256");
    if (trained_on.empty())
      say("Warning: {} does not say what it was trained on; if it was on {}, the weights flatter it.",
          member.path, options.data.path);
    if (trained_on.empty() || trained_on != sha256) continue;
    Observer silent;
    const ModelData own = read_model_data(member, options.data, silent);
    require(
        own.split_known,
        fmt::format("{} was trained on {}, and does not say on which points", member.path, options.data.path),
        "weigh the members on points that none of them has seen: give another file", Fault::bad_data);
    require(
        result.split == nullptr || own.validation.values == result.validation.values,
        fmt::format("{} and {} were fitted to different splits of {}, so that each has learned from points "
                    "that would choose the weights",
                    result.split == nullptr ? "" : result.split->path, member.path, options.data.path),
        "fit them with the same --split, --split-seed, --dedup, --group-split and --group-within, or give "
        "other data",
        Fault::bad_data);
    HeldOutScores honest = honest_scores(member, own, options.data.path);
    std::map<std::size_t, double> by_point;
    for (std::size_t i = 0; i < honest.points.size(); ++i)
      by_point[honest.points[i]] = honest.log_densities.empty() ? 0 : honest.log_densities[i];
    if (!honest.log_densities.empty()) kept[&member] = by_point;
    std::vector<std::size_t> common;
    for (const auto& [point, score] : by_point)
      if (result.split == nullptr || std::binary_search(result.numbers.begin(), result.numbers.end(), point))
        common.push_back(point);
    result.numbers = std::move(common);
    if (result.split == nullptr)
      for (const auto& [numbers, part] :
           {std::pair(&own.split.training, &own.training), std::pair(&own.split.validation, &own.validation)})
        for (std::size_t i = 0; i < numbers->size(); ++i)
          points.try_emplace((*numbers)[i], (*part)[i].begin(), (*part)[i].end());
    result.split = &member;
    result.validation = own.validation;
    result.test = own.test;
  }
  if (result.split != nullptr) {
    require(!result.numbers.empty(), fmt::format("no point of {} is new to all members", options.data.path),
            "give another file", Fault::bad_data);
    const bool folds = result.numbers.size() > result.validation.size();
    result.validation.values.clear();
    for (const std::size_t number : result.numbers) {
      const auto found = points.find(number);
      require(found != points.end(),
              fmt::format("a member has scores of point {} of {}, which is a test point", number,
                          options.data.path),
              "use the files as riemflow wrote them", Fault::bad_data);
      result.validation.values.insert(result.validation.values.end(), found->second.begin(),
                                      found->second.end());
    }
    for (const auto& [member, scores] : kept)
      for (const std::size_t number : result.numbers) result.scores[member].push_back(scores.at(number));
    say("{} is what the members were fitted to: the weights are chosen on the {} {} points of their split, "
        "and {} test points are left.",
        options.data.path, result.validation.size(), folds ? "training and validation" : "validation",
        result.test.size());
    return result;
  }
  const auto source = open_said(options.data, members.front().config.manifold);
  ReadPoints all = read_all(*source);
  for (const std::string& sentence : all.remarks) say_text(sentence);
  result.validation = std::move(all.points);
  say("No member was fitted to {}: all its {} points choose the weights.", options.data.path,
      result.validation.size());
  return result;
}

void run(PoolOptions options) {
  std::vector<InputFile> inputs = {input_of(options.data)};
  for (const std::string& path : options.members) inputs.push_back({"MODEL", path});
  require_safe(inputs, {{"-o", options.output, FileKind::model}}, options.force);
  require_file(options.output);
  require_writable(options.output);
  std::vector<Model> members;
  for (const std::string& path : options.members) members.push_back(load_model(path));
  for (const Model& member : members)
    require(member.config.manifold == members.front().config.manifold,
            fmt::format("{} is on {}, but {} on {}", member.path, member.config.manifold,
                        members.front().path, members.front().config.manifold),
            "pool models of one manifold", Fault::bad_data);
  options.data = options.data.reopenable();
  const HeldOut points = held_out(options, members);

  std::vector<Contender> contenders;
  for (const Model& member : members) {
    say("Scoring {}.", member.path);
    contenders.push_back({std::filesystem::path(member.path).filename().string(),
                          {member},
                          points.scores.contains(&member)
                              ? points.scores.at(&member)
                              : log_densities_of_model(member, options.evaluation, points.validation),
                          log_densities_of_model(member, options.evaluation, points.test)});
  }
  WeighedPool pool = weigh(contenders);
  const MeanScore validation = mean_score(pool.validation), test = mean_score(pool.test);
  nlohmann::ordered_json provenance = {{"finished", true}, {"validation_nll", validation.nll}};
  if (!pool.test.empty()) {
    provenance["test_nll"] = test.nll;
    provenance["test_nll_standard_error"] = test.error;
    provenance["failed_test_points"] = test.failed;
  }
  provenance["members"] = json_of(pool_rows(contenders, pool));
  pool.model.metadata["riemflow_version"] = kVersion;
  if (points.split != nullptr) {
    for (const char* key : {"data_sha256", "data_name", "seed"})
      pool.model.metadata[key] = metadata_of(*points.split, key);
    const auto fit = read_provenance(metadata_of(*points.split, "provenance"));
    for (const char* key : {"points", "columns", "settings"})
      if (fit.contains(key)) provenance[key] = fit[key];
  }
  pool.model.metadata["provenance"] = provenance.dump();
  if (points.split != nullptr) keep_held_out(pool.model, {points.numbers, pool.validation});
  save_model(options.output, pool.model);

  if (options.json) {
    nlohmann::ordered_json out = {{"model", options.output},
                                  {"manifold", pool.model.config.manifold},
                                  {"validation_points", pool.validation.size()},
                                  {"test_points", pool.test.size()},
                                  {"gap", pool.weights.gap}};
    for (const char* key : {"validation_nll", "test_nll", "test_nll_standard_error", "members"})
      if (provenance.contains(key)) out[key] = provenance[key];
    print_json(out);
  } else {
    answer("{}\nmodel       {}\n", pool_table(contenders, pool), options.output);
    if (!pool.test.empty()) fmt::print("test NLL    {:.4f} ± {:.4f} nats\n", test.nll, test.error);
  }
  if (validation.failed + test.failed == 0) return;
  say("Warning: {} of {} points failed in a member, and are in no mean.", validation.failed + test.failed,
      pool.validation.size() + pool.test.size());
  throw Exit{static_cast<int>(Fault::numerical)};
}

}  // namespace

void add_pool(CLI::App& app) {
  auto* command =
      app.add_subcommand("pool", "Mix several models into one, with weights chosen on held-out points");
  auto options = std::make_shared<PoolOptions>();
  add_data(*command, options->data)->required();
  command->add_option("MODEL", options->members, "Models of one manifold, of any kind")
      ->required()
      ->type_name("FILE");
  command->add_option("-o,--output", options->output, "Model file to write")->required()->type_name("MODEL");
  add_evaluation(*command, options->evaluation);
  add_force(*command, options->force);
  add_json(*command, options->json);
  command->footer(
      "The pool is the sum of the models' densities times weights, those that make DATA most "
      "likely.\n"
      "Where models were fitted to DATA, points that none of them had seen choose the weights: their\n"
      "validation points, by the scores that a model kept if it has learned from them since. Their test "
      "points\n"
      "test the pool; their splits must be the same. Otherwise all points of DATA choose. The pool holds "
      "its\n"
      "members whole, and every command takes it like any model.\n\n"
      "Examples:\n"
      "  riemflow fit quakes.csv -o flow.model --model riemannian\n"
      "  riemflow fit quakes.csv -o mixture.model --model vmf-mixture\n"
      "  riemflow pool quakes.csv flow.model mixture.model -o pool.model\n"
      "  riemflow pool new_quakes.csv old.model older.model -o pool.model --json");
  command->callback([options] { run(*options); });
}

}  // namespace riemflow::app
