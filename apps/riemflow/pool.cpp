// riemflow pool: fitted models as one density, weighed on points that none of them has learned from.

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/fit/output_file.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/outputs.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/fit/pool_models.hpp"
#include "riemflow/fit/provenance.hpp"
#include "riemflow/model/space.hpp"

namespace riemflow::app {
namespace {

struct PoolOptions {
  DataFile data;
  std::vector<std::string> members;
  std::string output;
  ModelChoice evaluation;
  bool json = false, force = false;
};

void run(const PoolOptions& options) {
  std::vector<InputFile> inputs = {input_of(options.data)};
  for (const std::string& path : options.members) inputs.push_back({"MODEL", path});
  require_safe(inputs, {{"-o", options.output, FileKind::model}}, options.force);
  require_writable_file(options.output);
  std::vector<Model> members;
  for (const std::string& path : options.members) members.push_back(load_model(path));
  Teller teller;
  const PooledModels pool =
      pool_models(members, options.data.by(options.evaluation.threads), options.evaluation, teller);
  save_model(options.output, pool.model);

  if (options.json) {
    nlohmann::ordered_json out = {{"model", options.output},
                                  {"manifold", space_of(pool.model).name()},
                                  {"validation_points", pool.validation_points},
                                  {"test_points", pool.test_points},
                                  {"gap", pool.gap},
                                  {"validation_nll", pool.validation.nll}};
    if (pool.test_points > 0) {
      out["test_nll"] = pool.test.nll;
      out["test_nll_standard_error"] = pool.test.error;
    }
    out["members"] = json_of(pool.members);
    print_json(out);
  } else {
    answer("{}\nmodel       {}\n", pool.table, options.output);
    if (pool.test_points > 0)
      fmt::print("test NLL    {:.4f} ± {:.4f} nats\n", pool.test.nll, pool.test.error);
  }
  const std::size_t failed = pool.validation.failed + pool.test.failed;
  if (failed == 0) return;
  say("Warning: {} of {} points failed in a member, and are in no mean.", failed,
      pool.validation_points + pool.test_points);
  throw Exit{static_cast<int>(Fault::numerical)};
}

}  // namespace

void add_pool(CLI::App& app) {
  auto [command, options] = add_command<PoolOptions>(
      app, "pool", "Mix several models into one, with weights chosen on held-out points", run);
  add_data(command, options.data)->required();
  add_weights(command, options.data.reading);
  add_text(command, "MODEL", options.members, "FILE", "Models of one manifold, of any kind")->required();
  add_text(command, "-o,--output", options.output, "MODEL", "Model file to write")->required();
  add_evaluation(command, options.evaluation);
  add_force(command, options.force);
  add_json(command, options.json);
  command.footer(
      R"(The pool is the sum of the models' densities times weights, those that make DATA most likely.
Where models were fitted to DATA, points that none of them had seen choose the weights: their
validation points, by the scores that a model kept if it has learned from them since. Their test points
test the pool; their splits must be the same, and points count by the weights of the fits. Otherwise all points
of DATA choose, by --weights where that is given. The pool holds its members whole, and every command takes
it like any model.

Examples:
  riemflow fit quakes.csv -o flow.model --model riemannian
  riemflow fit quakes.csv -o mixture.model --model vmf-mixture
  riemflow pool quakes.csv flow.model mixture.model -o pool.model
  riemflow pool new_quakes.csv old.model older.model -o pool.model --json)");
}

}  // namespace riemflow::app
