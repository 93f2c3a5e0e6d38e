#include "apps/riemflow/plot/request.hpp"
#include "riemflow/core/error.hpp"

namespace riemflow::app {
namespace {

[[noreturn]] void unmade(const char* what) {
  throw Error(std::string(what) + " cannot be drawn yet", "plot a model of sphere:2");
}

}  // namespace

Drawing plot_map(const PlotRequest&) { unmade("maps"); }

}  // namespace riemflow::app
