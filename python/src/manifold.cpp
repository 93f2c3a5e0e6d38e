// Manifolds: their maps on arrays of points, row by row.

#include <pybind11/stl.h>

#include "python/src/arrays.hpp"
#include "python/src/computing.hpp"
#include "riemflow/core/executor.hpp"
#include "riemflow/manifold/on_manifold.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow::python {
namespace {

using Space = Manifold<double>;

/// Rows of several arrays a tile at a time over all threads: map(in, tile number) with in[a] the tile of
/// array a.
template <class Map>
void by_tiles(const std::vector<Points<double>>& arrays, const Map& map) {
  Executor executor;
  in_pieces(&executor, arrays.front().tiles(), 64, [&](std::size_t begin, std::size_t end) {
    std::vector<std::vector<Pack<double>>> in;
    for (const Points<double>& points : arrays) in.emplace_back(static_cast<std::size_t>(points.dimension));
    for (std::size_t t = begin; t < end; ++t) {
      for (std::size_t a = 0; a < arrays.size(); ++a) arrays[a].load_tile(t, in[a].data());
      map(in, t);
    }
  });
}

std::vector<Points<double>> read(const Space& space, std::initializer_list<const py::array*> arrays) {
  std::vector<Points<double>> all;
  for (const py::array* array : arrays) {
    const ArrayView view(*array);
    require(view.columns() == space.ambient(), fmt::format("vectors of {} numbers", view.columns()),
            fmt::format("{} needs {}", space.name(), space.ambient()), Fault::bad_data);
    all.push_back(view.all());
    require(all.back().size() == all.front().size(),
            fmt::format("{} rows beside {}", all.back().size(), all.front().size()), "give as many of each",
            Fault::bad_data);
  }
  return all;
}

/// out = map(in), a point or vector a row.
template <class Map>
py::array_t<double> vectors(const Space& space, std::initializer_list<const py::array*> arrays,
                            const Map& map) {
  const std::vector<Points<double>> in = read(space, arrays);
  Points<double> out(in.front().size(), space.ambient());
  computed([&] {
    by_tiles(in, [&](std::vector<std::vector<Pack<double>>>& x, std::size_t t) {
      std::vector<Pack<double>> y(static_cast<std::size_t>(space.ambient()));
      map(x, y.data());
      out.store_tile(t, y.data());
    });
  });
  return array_of(std::move(out));
}

/// The same with a number a row.
template <class Map>
py::array_t<double> numbers(const Space& space, std::initializer_list<const py::array*> arrays,
                            const Map& map) {
  const std::vector<Points<double>> in = read(space, arrays);
  Points<double> out(in.front().size(), 1);
  computed([&] {
    by_tiles(in, [&](std::vector<std::vector<Pack<double>>>& x, std::size_t t) {
      const Pack<double> y = map(x);
      out.store_tile(t, &y);
    });
  });
  return array_of(std::move(out.values));
}

/// The axes that densities are drawn over, (name, unit, low, high, periodic) each; None where there are none.
py::object drawn_axes(const Space& space) {
  const auto drawn = space.drawn_coordinates();
  if (!drawn) return py::none();
  py::list axes;
  for (const DrawnAxis& axis : drawn->axes)
    axes.append(py::make_tuple(axis.name, axis.unit, axis.low, axis.high, axis.periodic));
  return axes;
}

/// [n, axes] to points [n, ambient] and the volumes [n] of a unit of the coordinates there.
py::tuple placed(const Space& space, const py::array& coordinates) {
  const auto drawn = space.drawn_coordinates().value();
  const Points<double> at = ArrayView(coordinates).all();
  Points<double> points(at.size(), space.ambient());
  std::vector<double> volumes(at.size());
  for (std::size_t i = 0; i < at.size(); ++i) volumes[i] = drawn.place(at[i].data(), points[i].data());
  return py::make_tuple(array_of(std::move(points)), array_of(std::move(volumes)));
}

/// Points [n, ambient] to where they are drawn [n or more, axes].
py::array_t<double> places(const Space& space, const py::array& array) {
  const auto drawn = space.drawn_coordinates().value();
  const std::vector<Points<double>> in = read(space, {&array});
  Points<double> at(0, static_cast<int>(drawn.axes.size()));
  for (std::size_t i = 0; i < in.front().size(); ++i) {
    const std::vector<double> all = drawn.places(in.front()[i].data());
    at.values.insert(at.values.end(), all.begin(), all.end());
  }
  return array_of(std::move(at));
}

/// [n, d, ambient]: row j of a point is e_j.
py::array_t<double> frame(const Space& space, const py::array& x) {
  const std::vector<Points<double>> in = read(space, {&x});
  const auto ambient = static_cast<std::size_t>(space.ambient()),
             d = static_cast<std::size_t>(space.dimension());
  Points<double> out(in.front().size(), static_cast<int>(ambient * d));
  computed([&] {
    by_tiles(in, [&](std::vector<std::vector<Pack<double>>>& point, std::size_t t) {
      std::vector<Pack<double>> e(ambient * d), turned(ambient * d);
      const PackMatrix<double> matrix{e.data(), static_cast<int>(d)};
      space.frame(point[0].data(), matrix);
      for (std::size_t i = 0; i < ambient; ++i)
        for (std::size_t j = 0; j < d; ++j) turned[j * ambient + i] = e[i * d + j];
      out.store_tile(t, turned.data());
    });
  });
  return array_of(std::move(out.values), {static_cast<py::ssize_t>(in.front().size()),
                                          static_cast<py::ssize_t>(d), static_cast<py::ssize_t>(ambient)});
}

/// Of each row why it is no point; empty where it is one.
std::vector<std::string> defects(const Space& space, const py::array& x) {
  const Points<double> points = ArrayView(x).all();
  std::vector<std::string> reasons;
  for (std::size_t i = 0; i < points.size(); ++i) reasons.push_back(space.defect(points[i]).value_or(""));
  return reasons;
}

py::array_t<double> random_uniform(const Space& space, std::size_t n, std::uint64_t seed) {
  Points<double> points(n, space.ambient());
  computed([&] {
    std::vector<Pack<double>> tile(static_cast<std::size_t>(space.ambient()));
    for (std::size_t t = 0; t < points.tiles(); ++t) {
      for (int lane = 0; lane < points.lanes(t); ++lane) {
        Random random(seed, Purpose::base_sample, 0, t * kLanes + static_cast<std::size_t>(lane));
        space.random_uniform(random, tile.data(), lane);
      }
      points.store_tile(t, tile.data());
    }
  });
  return array_of(std::move(points));
}

}  // namespace

