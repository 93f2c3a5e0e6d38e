// The table of options, for keywords and their documentation.

#include <pybind11/stl.h>

#include "python/src/bindings.hpp"
#include "riemflow/core/suggest.hpp"
#include "riemflow/fit/methods.hpp"
#include "riemflow/fit/option_field.hpp"
#include "riemflow/fit/option_values.hpp"

namespace riemflow::python {
namespace {

const char* kind_name(OptionKind kind) {
  switch (kind) {
    case OptionKind::flag:
      return "flag";
    case OptionKind::whole:
    case OptionKind::natural:
      return "whole";
    case OptionKind::real:
      return "real";
    case OptionKind::choice:
      return "choice";
    case OptionKind::text:
      return "text";
  }
  return "";
}

py::list option_table() {
  using namespace py::literals;
  py::list rows;
  for (const OptionField& field : option_fields())
    rows.append(py::dict("name"_a = field.name, "group"_a = field.group, "help"_a = field.help,
                         "kind"_a = kind_name(field.kind), "type"_a = field.type, "choices"_a = field.choices,
                         "default"_a = field.initial));
  return rows;
}

}  // namespace

void bind_options(py::module_& module) {
  module.def("option_table", option_table, "All options of a fit, in the order of their groups.");
  module.def("preset_names", preset_names, "The presets, by name.");
  module.def(
      "nearest_name",
      [](const std::string& name, const std::vector<std::string>& names) {
        const std::vector<std::string_view> known(names.begin(), names.end());
        return std::string(nearest_name(name, known));
      },
      py::arg("name"), py::arg("names"), "The name that was perhaps meant; empty where none is near.");
  module.def(
      "method_names",
      [] {
        std::vector<std::string> names;
        for (const Method& method : all_methods()) names.push_back(method.name);
        return names;
      },
      "The rows of a comparison.");
}

}  // namespace riemflow::python
