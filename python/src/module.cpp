// riemflow._core: the library for the package riemflow (python/riemflow).

#include "python/src/bindings.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/core/version.hpp"

namespace riemflow::python {

/// Error as riemflow.Error, with its fields.
void bind_errors(py::module_&) {
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const Error& error) {
      const py::object type = py::module_::import("riemflow.errors").attr("Error");
      const py::object value =
          type(error.problem(), error.advice(), static_cast<int>(error.fault()), error.setting(),
               error.value(), error.place().file, error.place().line, error.place().column);
      PyErr_SetObject(type.ptr(), value.ptr());
    }
  });
}

}  // namespace riemflow::python

PYBIND11_MODULE(_core, module) {
  using namespace riemflow::python;
  module.doc() = "The C++ library; use the package riemflow.";
  module.attr("version") = riemflow::kVersion;
  bind_errors(module);
  bind_options(module);
  bind_data(module);
  bind_manifold(module);
  bind_distribution(module);
  bind_density(module);
  bind_fit(module);
}
