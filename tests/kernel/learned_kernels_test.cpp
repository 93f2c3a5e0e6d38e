#include "riemflow/kernel/learned_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "riemflow/core/error.hpp"
#include "riemflow/model/mass.hpp"
#include "tests/kernel/learned_cases.hpp"
#include "tests/sanitized.hpp"

namespace riemflow {
namespace {

using namespace learned_test;

TEST(LearnedKernels, TheLossIsThatOfTheDensityOfThePointsThatAreLeft) {
  for (const std::string& name : kSpaces) {
    const ManifoldPointer manifold = parse_manifold<double>(name);
    const KernelData data(manifold, clumps(manifold, 90, 3), LearnedKernels::kNeighbours);
    const LearnedKernels learned(data);
    const KernelNetwork network = moved(5);
    const LearnedKernels::HeldOut held = learned.hold_out(0.3, 1000, 1, 2);
    Points<double> left(0, manifold->ambient()), scored(0, manifold->ambient());
    for (std::size_t i = 0; i < data.size(); ++i) {
      Points<double>& to = held.out[i] ? scored : left;
      to.values.insert(to.values.end(), data.centres()[i].begin(), data.centres()[i].end());
    }
    ASSERT_EQ(scored.size(), held.scored.size());
    std::vector<double> gradient(network.parameters().size());
    const double loss = learned.loss(network, held, gradient);
    const KernelData rest(manifold, left, LearnedKernels::kNeighbours);
    const KernelMixture density(manifold, LearnedKernels(rest).parameters(network), 1e-12);
    // Kernels of little weight are left out there.
    EXPECT_NEAR(loss, -average(density.log_prob(scored)), 2e-3 * (1 + std::abs(loss))) << name;
  }
}

TEST(LearnedKernels, GradientsAreThoseOfDifferences) {
  for (const std::string& name : kSpaces) {
    const ManifoldPointer manifold = parse_manifold<double>(name);
    const KernelData data(manifold, clumps(manifold, 60, 4), LearnedKernels::kNeighbours);
    const LearnedKernels learned(data);
    KernelNetwork network = moved(6);
    const LearnedKernels::HeldOut held = learned.hold_out(0.25, 1000, 3, 4);
    std::vector<double> gradient(network.parameters().size()), none(gradient.size());
    learned.loss(network, held, gradient);
    Random random(7, Purpose::test, 0, 0);
    double largest = 0;
    for (const double g : gradient) largest = std::max(largest, std::abs(g));
    // Some of each layer, and all that go with no row.
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      if (i + 7 < gradient.size() && random.uniform() > (kSanitized ? 0.005 : 0.03)) continue;
      const double step = 1e-5, at = network.parameters()[i];
      network.parameters()[i] = at + step;
      const double ahead = learned.loss(network, held, none);
      network.parameters()[i] = at - step;
      const double behind = learned.loss(network, held, none);
      network.parameters()[i] = at;
      EXPECT_NEAR(gradient[i], (ahead - behind) / (2 * step), 1e-6 * (1 + largest)) << name << " " << i;
    }
  }
}

/// More points than neighbours: the others are estimated by a sample of them.
TEST(LearnedKernels, FarPointsAreEstimated) {
  const ManifoldPointer sphere = parse_manifold<double>("sphere:2");
  const KernelData data(sphere, clumps(sphere, 700, 13), LearnedKernels::kNeighbours);
  const LearnedKernels learned(data);
  // Kernels so wide that most of the density at a point is that of far ones.
  KernelNetwork network = moved(14, 0.05);
  for (double& offset : network.extra().first(LearnedKernels::kKernels)) offset = 2;
  std::vector<double> gradient(network.parameters().size()), none(gradient.size());
  LearnedKernels::HeldOut held = learned.hold_out(0.2, 50, 1, 1);
  ASSERT_FALSE(held.far.empty());
  for (const std::uint32_t far : held.far) EXPECT_FALSE(held.out[far]);
  learned.loss(network, held, gradient);
  for (std::size_t i = 3; i < gradient.size(); i += 97) {
    const double step = 1e-5, at = network.parameters()[i];
    network.parameters()[i] = at + step;
    const double ahead = learned.loss(network, held, none);
    network.parameters()[i] = at - step;
    const double behind = learned.loss(network, held, none);
    network.parameters()[i] = at;
    EXPECT_NEAR(gradient[i], (ahead - behind) / (2 * step), 1e-6) << i;
  }

  Points<double> left(0, 3), scored(0, 3);
  for (std::size_t i = 0; i < data.size(); ++i)
    if (!held.out[i])
      left.values.insert(left.values.end(), data.centres()[i].begin(), data.centres()[i].end());
  for (const std::uint32_t i : held.scored)
    scored.values.insert(scored.values.end(), data.centres()[i].begin(), data.centres()[i].end());
  const KernelData rest(sphere, left, LearnedKernels::kNeighbours);
  const double exact =
      -average(KernelMixture(sphere, LearnedKernels(rest).parameters(network), 1e-9).log_prob(scored));
  double estimate = 0;
  for (std::uint64_t step = 0; step < 20; ++step) {
    held.far = learned.hold_out(0.2, 50, 1, 1 + step).far;
    std::erase_if(held.far, [&](std::uint32_t i) { return held.out[i]; });
    estimate += learned.loss(network, held, none) / 20;
  }
  EXPECT_NEAR(estimate, exact, 0.02);
  held.far.clear();
  EXPECT_GT(learned.loss(network, held, none), exact + 0.1);
}

/// Without any training the network that comes with the library is ahead of one that has learned nothing.
TEST(LearnedKernels, TheShippedNetworkServesAsItIs) {
  for (const char* name : {"sphere:2", "torus:2", "euclidean:3", "sphere:2 x torus:1"}) {
    const ManifoldPointer manifold = parse_manifold<double>(name);
    const Points<double> all = clumps(manifold, 500, 15);
    Points<double> known(0, manifold->ambient()), others(0, manifold->ambient());
    for (std::size_t i = 0; i < all.size(); ++i) {
      Points<double>& to = i % 2 == 0 ? known : others;
      to.values.insert(to.values.end(), all[i].begin(), all[i].end());
    }
    const KernelData data(manifold, known, LearnedKernels::kSeenNeighbours);
    const LearnedKernels learned(data);
    const auto score = [&](const KernelNetwork& network) {
      return average(KernelMixture(manifold, learned.parameters(network)).log_prob(others));
    };
    EXPECT_GT(score(universal_kernel_network()), score(LearnedKernels::network(1)) + 0.02) << name;
  }
}

TEST(LearnedKernels, HaveMassOne) {
  for (const std::string& name : kSpaces) {
    const ManifoldPointer manifold = parse_manifold<double>(name);
    const KernelData data(manifold, clumps(manifold, 12, 5), LearnedKernels::kNeighbours);
    const KernelParameters parameters = LearnedKernels(data).parameters(moved(8, 0.1));
    EXPECT_NEAR(std::accumulate(parameters.weights.begin(), parameters.weights.end(), 0.0), 1, 1e-12);
    if (manifold->dimension() > 2) continue;  // each kernel has mass 1: kernel_mixture_test
    CubatureOptions options;
    options.absolute = 1e-3;
    options.evaluations = kSanitized ? 2'000 : 20'000;
    const Mass mass = kernel_mass(KernelMixture(manifold, parameters), options, 1, 1);
    EXPECT_NEAR(mass.integral.value, 1, std::max(2e-3, mass.bound())) << name;
    EXPECT_LT(mass.bound(), 0.1) << name;
  }
}

TEST(LearnedKernels, AreScaledWithThePoints) {
  const ManifoldPointer plane = parse_manifold<double>("euclidean:3");
  Points<double> points = clumps(plane, 100, 6);
  const KernelNetwork network = moved(9);
  const KernelData data(plane, points, LearnedKernels::kNeighbours);
  const KernelParameters small = LearnedKernels(data).parameters(network);
  for (double& x : points.values) x = 1000 * x + 7;
  const KernelData scaled(plane, points, LearnedKernels::kNeighbours);
  const KernelParameters large = LearnedKernels(scaled).parameters(network);
  ASSERT_EQ(small.size(), large.size());
  for (std::size_t i = 0; i < small.size(); ++i) {
    EXPECT_NEAR(large.bandwidths[i] / small.bandwidths[i], 1000, 1e-6);
    EXPECT_NEAR(large.weights[i], small.weights[i], 1e-9);
  }
  for (std::size_t i = 0; i < small.shapes.size(); ++i) EXPECT_NEAR(large.shapes[i], small.shapes[i], 1e-6);
}

TEST(LearnedKernels, AHeldOutPointChangesNoScoreButItsOwn) {
  const ManifoldPointer sphere = parse_manifold<double>("sphere:2");
  Points<double> points = clumps(sphere, 120, 7);
  const KernelNetwork network = moved(10);
  const auto loss_with = [&](const Points<double>& all, std::size_t moved_point, bool of_it) {
    const KernelData data(sphere, all, LearnedKernels::kNeighbours);
    const LearnedKernels learned(data);
    LearnedKernels::HeldOut held{std::vector<bool>(data.size()), {}};
    for (std::size_t i = 0; i < data.size(); ++i) {
      const std::size_t origin = data.origins()[i];
      held.out[i] = origin % 5 == 0;
      if (held.out[i] && (origin == moved_point) == of_it)
        held.scored.push_back(static_cast<std::uint32_t>(i));
    }
    std::vector<double> gradient(network.parameters().size());
    return learned.loss(network, held, gradient);
  };
  Points<double> other = points;
  for (std::size_t c = 0; c < 3; ++c) other.values[10 * 3 + c] *= -1;  // held out, to the other side
  EXPECT_NEAR(loss_with(points, 10, false), loss_with(other, 10, false), 1e-12);
  EXPECT_GT(std::abs(loss_with(points, 10, true) - loss_with(other, 10, true)), 1e-3);
}

TEST(LearnedKernels, AFarPointChangesNoKernel) {
  const ManifoldPointer line = parse_manifold<double>("euclidean:2");
  Points<double> points = clumps(line, 300, 8);
  for (const double x : {40.0, 50.0}) points.values.insert(points.values.end(), {x, 0.0});
  const KernelNetwork network = moved(11);
  const auto at = [&](double place) {
    points.values.back() = place;
    const KernelData data(line, points, LearnedKernels::kNeighbours);
    const KernelParameters parameters = LearnedKernels(data).parameters(network);
    // The widths and weights among themselves of the kernels of a point in the middle.
    std::vector<double> widths;
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (parameters.centres[i][0] == points[17][0]) widths.push_back(parameters.bandwidths[i]);
    return widths;
  };
  const std::vector<double> here = at(0), there = at(5);
  ASSERT_EQ(here.size(), there.size());
  ASSERT_FALSE(here.empty());
  // But for the mean distance of all, which it is a three hundredth of.
  for (std::size_t i = 0; i < here.size(); ++i) EXPECT_NEAR(here[i] / there[i], 1, 2e-3);
}

TEST(LearnedKernels, ThreadsChangeNoBit) {
  const ManifoldPointer sphere = parse_manifold<double>("sphere:2");
  const KernelData data(sphere, clumps(sphere, 700, 9), LearnedKernels::kNeighbours);
  const KernelNetwork network = moved(12);
  Executor one(1), three(3);
  const LearnedKernels alone(data, &one), together(data, &three);
  const LearnedKernels::HeldOut held = alone.hold_out(0.2, 100, 5, 6);
  std::vector<double> a(network.parameters().size()), b(a.size());
  EXPECT_EQ(alone.loss(network, held, a), together.loss(network, held, b));
  EXPECT_EQ(a, b);
  EXPECT_EQ(alone.parameters(network).bandwidths, together.parameters(network).bandwidths);
}

TEST(LearnedKernels, PointsAreHeldOutInGroups) {
  const ManifoldPointer sphere = parse_manifold<double>("sphere:2");
  const KernelData data(sphere, clumps(sphere, 200, 10), LearnedKernels::kNeighbours);
  const LearnedKernels learned(data);
  std::vector<std::size_t> groups(data.size());
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i] = i / 7;
  const LearnedKernels::HeldOut held = learned.hold_out(0.3, 1000, 1, 1, groups);
  for (std::size_t i = 0; i < groups.size(); ++i) EXPECT_EQ(held.out[i], held.out[groups[i] * 7]);
  EXPECT_GE(held.scored.size(), 60u);
  EXPECT_LE(held.scored.size(), 67u);
  EXPECT_NE(held.scored, learned.hold_out(0.3, 1000, 1, 2, groups).scored);
  EXPECT_EQ(learned.hold_out(0.5, 20, 1, 1).scored.size(), 20u);
}

