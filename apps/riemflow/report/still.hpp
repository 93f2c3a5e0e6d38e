#pragma once
// The picture of a scene for readers without scripts: the figure that `riemflow plot` draws.

#include <array>
#include <string>

#include "apps/riemflow/report/scene.hpp"
#include "riemflow/fit/recorded.hpp"

namespace riemflow::app {

/// As PNG. data: null for none; names: of the axes, where there are any.
std::string still_png(const Scene& scene, const ModelData* data, const std::array<std::string, 2>& names);

}  // namespace riemflow::app
