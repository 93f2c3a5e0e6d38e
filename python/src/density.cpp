// A fitted density: values, draws, integrals, grids, pictures.

#include "python/src/density.hpp"

#include <pybind11/stl.h>

#include <optional>

#include "python/src/arrays.hpp"
#include "python/src/data.hpp"
#include "python/src/listener.hpp"
#include "riemflow/core/running_mean.hpp"
#include "riemflow/figure/draw.hpp"
#include "riemflow/figure/land.hpp"
#include "riemflow/fit/model_json.hpp"
#include "riemflow/fit/provenance.hpp"
#include "riemflow/io/atomic_file.hpp"
#include "riemflow/io/geojson_polygons.hpp"
#include "riemflow/io/output_guard.hpp"
#include "riemflow/manifold/earth.hpp"
#include "riemflow/manifold/on_manifold.hpp"
#include "riemflow/model/examination.hpp"
#include "riemflow/model/flow_density.hpp"
#include "riemflow/model/region_probability.hpp"
#include "riemflow/model/score_points.hpp"
#include "riemflow/model/space.hpp"
#include "riemflow/model/write_grid.hpp"
#include "riemflow/report/report.hpp"

namespace riemflow::python {
namespace {

using namespace py::literals;

/// use(begin, points) of an array in chunks. The library names the first point that is not on the manifold by
/// its place in the chunk; here it is that in the whole array.
template <class Use>
void in_chunks(const ModelDensity& self, const ArrayView& view, const Use& use) {
  const Manifold<double>& manifold = self.density().manifold();
  require(view.columns() == manifold.ambient(), fmt::format("points of {} numbers", view.columns()),
          fmt::format("{} needs {} numbers per point", manifold.name(), manifold.ambient()), Fault::bad_data);
  for (std::size_t begin = 0; begin < view.size(); begin += kChunk) {
    const Points<double> points = view.rows(begin, std::min(view.size(), begin + kChunk));
    try {
      use(begin, points);
    } catch (const Error&) {
      check_on_manifold(manifold, points, begin);
      throw;
    }
  }
}

/// All points of an array, which are on the manifold.
Points<double> points_of(const ModelDensity& self, const ArrayView& view) {
  const Points<double> points = view.all();
  check_on_manifold(self.density().manifold(), points);
  return points;
}

/// The summary of all chunks; points count over the whole array.
void append(SolveSummary& all, SolveSummary part, std::size_t begin) {
  for (Failure& failure : part.failures) failure.point += begin;
  all.add(part);
}

std::pair<std::vector<double>, SolveSummary> values_at(const ModelDensity& self, const ArrayView& view) {
  std::vector<double> values;
  SolveSummary summary;
  values.reserve(view.size());
  const Density& density = self.density();
  in_chunks(self, view, [&](std::size_t begin, const Points<double>& points) {
    const LogProb<double> found = density.log_prob(points);
    values.insert(values.end(), found.values.begin(), found.values.end());
    append(summary, found.summary, begin);
  });
  return {std::move(values), std::move(summary)};
}

py::tuple log_prob(const ModelDensity& self, const py::array& array) {
  const ArrayView view(array);
  auto [values, summary] = computed([&] { return values_at(self, view); });
  return py::make_tuple(array_of(std::move(values)), summary.message());
}

py::tuple log_prob_gradient(const ModelDensity& self, const py::array& array) {
  const ArrayView view(array);
  std::vector<double> values;
  Points<double> gradients(0, view.columns());
  SolveSummary summary;
  computed([&] {
    const Density& density = self.density();
    in_chunks(self, view, [&](std::size_t begin, const Points<double>& points) {
      const LogProbGradient found = density.log_prob_gradient(points);
      values.insert(values.end(), found.values.begin(), found.values.end());
      gradients.values.insert(gradients.values.end(), found.gradients.values.begin(),
                              found.gradients.values.end());
      append(summary, found.summary, begin);
    });
  });
  return py::make_tuple(array_of(std::move(values)), array_of(std::move(gradients)), summary.message());
}

/// Mean, standard error, points that have a density, points that failed; all of points of weight 0 aside.
py::tuple score(const ModelDensity& self, const py::array& array,
                const std::optional<py::array_t<double, py::array::c_style | py::array::forcecast>>& given) {
  const ArrayView view(array);
  Weights weights;
  if (given) {
    weights = vector_of(*given);
    check_weights(weights, view.size());
    const double most = *std::max_element(weights.begin(), weights.end());
    for (double& weight : weights) weight /= most;  // their cubes are summed
  }
  const auto [values, summary] = computed([&] { return values_at(self, view); });
  RunningMean mean;
  std::size_t failed = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(weight_of(weights, i) > 0)) continue;
    if (std::isnan(values[i]))
      ++failed;
    else
      mean.add(values[i], weight_of(weights, i));
  }
  return py::make_tuple(mean.mean(), mean.standard_error(), mean.size(), failed);
}

