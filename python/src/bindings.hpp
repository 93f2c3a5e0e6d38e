#pragma once
// The parts of the module riemflow._core. It has arrays, plain values and callbacks; what a Python user sees
// of it is written in Python (python/riemflow).

#include <pybind11/pybind11.h>

namespace riemflow::python {

namespace py = pybind11;

void bind_errors(py::module_& module);
void bind_options(py::module_& module);
void bind_data(py::module_& module);
void bind_density(py::module_& module);
void bind_fit(py::module_& module);
void bind_manifold(py::module_& module);
void bind_distribution(py::module_& module);

}  // namespace riemflow::python
