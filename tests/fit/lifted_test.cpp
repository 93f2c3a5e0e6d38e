// Fits of densities on covered manifolds: what is learned on the cover is a density of the points themselves.

#include "riemflow/fit/lifted.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>

#include "riemflow/core/random.hpp"
#include "riemflow/fit/kernel_learner.hpp"
#include "riemflow/fit/option_values.hpp"
#include "riemflow/kernel/kernel_data.hpp"
#include "riemflow/kernel/learned_kernels.hpp"
#include "riemflow/manifold/parse.hpp"
#include "riemflow/manifold/rotation.hpp"
#include "riemflow/model/covered_density.hpp"
#include "riemflow/model/held_out.hpp"
#include "riemflow/model/kernel_density.hpp"
#include "riemflow/model/space.hpp"
#include "tests/sanitized.hpp"

namespace riemflow {
namespace {

using Rotation4 = rotation::Quaternion<double>;

/// Around two orientations, 6° wide, and a tenth of them anywhere; w of any sign.
Points<double> orientations(std::size_t n, std::uint64_t seed) {
  Points<double> points(n, 4);
  const Rotation4 means[] = {rotation::unit(Rotation4{0.9, 0.1, -0.3, 0.2}),
                             rotation::unit(Rotation4{0.2, -0.7, 0.5, 0.4})};
  for (std::size_t i = 0; i < n; ++i) {
    Random random(seed, Purpose::base_sample, 0, i);
    Rotation4 q;
    if (i % 10 == 0) {
      for (double& c : q) c = random.normal();
      q = rotation::unit(q);
    } else {
      q = rotation::product(means[i % 2], rotation::from_vector({0.1 * random.normal(), 0.1 * random.normal(),
                                                                 0.1 * random.normal()}));
    }
    if (random.uniform() < 0.5)
      for (double& c : q) c = -c;
    std::copy(q.begin(), q.end(), points[i].begin());
  }
  return points;
}

FitOptions options_on(const std::string& manifold, Values values) {
  values["manifold"] = manifold;
  return options_of(values);
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

std::vector<double> below(const std::string& manifold, const KernelParameters& kernels,
                          const Points<double>& points) {
  const std::shared_ptr<const Manifold<double>> space = parse_manifold<double>(manifold);
  const CoveredDensity density(
      space, std::make_shared<KernelDensity>(
                 std::make_shared<const KernelMixture>(space->covering()->cover(), kernels, 1e-9), 2));
  return density.log_prob(points).values;
}

TEST(Lifted, AllLiftsOfAPointAreOnOneSide) {
  Observer silent;
  const FitOptions options = options_on("rotation:3/222", {});
  const DataSet data = data_set_of(orientations(60, 1), options, silent);
  const DataSet above = lifted(data);
  EXPECT_EQ(above.manifold, "sphere:3,K=0.25");
  EXPECT_EQ(above.lifts, 8u);
  EXPECT_EQ(above.points.size(), 60u * 8);
  // log(1/8): J = 1.
  EXPECT_NEAR(above.lift_unit, -std::log(8), 1e-12);
  const auto points_of = [](const std::vector<std::size_t>& rows) {
    std::multiset<std::size_t> points;
    for (const std::size_t row : rows) points.insert(row / 8);
    return points;
  };
  for (const auto& [rows, points, times] : {std::tuple(above.split.training, data.split.training, 8),
                                            {above.split.validation, data.split.validation, 8},
                                            {above.split.test, data.split.test, 1}}) {
    std::multiset<std::size_t> expected;
    for (const std::size_t point : points)
      for (int s = 0; s < times; ++s) expected.insert(point);
    EXPECT_EQ(points_of(rows), expected);
    EXPECT_EQ(std::set(rows.begin(), rows.end()).size(), rows.size());
  }
  // Six validation points are few, though they have 48 lifts; each is scored once.
  const std::vector<Fold> folds = above.folds();
  EXPECT_EQ(folds.size(), 5u);
  std::size_t scored = 0;
  for (const Fold& fold : folds) {
    scored += fold.held_out.size();
    std::set<std::size_t> learned;
    for (const std::size_t row : fold.training) learned.insert(row / 8);
    for (const std::size_t row : fold.held_out) {
      EXPECT_EQ(row % 8, 0u);
      EXPECT_FALSE(learned.contains(row / 8));
    }
  }
  EXPECT_EQ(scored, data.split.known().size());
}

TEST(Lifted, KernelsOnOneSheetAreTheSameDensity) {
  for (const char* manifold : {"rotation:3", "rotation:3/222", "rotation:3/432"}) {
    const auto covering = parse_manifold<double>(manifold)->covering();
    const Points<double> points = orientations(kSanitized ? 24 : 90, 3), other = orientations(200, 4);
    const KernelData data(covering->cover(), lifts_of(*covering, points), LearnedKernels::kNeighbours);
    const KernelParameters learned = LearnedKernels(data).parameters(universal_kernel_network());
    KernelRecipe local;
    local.shape = KernelShape::local;
    local.neighbours = 5;
    local.adaptivity = 0.5;
    local.scale = 0.2;
    for (const KernelParameters& all : {learned, KernelData(data).parameters(local)}) {
      const KernelParameters kept = on_one_sheet(*covering, all);
      EXPECT_EQ(kept.size() * covering->sheets(), all.size()) << manifold;
      EXPECT_LT(largest_difference(below(manifold, kept, other), below(manifold, all, other)), 1e-7)
          << manifold;
    }
  }
}

TEST(Lifted, KernelsThatAreNotSymmetricAreKept) {
  const auto covering = parse_manifold<double>("rotation:3")->covering();
  KernelParameters kernels;
  kernels.centres = lifts_of(*covering, orientations(2, 5));
  kernels.weights = {0.3, 0.2, 0.25, 0.25};
  kernels.bandwidths = {0.1, 0.1, 0.2, 0.2};
  EXPECT_EQ(on_one_sheet(*covering, kernels).size(), 4u);
  kernels.weights = {0.25, 0.25, 0.25, 0.25};
  EXPECT_EQ(on_one_sheet(*covering, kernels).size(), 2u);
}

/// More lifts than are learned from at once: kernels on one of each point, seen from all.
TEST(Lifted, ManyLiftsHaveKernelsOnOneSheet) {
  const Points<double> points = orientations(360, 7);
  const FitOptions options = options_on("rotation:3/432", {{"model", "kernels"}});
  Observer silent;
  const DataSet data = data_set_of(points, options, silent), above = lifted(data);
  const std::vector<Fold> folds = above.folds();
  Executor executor(2);
  const KernelLearner learner(above, folds, executor);
  ASSERT_TRUE(learner.many());
  const KernelLearner::Result result = learner.untrained();
  const auto covering = (*data.manifold).covering();
  std::set<std::vector<double>> centres;
  const KernelParameters& kernels = result.density->parameters();
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    EXPECT_GT(first_lifts_at(*covering, kernels.centres[i]), 0u);
    centres.emplace(kernels.centres[i].begin(), kernels.centres[i].end());
  }
  EXPECT_EQ(centres.size(), data.split.known().size());

  // As kernels on all lifts say, and as the model will.
  const KernelData all(above.manifold.on<double>(), part_of<double>(above.points, above.split.known()), 0);
  const KernelMixture everywhere(above.manifold.on<double>(),
                                 KernelPatches(all, {.patches = 0}).parameters(universal_kernel_network()));
  const std::vector<double> scores = learner.log_prob(*result.density, above.split.test);
  EXPECT_LT(largest_difference(scores, everywhere.log_prob(part_of<double>(above.points, above.split.test))),
            1e-4);
  std::vector<double> model =
      below("rotation:3/432", result.density->parameters(), part_of<double>(data.points, data.split.test));
  for (double& value : model) value += above.lift_unit;
  EXPECT_LT(largest_difference(scores, model), 1e-4);
  // Of each held-out point once, by densities without it.
  std::vector<std::size_t> held_out;
  for (const Fold& fold : folds) held_out.insert(held_out.end(), fold.held_out.begin(), fold.held_out.end());
  ASSERT_EQ(result.held_out.size(), held_out.size());
  const auto mean = [](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  };
  EXPECT_NEAR(mean(result.held_out), mean(scores), 0.4);
  EXPECT_LT(mean(result.held_out), mean(learner.log_prob(*result.density, held_out)) - 0.3);
}

// What a fit says, of every kind of model: of points, in the units of their manifold, by the model it
// returns.
TEST(Lifted, ScoresAreThoseOfTheModel) {
  const Points<double> points = orientations(kSanitized ? 100 : 400, 6);
  for (const char* manifold : {"rotation:3", "rotation:3/222"})
    for (const char* model : {"kde", "kernels", "normal-mixture", "pool", "riemannian"}) {
      const std::string kind = model;
      Values values{{"model", model}};
      if (kind == "kernels" || kind == "pool") values.insert({"kernel-steps", kSanitized ? "3" : "20"});
      if (kind == "normal-mixture") values["split"] = "40/40/20";
      if (kind == "riemannian")
        values.insert({{"width", "8"}, {"depth", "1"}, {"iterations", "20"}, {"validate-every", "10"}});
      const FitOptions options = options_on(manifold, values);
      Observer silent;
      const DataSet data = data_set_of(points, options, silent);
      const FitResult result = fit(data, options, silent);
      ASSERT_TRUE(result.model.has_value()) << kind;
      EXPECT_EQ(space_of(*result.model), manifold);
      const auto scores = [&](const std::vector<std::size_t>& rows) {
        return log_densities_of_model(*result.model, {}, part_of<double>(data.points, rows));
      };
      const std::vector<double> test = scores(data.split.test);
      double nll = 0;
      for (const double value : test) nll -= value / static_cast<double>(test.size());
      EXPECT_NEAR(result.test_nll, nll, 1e-4) << kind << " on " << manifold;
      EXPECT_NEAR(result.reference_nll, parse_manifold<double>(manifold)->log_volume(), 1e-6) << kind;
      EXPECT_LT(result.test_nll, result.reference_nll - (kind == "riemannian" ? -0.1 : 0.5)) << kind;
      // All images of a point have one density.
      Points<double> images = part_of<double>(data.points, data.split.test);
      const Rotation<double> space(manifold == std::string("rotation:3") ? "1" : "222");
      for (std::size_t i = 0; i < images.size(); ++i) {
        const auto q = images[i];
        Rotation4 image =
            rotation::product(Rotation4{q[0], q[1], q[2], q[3]}, space.crystal().elements.back());
        for (std::size_t c = 0; c < 4; ++c) q[c] = -image[c];
      }
      EXPECT_LT(largest_difference(log_densities_of_model(*result.model, {}, images), test), 1e-4) << kind;
      // What is kept of points that a mixture of normals has not seen is its density there.
      if (kind != "normal-mixture" || data.split.validation.size() < 150) continue;
      const std::optional<HeldOutScores> held = held_out_of(*result.model);
      ASSERT_TRUE(held.has_value());
      EXPECT_LT(largest_difference(held->log_densities, scores(held->points)), 1e-4);
    }
}

// A sample of a hundred of the lifts of orientations of a cubic crystal has two kernels a sheet, and of pairs
// of orientations, with 2,304 lifts each, no two on one: by these alone the uniform density is the best there
// is.
TEST(Lifted, KernelDensitiesInLittleTimeAreSomethingOrSaySo) {
  const Points<double> one = orientations(40, 8), other = orientations(40, 9);
  Points<double> points(40, 8);
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::ranges::copy(one[i], points[i].begin());
    std::ranges::copy(other[i], points[i].begin() + 4);
  }
  struct Listens : Observer {
    std::string all;
    void say(const std::string& sentence) override { all += sentence + "\n"; }
  };
  const auto gain = [](const std::string& manifold, const Points<double>& data, const char* limit,
                       Listens& listens) {
    const FitOptions options = options_on(manifold, {{"model", "kde"}, {"time-limit", limit}});
    const FitResult result = fit(data_set_of(data, options, listens), options, listens);
    EXPECT_NEAR(result.reference_nll, parse_manifold<double>(manifold)->log_volume(), 1e-6);
    return result.reference_nll - result.progress.best;
  };
  const char* warning =
      "Warning: in this time no kernel density was found that says more of the validation points than "
      "the uniform density does";
  Listens pairs, single;
  const double of_pairs = gain("rotation:3/432 x rotation:3/432", points, "1", pairs);
  EXPECT_EQ(of_pairs < 1e-3, pairs.all.find(warning) != std::string::npos) << of_pairs;
  EXPECT_GT(gain("rotation:3/432", orientations(240, 8), kSanitized ? "20" : "3", single), 0.5);
  EXPECT_EQ(single.all.find(warning), std::string::npos);
}

// Of one lift a point there is nothing to be told through: the same points are the same fit.
TEST(Lifted, AHyperboloidIsItsBall) {
  Points<double> ball(200, 2), hyperboloid(200, 3);
  for (std::size_t i = 0; i < ball.size(); ++i) {
    Random random(2, Purpose::test, 0, i);
    const double a = 0.6 + 0.4 * random.normal(), b = 0.3 * random.normal(), r = std::hypot(a, b);
    for (std::size_t c = 0; c < 2; ++c) {
      ball[i][c] = std::tanh(r / 2) * (c == 0 ? a : b) / r;
      hyperboloid[i][c + 1] = std::sinh(r) * (c == 0 ? a : b) / r;
    }
    hyperboloid[i][0] = std::cosh(r);
  }
  for (const char* model : {"kde", "normal-mixture"}) {
    const auto fitted = [&](const std::string& manifold, const Points<double>& points) {
      const FitOptions options = options_on(manifold, {{"model", model}});
      Observer silent;
      return fit(data_set_of(points, options, silent), options, silent);
    };
    const FitResult here = fitted("ball:2", ball), there = fitted("hyperboloid:2", hyperboloid);
    EXPECT_EQ(here.parameters, there.parameters) << model;
    EXPECT_NEAR(here.progress.best, there.progress.best, 1e-9) << model;
    EXPECT_NEAR(here.test_nll, there.test_nll, 1e-9) << model;
    EXPECT_LT(largest_difference(log_densities_of_model(*here.model, {}, ball),
                                 log_densities_of_model(*there.model, {}, hyperboloid)),
              1e-7)
        << model;
  }
}

TEST(Lifted, MixturesOnSpheresAreOfThePoints) {
  const Points<double> points = orientations(300, 6);
  Weights some;
  for (std::size_t i = 0; i < points.size(); ++i) some.push_back(static_cast<double>(1 + i % 3));
  for (const char* manifold : {"rotation:3", "rotation:3/222"})
    for (const char* optimizer : {"em", "adam"})
      for (const Weights& weights : {Weights(), some}) {
        SCOPED_TRACE(fmt::format("{} on {}{}", optimizer, manifold, weights.empty() ? "" : ", weights"));
        Values values{{"model", "vmf-mixture"}, {"components", "2,3"}, {"optimizer", optimizer}};
        if (optimizer == std::string("adam"))
          values.insert({{"iterations", "40"}, {"rate", "0.1"}, {"batch", "100"}});
        const FitOptions options = options_on(manifold, values);
        Observer silent;
        const DataSet data = data_set_of(points, options, silent, "points", weights);
        const FitResult result = fit(data, options, silent);
        ASSERT_TRUE(result.model.has_value());
        const auto nll = [&](const std::vector<std::size_t>& rows) {
          return -weighted_mean(log_densities_of_model(*result.model, {}, part_of<double>(data.points, rows)),
                                data.weights_of(rows));
        };
        EXPECT_NEAR(result.progress.best, nll(data.split.validation), 1e-9);
        EXPECT_NEAR(result.test_nll, nll(data.split.test), 1e-9);
        EXPECT_NEAR(result.reference_nll, parse_manifold<double>(manifold)->log_volume(), 1e-9);
        EXPECT_LT(result.test_nll, result.reference_nll - 0.5);
        ASSERT_FALSE(result.search.empty());
        EXPECT_NEAR(result.search[result.chosen].validation, result.progress.best, 1e-9);
      }
}

}  // namespace
}  // namespace riemflow
