#include "riemflow/model/cell_masses.hpp"

#include <cmath>

#include "riemflow/model/cell_mass_part.hpp"
#include "riemflow/model/kernel_density.hpp"
#include "riemflow/model/mixture_density.hpp"

namespace riemflow {
namespace {

/// As kernels: von Mises–Fisher of κ = 1/h² on the unit sphere.
KernelParameters as_kernels(const MixtureParameters& mixture) {
  KernelParameters result;
  result.centres = mixture.means;
  result.weights = mixture.weights;
  for (const double kappa : mixture.kappas) result.bandwidths.push_back(std::min(1e9, 1 / std::sqrt(kappa)));
  result.wide = 0;
  return result;
}

}  // namespace

CellMasses::CellMasses(const Density& density, const Lattice& lattice) : lattice_(lattice) {
  require_exact(density);
  const std::shared_ptr<const Manifold<double>>& manifold = density.shared_manifold();
  const int threads = density.threads();
  for (const DensityPart& part : density.parts()) {
    std::unique_ptr<CellMassPart> own;
    if (const auto* mixture = std::get_if<const MixtureDensity*>(&part.density))
      own = kernel_cells(manifold, as_kernels((*mixture)->mixture().parameters()), lattice_, threads);
    const auto* kernels = std::get_if<const KernelDensity*>(&part.density);
    if (kernels != nullptr && !(*kernels)->standardised())
      own = kernel_cells(manifold, (*kernels)->kernels().parameters(), lattice_, threads);
    if (!own)
      own = smooth_cells(
          [&any = part.any()](const Points<double>& points) { return any.log_prob(points).values; },
          lattice_);
    parts_.push_back({part.weight, std::move(own)});
  }
}

CellMasses::~CellMasses() = default;

std::vector<double> CellMasses::rows(std::size_t first, std::size_t last,
                                     const std::function<void()>& between) {
  std::vector<double> masses((last - first) * lattice_.columns.centres.size(), 0.0);
  for (const Weighted& member : parts_)
    member.part->add(
        first, last, member.weight, masses, between ? between : [] {});
  return masses;
}

double CellMasses::error() const {
  double sum = 0;
  for (const Weighted& member : parts_) sum += member.weight * member.part->error();
  return sum;
}

}  // namespace riemflow
