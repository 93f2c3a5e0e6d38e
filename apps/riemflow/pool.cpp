// riemflow pool: fitted models as one density, weighed on points that none of them has learned from.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <set>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/fit/output_file.hpp"
#include "apps/riemflow/fit/pooling.hpp"
#include "apps/riemflow/fit/provenance.hpp"
#include "apps/riemflow/fit/recorded.hpp"
#include "apps/riemflow/fit/training_data.hpp"
#include "apps/riemflow/support/console.hpp"
#include "riemflow/core/error.hpp"

namespace riemflow::app {
namespace {

struct PoolOptions {
  DataChoice data;
  std::vector<std::string> members;
  std::string output;
  ModelChoice evaluation;
  bool json = false;
};

/// The points that choose the weights, and those left for a test: of the data that members were fitted to,
/// the validation and test points of their split, which must be one; of other data all points.
struct HeldOut {
  Points<double> validation, test;
  const Model* split = nullptr;  ///< whose split it is; null: all points, none of a fit's
};

HeldOut held_out(const PoolOptions& options, const std::vector<Model>& members) {
  HeldOut result;
  const std::string sha256 =
      options.data.path == "-" ? "" : identity_of(options.data.path, options.data.data_dir).sha256;
  for (const Model& member : members) {
    const std::string trained_on = metadata_of(member, "data_sha256");
    if (trained_on.empty())
      say("Warning: {} does not say what it was trained on; if it was on {}, the weights flatter it.",
          member.path, options.data.path);
    if (trained_on.empty() || trained_on != sha256) continue;
    const ModelData own = [&] {
      const Silence silence;
      return read_model_data(member, options.data);
    }();
    require(
        own.split_known,
        fmt::format("{} was trained on {}, and does not say on which points", member.path, options.data.path),
        "weigh the members on points that none of them has seen: give another file", Fault::bad_data);
    require(
        result.split == nullptr || own.validation.values == result.validation.values,
        fmt::format("{} and {} were fitted to different splits of {}, so that each has learned from points "
                    "that would choose the weights",
                    result.split == nullptr ? "" : result.split->path, member.path, options.data.path),
        "fit them with the same --split, --split-seed, --dedup and --group-split, or give other data",
        Fault::bad_data);
    result.split = &member;
    result.validation = own.validation;
    result.test = own.test;
  }
  if (result.split != nullptr) {
    say("{} is what the members were fitted to: the weights are chosen on the {} validation points of their "
        "split, and {} test points are left.",
        options.data.path, result.validation.size(), result.test.size());
    return result;
  }
  const auto source = options.data.open(members.front().config.manifold);
  DataSet all = read_all(*source);
  for (const std::string& sentence : all.remarks) say_text(sentence);
  result.validation = std::move(all.points);
  say("No member was fitted to {}: all its {} points choose the weights.", options.data.path,
      result.validation.size());
  return result;
}

void run(const PoolOptions& options) {
  require_file(options.output);
  require_writable(options.output);
  std::vector<Model> members;
  for (const std::string& path : options.members) members.push_back(load_model(path));
  for (const Model& member : members)
    require(member.config.manifold == members.front().config.manifold,
            fmt::format("{} is on {}, but {} on {}", member.path, member.config.manifold,
                        members.front().path, members.front().config.manifold),
            "pool models of one manifold", Fault::bad_data);
  const HeldOut points = held_out(options, members);

  std::vector<Contender> contenders;
  for (const Model& member : members) {
    say("Scoring {}.", member.path);
    contenders.push_back({std::filesystem::path(member.path).filename().string(),
                          {member},
                          log_densities_of_model(member, options.evaluation, points.validation),
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
  provenance["members"] = pool_rows(contenders, pool);
  pool.model.metadata["riemflow_version"] = RIEMFLOW_VERSION;
  if (points.split != nullptr) {
    for (const char* key : {"data_sha256", "data_name", "seed"})
      pool.model.metadata[key] = metadata_of(*points.split, key);
    const auto fit = read_provenance(metadata_of(*points.split, "provenance"));
    for (const char* key : {"points", "columns", "settings"})
      if (fit.contains(key)) provenance[key] = fit[key];
  }
  pool.model.metadata["provenance"] = provenance.dump();
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
    fmt::print("{}\nmodel       {}\n", pool_table(contenders, pool), options.output);
    if (!pool.test.empty()) fmt::print("test NLL    {:.4f} ± {:.4f} nats\n", test.nll, test.error);
  }
  if (validation.failed + test.failed == 0) return;
  say("Warning: {} of {} points failed in a member, and are in no mean.", validation.failed + test.failed,
      pool.validation.size() + pool.test.size());
  throw Exit{static_cast<int>(Fault::numerical)};
}

}  // namespace

void add_pool(CLI::App& app) {
  auto* command = app.add_subcommand("pool", "Several models as one: a mixture, weighed on held-out points");
  auto options = std::make_shared<PoolOptions>();
  add_data(*command, options->data)->required();
  command->add_option("MODEL", options->members, "Models of one manifold, of any kind")
      ->required()
      ->type_name("FILE");
  command->add_option("-o,--output", options->output, "Model file to write")->required()->type_name("MODEL");
  add_evaluation(*command, options->evaluation);
  add_json(*command, options->json);
  command->footer(
      "The pool is the sum of the models' densities times weights, those that make DATA most "
      "likely.\n"
      "Where models were fitted to DATA, their validation points choose the weights, and their test points\n"
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
