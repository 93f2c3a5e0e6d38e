#pragma once
// The picture of a scene for readers without scripts.

#include "apps/riemflow/fit/recorded.hpp"
#include "apps/riemflow/report/scene.hpp"

namespace riemflow::app {

/// As PNG. data: null for none.
std::string still_png(const Scene& scene, const ModelData* data);

}  // namespace riemflow::app
