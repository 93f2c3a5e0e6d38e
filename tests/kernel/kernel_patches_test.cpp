#include "riemflow/kernel/kernel_patches.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "tests/kernel/learned_cases.hpp"
#include "tests/sanitized.hpp"

namespace riemflow {
namespace {

using namespace learned_test;

constexpr std::size_t kCentres = 1100;

double mean_loss(const KernelPatches& patches, const KernelNetwork& network) {
  std::vector<double> none(network.parameters().size());
  double sum = 0;
  constexpr int kSteps = 16;
  for (std::uint64_t step = 0; step < kSteps; ++step)
    sum += patches.loss(network, 32, 1, step, none) / kSteps;
  return sum;
}

/// The kernels of each centre: by bandwidth their share of the centre's weight.
using Kernels = std::map<std::vector<double>, std::map<double, double>>;
Kernels kernels_of(const KernelParameters& parameters) {
  Kernels all;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    all[{parameters.centres[i].begin(), parameters.centres[i].end()}][parameters.bandwidths[i]] +=
        parameters.weights[i];
  for (auto& [centre, kernels] : all) {
    double sum = 0;
    for (const auto& [bandwidth, weight] : kernels) sum += weight;
    for (auto& [bandwidth, weight] : kernels) weight /= sum;
  }
  return all;
}

/// Whatever the network says, but for what centres weigh, which is that of the data.
TEST(KernelPatches, KernelsAreThoseOfAllCentresAtOnce) {
  for (const std::string& name : kSpaces) {
    const ManifoldPointer manifold = parse_manifold<double>(name);
    const Points<double> points = clumps(manifold, kCentres, 3, 1);
    const KernelData few(manifold, points, LearnedKernels::kSeenNeighbours), many(manifold, points, 0);
    const KernelNetwork network = moved(5);
    const KernelParameters expected = LearnedKernels(few).parameters(network),
                           found = KernelPatches(many,
                                                 {.patches = 0, .least_weight = KernelSpeaker::kLeastWeight})
                                       .parameters(network);
    ASSERT_EQ(found.size(), expected.size()) << name;
    EXPECT_EQ(found.wide, expected.wide) << name;
    EXPECT_NEAR(std::accumulate(found.weights.begin(), found.weights.end(), 0.0), 1, 1e-12) << name;
    const Kernels a = kernels_of(expected), b = kernels_of(found);
    ASSERT_EQ(a.size(), b.size()) << name;
    for (auto i = a.begin(), j = b.begin(); i != a.end(); ++i, ++j) {
      ASSERT_EQ(i->first, j->first) << name;
      ASSERT_EQ(i->second.size(), j->second.size()) << name;
      for (auto k = i->second.begin(), l = j->second.begin(); k != i->second.end(); ++k, ++l) {
        EXPECT_NEAR(l->first, k->first, 1e-9 * k->first) << name;
        EXPECT_NEAR(l->second, k->second, 1e-9) << name;
      }
    }
  }
}

TEST(KernelPatches, SharesOfCentresAreSharesOfTheirWeight) {
  const ManifoldPointer sphere = parse_manifold<double>("sphere:2");
  const KernelData data(sphere, clumps(sphere, kCentres, 3, 1), 0);
  const KernelPatches patches(data, {.patches = 0, .least_weight = KernelSpeaker::kLeastWeight});
  const KernelParameters kept = patches.parameters(moved(5), [](std::size_t i) {
    return i % 3 == 0 ? 0.0 : i % 3 == 1 ? 0.5 : 1.0;
  });
  std::map<std::vector<double>, double> weights;
  double total = 0;
  for (std::size_t i = 0; i < kept.size(); ++i)
    weights[{kept.centres[i].begin(), kept.centres[i].end()}] += kept.weights[i];
  for (std::size_t i = 0; i < data.size(); ++i) total += data.weights()[i] * static_cast<double>(i % 3) / 2;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double expected = data.weights()[i] * static_cast<double>(i % 3) / 2 / total;
    const auto found = weights.find({data.centres()[i].begin(), data.centres()[i].end()});
    // To the kernels of little weight that are left out.
    EXPECT_NEAR(found == weights.end() ? 0 : found->second, expected, 2e-4 * expected) << i;
  }
}

/// Most of them, and nobody misses them.
TEST(KernelPatches, KernelsOfLittleWeightAreLeftOut) {
  for (const char* name : {"sphere:2", "torus:2", "euclidean:3", "sphere:3"}) {
    const ManifoldPointer manifold = parse_manifold<double>(name);
    const KernelData data(manifold, clumps(manifold, 3000, 3, 4), 0);
    const Points<double> fresh = clumps(manifold, 1000, 3, 9);
    const auto score = [&](double least_weight, std::size_t* kernels) {
      const KernelPatches patches(data, {.patches = 0, .least_weight = least_weight});
      const KernelParameters parameters = patches.parameters(universal_kernel_network());
      *kernels = parameters.size();
      return average(KernelMixture(manifold, parameters).log_prob(fresh));
    };
    std::size_t all = 0, kept = 0;
    EXPECT_GT(score(KernelPatches::Options{}.least_weight, &kept), score(0, &all) - 0.001) << name;
    EXPECT_LT(2 * kept, all) << name;
  }
}

TEST(KernelPatches, GradientsAreThoseOfDifferences) {
  for (const std::string& name : kSpaces) {
    const ManifoldPointer manifold = parse_manifold<double>(name);
    const KernelData data(manifold, clumps(manifold, kCentres, 3, 4), 0);
    const KernelPatches patches(data, {.patches = 4});
    KernelNetwork network = moved(6);
    std::vector<double> gradient(network.parameters().size()), none(gradient.size());
    patches.loss(network, 2, 3, 4, gradient);
    Random random(7, Purpose::test, 0, 0);
    double largest = 0;
    for (const double g : gradient) largest = std::max(largest, std::abs(g));
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      if (i + 7 < gradient.size() && random.uniform() > (kSanitized ? 0.001 : 0.004)) continue;
      const double step = 1e-5, at = network.parameters()[i];
      network.parameters()[i] = at + step;
      const double ahead = patches.loss(network, 2, 3, 4, none);
      network.parameters()[i] = at - step;
      const double behind = patches.loss(network, 2, 3, 4, none);
      network.parameters()[i] = at;
      EXPECT_NEAR(gradient[i], (ahead - behind) / (2 * step), 1e-6 * (1 + largest)) << name << " " << i;
    }
  }
}