py::tuple sample(const ModelDensity& self, std::size_t n, std::uint64_t seed, std::uint64_t first) {
  Carried<double> drawn = computed([&] {
    const Density& density = self.density();
    Carried<double> all{{Points<double>(0, density.manifold().ambient())}, {}};
    std::vector<double>& values = all.frames.front().values;
    for (std::size_t begin = 0; begin < n; begin += kChunk) {
      const Carried<double> part = density.sample(std::min(kChunk, n - begin), seed, first + begin);
      values.insert(values.end(), part.frames.back().values.begin(), part.frames.back().values.end());
      append(all.summary, part.summary, begin);
    }
    return all;
  });
  return py::make_tuple(array_of(std::move(drawn.frames.front())), drawn.summary.message());
}

/// Value, what it is known to, and whether that is what was asked for.
py::tuple mass(const ModelDensity& self, double accuracy, std::uint64_t seed) {
  const Mass found = computed([&] {
    MassOptions options;
    options.cubature.absolute = accuracy;
    options.cubature.relative = 0;
    options.cubature.evaluations = 100'000;
    options.seed = seed;
    options.flows = FlowMass::by_either;
    return self.density().mass(options);
  });
  return py::make_tuple(found.integral.value, found.bound(), found.integral.converged);
}

std::string check(const ModelDensity& self, std::size_t points, std::uint64_t seed, py::object listener) {
  Listener observer(std::move(listener));
  TrustOptions options;
  options.points = points;
  options.seed = seed;
  const Examination found =
      computed(observer, [&] { return examine_model(self.model(), self.how(), options, observer); });
  nlohmann::ordered_json json = examination_json(self.model().path, found);
  json["sentence"] = verdict_of(found);
  return json.dump();
}

py::dict probability(const ModelDensity& self, const EarthRegion& region, double accuracy,
                     std::size_t evaluations) {
  RegionOptions options;
  options.relative = accuracy;
  options.evaluations = evaluations;
  const Integral found = computed([&] { return region_probability(self.density(), region, options); });
  return py::dict("name"_a = region.name, "value"_a = found.value, "error"_a = found.error,
                  "area_km2"_a = region.steradians * kEarthKm2PerSr,
                  "uniform"_a = region.steradians / (4 * std::numbers::pi), "converged"_a = found.converged,
                  "failures"_a = found.failures, "remarks"_a = region.remarks);
}

py::object value_of(const std::variant<std::string, double>& value) {
  return std::visit([](const auto& held) { return py::cast(held); }, value);
}

py::dict attributes_of(const std::vector<NetcdfAttribute>& attributes) {
  py::dict result;
  for (const NetcdfAttribute& attribute : attributes)
    result[py::str(attribute.name)] = value_of(attribute.value);
  return result;
}

GridChoice grid_choice(const std::string& per, double longitude, double resolution, double extent,
                       const std::string& cell) {
  GridChoice choice;
  choice.per = per;
  choice.longitude = longitude == 0 ? "0" : "-180";
  choice.resolution = resolution;
  choice.extent = extent;
  choice.cell = cell;
  return choice;
}

