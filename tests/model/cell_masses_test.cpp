#include "riemflow/model/cell_masses.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "riemflow/core/error.hpp"
#include "riemflow/model/flow_density.hpp"
#include "riemflow/model/kernel_density.hpp"
#include "riemflow/model/mass.hpp"
#include "riemflow/model/mixture_density.hpp"
#include "riemflow/model/pool_density.hpp"
#include "tests/flow/flows.hpp"
#include "tests/kernel/kernel_cases.hpp"
#include "tests/sanitized.hpp"

namespace riemflow {
namespace {

using density_test::kernels_on;

std::vector<double> all_masses(const Density& density, const Lattice& lattice, std::size_t rows_at_once = 7) {
  CellMasses cells(density, lattice);
  std::vector<double> result;
  const std::size_t n = lattice.rows.centres.size();
  for (std::size_t row = 0; row < n; row += rows_at_once) {
    const std::vector<double> some = cells.rows(row, std::min(n, row + rows_at_once));
    result.insert(result.end(), some.begin(), some.end());
  }
  return result;
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// κ(1 − cos θ) of a cap has mass 1 − exp(−…): von Mises–Fisher at the pole, κ so large that e^{−2κ} is 0.
TEST(CellMasses, RingsOfAKernelAtThePole) {
  for (const double kappa : {1e2, 1e4, 1e6, 1e8}) {
    MixtureParameters p{Points<double>(1, 3), {1}, {kappa}};
    p.means[0][2] = 1;
    MixtureDensity density("sphere:2", p, 2);
    for (const std::size_t n : {18, 180}) {
      const std::vector<double> masses = all_masses(density, earth_lattice(n, -180));
      EXPECT_NEAR(sum(masses), 1, 2e-4);
      for (std::size_t ring = 0; ring < 4; ++ring) {
        const auto beyond = [&](std::size_t k) {
          const double angle = static_cast<double>(k) * std::numbers::pi / static_cast<double>(n);
          return std::exp(-2 * kappa * std::pow(std::sin(angle / 2), 2));
        };
        const double wanted = (beyond(ring) - beyond(ring + 1)) / static_cast<double>(2 * n);
        for (const std::size_t column : {std::size_t{0}, n})
          EXPECT_NEAR(masses[(n - 1 - ring) * 2 * n + column] * static_cast<double>(2 * n),
                      wanted * static_cast<double>(2 * n), 2e-4)
              << kappa << " " << n << " " << ring;
      }
    }
  }
}

/// Normal kernels of all widths, some in the middle of a cell, some on its edge: products of error functions.
TEST(CellMasses, CellsOfThePlaneInClosedForm) {
  KernelParameters p;
  p.centres = Points<double>(4, 2);
  p.centres.values = {0.5, 0.5, 1, 0.2, -0.75, 2, 2.25, -1.1};
  p.bandwidths = {1e-4, 0.01, 0.3, 1.5};
  p.weights = {0.1, 0.2, 0.3, 0.4};
  p.wide = 0.3;  // the standard normal density
  const auto below = [](double x, double m, double h) {
    return 0.5 * std::erfc((m - x) / (h * std::sqrt(2)));
  };
  for (const std::size_t n : {4, 16}) {
    const Lattice lattice = euclidean_lattice(n, 4);
    KernelDensity density("euclidean:2", p, 1);
    const std::vector<double> masses = all_masses(density, lattice);
    for (std::size_t cell = 0; cell < masses.size(); ++cell) {
      const std::size_t row = cell / n, column = cell % n;
      double wanted = 0;
      for (std::size_t i = 0; i < p.size(); ++i) {
        const auto within = [&](const LatticeAxis& axis, std::size_t k, double m) {
          return below(axis.edges[k + 1], m, p.bandwidths[i]) - below(axis.edges[k], m, p.bandwidths[i]);
        };
        wanted += 0.7 * p.weights[i] * within(lattice.rows, row, p.centres[i][0]) *
                  within(lattice.columns, column, p.centres[i][1]);
      }
      wanted += 0.3 * (below(lattice.rows.edges[row + 1], 0, 1) - below(lattice.rows.edges[row], 0, 1)) *
                (below(lattice.columns.edges[column + 1], 0, 1) - below(lattice.columns.edges[column], 0, 1));
      EXPECT_NEAR(masses[cell], wanted, 1e-4) << n << " " << row << " " << column;
    }
  }
}

TEST(CellMasses, KernelDensitiesHaveMassOneAtAnyResolution) {
  for (const auto& [name, lattices] :
       {std::pair{"sphere:2", std::vector{earth_lattice(18, -180), earth_lattice(90, 0)}},
        {"torus:2", std::vector{torus_lattice(36), torus_lattice(90)}},
        {"ball:2", std::vector{ball_lattice(10, -1), ball_lattice(100, -1)}},
        {"euclidean:2", std::vector{euclidean_lattice(8, 8), euclidean_lattice(80, 8)}}})
    for (const double h : {0.1, 1e-3})
      for (const double stretch : {1.0, 4.0}) {
        const std::shared_ptr<const Manifold<double>> manifold = parse_manifold<double>(name);
        KernelDensity density(name, kernels_on(manifold, kSanitized ? 3 : 12, h, 2, stretch, 3), 2);
        for (const Lattice& lattice : lattices) {
          // The corner cells of a coarse disk are lost with what lies in them.
          const bool rim = lattice.rows.name == "x" && lattice.ambient == 2 && lattice.size() == 100;
          EXPECT_NEAR(sum(all_masses(density, lattice)), 1, rim ? 2e-2 : 3e-4)
              << name << " " << h << " " << stretch << " " << lattice.size();
        }
      }
}

/// ∫ p over a cell by cubature.
Integral cell_integral(const Density& density, const Lattice& lattice, std::size_t row, std::size_t column) {
  Patch patch;
  patch.dimension = 2;
  patch.low = {lattice.rows.edges[row], lattice.columns.edges[column], 0};
  patch.high = {lattice.rows.edges[row + 1], lattice.columns.edges[column + 1], 0};
  patch.map = std::make_shared<PatchMap>([&lattice](const double* u, double* point) {
    lattice.place(u[0], u[1], point);
    const auto scales = lattice.scales(u[0], u[1]);
    return scales[0] * scales[1];
  });
  return integrate(density_of(density), {patch}, lattice.ambient, {1e-7, 1e-5});
}

TEST(CellMasses, FlowsAgreeWithCubatureCellByCell) {
  for (const auto& [name, lattice] :
       {std::pair{"sphere:2", earth_lattice(9, -180)}, std::pair{"torus:2", torus_lattice(12)}}) {
    if (kSanitized && lattice.ambient == 2) continue;
    const FlowDensity flow(test::random_flow<double>(test::small_config(name), 4, 2, 3));
    const std::vector<double> masses = all_masses(flow, lattice);
    EXPECT_NEAR(sum(masses), 1, 1e-3) << name;
    const auto top =
        static_cast<std::size_t>(std::max_element(masses.begin(), masses.end()) - masses.begin());
    const std::size_t columns = lattice.columns.centres.size();
    for (const std::size_t cell : {top, (top + 5) % masses.size(), std::size_t{0}}) {
      const Integral wanted = cell_integral(flow, lattice, cell / columns, cell % columns);
      EXPECT_NEAR(masses[cell], wanted.value, 2e-3 * wanted.value + 1e-6) << name << " " << cell;
    }
  }
}

/// Half a degree is interpolated between nodes, a degree is not: four cells make one, at the pole and
/// elsewhere.
TEST(CellMasses, AFineLatticeAddsUpToACoarseOne) {
  const std::shared_ptr<const Manifold<double>> manifold = parse_manifold<double>("sphere:2");
  std::vector<std::shared_ptr<Density>> densities;
  densities.push_back(std::make_shared<FlowDensity>(
      test::random_flow<double>(test::small_config("sphere:2", 1e-5), 4, 2, 3)));
  densities.push_back(std::make_unique<KernelDensity>("sphere:2", kernels_on(manifold, 40, 0.02, 2, 2, 5),
                                                      2));  // more than a degree, so they are wide
  const Lattice fine = earth_lattice(360, -180), coarse = earth_lattice(180, -180);
  for (const auto& density : densities) {
    CellMasses by_half(*density, fine), by_one(*density, coarse);
    for (const std::size_t row : {0, 88, 178}) {
      const std::vector<double> halves = by_half.rows(2 * row, 2 * row + 4), ones = by_one.rows(row, row + 2);
      for (std::size_t i = 0; i < ones.size(); ++i) {
        const std::size_t at = 2 * (i / 360) * 720 + 2 * (i % 360);
        const double four = halves[at] + halves[at + 1] + halves[at + 720] + halves[at + 721];
        EXPECT_NEAR(four, ones[i], 2e-3 * ones[i] + 3e-9) << row << " " << i;
      }
    }
  }
}

TEST(CellMasses, APoolIsTheSumOfItsMembers) {
  const auto members = [] {
    std::vector<std::shared_ptr<Density>> result;
    result.push_back(
        std::make_shared<FlowDensity>(test::random_flow<float>(test::small_config("sphere:2", 1e-5), 1)));
    const std::shared_ptr<const Manifold<double>> manifold = parse_manifold<double>("sphere:2");
    result.push_back(std::make_unique<KernelDensity>("sphere:2", kernels_on(manifold, 20, 1e-3, 2, 1, 5), 1));
    return result;
  };
  const Lattice lattice = earth_lattice(18, -180);
  PoolDensity pool(members(), {0.25, 0.75});
  const std::vector<double> flow = all_masses(pool.member(0), lattice),
                            kernels = all_masses(pool.member(1), lattice, 18),
                            both = all_masses(pool, lattice);
  EXPECT_NEAR(sum(both), 1, 1e-3);
  for (std::size_t i = 0; i < both.size(); ++i)
    EXPECT_NEAR(both[i], 0.25 * flow[i] + 0.75 * kernels[i], 1e-12 + 1e-6 * both[i]);
  CellMasses cells(pool, lattice);
  cells.rows(0, 18);
  EXPECT_LT(cells.error(), 2.2e-3);
  EXPECT_GT(cells.error(), 0);
}

TEST(CellMasses, SameBitsForAnyNumberOfThreads) {
  const std::shared_ptr<const Manifold<double>> manifold = parse_manifold<double>("torus:2");
  const KernelParameters p = kernels_on(manifold, 50, 0.05, 10, 2, 23);
  KernelDensity one("torus:2", p, 1), three("torus:2", p, 3);
  EXPECT_EQ(all_masses(one, torus_lattice(36)), all_masses(three, torus_lattice(36)));
}

TEST(CellMasses, WhatIsThrownBetweenEndsIt) {
  const FlowDensity flow(test::random_flow<double>(test::small_config("torus:2"), 4, 1, 1));
  const Lattice lattice = torus_lattice(360);
  CellMasses cells(flow, lattice);
  int calls = 0;
  EXPECT_THROW(cells.rows(0, 360,
                          [&] {
                            if (++calls == 2) throw Error("enough", "");
                          }),
               Error);
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace riemflow
