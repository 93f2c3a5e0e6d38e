// Kernels by blocks and nodes by groups, against one at a time.

#include "riemflow/kernel/kernel_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "riemflow/core/executor.hpp"
#include "riemflow/kernel/kernel_mixture.hpp"
#include "riemflow/kernel/kernel_nodes.hpp"
#include "tests/kernel/kernel_cases.hpp"

namespace riemflow {
namespace {

using namespace density_test;

std::vector<std::string> block_manifolds() {
  std::vector<std::string> names = kKernelManifolds;
  for (const std::string name : {"sphere:12", "sphere:64", "torus:7", "torus:16", "euclidean:64", "ball:9",
                                 "torus:2 x torus:3 x sphere:2,K=4"})
    names.push_back(name);
  return names;
}

std::unique_ptr<Kernels> kernels_of_case(const std::shared_ptr<const KernelSpace>& space,
                                         const KernelParameters& parameters) {
  return parameters.shapes.empty()
             ? round_kernels(space, parameters.centres, parameters.bandwidths)
             : elliptic_kernels(space, parameters.centres, parameters.bandwidths, parameters.shapes);
}

TEST(KernelBlocks, AreTheKernelsOneByOneAndBelowTheirBounds) {
  const std::size_t n = 21;
  for (const std::string& name : block_manifolds()) {
    const std::shared_ptr<const Manifold<double>> manifold = parse_manifold<double>(name);
    const auto space = std::make_shared<KernelSpace>(manifold);
    for (const double h : {1e-4, 0.05, 0.5})
      for (const double stretch : {1.0, 1.01, 4.0}) {
        const KernelParameters parameters = kernels_on(manifold, n, h, 3, stretch, 31);
        const auto kernels = kernels_of_case(space, parameters);
        std::vector<std::uint32_t> order(n);
        std::iota(order.begin(), order.end(), 0u);
        std::reverse(order.begin() + 3, order.end());
        std::vector<double> log_weights;
        for (const double w : parameters.weights) log_weights.push_back(std::log(0.9 * w));
        log_weights[order[5]] = -INFINITY;
        const KernelBlocks blocks(*kernels, order, log_weights, std::log(0.9));
        Points<double> points = draws_of(*default_base<double>(manifold), 6, 5, 0, 0, Purpose::test);
        // Near a centre too: that of a draw of its own.
        for (const std::size_t i : {std::size_t{2}, std::size_t{9}}) {
          std::vector<double> x(static_cast<std::size_t>(manifold->ambient()));
          Random random(3, Purpose::test, 0, i);
          kernels->sample(random, i, x.data());
          points.values.insert(points.values.end(), x.begin(), x.end());
        }
        for (std::size_t p = 0; p < points.size(); ++p) {
          std::vector<double> embedded(static_cast<std::size_t>(space->width())), centre(embedded.size());
          space->embed(points[p], embedded.data());
          const KernelQuery query{points[p].data(), embedded.data()};
          alignas(64) double values[24];
          for (const std::size_t begin : {std::size_t{0}, std::size_t{8}}) {
            blocks.log_values(query, begin, n, -INFINITY, values);
            for (std::size_t j = begin; j < n; ++j) {
              const std::size_t i = order[j];
              const double log_k = kernels->log_value(query, i), expected = log_weights[i] + log_k;
              space->embed(parameters.centres[i], centre.data());
              const double square = space->squared_distance(embedded.data(), centre.data());
              const double R = kernels->turn(), w = std::min(square, R * R);
              const double bound =
                  kernels->log_bound(i) - 0.5 * kernels->precision(i) * w * (1 - 0.25 * w / (R * R));
              ASSERT_LE(log_k, bound + 1e-9 * (1 + std::abs(bound))) << name << " " << h << " " << stretch;
              // Beyond the equator of a sphere of many dimensions the moments cancel.
              if (log_k < kernels->log_bound(i) - 40) continue;
              if (std::isfinite(expected)) {
                ASSERT_NEAR(values[j - begin], expected, 1e-11 * (1 + std::abs(expected)))
                    << name << " " << h << " " << stretch;
              } else {
                ASSERT_EQ(values[j - begin], expected);
              }
            }
            for (std::size_t j = n; j < 24; ++j) ASSERT_EQ(values[j - begin], -INFINITY);
          }
        }
      }
  }
}

TEST(KernelNodes, GroupsHoldTheTree) {
  for (const std::string name : {"sphere:2", "torus:3", "ball:2", "sphere:2 x torus:1", "torus:1 x ball:2"}) {
    const std::shared_ptr<const Manifold<double>> manifold = parse_manifold<double>(name);
    const KernelSpace space(manifold);
    for (const std::size_t n : {1, 8, 9, 33, 700}) {
      const Points<double> centres = draws_of(*default_base<double>(manifold), n + 4, 8, 0, 0, Purpose::test);
      std::vector<std::uint32_t> which(n);
      std::iota(which.begin(), which.end(), 2u);
      const MetricTree tree(space, centres, which, 16, 8);
      // The bound tells the node's number, what is missing of it the reach.
      std::vector<NodeBound> bounds;
      for (std::size_t node = 0; node < tree.nodes().size(); ++node) {
        EXPECT_EQ(tree.nodes()[node].begin % 8, 0u);
        EXPECT_LE(tree.nodes()[node].right == 0 ? tree.nodes()[node].end - tree.nodes()[node].begin : 0, 16u);
        bounds.push_back({static_cast<double>(node), 2e-9});
      }
      const KernelNodes nodes(space, tree, bounds, INFINITY);
      const Points<double> points = draws_of(*default_base<double>(manifold), 4, 9, 0, 0, Purpose::test);
      for (std::size_t p = 0; p < points.size(); ++p) {
        std::vector<double> embedded(static_cast<std::size_t>(space.width()));
        space.embed(points[p], embedded.data());
        std::vector<int> seen(n);
        std::vector<std::uint32_t> open = {0};
        while (!open.empty()) {
          const std::uint32_t g = open.back();
          open.pop_back();
          alignas(64) double log_bounds[KernelNodes::kBlock];
          nodes.log_bounds(g, embedded.data(), log_bounds);
          const KernelNodes::Group& group = nodes.group(g);
          for (std::size_t c = 0; c < group.count; ++c) {
            const auto node = static_cast<std::size_t>(std::lround(log_bounds[c]));
            ASSERT_LT(node, tree.nodes().size());
            EXPECT_EQ(tree.nodes()[node].begin, group.children[c].begin);
            EXPECT_EQ(tree.nodes()[node].end, group.children[c].end);
            EXPECT_EQ(tree.nodes()[node].right == 0, group.children[c].group == 0);
            const double least = tree.least_distance(space, node, embedded.data());
            EXPECT_NEAR(static_cast<double>(node) - log_bounds[c], 1e-9 * least * least,
                        1e-12 * (1 + static_cast<double>(node)));
            if (group.children[c].group != 0)
              open.push_back(group.children[c].group);
            else
              for (std::size_t j = group.children[c].begin; j < group.children[c].end; ++j) ++seen[j];
          }
        }
        EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(n)) << name;
      }
    }
  }
}

TEST(KernelMixture, IsTheSameToTheBitForAnyNumberOfThreads) {
  const std::shared_ptr<const Manifold<double>> manifold = parse_manifold<double>("sphere:2");
  const KernelMixture density(manifold, kernels_on(manifold, 900, 0.05, 8, 2, 7, 1e-3));
  const Points<double> points = draws_of(*default_base<double>(manifold), 500, 5, 0, 0, Purpose::test);
  Executor one(1), three(3);
  const std::vector<double> alone = density.log_prob(points);
  EXPECT_EQ(density.log_prob(points, &one), alone);
  EXPECT_EQ(density.log_prob(points, &three), alone);
}

TEST(KernelMixture, IsNoNumberAtNoPoint) {
  for (const std::string name : {"sphere:2", "torus:2", "torus:7", "euclidean:2", "ball:2"}) {
    const std::shared_ptr<const Manifold<double>> manifold = parse_manifold<double>(name);
    for (const double stretch : {1.0, 2.0}) {
      const KernelMixture density(manifold, kernels_on(manifold, 20, 0.3, 2, stretch, 7));
      EXPECT_TRUE(std::isnan(
          density.log_density_at(std::vector<double>(static_cast<std::size_t>(manifold->ambient()), NAN))))
          << name;
    }
  }
}

/// What is left out of a gradient is no more than the tolerance times the steepest kernel.
TEST(KernelMixture, GradientsLeaveOutWhatDoesNotCount) {
  for (const std::string name : {"sphere:2", "torus:2", "euclidean:3", "ball:2"}) {
    const std::shared_ptr<const Manifold<double>> manifold = parse_manifold<double>(name);
    const KernelParameters parameters = kernels_on(manifold, 300, 0.1, 4, 2, 7, 1e-3);
    const KernelMixture pruned(manifold, parameters, 1e-4), exact(manifold, parameters, 0);
    const Points<double> points = draws_of(*default_base<double>(manifold), 20, 5, 0, 0, Purpose::test);
    Points<double> gradients(points.size(), points.dimension), truth = gradients;
    pruned.log_prob(points, nullptr, &gradients);
    exact.log_prob(points, nullptr, &truth);
    double most = 0;
    for (std::size_t i = 0; i < truth.values.size(); ++i)
      most = std::max(most, std::abs(gradients.values[i] - truth.values[i]));
    EXPECT_GT(most, 0) << name;
    EXPECT_LT(most, 1e-3) << name;  // steepest: about 10
  }
}

}  // namespace
}  // namespace riemflow
