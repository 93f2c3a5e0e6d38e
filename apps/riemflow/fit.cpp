// riemflow fit: from a data file to a trained density.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/fit/options.hpp"
#include "apps/riemflow/fit/output_file.hpp"
#include "apps/riemflow/fit/run.hpp"
#include "apps/riemflow/fit/runs.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/data.hpp"
#include "apps/riemflow/support/outputs.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/core/stopwatch.hpp"
#include "riemflow/fit/checkpoint.hpp"
#include "riemflow/fit/option_choice.hpp"
#include "riemflow/fit/provenance.hpp"

namespace riemflow::app {
namespace {

struct Invocation {
  std::string data, output, config, preset = "auto";
  bool print_config = false, resume = false, force = false;
  int runs = 1;
};

void refuse_changes(const Values& before, const Values& now, const std::string& path) {
  for (const auto& [name, value] : now) {
    if (!is_recorded(name) || may_change(name)) continue;
    const auto old = before.find(name);
    const std::string was = old == before.end() ? "not set" : old->second;
    require(was == value,
            fmt::format("--{} is {}, but in {}, which is to be resumed, it is {}", name, value, path, was),
            "leave it out, or start anew without --resume");
  }
}

void print_result(const FitResult& result, const DataSet& data, const Invocation& invocation) {
  const FitProgress& p = result.progress;
  if (!result.members_table.empty()) answer("{}\n", result.members_table);
  answer("model       {} ({} parameters on {})\n", invocation.output, result.parameters,
         data.manifold.name());
  if (!result.search.empty()) {
    const MixtureScore& chosen = result.search[result.chosen];
    fmt::print("mixture     {} components{}{}\n", chosen.components,
               chosen.rate > 0 ? fmt::format(" at rate {:g}", chosen.rate) : "",
               result.search.size() > 1
                   ? fmt::format(", the best of {} on the validation points", result.search.size())
                   : "");
  }
  if (result.kernels) {
    fmt::print("kernels     {}\n", text_of(*result.kernels));
    fmt::print("choice      {} recipes tried in {}\n", p.iteration, clock_text(result.seconds));
  } else {
    fmt::print("training    {} iterations in {}, stopped by {}{}\n", p.iteration, clock_text(result.seconds),
               result.stopped,
               result.members_table.empty() ? fmt::format("; best at {}", p.best_iteration) : "");
  }
  fmt::print("validation  {:.4f} nats\n", p.best);
  if (result.target) {
    fmt::print("reverse KL  {:.4f} ± {:.4f} nats ({} draws)\n", result.target->reverse_kl,
               result.target->standard_error, result.target->draws);
    fmt::print("effective   {:.1f} % of the draws, weighted to stand for the target\n",
               100 * result.target->effective_share);
  }
  if (result.cover) {
    fmt::print("forward KL  {:.4f} ± {:.4f} nats ({} draws of the target)\n", result.cover->forward_kl,
               result.cover->standard_error, result.cover->draws);
    fmt::print("missed      {:.1f} % of the target's mass lies where the model has less than a tenth of it\n",
               100 * result.cover->missed_share);
  }
  if (data.split.test.empty()) return;
  fmt::print("test NLL    {:.4f} ± {:.4f} nats ({} points)\n", result.test_nll, result.test_error,
             result.test_points.value_or(data.split.test.size()) - result.failed_test_points);
  fmt::print("{:<11} {:.4f} nats\n", result.reference == "uniform density" ? "uniform" : "base",
             result.reference_nll);
}

void print_result_json(const FitResult& result, const DataSet& data, const Invocation& invocation,
                       const Values& recorded) {
  const FitProgress& p = result.progress;
  nlohmann::ordered_json settings = nlohmann::ordered_json::object();
  for (const auto& [name, value] : recorded) settings[name] = value;
  nlohmann::ordered_json target;  // null without one
  if (result.target)
    target = {{"reverse_kl", result.target->reverse_kl},
              {"reverse_kl_standard_error", result.target->standard_error},
              {"effective_sample_share", result.target->effective_share},
              {"draws", result.target->draws},
              {"failed", result.target->failed}};
  if (result.cover) {
    target["forward_kl"] = result.cover->forward_kl;
    target["forward_kl_standard_error"] = result.cover->standard_error;
    target["missed_target_share"] = result.cover->missed_share;
    target["target_draws"] = result.cover->draws;
    target["target_draws_failed"] = result.cover->failed;
  }
  nlohmann::ordered_json out = {{"model", invocation.output},
                                {"manifold", data.manifold.name()},
                                {"parameters", result.parameters},
                                {"data", data_json(data)},
                                {"iterations", p.iteration},
                                {"best_iteration", p.best_iteration},
                                {"stopped", result.stopped},
                                {"seconds", result.seconds},
                                {"validation_nll", p.best},
                                {"test_nll", result.test_nll},
                                {"test_nll_standard_error", result.test_error},
                                {"reference", result.reference},
                                {"reference_nll", result.reference_nll},
                                {"failed_test_points", result.failed_test_points},
                                {"skipped_steps", p.skipped},
                                {"target", target},
                                {"settings", settings}};
  if (!result.search.empty()) {
    out["components"] = result.search[result.chosen].components;
    out["search"] = search_json(result.search);
  }
  if (result.kernels) out["kernels"] = json_of(*result.kernels);
  if (!result.members.empty()) out["members"] = json_of(result.members);
  print_json(out);
}

void refuse_resumed(ModelKind model) {
  require(is_flow(model), fmt::format("--resume: the fit of a {} cannot be resumed", name_of(model)),
          model == ModelKind::pool ? "start anew without --resume; it takes what --time-limit says"
                                   : "start anew without --resume; it takes seconds",
          Fault::usage);
}

Model load_checkpoint(const std::string& path) {
  Model model = load_model(path);
  refuse_resumed(model.config.model);
  require(has_state(model), path + ": it is a model, but not one whose training can go on",
          "start anew without --resume", Fault::bad_data);
  return model;
}

/// All that is read, and all that is written, of every run.
void require_safe_files(const Invocation& invocation, const std::vector<std::string>& models,
                        const FitOptions& settings) {
  std::vector<OutputFile> outputs;
  if (models.size() > 1) outputs.push_back({"-o", invocation.output, FileKind::model});
  for (std::size_t run = 0; run < models.size(); ++run) {
    for (const std::string& path : {models[run], partial_path(models[run])})
      outputs.push_back({"-o", path, FileKind::model});
    if (!settings.log.empty())
      outputs.push_back({"--log",
                         models.size() > 1 ? run_path(settings.log, std::to_string(run + 1)) : settings.log,
                         FileKind::json});
  }
  require_safe(
      {input_of({invocation.data, settings.data_dir, settings.reading("")}), {"--config", invocation.config}},
      outputs, invocation.force);
}

void fit(const CLI::App& command, const Invocation& invocation) {
  const Values user = given_values(command);
  refuse_contradictions(user, "");

  const std::vector<std::string> outputs = outputs_of(invocation.output, invocation.runs);
  std::vector<std::optional<Model>> checkpoints(outputs.size());
  for (std::size_t run = 0; invocation.resume && run < outputs.size(); ++run)
    for (const std::string& path : {partial_path(outputs[run]), outputs[run]})
      if (!checkpoints[run] && std::filesystem::exists(path)) checkpoints[run] = load_checkpoint(path);
  const auto found = std::find_if(checkpoints.begin(), checkpoints.end(),
                                  [](const std::optional<Model>& model) { return model.has_value(); });
  const bool resumes = found != checkpoints.end();

  OptionSources sources;
  sources.user = user;
  sources.one_flow = invocation.runs > 1;
  if (!invocation.config.empty()) sources.file = values_of_file(invocation.config);
  const auto preset_in_file = sources.file.extract("preset");
  if (command.get_option("--preset")->count() > 0)
    sources.preset = invocation.preset;
  else if (!preset_in_file.empty())
    sources.preset = preset_in_file.mapped();
  Values lower;
  if (resumes) {
    lower = settings_of_first(**found, static_cast<std::size_t>(found - checkpoints.begin()));
    require(!lower.empty(), (*found)->path + ": the model does not say how it was trained",
            "start anew without --resume", Fault::bad_data);
    recorded_options(**found, lower);  // throws where they are none
    // Only what was asked for is compared: a default is no wish.
    const Values wishes = overridden(
        overridden(sources.preset ? preset_values(*sources.preset) : Values{}, sources.file), user);
    refuse_changes(lower, wishes, (*found)->path);
    refuse_strangers(checkpoints);
    lower = overridden(lower, wishes);
  } else {
    lower = chosen_values(sources);
  }
  FitOptions chosen = options_of(lower);
  refuse_unmeant(chosen.model, sources);
  if (invocation.runs > 1) refuse_runs(chosen.model);
  // A pool that is not there yet is begun, as a flow would be.
  if (invocation.resume && (chosen.model != ModelKind::pool || std::filesystem::exists(invocation.output)))
    refuse_resumed(chosen.model);

  if (invocation.print_config) {
    fmt::print("{}", with_flags(to_toml(values_of(chosen))));
    return;
  }
  const bool to_target = !chosen.target.empty();
  require_target_with_objective(chosen);
  require(!to_target || invocation.data.empty(), "both DATA and --target are given", "give one of them",
          Fault::usage);
  require(to_target || !invocation.data.empty(), "DATA is missing",
          "name a file, as in riemflow fit quakes.csv -o quakes.model", Fault::usage);
  require(!invocation.output.empty(), "--output is missing", "name the model, as in -o quakes.model",
          Fault::usage);

  require_safe_files(invocation, outputs, chosen);

  FitRequest request{invocation.output, chosen};
  if (invocation.resume && !resumes)
    Voice{chosen.quiet}.say("{} is not there yet: training starts from the beginning.", outputs.front());

  Teller teller(chosen.quiet);
  const DataSet data = to_target ? target_of(chosen) : read_data_set(invocation.data, chosen, teller);
  for (std::optional<Model>& checkpoint : checkpoints) {
    if (!checkpoint) continue;
    const std::string trained_on = checkpoint->metadata["data_sha256"];
    require(trained_on == data.sha256,
            fmt::format("{} is not the data that {} was trained on (SHA-256 {}…, not {}…)", invocation.data,
                        checkpoint->path, data.sha256.substr(0, 12), trained_on.substr(0, 12)),
            "give the same file, or start anew without --resume", Fault::bad_data);
  }
  if (invocation.runs > 1) return run_fits({invocation.data, invocation.output, chosen, checkpoints}, data);
  if (resumes) request.resume = &**found;
  const FitResult result = run_fit(request, data);
  if (chosen.json)
    print_result_json(result, data, invocation, recorded_values(chosen));
  else
    print_result(result, data, invocation);
  if (result.failed_test_points > 0) throw Exit{static_cast<int>(Fault::numerical)};
}

}  // namespace

void add_fit(CLI::App& app) {
  auto* command = app.add_subcommand("fit", "Train a density on a data file");
  auto invocation = std::make_shared<Invocation>();
  add_text(*command, "DATA", invocation->data, kDataType,
           "CSV, TSV, NPY or GeoJSON file with one point per row, packed with gzip or zstd or not; - is "
           "standard input; or the name of a data set");
  add_text(*command, "-o,--output", invocation->output, "MODEL",
           "Model file to write, when the fit has ended; until then it is MODEL.partial, which every command "
           "reads");
  declare(*command);
  add_force(*command, invocation->force)->group("Running");
  add_ranged(*command, "--runs", invocation->runs, 1, 1000,
             "Train so many flows with seeds from --seed on, on one split, each within --time-limit: "
             "NAME.run-1.model and so on for -o NAME.model, which is the best on the validation points; side "
             "by side on a GPU")
      ->take_last()
      ->group("Running");
  add_choice(
      *command, "--preset", invocation->preset, preset_names(),
      "Settings to start from; auto: learned kernels and what adds to them, as good as the time limit, "
      "60 s unless given, allows; default: one flow, what is taken where a setting of one is given; "
      "paper: exactly those of the paper's earth experiments")
      ->group("Settings from elsewhere");
  add_text(*command, "--config", invocation->config, "FILE", "Settings from a TOML file; options override it")
      ->group("Settings from elsewhere");
  command
      ->add_flag("--print-config", invocation->print_config,
                 "Write the whole configuration to standard output and stop")
      ->group("Settings from elsewhere");
  command
      ->add_flag("--resume", invocation->resume,
                 "Go on from MODEL.partial, which a fit that has not ended leaves, or from MODEL, to the "
                 "same bits as in one run; for single flows")
      ->group("Settings from elsewhere");
  command->footer(
      R"(Words: a density is scored by its NLL, the mean negative log-likelihood of points, in nats (lower is better). A kernel
density is a bump on each training point; of learned kernels a network says how wide and long each bump is; a
mixture of normals is a few bumps placed by themselves; a flow carries a simple density along a field that a network
has learned; a pool is a mixture of these, with weights chosen
on the validation points. docs/tutorial.md has a glossary.

Examples:
  riemflow fit quakes.csv -o quakes.model
  riemflow fit quakes.csv -o quakes.model --dedup --time-limit 5m --log quakes.jsonl
  riemflow fit quakes.csv -o flow.model --model riemannian --iterations 5000
  riemflow fit stations.csv -o stations.model --weights events
  riemflow fit torsions.csv -o torsions.model --columns phi,psi --manifold torus:2
  riemflow fit quakes.csv -o chart.model --model stereographic
  riemflow fit quakes.csv -o flow.model --resume
  riemflow fit quakes.csv -o flow.model --runs 12 --device cuda
  riemflow fit quakes.csv -o mixture.model --model vmf-mixture --components 50,100 --rates 0.05,0.01
  riemflow fit quakes.csv -o kernels.model --model kde
  riemflow fit torsions.csv -o normals.model --model normal-mixture
  riemflow fit quakes.csv -o over.model --base kde --iterations 1000
  riemflow fit --target 'vmf:lat=47,lon=8,kappa=50' --objective reverse-kl -o alps.model
  riemflow fit --preset paper --print-config > paper.toml
  riemflow fit quakes.csv -o paper.model --config paper.toml --seed 1)");
  command->callback([command, invocation] { fit(*command, *invocation); });
}

}  // namespace riemflow::app