void bind_manifold(py::module_& module) {
  using Tiles = std::vector<std::vector<Pack<double>>>;
  py::class_<Space, std::shared_ptr<Space>>(module, "Manifold", "A manifold by its name.")
      .def(
          py::init([](const std::string& name) {
            return std::const_pointer_cast<Space>(std::shared_ptr<const Space>(parse_manifold<double>(name)));
          }),
          py::arg("name"))
      .def_property_readonly("name", &Space::name)
      .def_property_readonly("dimension", &Space::dimension)
      .def_property_readonly("ambient", &Space::ambient)
      .def_property_readonly("compact", &Space::compact)
      .def_property_readonly("log_volume", &Space::log_volume)
      .def(
          "exp",
          [](const Space& space, const py::array& x, const py::array& v) {
            return vectors(space, {&x, &v},
                           [&](Tiles& in, Pack<double>* out) { space.exp(in[0].data(), in[1].data(), out); });
          },
          py::arg("x"), py::arg("v"))
      .def(
          "log",
          [](const Space& space, const py::array& x, const py::array& y) {
            return vectors(space, {&x, &y},
                           [&](Tiles& in, Pack<double>* out) { space.log(in[0].data(), in[1].data(), out); });
          },
          py::arg("x"), py::arg("y"))
      .def(
          "distance",
          [](const Space& space, const py::array& x, const py::array& y) {
            return numbers(space, {&x, &y},
                           [&](Tiles& in) { return space.distance(in[0].data(), in[1].data()); });
          },
          py::arg("x"), py::arg("y"))
      .def(
          "transport",
          [](const Space& space, const py::array& x, const py::array& y, const py::array& v) {
            return vectors(space, {&x, &y, &v}, [&](Tiles& in, Pack<double>* out) {
              space.transport(in[0].data(), in[1].data(), in[2].data(), out);
            });
          },
          py::arg("x"), py::arg("y"), py::arg("v"))
      .def(
          "inner",
          [](const Space& space, const py::array& x, const py::array& u, const py::array& v) {
            return numbers(space, {&x, &u, &v},
                           [&](Tiles& in) { return space.inner(in[0].data(), in[1].data(), in[2].data()); });
          },
          py::arg("x"), py::arg("u"), py::arg("v"))
      .def(
          "project",
          [](const Space& space, const py::array& x) {
            return vectors(space, {&x}, [&](Tiles& in, Pack<double>* out) {
              std::copy(in[0].begin(), in[0].end(), out);
              space.project(out);
            });
          },
          py::arg("x"))
      .def(
          "to_tangent",
          [](const Space& space, const py::array& x, const py::array& v) {
            return vectors(space, {&x, &v}, [&](Tiles& in, Pack<double>* out) {
              std::copy(in[1].begin(), in[1].end(), out);
              space.to_tangent(in[0].data(), out);
            });
          },
          py::arg("x"), py::arg("v"))
      .def("frame", frame, py::arg("x"))
      .def("defects", defects, py::arg("x"))
      .def(
          "log_volume_density",
          [](const Space& space, const py::array& x) {
            return numbers(space, {&x}, [&](Tiles& in) { return space.log_volume_density(in[0].data()); });
          },
          py::arg("x"))
      .def(
          "require_points",
          [](const Space& space, const py::array& x) {
            const Points<double> points = ArrayView(x).all();
            computed([&] { check_on_manifold(space, points); });
          },
          py::arg("x"))
      .def_property_readonly("picture",
                             [](const Space& space) { return std::string(name_of(space.picture().kind)); })
      .def_property_readonly("picture_words",
                             [](const Space& space) { return std::string(words_of(space.picture().kind)); })
      .def_property_readonly("unit_of_volume", &Space::unit_of_volume)
      .def("drawn_axes", drawn_axes)
      .def("placed", placed, py::arg("coordinates"))
      .def("places", places, py::arg("x"))
      .def("random_uniform", random_uniform, py::arg("n"), py::arg("seed"));
}

}  // namespace riemflow::python
