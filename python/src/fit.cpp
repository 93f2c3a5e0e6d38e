// Fits and comparisons.

#include <pybind11/stl.h>

#include "python/src/arrays.hpp"
#include "python/src/data.hpp"
#include "python/src/density.hpp"
#include "python/src/distribution.hpp"
#include "python/src/listener.hpp"
#include "riemflow/fit/compare.hpp"
#include "riemflow/fit/fit_model.hpp"
#include "riemflow/fit/option_choice.hpp"
#include "riemflow/fit/pool_models.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow::python {
namespace {

using namespace py::literals;

FitOptions options_from(const Values& values, const std::optional<std::string>& preset) {
  OptionSources sources;
  sources.user = values;
  sources.preset = preset;
  return chosen_options(sources);
}

/// The points of an array, of a file or of columns that were read, as the options divide them. `said`: the
/// sentences about the reading have been said.
DataSet data_set(const py::object& points, const FitOptions& options, const std::vector<double>& weights,
                 const std::string& name, Listener& listener) {
  if (py::isinstance<ReadData>(points)) {
    const auto& data = points.cast<const ReadData&>();
    return computed(listener, [&] { return data_set_of(data.read, data.name, options, listener, weights); });
  }
  const ArrayView view{py::cast<py::array>(points)};
  return computed(listener, [&] { return data_set_of(view.all(), options, listener, name, weights); });
}

/// (density or None, why it stopped).
py::tuple finished(Listener& listener, FitResult result) {
  py::object density = py::none();
  if (result.model) density = py::cast(ModelDensity(std::move(*result.model)));
  if (result.stopped != "interrupted") listener.interrupts().raise();
  if (result.stopped == "interrupted" && !listener.interrupts().by_keyboard()) listener.interrupts().raise();
  return py::make_tuple(density, result.stopped);
}

py::tuple fit_points(
    const py::object& points, const Values& values, const std::optional<std::string>& preset,
    const std::optional<py::array_t<double, py::array::c_style | py::array::forcecast>>& weights,
    const std::string& name, py::object listener_object) {
  const FitOptions options = options_from(values, preset);
  Listener listener(std::move(listener_object), options.log);
  const DataSet data =
      data_set(points, options, weights ? vector_of(*weights) : std::vector<double>(), name, listener);
  return finished(listener, computed(listener.interrupts(), [&] { return fit(data, options, listener); }));
}

py::tuple fit_to_target(const std::shared_ptr<const Distribution<double>>& target,
                        const std::string& manifold, const Values& values, py::object listener_object) {
  Values all = values;
  all["manifold"] = manifold;
  OptionSources sources;
  sources.user = all;
  const FitOptions options = options_of(overridden(objective_values("reverse-kl"), chosen_values(sources)));
  refuse_unmeant(options.model, sources);
  Listener listener(std::move(listener_object), options.log);
  DataSet data;
  data.manifold = Space(manifold_of(options, ""));
  data.target = target;
  data.name = target->name();
  FitResult result = computed(listener.interrupts(), [&] { return fit(data, options, listener); });
  py::dict scores;
  if (result.target) {
    scores["reverse_kl"] = result.target->reverse_kl;
    scores["reverse_kl_error"] = result.target->standard_error;
    scores["effective_share"] = result.target->effective_share;
  }
  if (result.cover) {
    scores["forward_kl"] = result.cover->forward_kl;
    scores["forward_kl_error"] = result.cover->standard_error;
    scores["missed_share"] = result.cover->missed_share;
  }
  const py::tuple done = finished(listener, std::move(result));
  return py::make_tuple(done[0], done[1], scores);
}

py::dict estimate(const char* name, const Estimate& value, py::dict row) {
  row[py::str(name)] = value.mean;
  row[py::str(std::string(name) + "_error")] = value.error;
  return row;
}

/// {"table": rows, "runs": rows, "interrupted"}.
py::dict compare_points(
    const py::object& points, const Values& settings, const std::optional<std::vector<std::string>>& names,
    const std::map<std::string, std::pair<std::string, Values>>& own,
    const std::vector<std::string>& protocols, std::uint64_t first, std::uint64_t last, int jobs,
    const std::optional<py::array_t<double, py::array::c_style | py::array::forcecast>>& weights,
    py::object listener_object) {
  CompareOptions options;
  options.settings = settings;
  options.protocols = protocols;
  options.seeds = {first, last};
  options.jobs = jobs;
  if (names) {
    options.methods.clear();
    std::vector<std::string_view> known;
    for (const Method& method : all_methods()) known.push_back(method.name);
    for (const std::string& name : *names) {
      const auto found = std::find(known.begin(), known.end(), name);
      if (found == known.end())
        throw Error(fmt::format("there is no method '{}'", name),
                    fmt::format("the methods are {}", fmt::join(known, ", ")), Fault::usage)
            .of_setting("methods", name);
      options.methods.push_back(all_methods()[static_cast<std::size_t>(found - known.begin())]);
    }
  }
  for (const auto& [name, row] : own) options.methods.push_back(own_method(name, row.first, row.second));
  for (const std::string& protocol : protocols)
    require(protocol == kCustomary || protocol == kDistinct,
            fmt::format("there is no protocol '{}'", protocol),
            fmt::format("give {} or {}", kCustomary, kDistinct), Fault::usage);
  Values reading = settings;
  reading.erase("group-within");
  Listener listener(std::move(listener_object));
  const DataSet data = data_set(points, options_of(reading),
                                weights ? vector_of(*weights) : std::vector<double>(), "points", listener);
  const Comparison found = computed(listener.interrupts(), [&] { return compare(data, options, listener); });
  if (found.interrupted || listener.interrupts().stopped()) listener.interrupts().raise();
  py::list table, runs;
  for (const Summary& summary : found.summaries)
    for (const SummaryRow& row : summary.rows) {
      py::dict entry("protocol"_a = summary.protocol, "method"_a = row.method);
      entry = estimate("nll", row.nll, entry);
      entry = estimate("to_one_kernel", row.to_one, entry);
      entry = estimate("to_best_kernel", row.to_best, entry);
      entry = estimate("mass", row.mass, entry);
      entry["validation_nll"] = row.validation;
      entry["splits"] = row.splits;
      entry["failed"] = row.failed;
      entry["seconds"] = row.seconds;
      entry["problem"] = row.problem;
      table.append(entry);
    }
  for (const ComparedRun& run : found.runs) {
    py::dict entry("protocol"_a = run.protocol, "method"_a = run.method, "seed"_a = run.seed);
    entry = estimate("nll", run.nll, entry);
    entry["validation_nll"] = run.validation;
    entry = estimate("mass", run.mass, entry);
    entry["training_points"] = run.points[0];
    entry["validation_points"] = run.points[1];
    entry["test_points"] = run.points[2];
    entry["failed"] = run.failed;
    entry["seconds"] = run.seconds;
    entry["problem"] = run.problem;
    entry["log_densities"] = array_of(run.log_densities);
    runs.append(entry);
  }
  return py::dict("table"_a = table, "runs"_a = runs);
}

/// Kernels with given bandwidths: nothing is chosen.
ModelDensity kernel_density(
    const std::string& manifold, const py::array& centres,
    const py::array_t<double, py::array::c_style | py::array::forcecast>& bandwidths,
    const std::optional<py::array_t<double, py::array::c_style | py::array::forcecast>>& weights,
    double wide) {
  const ArrayView view(centres);
  KernelParameters kernels;
  kernels.centres = view.all();
  kernels.bandwidths = vector_of(bandwidths);
  if (kernels.bandwidths.size() == 1) kernels.bandwidths.resize(view.size(), kernels.bandwidths.front());
  kernels.weights = weights ? vector_of(*weights) : std::vector<double>(view.size(), 1.0);
  double sum = 0;
  for (const double weight : kernels.weights) sum += weight;
  for (double& weight : kernels.weights) weight /= sum;
  kernels.wide = wide;
  return computed([&] { return ModelDensity(make_model(Space(manifold), kernels)); });
}

ModelDensity pool(const std::vector<const ModelDensity*>& members, const std::vector<double>& weights) {
  return computed([&] {
    std::vector<Model> models;
    for (const ModelDensity* member : members) models.push_back(member->model());
    return ModelDensity(make_pool(models, weights));
  });
}

}  // namespace

void bind_fit(py::module_& module) {
  module.def("fit", fit_points, py::arg("points"), py::arg("values"), py::arg("preset"), py::arg("weights"),
             py::arg("name"), py::arg("listener"));
  module.def("fit_to_target", fit_to_target, py::arg("target"), py::arg("manifold"), py::arg("values"),
             py::arg("listener"));
  module.def("compare", compare_points, py::arg("points"), py::arg("settings"), py::arg("methods"),
             py::arg("rows"), py::arg("protocols"), py::arg("first_seed"), py::arg("last_seed"),
             py::arg("jobs"), py::arg("weights"), py::arg("listener"));
  module.def("kernel_density", kernel_density, py::arg("manifold"), py::arg("centres"), py::arg("bandwidths"),
             py::arg("weights"), py::arg("wide"));
  module.def("pool", pool, py::arg("members"), py::arg("weights"));
}

}  // namespace riemflow::python
