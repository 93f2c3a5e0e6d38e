#include "riemflow/model/region_probability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "riemflow/core/error.hpp"
#include "riemflow/kernel/kernels_in_region.hpp"
#include "riemflow/model/flow_density.hpp"
#include "riemflow/model/kernel_density.hpp"
#include "riemflow/model/mixture_density.hpp"

namespace riemflow {
namespace {

/// Nodes of a patch of two coordinates by the lowest and the highest rule.
constexpr std::size_t kLeastNodes = 3 * 3, kMostNodes = 15 * 15;

/// The concentration 1/h² that the kernels of 95 % of the weight do not exceed: what the rest has is found by
/// halving.
double sharpest(const KernelParameters& kernels) {
  std::vector<std::pair<double, double>> by_width;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    by_width.emplace_back(kernels.bandwidths[i], kernels.weights[i]);
  std::sort(by_width.begin(), by_width.end());
  double below = 0;
  for (const auto& [width, weight] : by_width)
    if ((below += weight) >= 0.05) return 1 / (width * width);
  return 0;
}

/// The region's patches; those of a flow over kernels so small that the first round does not step over a peak
/// of concentration κ, a node every two widths, (2/√κ)², as far as half of the evaluations allow.
std::vector<Patch> patches_for(const EarthRegion& region, double kappa, CubatureOptions& options) {
  const double wanted =
      std::min(region.steradians * kappa / 4, 0.5 * static_cast<double>(options.evaluations));
  const auto pieces =
      static_cast<int>(std::sqrt(wanted / static_cast<double>(kMostNodes * region.patches.size())));
  if (pieces <= 1) return region.patches;
  std::vector<Patch> patches;
  for (const Patch& patch : region.patches)
    for (Patch& piece : cut(patch, {pieces, pieces, 1})) patches.push_back(std::move(piece));
  options.start = kMostNodes * patches.size();
  return patches;
}

Integral flow_in_region(const FlowDensity& flow, const EarthRegion& region, CubatureOptions options) {
  Integral result;
  if (kLeastNodes * region.patches.size() > options.evaluations) {
    result.value = std::numeric_limits<double>::quiet_NaN();
    result.error = std::numeric_limits<double>::infinity();
    return result;
  }
  const auto base = flow.with_transport([](auto& transport) { return transport.exact_base(); });
  const auto kernels = std::dynamic_pointer_cast<const KernelMixture>(base);
  const double kappa = kernels ? sharpest(kernels->parameters()) : 0;
  const std::vector<Patch> patches = patches_for(region, kappa, options);
  return integrate(density_of(flow), patches, 3, options);
}

/// 1 − P(region): the relative tolerance is that of what is outside, of which the first look tells.
Integral outside(const FlowDensity& flow, const EarthRegion& region, CubatureOptions options) {
  const double known = options.absolute, relative = std::exchange(options.relative, 0);
  options.absolute = std::max(known, relative);
  Integral result = flow_in_region(flow, region, options);
  const double asked = std::max(known, relative * (1 - result.value));
  if (result.error > asked && result.evaluations < options.evaluations) {
    options.absolute = 0.9 * asked;
    options.evaluations -= result.evaluations;
    const std::size_t before = result.evaluations;
    result = flow_in_region(flow, region, options);
    result.evaluations += before;
  }
  result.value = 1 - result.value;
  return result;
}

}  // namespace

Integral region_probability(const Density& density, const EarthRegion& region, const RegionOptions& options) {
  require(
      density.manifold().picture().kind == Picture::Kind::globe,
      fmt::format("the model is on {}, and regions are of the Earth, sphere:2", density.manifold().name()),
      "grids of torus:2, ball:2 and euclidean:2 can be added up, and a check integrates over the whole of "
      "any manifold");
  Integral total;
  double flow_weight = 0;
  const std::vector<DensityPart> parts = density.parts();
  for (const DensityPart& part : parts) {
    if (part.flow() != nullptr) {
      flow_weight += part.weight;
      continue;
    }
    const auto* kernels = std::get_if<const KernelDensity*>(&part.density);
    Integral own = kernels != nullptr
                       ? kernels_in_region((*kernels)->kernels().parameters(), region)
                       : mixture_in_region(
                             std::get<const MixtureDensity*>(part.density)->mixture().parameters(), region);
    own.evaluations = 0;  // of no density
    total.add(own, part.weight);
  }
  // Σ w_m max(absolute, relative P_m) is at most what is asked for of the sum.
  const double known = std::max(options.absolute, options.relative * total.value) / flow_weight;
  for (const auto& part : parts) {
    if (part.flow() == nullptr) continue;
    CubatureOptions cubature{
        known, options.relative,
        static_cast<std::size_t>(static_cast<double>(options.evaluations) * part.weight / flow_weight)};
    cubature.watch = options.watch;
    total.add(region.rest ? outside(*part.flow(), *region.rest, cubature)
                          : flow_in_region(*part.flow(), region, cubature),
              part.weight);
  }
  total.converged = total.error <= std::max(options.absolute, options.relative * total.value);
  return total;
}

}  // namespace riemflow
