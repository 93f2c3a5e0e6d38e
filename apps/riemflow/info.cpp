#include <algorithm>
#include <filesystem>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/options.hpp"
#include "riemflow/fit/checkpoint.hpp"
#include "riemflow/fit/model_json.hpp"
#include "riemflow/fit/provenance.hpp"
#include "riemflow/io/message.hpp"
#include "riemflow/model/config_json.hpp"
#include "riemflow/model/space.hpp"

namespace riemflow::app {
namespace {

using Json = nlohmann::ordered_json;

/// What a file says of itself, with nothing in it that would disturb a terminal.
std::string shown(const std::string& text) {
  constexpr std::size_t kLongest = 500;
  std::string quoted = io::in_quotes(text, kLongest);
  const bool plain = quoted.size() == text.size() + 2;
  return plain ? text : quoted;
}

/// A line for each value, nested names joined by dots.
void print_fields(const std::string& name, const Json& value) {
  if (value.is_object() && !value.empty()) {
    for (const auto& [key, inner] : value.items())
      print_fields(name.empty() ? shown(key) : name + "." + shown(key), inner);
    return;
  }
  const std::string text = value.is_string() ? value.get<std::string>()
                                             : value.dump(-1, ' ', true, Json::error_handler_t::replace);
  fmt::print("  {:<28} {}\n", name.empty() ? "text" : name, shown(text));
}

void line(const char* name, const std::string& value) { answer("{:<12} {}\n", name, value); }

void print_kernels(const char* name, const KernelParameters& kernels) {
  std::vector<double> widths = kernels.bandwidths;
  std::sort(widths.begin(), widths.end());
  line(name, fmt::format("{} kernels{}, bandwidths {:.4g} to {:.4g}, median {:.4g}, wide share {:.4g}",
                         kernels.size(), kernels.shapes.empty() ? "" : ", anisotropic", widths.front(),
                         widths.back(), widths[widths.size() / 2], kernels.wide));
}

void print_flow(const Model& model, const Json& config) {
  const FieldConfig& field = model.config.field;
  const SolverOptions& solver = model.config.solver;
  const Json& f = config.at("field");
  const std::string base = metadata_of(model, "base");
  line("field", fmt::format("{} hidden layers of {}, {}, input {}, {} parameters, {}", field.depth,
                            field.width, f.at("activation").get<std::string>(),
                            f.at("input").get<std::string>(), numbers_in(model), precision_of(model)));
  line("base", model.config.base.kind == BaseKind::vmf_mixture
                   ? fmt::format("vmf-mixture of {} components, learned", model.config.base.components)
                   : shown(base.empty() ? "default" : base));
  if (base == "kde") print_kernels("", kernels_of(model)->parameters());
  line("divergence", config.at("divergence").at("estimator").get<std::string>());
  line("solver", solver.fixed_steps > 0
                     ? fmt::format("{}, {} fixed steps", solver.method, solver.fixed_steps)
                     : fmt::format("{}, rtol {:g}, atol {:g}", solver.method, solver.rtol, solver.atol));
}

void print_mixture(const Model& model) {
  const MixtureParameters& mixture = mixture_of(model);
  std::vector<double> kappas = mixture.kappas;
  std::sort(kappas.begin(), kappas.end());
  line("components",
       fmt::format("{}, {} numbers, {}", mixture.size(), numbers_in(model), precision_of(model)));
  line("κ", fmt::format("{:.4g} to {:.4g}, median {:.4g}", kappas.front(), kappas.back(),
                        kappas[kappas.size() / 2]));
  line("weights",
       fmt::format("{:.4g} to {:.4g}", *std::min_element(mixture.weights.begin(), mixture.weights.end()),
                   *std::max_element(mixture.weights.begin(), mixture.weights.end())));
}

void print_pool(const Model& model) {
  const Pool& pool = pool_of(model);
  line("members",
       fmt::format("{}, {} numbers, {}", pool.members.size(), numbers_in(model), precision_of(model)));
  for (std::size_t m = 0; m < pool.members.size(); ++m) {
    const Model& member = pool.members[m];
    line("", fmt::format("{:.4f}  {}, {} numbers", pool.weights[m], shown(member_name(member)),
                         numbers_in(member)));
  }
}

struct InfoOptions {
  std::string path;
  bool json = false;
};

void run(const InfoOptions& options) {
  const std::string& path = options.path;
  const Model model = load_model(path);
  std::error_code ignored;
  const std::uintmax_t size = std::filesystem::file_size(path, ignored);
  const auto text_of = [&](const char* key) { return metadata_of(model, key); };
  const Json config = Json::parse(config_to_json(model.config));
  const bool resumable = has_state(model);
  if (options.json) {
    Json out = {{"path", path}, {"bytes", ignored ? Json() : Json(size)}};
    out.update(model_json(model));
    // ASCII alone: a file of a stranger may hold what a terminal obeys.
    const std::string text = out.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
    std::fwrite(text.data(), 1, text.size(), stdout);
    return;
  }

  line("model", path + (ignored ? "" : fmt::format(", {} bytes", size)));
  line("kind", std::string(name_of(model.config.model)));
  line("manifold", space_of(model).name());
  if (is_flow(model.config.model))
    print_flow(model, config);
  else if (model.config.model == ModelKind::pool)
    print_pool(model);
  else if (has_kernels(model.config.model))
    print_kernels("density", kernels_of(model)->parameters());
  else
    print_mixture(model);
  line("resumable", resumable ? "yes: it holds the state of the training" : "no: parameters only");
  for (const auto& [name, key] : {std::pair{"data", "data_name"},
                                  {"SHA-256", "data_sha256"},
                                  {"seed", "seed"},
                                  {"version", "riemflow_version"}})
    if (!text_of(key).empty()) line(name, shown(text_of(key)));
  if (const std::string column = weight_column_of(model); !column.empty())
    line("weights", fmt::format("of the points, from column {}", shown(column)));
  if (!text_of("provenance").empty()) {
    fmt::print("provenance\n");
    print_fields("", read_provenance(text_of("provenance")));
  }
  bool others = false;
  for (const auto& [key, value] : model.metadata) {
    bool known = false;
    for (const char* name : {"base", "data_name", "data_sha256", "seed", "riemflow_version", "provenance"})
      known = known || key == name;
    if (known) continue;
    if (!others) fmt::print("other metadata\n");
    others = true;
    fmt::print("  {:<28} {}\n", shown(key), shown(value));
  }
}

}  // namespace

void add_info(CLI::App& app) {
  auto [command, options] =
      add_command<InfoOptions>(app, "info", "Show what a model file holds and where it is from", run);
  add_text(command, "MODEL", options.path, "FILE", "Model file that `riemflow fit` wrote")->required();
  add_json(command, options.json);
  command.footer("Examples:\n  riemflow info quakes.model\n  riemflow info quakes.model --json | jq .config");
}

}  // namespace riemflow::app
