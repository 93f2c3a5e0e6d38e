// Points from files and from columns in memory, and places on the Earth.

#include <pybind11/stl.h>

#include "python/src/arrays.hpp"
#include "python/src/computing.hpp"
#include "python/src/data.hpp"
#include "riemflow/io/coordinates.hpp"
#include "riemflow/io/data_file.hpp"
#include "riemflow/io/duplicates.hpp"
#include "riemflow/manifold/earth.hpp"
#include "riemflow/manifold/on_manifold.hpp"
#include "riemflow/manifold/sphere.hpp"

namespace riemflow::python {
namespace {

ReadOptions reading(const std::string& manifold, const std::string& columns, const std::string& units,
                    const std::string& format, bool skip_invalid, const std::string& weights) {
  ReadOptions options;
  options.weights = weights;
  options.manifold = manifold;
  options.columns = columns;
  options.format = format;
  options.skip_invalid = skip_invalid;
  const auto known = value_named<Units>(units);
  if (!known)
    throw Error(fmt::format("there are no units '{}'", units), "give auto, degrees or radians", Fault::usage)
        .of_setting("units", units);
  options.units = *known;
  return options;
}

ReadData read(PointSource& source, const std::string& name) {
  ReadData data{name, read_all(source), 0};
  data.duplicates = count_duplicates(data.read);
  return data;
}

ReadData read_file(const std::string& path, const std::string& data_dir, const std::string& manifold,
                   const std::string& columns, const std::string& units, const std::string& format,
                   bool skip_invalid, const std::string& weights) {
  return computed([&] {
    const DataFile file{path, data_dir, reading(manifold, columns, units, format, skip_invalid, weights)};
    const auto source = file.open(manifold);  // says first what is not there
    return read(*source, file.name());
  });
}

ReadData read_columns(const std::vector<std::string>& names, const py::array& numbers,
                      const std::string& name, const std::string& manifold, const std::string& columns,
                      const std::string& units, bool skip_invalid, const std::string& weights) {
  const ArrayView view(numbers);
  return computed([&] {
    const Points<double> all = view.all();
    return read(*open_columns(names, all, name, reading(manifold, columns, units, "", skip_invalid, weights)),
                name);
  });
}

/// [n, 3] of degrees.
py::array_t<double> from_latlon(const py::array& places) {
  const ArrayView view(places);
  Points<double> points = view.all();
  Points<double> vectors(points.size(), 3);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double latitude = points[i][0], longitude = points[i][1];
    if (!(std::abs(latitude) <= 90))
      throw Error(fmt::format("latitude {} of point {} is not from -90 to 90", latitude, i),
                  "give latitudes first, in degrees", Fault::bad_data)
          .of_value(fmt::format("{}", latitude));
    if (!(std::abs(longitude) <= 360))
      throw Error(fmt::format("longitude {} of point {} is not from -360 to 360", longitude, i),
                  "give longitudes in degrees", Fault::bad_data)
          .of_value(fmt::format("{}", longitude));
    unit_vector<double>(latitude, longitude, vectors[i]);
  }
  return array_of(std::move(vectors));
}

/// Degrees [n, 2] of [n, 3].
py::array_t<double> to_latlon(const py::array& array) {
  const Sphere<double> sphere(2);
  const Points<double> points = ArrayView(array).all();
  check_on_manifold(sphere, points);
  Points<double> places(points.size(), 2);
  for (std::size_t i = 0; i < points.size(); ++i) to_coordinates(sphere, points[i], places[i]);
  return array_of(std::move(places));
}

}  // namespace

void bind_data(py::module_& module) {
  py::class_<ReadData>(module, "ReadData", "Points that were read, and what was assumed.")
      .def_property_readonly("points", [](const ReadData& data) { return array_of(data.read.points); })
      .def_property_readonly("manifold", [](const ReadData& data) { return data.read.assumptions.manifold; })
      .def_property_readonly("columns",
                             [](const ReadData& data) {
                               std::vector<std::string> names;
                               for (const auto& column : data.read.assumptions.columns)
                                 names.push_back(column.name.empty() ? column.meaning : column.name);
                               return names;
                             })
      .def_property_readonly("weights",
                             [](const ReadData& data) {
                               return data.read.weights.empty() ? py::object(py::none())
                                                                : py::object(array_of(data.read.weights));
                             })
      .def_property_readonly("assumptions",
                             [](const ReadData& data) { return data.read.assumptions.sentences(); })
      .def_property_readonly("remarks", [](const ReadData& data) { return data.read.remarks; })
      .def_property_readonly("lines", [](const ReadData& data) { return array_of(data.read.lines); })
      .def_property_readonly("sha256", [](const ReadData& data) { return data.read.sha256; })
      .def_readonly("name", &ReadData::name)
      .def_readonly("duplicates", &ReadData::duplicates)
      .def_property_readonly("skipped", [](const ReadData& data) { return data.read.skipped; });
  module.def("read_file", read_file, py::arg("path"), py::arg("data_dir"), py::arg("manifold"),
             py::arg("columns"), py::arg("units"), py::arg("format"), py::arg("skip_invalid"),
             py::arg("weights"), "The points of a file.");
  module.def("read_columns", read_columns, py::arg("names"), py::arg("numbers"), py::arg("name"),
             py::arg("manifold"), py::arg("columns"), py::arg("units"), py::arg("skip_invalid"),
             py::arg("weights"), "The points of columns in memory.");
  module.def("from_latlon", from_latlon, py::arg("places"), "Unit vectors of latitudes and longitudes.");
  module.def("to_latlon", to_latlon, py::arg("points"), "Latitudes and longitudes of unit vectors.");
}

}  // namespace riemflow::python