/// {"attributes", "variables": {name: (dimensions, values, attributes)}, "mass", "mass_error", "failed"}.
py::dict grid(const ModelDensity& self, const std::string& per, double longitude, double resolution,
              double extent, const std::string& cell, const std::string& command, py::object listener) {
  Listener observer(std::move(listener));
  GridSummary summary;
  NetcdfContent content = computed(observer, [&] {
    const GridLayout layout = layout_of(grid_choice(per, longitude, resolution, extent, cell), self.model());
    DensityGrid found = density_grid(self.model(), self.how(), layout, observer);
    summary = found.summary;
    return grid_content(layout, std::move(found.log_density), {self.model().path, command});
  });
  std::map<std::string, py::ssize_t> lengths;
  for (const NetcdfDimension& dimension : content.dimensions)
    lengths[dimension.name] = static_cast<py::ssize_t>(dimension.length);
  py::dict variables;
  for (NetcdfVariable& variable : content.variables) {
    std::vector<py::ssize_t> shape;
    for (const std::string& name : variable.dimensions) shape.push_back(lengths.at(name));
    variables[py::str(variable.name)] =
        py::make_tuple(variable.dimensions, array_of(std::move(variable.values), std::move(shape)),
                       attributes_of(variable.attributes));
  }
  return py::dict("attributes"_a = attributes_of(content.attributes), "variables"_a = variables,
                  "mass"_a = summary.mass, "mass_error"_a = summary.error, "failed"_a = summary.failed);
}

/// A flow, or the leading one of a pool.
ModelDensity flow_of(const ModelDensity& self) {
  std::optional<Model> flow = leading_flow(self.model());
  require(flow.has_value(),
          fmt::format("a {} {}has no paths", name_of(self.model().config.model),
                      self.model().config.model == ModelKind::pool ? "without flows " : ""),
          "take a density that is a flow");
  return ModelDensity(std::move(*flow), self.how());
}

py::tuple frames_of(Carried<double> path) {
  const std::size_t n = path.frames.front().size();
  const int ambient = path.frames.front().dimension;
  std::vector<double> values;
  for (const Points<double>& frame : path.frames)
    values.insert(values.end(), frame.values.begin(), frame.values.end());
  return py::make_tuple(array_of(std::move(values), {static_cast<py::ssize_t>(path.frames.size()),
                                                     static_cast<py::ssize_t>(n), ambient}),
                        path.summary.message());
}

py::tuple paths_from_base(const ModelDensity& self, std::size_t n, int frames, std::uint64_t seed) {
  return frames_of(computed([&] {
    const ModelDensity flow = flow_of(self);
    return flow.density().parts().front().flow()->draw_paths(n, seed, 0, equally_spaced(0, 1, frames));
  }));
}

/// By rising time: the last frame is the points themselves.
py::tuple paths_to_points(const ModelDensity& self, const py::array& array, int frames) {
  const ArrayView view(array);
  return frames_of(computed([&] {
    const ModelDensity flow = flow_of(self);
    Carried<double> path =
        flow.density().parts().front().flow()->carry(points_of(flow, view), equally_spaced(1, 0, frames));
    std::reverse(path.frames.begin(), path.frames.end());
    return path;
  }));
}

py::list members(const ModelDensity& self) {
  py::list result;
  if (const Pool* pool = std::get_if<Pool>(&self.model().content))
    for (const Model& member : pool->members) result.append(ModelDensity(member, self.how()));
  return result;
}

py::array_t<double> weights(const ModelDensity& self) {
  const Pool* pool = std::get_if<Pool>(&self.model().content);
  return array_of(pool != nullptr ? pool->weights : std::vector<double>{1.0});
}