/// What chooses is the likelihood of the density of all centres, and what is learned from that of points held
/// out of it, where the others have the mass of all.
TEST(KernelPatches, LossesAreThoseOfPointsThatAreNoCentres) {
  double above = 0;
  for (const char* name : {"sphere:2", "torus:2", "euclidean:3"}) {
    const ManifoldPointer manifold = parse_manifold<double>(name);
    const KernelData data(manifold, clumps(manifold, 3000, 3, 4), LearnedKernels::kNeighbours);
    const KernelPatches patches(data, {.patches = 512});
    const Points<double> fresh = clumps(manifold, 500, 3, 9);
    const KernelNetwork& network = universal_kernel_network();
    EXPECT_NEAR(KernelPatches::Validation(patches, fresh, {}).nll(network),
                -average(KernelMixture(manifold, patches.parameters(network), 1e-9).log_prob(fresh)), 0.01)
        << name;
    const LearnedKernels learned(data);
    std::vector<double> none(network.parameters().size());
    double held_out = 0;
    constexpr int kSteps = 24;
    for (std::uint64_t step = 0; step < kSteps; ++step)
      held_out += learned.loss(network, learned.hold_out(1.0 / 12, 3000, 1, step), none) / kSteps;
    above += (mean_loss(patches, network) - held_out) / 3;
  }
  // Chance is worth 0.02; the mass of what is held out, were it missing, 0.06.
  EXPECT_NEAR(above, 0, 0.03);
}

/// Each point with a twin so near that one tells all of the other.
TEST(KernelPatches, CentresOfOneGroupAreHeldOutTogether) {
  const ManifoldPointer plane = parse_manifold<double>("euclidean:2");
  const Points<double> once = clumps(plane, 1500, 3, 4);
  Points<double> twice = once;
  std::vector<std::size_t> of_points(3000);
  for (std::size_t i = 0; i < once.size(); ++i) of_points[i] = of_points[once.size() + i] = i;
  for (const double x : once.values) twice.values.push_back(x + 1e-5);
  const KernelData data(plane, twice, 0);
  std::vector<std::size_t> groups;
  for (const std::uint32_t origin : data.origins()) groups.push_back(of_points[origin]);
  const KernelNetwork& network = universal_kernel_network();
  const double together = mean_loss(KernelPatches(data, {.patches = 128, .groups = groups}), network),
               apart = mean_loss(KernelPatches(data, {.patches = 128}), network);
  EXPECT_GT(together, apart + 1);
}

TEST(KernelPatches, ThreadsChangeNothing) {
  const ManifoldPointer sphere = parse_manifold<double>("sphere:2");
  const Points<double> points = clumps(sphere, 2500, 3, 4);
  const auto bits = [&](int threads) {
    Executor executor(threads);
    const KernelData data(sphere, points, 0, &executor);
    const KernelPatches patches(data, {.patches = 32}, &executor);
    const KernelNetwork network = moved(6);
    std::vector<double> all(network.parameters().size());
    all.push_back(patches.loss(network, 8, 3, 4, all));
    all.push_back(KernelPatches::Validation(patches, clumps(sphere, 100, 3, 9), {}).nll(network));
    const std::vector<double> weights = patches.parameters(network).weights;
    all.insert(all.end(), weights.begin(), weights.end());
    return all;
  };
  EXPECT_EQ(bits(1), bits(3));
}

}  // namespace
}  // namespace riemflow