TEST(LearnedKernels, AWeightIsAsManyEqualPoints) {
  const ManifoldPointer sphere = parse_manifold<double>("sphere:2");
  const Points<double> points = clumps(sphere, 50, 12);
  Points<double> twice = points;
  twice.values.insert(twice.values.end(), points[7].begin(), points[7].end());
  Weights weights(points.size(), 1);
  weights[7] = 2;
  const KernelNetwork network = moved(13);
  const KernelData repeated(sphere, twice, LearnedKernels::kNeighbours),
      weighted(sphere, points, LearnedKernels::kNeighbours, nullptr, {}, weights),
      plain(sphere, points, LearnedKernels::kNeighbours);
  // Of the kernels at that point, all together, and the loss with others held out.
  const auto seen = [&](const KernelData& data) {
    const LearnedKernels learned(data);
    const KernelParameters parameters = learned.parameters(network);
    double there = 0;
    LearnedKernels::HeldOut held{std::vector<bool>(data.size()), {}};
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (parameters.centres[i][0] == points[7][0]) there += parameters.weights[i];
    for (std::size_t i = 0; i < data.size(); ++i)
      if (data.origins()[i] % 5 == 2) {  // that point among them
        held.out[i] = true;
        held.scored.push_back(static_cast<std::uint32_t>(i));
      }
    std::vector<double> gradient(network.parameters().size());
    return std::pair(there, learned.loss(network, held, gradient));
  };
  EXPECT_NEAR(seen(weighted).first, seen(repeated).first, 1e-12);
  EXPECT_NEAR(seen(weighted).second, seen(repeated).second, 1e-12);
  EXPECT_GT(seen(weighted).first, 1.5 * seen(plain).first);
  EXPECT_GT(std::abs(seen(weighted).second - seen(plain).second), 1e-4);
}

TEST(LearnedKernels, FewPoints) {
  const ManifoldPointer sphere = parse_manifold<double>("sphere:2");
  const KernelData two(sphere, clumps(sphere, 2, 1), LearnedKernels::kNeighbours);
  EXPECT_THROW(LearnedKernels{two}, Error);
  for (const std::size_t n : {3u, 4u, 12u}) {
    const KernelData data(sphere, clumps(sphere, n, 1), LearnedKernels::kNeighbours);
    const LearnedKernels learned(data);
    std::vector<double> gradient(moved(1).parameters().size());
    EXPECT_TRUE(std::isfinite(learned.loss(moved(1), learned.hold_out(0.2, 10, 1, 1), gradient)));
    EXPECT_GE(learned.parameters(moved(1)).size(), n);
  }
}

}  // namespace
}  // namespace riemflow