py::bytes to_bytes(const ModelDensity& self) {
  const std::vector<std::byte> bytes = computed([&] { return serialise(model_to_tensors(self.model())); });
  return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

ModelDensity from_bytes(const py::bytes& bytes, const std::string& name) {
  const std::string_view view = bytes;
  return computed([&] {
    return ModelDensity(model_from_tensors(
        parse_safetensors(std::as_bytes(std::span(view.data(), view.size())), name), name));
  });
}

/// Points to draw or score: an array, points that were read, or none.
std::optional<ModelData> data_of(const ModelDensity& self, const py::object& data, Listener& observer) {
  if (data.is_none()) return std::nullopt;
  if (py::isinstance<py::str>(data)) {
    const std::string path = py::cast<std::string>(data);
    return computed(observer, [&] { return read_model_data(self.model(), {path, "", {}}, observer); });
  }
  const ArrayView view{py::cast<py::array>(data)};
  return computed(observer,
                  [&] { return model_data_of(self.model(), points_of(self, view), "points", observer); });
}

struct FigureChoice {
  std::string format = "png", title, per, scale, projection;
  std::optional<std::pair<double, double>> centre;
  std::vector<double> contours;  ///< per cents
  std::uint64_t samples = 0, trajectories = 0, seed = 0;
  double resolution = 0, extent = 0, width = 0, dpi = 300;
  bool coastlines = true;
  std::string cell = "mean";
};

py::bytes figure(const ModelDensity& self, const py::object& data, const FigureChoice& choice,
                 py::object listener) {
  Listener observer(std::move(listener));
  DrawOptions options;
  options.kind = figure::file_kind("figure." + choice.format);
  options.title = choice.title;
  options.width = choice.width;
  options.dpi = choice.dpi;
  options.evaluation = self.how();
  options.samples = choice.samples;
  options.trajectories = choice.trajectories;
  options.seed = choice.seed;
  options.grid.per = choice.per;
  options.grid.resolution = choice.resolution;
  options.grid.extent = choice.extent;
  options.grid.cell = choice.cell;
  if (!choice.scale.empty()) options.log_scale = choice.scale == "log";
  for (const double percent : choice.contours) options.contours.push_back(percent / 100);
  if (!choice.projection.empty()) options.projection = figure::projection_kind(choice.projection);
  if (choice.centre) options.centre = {choice.centre->first, choice.centre->second};
  options.coastlines = choice.coastlines;
  if (const auto points = data_of(self, data, observer)) {
    ModelData drawn = *points;
    if (drawn.split_known) options.test = {std::exchange(drawn.test, {}), "test points"};
    options.data = {joined(drawn), drawn.split_known ? "training and validation points" : drawn.name};
  }
  const Drawing drawing = computed(observer, [&] { return draw(self.model(), options, observer); });
  for (const std::string& sentence : drawing.failures.sentences()) observer.say("Warning: " + sentence);
  if (drawing.failed_cells > 0)
    observer.tell("Warning: the density could not be computed in {} of {} cells; they are left blank.",
                  drawing.failed_cells, drawing.cells);
  return py::bytes(drawing.bytes);
}

/// The verdict's sentence.
std::string report(const ModelDensity& self, const std::string& path, const py::object& data,
                   const std::string& title, const std::string& log, py::object listener) {
  Listener observer(std::move(listener));
  const auto points = data_of(self, data, observer);
  std::optional<TrainingHistory> history;
  if (!log.empty()) history = read_training_log(log);
  return computed(observer, [&] {
    require_safe({}, {{"path", path, FileKind::page}}, false);
    const Report made = make_report(self.model(), points ? &*points : nullptr, history ? &*history : nullptr,
                                    {title, "", self.how()}, observer);
    write_file_atomically(path, made.page);
    return verdict_of(made.examination);
  });
}

/// Rings of the land, each [n, 2] of latitude and longitude, closed, cut where they cross the antimeridian.
py::list coastlines() {
  py::list rings;
  for (const auto& ring : figure::land(figure::LandScale::coarse)) {
    std::vector<double> piece;
    const auto finish = [&] {
      if (piece.size() > 2)
        rings.append(array_of(piece, {static_cast<py::ssize_t>(piece.size() / 2), py::ssize_t{2}}));
      piece.clear();
    };
    for (std::size_t i = 0; i <= ring.size(); ++i) {
      const figure::LatLon& point = ring[i % ring.size()];
      if (!piece.empty() && std::abs(point.longitude - piece.back()) > 180) finish();
      piece.push_back(point.latitude);
      piece.push_back(point.longitude);
    }
    finish();
  }
  return rings;
}

Device device_named(const std::string& name) {
  const auto device = value_named<Device>(name);
  if (!device)
    throw Error(fmt::format("there is no device '{}'", name), "give cpu, cuda or auto", Fault::usage)
        .of_setting("device", name);
  return *device;
}

}  // namespace

