#include "riemflow/flow/ode/tableau.hpp"

#include <string>

#include "riemflow/core/error.hpp"

namespace riemflow {

const Tableau& tableau(std::string_view name) {
  std::string names;
  for (const Tableau* method : kTableaux) {
    if (method->name == name) return *method;
    names += (names.empty() ? "" : ", ") + std::string(method->name);
  }
  throw Error("there is no solver named '" + std::string(name) + "'", "use one of " + names);
}

}  // namespace riemflow
