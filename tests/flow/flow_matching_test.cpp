// The velocity of flow matching against differences of the path, and the gradient of its loss against
// differences of the loss, in double, on every manifold.

#include "riemflow/flow/flow_matching.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <numbers>

#include "riemflow/distribution/base.hpp"
#include "riemflow/flow/field/field_pass.hpp"
#include "riemflow/manifold/parse.hpp"
#include "tests/flow/flows.hpp"
#include "tests/sanitized.hpp"

namespace riemflow {
namespace {

using Tile = std::vector<Pack<double>>;

const std::vector<std::string>& manifolds() {
  static const std::vector<std::string> names = {"euclidean:1",
                                                 "euclidean:3",
                                                 "sphere:1",
                                                 "sphere:2",
                                                 "sphere:3,K=0.5",
                                                 "ball:1",
                                                 "ball:2",
                                                 "ball:3,K=-0.5",
                                                 "torus:1",
                                                 "torus:3",
                                                 "sphere:2 x torus:2",
                                                 "ball:2 x sphere:1",
                                                 "stiefel:3,1",
                                                 "stiefel:3,2",
                                                 "stiefel:5,3",
                                                 "stiefel:4,3 x torus:1",
                                                 "grassmann:4,2"};
  return names;
}

Tile drawn(const Distribution<double>& base, std::uint64_t point) {
  Tile x(static_cast<std::size_t>(base.ambient()));
  for (int l = 0; l < kLanes; ++l) {
    Random random(1, Purpose::test, static_cast<std::uint64_t>(l), point);
    base.sample(random, x.data(), l);
  }
  return x;
}

TEST(FlowMatching, VelocityIsTheDerivativeOfThePath) {
  constexpr double h = 1e-5;
  for (const std::string& name : manifolds()) {
    const std::shared_ptr<const Manifold<double>> manifold = parse_manifold<double>(name);
    const auto base = default_base<double>(manifold);
    const Tile from = drawn(*base, 0), to = drawn(*base, 1);
    const auto n = from.size();
    Tile x(n), velocity(n), before(n), after(n), slope(n), unused(n);
    for (const double t : {0.03, 0.5, 0.97}) {
      manifold->path(from.data(), to.data(), t, x.data(), velocity.data());
      manifold->path(from.data(), to.data(), t - h, before.data(), unused.data());
      manifold->path(from.data(), to.data(), t + h, after.data(), unused.data());
      // log_x is the identity to second order at x, and knows of the seam.
      manifold->log(x.data(), after.data(), slope.data());
      manifold->log(x.data(), before.data(), unused.data());
      for (std::size_t i = 0; i < n; ++i) slope[i] = (slope[i] - unused[i]) / (2 * h) - velocity[i];
      const Pack<double> error = manifold->norm(x.data(), slope.data()),
                         speed = manifold->norm(x.data(), velocity.data()),
                         length = manifold->distance(from.data(), to.data());
      for (int l = 0; l < kLanes; ++l) {
        EXPECT_LT(error[l], 1e-7) << name << " at " << t;
        // A path is a geodesic unless that is dear, and then not much longer.
        if (name.starts_with("stiefel")) {
          EXPECT_GT(speed[l], length[l] - 1e-9) << name << " at " << t;
          EXPECT_LT(speed[l], 1.5 * length[l]) << name << " at " << t;
        } else {
          EXPECT_NEAR(speed[l], length[l], 1e-9) << name << " at " << t;
        }
      }
    }
    manifold->path(from.data(), to.data(), 1, x.data(), velocity.data());
    EXPECT_LT(manifold->distance(x.data(), to.data())[3], 1e-9) << name;
    manifold->path(from.data(), to.data(), 0, x.data(), velocity.data());
    EXPECT_LT(manifold->distance(x.data(), from.data())[3], 1e-9) << name;
  }
}

TEST(FlowMatching, TakesTheShortWayAroundTheTorus) {
  const auto torus = parse_manifold<float>("torus:1");
  const Pack<float> from = 3.0f, to = -3.0f;
  Pack<float> x, velocity;
  torus->path(&from, &to, 0.25f, &x, &velocity);
  const auto gap = static_cast<float>(2 * std::numbers::pi - 6);
  EXPECT_NEAR(velocity[0], gap, 1e-6f);
  EXPECT_NEAR(x[0], 3 + gap / 4, 1e-6f);
  torus->path(&from, &to, 0.75f, &x, &velocity);
  EXPECT_NEAR(x[0], -3 - gap / 4, 1e-6f);
}

TEST(FlowMatching, CoincidentAndAntipodalPointsHaveAPath) {
  const auto sphere = parse_manifold<float>("sphere:2");
  for (const auto& [lat, sign] : {std::pair(0.3f, 1.f), std::pair(0.3f, -1.f), std::pair(1.5707964f, -1.f)}) {
    const std::vector<Pack<float>> from = {std::cos(lat), 0.f, std::sin(lat)},
                                   to = {sign * from[0], 0.f, sign * from[2]};
    std::vector<Pack<float>> x(3), velocity(3);
    for (const float t : {0.0f, 0.4f, 1.0f}) {
      sphere->path(from.data(), to.data(), t, x.data(), velocity.data());
      const auto length = sign > 0 ? 0.f : static_cast<float>(std::numbers::pi);
      EXPECT_NEAR(sphere->norm(x.data(), velocity.data())[0], length, 1e-5f);
      EXPECT_NEAR(sphere->distance(from.data(), x.data())[0], t * length, 1e-3f);
      EXPECT_NEAR(dot(3, x.data(), velocity.data())[0], 0, 1e-5f);
    }
  }
}

struct MatchingCase {
  std::string manifold;
  FieldConfig field;
};

std::vector<MatchingCase> matching_cases() {
  std::vector<MatchingCase> all;
  FieldConfig field;
  field.width = 9;
  for (const int depth : {1, 3})
    for (const std::string& name : manifolds()) {
      field.depth = depth;
      field.activation = depth == 1 ? Activation::tanh : Activation::swish;
      field.input = depth == 1 && test::has_geodesic_input(name) ? InputLayer::geodesic : InputLayer::linear;
      field.bound = name.starts_with("ball") ? 1.5 : 0;
      field.given = name == "torus:3" ? 2 : name == "sphere:2 x torus:2" ? 3 : 0;
      all.push_back({name, field});
      field.input = InputLayer::fourier;
      field.frequency = 1;
      if (depth == 3) all.push_back({name, field});
    }
  return all;
}

/// 100 points are two groups of tiles, the last tile in part.
constexpr std::size_t kPoints = 100;

double loss_of(const VectorField<double>& field, const Distribution<double>& base, const Points<double>& data,
               const std::vector<double>& parameters, std::vector<double>* gradient = nullptr) {
  FlowMatching<double> matching(field, base);
  AlignedVector<double> working(field.working_size()), bar(field.working_size() + simd::kOverhang);
  field.prepare(parameters, working.data());
  double loss = 0;
  for (std::size_t tile = 0; tile < data.tiles(); tile += FlowMatching<double>::kTiles)
    loss += matching.add_gradient(
        data, PathEnds<double>(field.manifold(), false, data), tile,
        static_cast<int>(std::min<std::size_t>(FlowMatching<double>::kTiles, data.tiles() - tile)), {7, 3},
        working.data(), bar.data());
  if (gradient != nullptr) {
    gradient->resize(parameters.size());
    field.pull_back(parameters, bar.data(), *gradient);
  }
  return loss;
}

TEST(FlowMatching, GradientIsThatOfTheLoss) {
  for (const MatchingCase& c : matching_cases()) {
    const std::shared_ptr<const Manifold<double>> manifold = parse_manifold<double>(c.manifold);
    const VectorField<double> field(manifold, c.field);
    const auto base = default_base<double>(manifold);
    Points<double> data(kPoints, manifold->ambient());
    for (std::size_t t = 0; t < data.tiles(); ++t) data.store_tile(t, drawn(*base, 100 + t).data());
    std::vector<double> parameters = field.initial_parameters(5), gradient;
    loss_of(field, *base, data, parameters, &gradient);
    double largest = 0;
    for (const double g : gradient) largest = std::max(largest, std::abs(g));
    ASSERT_GT(largest, 1e-3) << c.manifold;
    for (std::size_t i = 0; i < parameters.size(); i += kSanitized ? 29 : 3) {
      constexpr double h = 1e-4;
      const auto at = [&](double shift) {
        std::vector<double> moved = parameters;
        moved[i] += shift;
        return loss_of(field, *base, data, moved);
      };
      const double slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
      EXPECT_NEAR(gradient[i], slope, 1e-8 * (1 + largest)) << c.manifold << ", parameter " << i;
    }
  }
}

/// The mean of ‖f − ẋ‖²_g by its definition, a point at a time, with the field of the solver.
TEST(FlowMatching, LossIsTheMeanSquareInTheMetric) {
  for (const MatchingCase& c : matching_cases()) {
    const std::shared_ptr<const Manifold<double>> manifold = parse_manifold<double>(c.manifold);
    const VectorField<double> field(manifold, c.field);
    const auto base = default_base<double>(manifold);
    Points<double> data(kPoints, manifold->ambient());
    for (std::size_t t = 0; t < data.tiles(); ++t) data.store_tile(t, drawn(*base, 100 + t).data());
    const std::vector<double> parameters = field.initial_parameters(5);
    AlignedVector<double> working(field.working_size());
    field.prepare(parameters, working.data());
    FieldPass<double> pass(field, {}, false, false);
    AlignedVector<double> tape(pass.tape_size());
    const auto n = static_cast<std::size_t>(manifold->ambient());
    Tile from(n), to(n), x(n), velocity(n), f(n);
    double mean = 0;
    for (std::size_t point = 0; point < kPoints; ++point) {
      for (std::size_t i = 0; i < n; ++i) to[i] = data[point][i];
      Random draw(7, Purpose::base_sample, 3, point), time(7, Purpose::matching_time, 3, point);
      base->sample(draw, from.data(), 0);
      for (std::size_t i = 0; i < n; ++i) from[i] = from[i][0];
      for (int i = 0; i < c.field.given; ++i)
        from[static_cast<std::size_t>(i)] = to[static_cast<std::size_t>(i)];
      const double t = (static_cast<double>(point) + time.uniform()) / kPoints;
      manifold->path(from.data(), to.data(), t, x.data(), velocity.data());
      Rates<double> rates;
      ASSERT_TRUE(pass.evaluate(working.data(), t, x.data(), f.data(), rates, tape.data()));
      for (std::size_t i = 0; i < n; ++i) f[i] -= velocity[i];
      mean += manifold->inner(x.data(), f.data(), f.data())[0] / kPoints;
    }
    EXPECT_NEAR(loss_of(field, *base, data, parameters), mean, 1e-11 * (1 + mean)) << c.manifold;
  }
}

/// Where the geodesic that is at x at time t and ends at `to` began.
Tile start_of(const Manifold<double>& manifold, const Tile& x, const Tile& to, double t) {
  Tile v(x.size()), from(x.size());
  manifold.log(x.data(), to.data(), v.data());
  for (Pack<double>& c : v) c *= -t / (1 - t);
  manifold.exp(x.data(), v.data(), from.data());
  return from;
}

/// |det ∂start/∂x| by differences, in orthonormal frames; lane 0.
double compression(const Manifold<double>& manifold, const Tile& x, const Tile& to, double t) {
  constexpr double h = 1e-5;
  const int d = manifold.dimension();
  const auto D = x.size();
  const Tile from = start_of(manifold, x, to, t);
  Tile here(D * static_cast<std::size_t>(d)), there(here), v(D), moved(D);
  manifold.frame(x.data(), {here.data(), d});
  manifold.frame(from.data(), {there.data(), d});
  Eigen::MatrixXd slope(d, d);
  for (int j = 0; j < d; ++j) {
    Tile change(D);
    for (const double sign : {1.0, -1.0}) {
      for (std::size_t i = 0; i < D; ++i)
        v[i] = sign * h * here[i * static_cast<std::size_t>(d) + static_cast<std::size_t>(j)];
      manifold.exp(x.data(), v.data(), moved.data());
      const Tile began = start_of(manifold, moved, to, t);
      manifold.log(from.data(), began.data(), v.data());
      for (std::size_t i = 0; i < D; ++i) change[i] += sign / (2 * h) * v[i];
    }
    for (int k = 0; k < d; ++k) {
      double along = 0;
      for (std::size_t i = 0; i < D; ++i)
        along += change[i][0] * there[i * static_cast<std::size_t>(d) + static_cast<std::size_t>(k)][0];
      slope(k, j) = along;
    }
  }
  return std::abs(slope.determinant());
}

// Paths that begin uniformly distributed and are at x: the density of each there is the compression, up to a
// factor that all share, and its velocity what is left of the way over what is left of the time.
TEST(PathEnds, MeanVelocityByItsDefinition) {
  for (const char* name : {"sphere:2", "sphere:3", "sphere:2,K=0.25"}) {
    const std::shared_ptr<const Manifold<double>> manifold = parse_manifold<double>(name);
    const auto base = default_base<double>(manifold);
    Points<double> data(37, manifold->ambient());
    for (std::size_t t = 0; t < data.tiles(); ++t) data.store_tile(t, drawn(*base, 300 + t).data());
    const PathEnds<double> ends(*manifold, true, data);
    ASSERT_FALSE(ends.empty());
    const auto D = static_cast<std::size_t>(manifold->ambient());
    const Tile draws = drawn(*base, 400);
    for (const double t : {0.0, 0.3, 0.7}) {
      Tile x(D), to(D), v(D), mean(D), found(D);
      for (std::size_t i = 0; i < D; ++i) x[i] = draws[i][2];
      double total = 0;
      const double reach = std::numbers::pi * (1 - t) * (std::string(name).ends_with("0.25") ? 2 : 1);
      for (std::size_t p = 0; p < data.size(); ++p) {
        for (std::size_t i = 0; i < D; ++i) to[i] = data[p][i];
        if (manifold->distance(x.data(), to.data())[0] >= reach) continue;
        const double weight = compression(*manifold, x, to, t);
        manifold->log(x.data(), to.data(), v.data());
        total += weight;
        for (std::size_t i = 0; i < D; ++i) mean[i] += weight / (1 - t) * v[i];
      }
      ASSERT_GT(total, 0);
      ends.mean_velocity(x.data(), t, 0, found.data());
      for (std::size_t i = 0; i < D; ++i)
        EXPECT_NEAR(found[i][0], mean[i][0] / total, 1e-6) << name << " at " << t << ", coordinate " << i;
    }
  }
}

// A point of weight 3 is three points.
TEST(PathEnds, WeightsAreRepeatedPoints) {
  const std::shared_ptr<const Manifold<double>> manifold = parse_manifold<double>("sphere:2");
  const auto base = default_base<double>(manifold);
  Points<double> data(37, 3), all(0, 3);
  for (std::size_t t = 0; t < data.tiles(); ++t) data.store_tile(t, drawn(*base, 300 + t).data());
  Weights weights;
  for (std::size_t i = 0; i < data.size(); ++i) {
    weights.push_back(0.5 * static_cast<double>(1 + i % 4));
    for (std::size_t k = 0; k <= i % 4; ++k)
      all.values.insert(all.values.end(), data[i].begin(), data[i].end());
  }
  const PathEnds<double> weighted(*manifold, true, data, weights), repeated(*manifold, true, all),
      alike(*manifold, true, data);
  const Tile x = drawn(*base, 400);
  for (const double t : {0.0, 0.3, 0.7})
    for (int lane = 0; lane < kLanes; ++lane) {
      Tile a(3), b(3), c(3);
      weighted.mean_velocity(x.data(), t, lane, a.data());
      repeated.mean_velocity(x.data(), t, lane, b.data());
      alike.mean_velocity(x.data(), t, lane, c.data());
      for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(a[i][lane], b[i][lane], 1e-13) << t << " " << lane;
      EXPECT_GT(std::abs(a[0][lane] - c[0][lane]), 1e-6);
    }
}

// In many dimensions shortly before the end: the weights are powers of 1/(1 − t) that float has no room for.
TEST(PathEnds, ShortlyBeforeTheEndInManyDimensions) {
  const auto sphere = parse_manifold<float>("sphere:16");
  Points<float> data(2, 17);
  data[0][0] = data[1][1] = 1;
  const PathEnds<float> ends(*sphere, true, data);
  const float angle = 1e-4f, remaining = 1e-3f;  // from the first point, on a path of 0.1 in all
  std::vector<Pack<float>> x(17), velocity(17);
  for (std::size_t k = 0; k < 17; ++k) x[k] = velocity[k] = 0;
  x[0] = std::cos(angle);
  x[2] = std::sin(angle);
  ends.mean_velocity(x.data(), 1 - remaining, 0, velocity.data());
  EXPECT_NEAR(velocity[2][0], -0.1f, 1e-3f);
  EXPECT_NEAR(velocity[1][0], 0, 1e-6f);
}

// In float, at the ends themselves and all but there, and where no path comes by.
TEST(PathEnds, HardPlaces) {
  const auto sphere = parse_manifold<float>("sphere:2");
  Points<float> data(2, 3);
  data.values = {0, 0, 1, 0.6f, 0, -0.8f};
  const PathEnds<float> ends(*sphere, true, data);
  for (const float angle : {0.f, 1e-6f, 1e-4f, 1e-2f}) {
    std::vector<Pack<float>> x = {std::sin(angle), 0.f, std::cos(angle)}, velocity(3, Pack<float>(9));
    ends.mean_velocity(x.data(), 0.9f, 0, velocity.data());
    EXPECT_NEAR(velocity[0][0], -angle * 10, 1e-4f + 1e-3f * angle)
        << angle;  // towards the end, in a tenth of the time
    EXPECT_NEAR(velocity[1][0], 0, 1e-6f);
  }
  std::vector<Pack<float>> x = {0.f, 1.f, 0.f}, velocity(3, Pack<float>(9));
  ends.mean_velocity(x.data(), 0.9f, 0, velocity.data());
  EXPECT_EQ(velocity[0][0], 9);
  EXPECT_TRUE(PathEnds<float>(*parse_manifold<float>("torus:2"), true, Points<float>(3, 2)).empty());
  EXPECT_TRUE(PathEnds<float>(*sphere, false, data).empty());
}

}  // namespace
}  // namespace riemflow
