#include "riemflow/model/cell_masses.hpp"

#include <cmath>

#include "riemflow/core/error.hpp"
#include "riemflow/model/cell_mass_part.hpp"
#include "riemflow/model/kernel_model.hpp"
#include "riemflow/model/mass.hpp"
#include "riemflow/model/mixture_density.hpp"
#include "riemflow/model/pool_density.hpp"

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

template <class T>
CellMasses<T>::CellMasses(Density<T>& density, const Lattice& lattice) : lattice_(lattice) {
  require(density.exact(), "the density of a flow with Hutchinson's divergence cannot be integrated",
          "make the flow with with_exact_divergence(config)");
  add_parts(density, 1);
}

template <class T>
CellMasses<T>::~CellMasses() = default;

template <class T>
void CellMasses<T>::add_parts(Density<T>& density, double weight) {
  if (auto* pool = dynamic_cast<PoolDensity<T>*>(&density)) {
    for (std::size_t m = 0; m < pool->size(); ++m) add_parts(pool->member(m), weight * pool->weight(m));
    return;
  }
  const std::string& manifold = density.manifold().name();
  std::unique_ptr<CellMassPart> part;
  if (auto* kernels = dynamic_cast<KernelModel<T>*>(&density))
    part = kernel_cells(manifold, kernels->kernels().parameters(), lattice_, density.threads());
  else if (auto* mixture = dynamic_cast<MixtureDensity<T>*>(&density))
    part = kernel_cells(manifold, as_kernels(mixture->mixture().parameters()), lattice_, density.threads());
  else
    part = smooth_cells([&density](const Points<double>& points) { return log_density_at(density, points); },
                        lattice_);
  parts_.push_back({weight, std::move(part)});
}

template <class T>
std::vector<double> CellMasses<T>::rows(std::size_t first, std::size_t last,
                                        const std::function<void()>& between) {
  std::vector<double> masses((last - first) * lattice_.columns.centres.size(), 0.0);
  for (const Weighted& member : parts_)
    member.part->add(
        first, last, member.weight, masses, between ? between : [] {});
  return masses;
}

template <class T>
double CellMasses<T>::error() const {
  double sum = 0;
  for (const Weighted& member : parts_) sum += member.weight * member.part->error();
  return sum;
}

template class CellMasses<float>;
template class CellMasses<double>;

}  // namespace riemflow