void bind_density(py::module_& module) {
  py::class_<FigureChoice>(module, "FigureChoice", "What a figure is to show.")
      .def(py::init<>())
      .def_readwrite("format", &FigureChoice::format)
      .def_readwrite("title", &FigureChoice::title)
      .def_readwrite("per", &FigureChoice::per)
      .def_readwrite("scale", &FigureChoice::scale)
      .def_readwrite("projection", &FigureChoice::projection)
      .def_readwrite("center", &FigureChoice::centre)
      .def_readwrite("contours", &FigureChoice::contours)
      .def_readwrite("samples", &FigureChoice::samples)
      .def_readwrite("trajectories", &FigureChoice::trajectories)
      .def_readwrite("seed", &FigureChoice::seed)
      .def_readwrite("resolution", &FigureChoice::resolution)
      .def_readwrite("extent", &FigureChoice::extent)
      .def_readwrite("width", &FigureChoice::width)
      .def_readwrite("dpi", &FigureChoice::dpi)
      .def_readwrite("coastlines", &FigureChoice::coastlines)
      .def_readwrite("cell", &FigureChoice::cell);
  py::class_<ModelDensity>(module, "Density", "A fitted density.")
      .def_property_readonly("manifold",
                             [](const ModelDensity& self) { return space_of(self.model()).name(); })
      .def_property_readonly(
          "kind", [](const ModelDensity& self) { return std::string(name_of(self.model().config.model)); })
      .def_property_readonly("name", [](const ModelDensity& self) { return member_name(self.model()); })
      .def_property_readonly("path", [](const ModelDensity& self) { return self.model().path; })
      .def_property_readonly(
          "tolerance",
          // Without the lock: another thread that makes the density may be asking for it.
          [](const ModelDensity& self) { return computed([&] { return self.density().tolerance(); }); })
      .def("info",
           [](const ModelDensity& self) {
             return model_json(self.model())
                 .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
           })
      .def(
          "evaluated",
          [](const ModelDensity& self, double tolerance, int threads, const std::string& device) {
            return ModelDensity(self.shared_model(), {tolerance, threads, device_named(device)});
          },
          py::arg("tolerance"), py::arg("threads"), py::arg("device"))
      .def("log_prob", log_prob, py::arg("points"))
      .def("log_prob_gradient", log_prob_gradient, py::arg("points"))
      .def("score", score, py::arg("points"), py::arg("weights"))
      .def("sample", sample, py::arg("n"), py::arg("seed"), py::arg("first"))
      .def("mass", mass, py::arg("accuracy"), py::arg("seed"))
      .def("check", check, py::arg("points"), py::arg("seed"), py::arg("listener"))
      .def(
          "circle",
          [](const ModelDensity& self, double latitude, double longitude, double km, double accuracy,
             std::size_t evaluations) {
            return probability(self, earth_circle(latitude, longitude, km), accuracy, evaluations);
          },
          py::arg("latitude"), py::arg("longitude"), py::arg("km"), py::arg("accuracy"),
          py::arg("evaluations"))
      .def(
          "box",
          [](const ModelDensity& self, double west, double south, double east, double north, double accuracy,
             std::size_t evaluations) {
            return probability(self, earth_box(west, south, east, north), accuracy, evaluations);
          },
          py::arg("west"), py::arg("south"), py::arg("east"), py::arg("north"), py::arg("accuracy"),
          py::arg("evaluations"))
      .def(
          "polygon_file",
          [](const ModelDensity& self, const std::string& path, double accuracy, std::size_t evaluations) {
            return probability(self, region_of(read_geojson_polygons(path), path), accuracy, evaluations);
          },
          py::arg("path"), py::arg("accuracy"), py::arg("evaluations"))
      .def(
          "polygon_text",
          [](const ModelDensity& self, const std::string& text, double accuracy, std::size_t evaluations) {
            return probability(self, region_of(read_geojson_polygons_in(text, "polygon"), "polygon"),
                               accuracy, evaluations);
          },
          py::arg("text"), py::arg("accuracy"), py::arg("evaluations"))
      .def("grid", grid, py::arg("per"), py::arg("longitude"), py::arg("resolution"), py::arg("extent"),
           py::arg("cell"), py::arg("command"), py::arg("listener"))
      .def("paths_from_base", paths_from_base, py::arg("n"), py::arg("frames"), py::arg("seed"))
      .def("paths_to_points", paths_to_points, py::arg("points"), py::arg("frames"))
      .def("members", members)
      .def("weights", weights)
      .def("to_bytes", to_bytes)
      .def(
          "save",
          [](const ModelDensity& self, const std::string& path) {
            computed([&] {
              require_safe({}, {{"path", path, FileKind::model}}, false);
              save_model(path, self.model());
            });
          },
          py::arg("path"))
      .def("figure", figure, py::arg("data"), py::arg("choice"), py::arg("listener"))
      .def("report", report, py::arg("path"), py::arg("data"), py::arg("title"), py::arg("log"),
           py::arg("listener"));
  module.def("from_bytes", from_bytes, py::arg("bytes"), py::arg("name"));
  module.def(
      "load",
      [](const std::string& path) { return computed([&] { return ModelDensity(load_model(path)); }); },
      py::arg("path"));
  module.def("coastlines", coastlines);
}

}  // namespace riemflow::python
