// Table of the paper: densities of volcanoes, earthquakes, floods and fires; and the same on distinct points,
// with a kernel density beside.

#include <fmt/format.h>

#include "riemflow/core/error.hpp"
#include "riemflow/reproduce/earth_run.hpp"
#include "riemflow/reproduce/figures.hpp"

namespace riemflow {
namespace {

/// A row of the tables. Those with "-cosine" are the same flows with another schedule of the learning rate,
/// on the customary protocol alone: what the paper's annealing leaves on the table.
struct EarthModel {
  const char* name;
  const char* EarthSet::*paper;  ///< its figure; null: it has none
  bool cosine = false;
};
constexpr EarthModel kModels[] = {
    {"mixture", &EarthSet::mixture},         {"stereographic", &EarthSet::stereographic},
    {"stereographic-cosine", nullptr, true}, {"riemannian", &EarthSet::riemannian},
    {"riemannian-cosine", nullptr, true},    {"kernel-density", nullptr}};
constexpr Protocol kProtocols[] = {Protocol::customary, Protocol::two_way, Protocol::distinct};

std::string word(Protocol protocol) {
  return protocol == Protocol::customary  ? "customary"
         : protocol == Protocol::distinct ? "distinct"
                                          : "two-way";
}

std::string cell_of(const EarthSet& set, const EarthModel& model, Protocol protocol) {
  return fmt::format("{} {} {}", set.name, model.name, word(protocol));
}

bool has_cell(const EarthModel& model, Protocol protocol) {
  if (protocol == Protocol::two_way)  // without validation points there is nothing to choose by
    return !model.cosine && model.paper != nullptr && model.name != std::string_view("mixture");
  return !model.cosine || protocol == Protocol::customary;
}

struct Place {
  const EarthSet* set;
  const EarthModel* model;
  Protocol protocol;
};

Place place_of(const std::string& cell, bool quick) {
  for (const EarthSet& set : earth_sets(quick))
    for (const EarthModel& model : kModels)
      for (Protocol protocol : kProtocols)
        if (cell_of(set, model, protocol) == cell) return {&set, &model, protocol};
  throw Error("unknown cell " + cell, "report this", Fault::internal);
}

/// Of a run on one core.
double seconds_of_cell(const EarthSet& set, const std::string& model, Protocol protocol) {
  const std::string name = set.name;
  const bool few = name == "volcano" && protocol == Protocol::distinct;
  const double flow = name == "fire"         ? 480
                      : name == "flood"      ? 300
                      : name == "earthquake" ? 240
                      : few                  ? 60
                                             : 120;
  if (model.starts_with("riemannian")) return flow;
  if (model.starts_with("stereographic")) return 0.8 * flow;
  return model == "mixture" ? 60 : 10;
}

class Earth final : public Experiment {
 public:
  std::string name() const override { return "earth"; }
  int runs() const override { return 12; }
  std::string settings(bool quick) const override {
    std::string text =
        "Random splits 80/10/10. Flows: 3 × 64 tanh, linear input layer, exact divergence, dopri5 at 1e-3 in "
        "training (flood 1e-4) and 1e-5 in evaluation, Adam at 1e-3 · 0.98^(t/300), batches of 400, 1000 "
        "epochs (volcano 3000), the parameters that score best on the validation points; -cosine: the same "
        "epochs, with Adam at 3e-3, falling to 0 by a cosine. Mixtures of von Mises–Fisher distributions: "
        "Riemannian Adam with rates 0.1, 0.05, 0.01 and 50, 100, 150, 200 components, all points in each "
        "step, 300 epochs with a rate that falls to 0 by a cosine, where the paper ran 10,000 to 30,000 "
        "(vmf_mixture.md has why that suffices); rate, components and epoch by the validation points. Kernel "
        "density: one bandwidth, chosen on the validation points, and 1 % of the uniform density.";
    if (quick) text += " Quick: 20 epochs on the embedded earthquakes.";
    return text;
  }
  std::vector<Cell> cells(bool quick) const override {
    std::vector<Cell> all;
    for (Protocol protocol : kProtocols)
      for (const EarthSet& set : earth_sets(quick))
        for (const EarthModel& model : kModels)
          if (has_cell(model, protocol))
            all.push_back({cell_of(set, model, protocol), seconds_of_cell(set, model.name, protocol)});
    return all;
  }
  void check(const std::string& cell, const ReproduceOptions& options) const override {
    check_earth_set(*place_of(cell, options.quick).set, options.data_dir);
  }

