#include "riemflow/manifold/patch.hpp"

namespace riemflow {

std::vector<Patch> cut(const Patch& patch, const std::array<int, kMostCoordinates>& pieces) {
  std::vector<Patch> result{patch};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(patch.dimension); ++axis) {
    const int n = pieces[axis];
    // The cuts, each computed once, so that neighbours share their boundary to the bit.
    std::vector<double> cuts;
    for (int i = 0; i <= n; ++i)
      cuts.push_back(i == n ? patch.high[axis]
                            : patch.low[axis] + (patch.high[axis] - patch.low[axis]) * i / n);
    std::vector<Patch> finer;
    for (const Patch& whole : result) {
      for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
        finer.push_back(whole);
        finer.back().low[axis] = cuts[i];
        finer.back().high[axis] = cuts[i + 1];
      }
    }
    result = std::move(finer);
  }
  return result;
}

std::vector<Patch> interval(double end, int pieces) {
  const auto same = [](const double* u, double* point) {
    point[0] = u[0];
    return 1.0;
  };
  return cut({1, {}, {end}, std::make_shared<const PatchMap>(same)}, {pieces, 1, 1});
}

}  // namespace riemflow
