#include "apps/riemflow/plot/request.hpp"
#include "riemflow/core/error.hpp"

namespace riemflow::app {
namespace {

[[noreturn]] void unmade(const char* what) {
  throw Error(std::string(what) + " cannot be drawn yet", "plot a model of sphere:2");
}

}  // namespace

Drawing plot_map(const PlotRequest&) { unmade("maps"); }
Drawing plot_disk(const PlotRequest&) { unmade("disks"); }
Drawing plot_torus(const PlotRequest&) { unmade("tori"); }
Drawing plot_plane(const PlotRequest&) { unmade("planes"); }
Drawing plot_pairs(const PlotRequest&) { unmade("pairs of coordinates"); }
Drawing plot_curves(const PlotRequest&) { unmade("training logs"); }

}  // namespace riemflow::app