  Json run(const std::string& cell, std::uint64_t seed, const ReproduceOptions& options) const override {
    const Place place = place_of(cell, options.quick);
    const EarthSplit split = earth_split(*place.set, place.protocol, seed, options.data_dir);
    const bool with_grid = seed == 0 && place.protocol == Protocol::customary;
    const std::string model = place.model->name;
    Json result;
    if (model == "mixture") {
      result = run_earth_mixture(split, seed, with_grid, options);
    } else if (model == "kernel-density") {
      result = run_earth_kernel_density(split, with_grid);
    } else {
      const ModelKind kind =
          model.starts_with("riemannian") ? ModelKind::riemannian : ModelKind::stereographic;
      result = run_earth_flow({place.set, kind, place.model->cosine, seed}, split, with_grid, options);
    }
    if (place.protocol == Protocol::two_way) {
      result["nll"] = result["last_nll"];
      result["nll_error"] = result["last_nll_error"];
    }
    result["points"] = {split.training.size(), split.validation.size(), split.test.size()};
    return result;
  }

  std::string table(const Results& results) const override {
    return "Test NLL in nats, the customary protocol: equal points fall on both sides of the split.\n\n" +
           scores(results, Protocol::customary, true) +
           "\nThe same split in two, as the paper describes its own: the validation points are among those "
           "for training, and the last parameters count.\n\n" +
           scores(results, Protocol::two_way, true) +
           "\nThe customary split with one of each set of equal points, on which a test likelihood means "
           "something.\n\n" +
           scores(results, Protocol::distinct, false) +
           "\nBeside the scores. The last parameters are those that the paper reports. The mass of a "
           "kernel density is 1 by its formula.\n\n" +
           details(results);
  }

  std::vector<FigureFile> figures(const Results& results, const std::string& data_dir,
                                  TaskObserver& observer) const override {
    std::vector<std::string> sets;
    for (const EarthSet& set : earth_sets(results.quick())) sets.push_back(set.name);
    std::vector<FigureFile> all = earth_curves(results, sets);
    for (FigureFile& map : earth_maps(results, data_dir, observer)) all.push_back(std::move(map));
    return all;
  }

 private:
  static std::string scores(const Results& results, Protocol protocol, bool with_paper) {
    std::string text = "| model |", rule = "|---|";
    for (const EarthSet& set : earth_sets(results.quick())) {
      text += fmt::format(" {} |", set.name);
      rule += "---|";
    }
    text += "\n" + rule + "\n";
    for (const EarthModel& model : kModels) {
      if (!has_cell(model, protocol)) continue;
      if (with_paper && model.paper != nullptr) {
        text += fmt::format("| {}, paper |", model.name);
        for (const EarthSet& set : earth_sets(results.quick()))
          text += fmt::format(" {} |", set.*model.paper);
        text += "\n";
      }
      text += fmt::format("| {} |", model.name);
      for (const EarthSet& set : earth_sets(results.quick()))
        text += fmt::format(" {} |", results.mean_text(cell_of(set, model, protocol), "nll", 3));
      text += "\n";
    }
    return text;
  }

  static std::string details(const Results& results) {
    std::string text =
        "| set | points | model | NLL | last parameters | EM | mass | evaluations per solve | seconds | runs "
        "|\n"
        "|---|---|---|---|---|---|---|---|---|---|\n";
    for (Protocol protocol : kProtocols)
      for (const EarthSet& set : earth_sets(results.quick()))
        for (const EarthModel& model : kModels) {
          if (!has_cell(model, protocol)) continue;
          const std::string cell = cell_of(set, model, protocol);
          if (results.runs(cell) == 0) continue;
          const auto of = [&](const char* key, int digits) { return results.mean_text(cell, key, digits); };
          text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", set.name,
                              word(protocol), model.name, of("nll", 3), of("last_nll", 3), of("em_nll", 3),
                              of("mass", 4), of("evaluations", 0), of("seconds", 0), results.runs(cell));
        }
    return text;
  }
};

}  // namespace

std::unique_ptr<Experiment> make_earth_experiment() { return std::make_unique<Earth>(); }

}  // namespace riemflow
