// The flow as a map and its density: change of variables, round trips, frames, samples, batches.

#include "riemflow/flow/flow.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <numbers>

#include "riemflow/core/error.hpp"
#include "tests/flow/flows.hpp"
#include "tests/flow/linear_target.hpp"

namespace riemflow {
namespace {

using namespace test;

using Tile = std::vector<Pack<double>>;

Tile broadcast(std::span<const double> point) { return Tile(point.begin(), point.end()); }

/// log|det| of the derivative of pull at x, in orthonormal frames of the tangent spaces at x and at its image
/// z, by central differences along geodesics.
double log_jacobian(Flow<double>& flow, std::span<const double> x, std::span<const double> z) {
  const Manifold<double>& manifold = flow.manifold();
  const int d = manifold.dimension(), n = manifold.ambient();
  const double step = 2e-4;
  const Tile at_x = broadcast(x), at_z = broadcast(z);
  Tile frame_x(static_cast<std::size_t>(n * d)), frame_z = frame_x, y(x.size()), v(x.size());
  manifold.frame(at_x.data(), {frame_x.data(), d});
  manifold.frame(at_z.data(), {frame_z.data(), d});
  Points<double> moved(static_cast<std::size_t>(2 * d), n);
  for (int j = 0; j < d; ++j) {
    for (const int side : {0, 1}) {
      for (int i = 0; i < n; ++i)
        v[static_cast<std::size_t>(i)] =
            frame_x[static_cast<std::size_t>(i * d + j)] * (side == 0 ? step : -step);
      manifold.exp(at_x.data(), v.data(), y.data());
      for (std::size_t i = 0; i < y.size(); ++i) moved[static_cast<std::size_t>(2 * j + side)][i] = y[i][0];
    }
  }
  const Points<double> images = flow.pull(moved).frames.back();
  Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(d, d);
  for (int j = 0; j < d; ++j) {
    for (const int side : {0, 1}) {
      const Tile image = broadcast(images[static_cast<std::size_t>(2 * j + side)]);
      manifold.log(at_z.data(), image.data(), v.data());
      for (int k = 0; k < d; ++k) {
        Tile e;
        for (int i = 0; i < n; ++i) e.push_back(frame_z[static_cast<std::size_t>(i * d + k)]);
        jacobian(k, j) +=
            manifold.inner(at_z.data(), e.data(), v.data())[0] * (side == 0 ? 0.5 : -0.5) / step;
      }
    }
  }
  return std::log(std::abs(jacobian.determinant()));
}

// log p(x) = log p₀(z) + log|det Dz/Dx|. Fixed steps: the map is as smooth as the field.
TEST(Flow, TheDensityIsThatOfTheChangeOfVariables) {
  for (const std::string& manifold : all_manifolds()) {
    for (const InputLayer input : {InputLayer::linear, InputLayer::geodesic}) {
      if (input == InputLayer::geodesic && !has_geodesic_input(manifold)) continue;
      FlowConfig config = small_config(manifold);
      config.field.input = input;
      config.solver.fixed_steps = 40;
      const auto flow = random_flow<double>(config, 7);
      const Points<double> points = flow->sample(5, 3).frames.back();
      const LogProb<double> result = flow->log_prob(points);
      for (std::size_t p = 0; p < points.size(); ++p) {
        const double log_base = flow->base().log_density(broadcast(result.base_points[p]).data())[0];
        EXPECT_NEAR(result.values[p], log_base + log_jacobian(*flow, points[p], result.base_points[p]), 2e-5)
            << manifold << ", point " << p;
      }
    }
  }
}

// A field αf that does not depend on time has at time t the flow that f has at time αt.
TEST(Flow, ASlowerFieldTakesLonger) {
  for (const std::string& manifold : all_manifolds()) {
    const auto flow = random_flow<double>(small_config(manifold, 1e-9), 8);
    const auto scale = [&](const auto& chosen, double factor) {
      for (const ParameterBlock& block : flow->field().layout().blocks())
        for (std::size_t i = 0; chosen(block.name) && i < block.size(); ++i)
          flow->parameters()[block.offset + i] *= factor;
    };
    scale([](const std::string& name) { return name.ends_with(".time"); }, 0);
    const Points<double> points = flow->sample_base(20, 1);
    const Points<double> early = flow->carry(points, {0, 0.4}).frames.back();
    scale([](const std::string& name) { return name.starts_with("output."); }, 0.4);
    EXPECT_LT(largest_distance(flow->manifold(), early, flow->push(points).frames.back()), 1e-6) << manifold;
    EXPECT_GT(largest_distance(flow->manifold(), early, points), 1e-2) << manifold;
  }
}

// ‖f‖ ≤ c moves no point farther than c in a unit of time: why a bounded field has a flow for all times.
TEST(Flow, ABoundedFieldMovesNoPointFartherThanItsBound) {
  for (const std::string& manifold : all_manifolds()) {
    FlowConfig config = small_config(manifold);
    config.field.bound = 0.7;  // of each of the network's outputs; the scaling is `unit`
    const auto flow = random_flow<double>(config, 9, 1, 8);
    const Points<double> points = flow->sample_base(64, 1);
    const double limit = 0.7 * std::sqrt(flow->manifold().ambient());
    const double farthest = largest_distance(flow->manifold(), points, flow->push(points).frames.back());
    EXPECT_LT(farthest, limit + 1e-5) << manifold;
    // What is not tangent is lost.
    const double share = static_cast<double>(flow->manifold().dimension()) / flow->manifold().ambient();
    EXPECT_GT(farthest, 0.4 * std::sqrt(share) * limit) << manifold;
  }
}

template <class T>
void expect_round_trip(const std::string& manifold, double tolerance) {
  const auto flow = random_flow<T>(small_config(manifold, tolerance), 8, 1, 1.5);
  const Points<T> z = flow->sample_base(40, 5);
  const Points<T> x = flow->push(z).frames.back();
  EXPECT_GT(largest_distance(flow->manifold(), z, x), 0.3) << manifold << ": hardly moved";
  const Points<T> z_again = flow->pull(x).frames.back(), x_again = flow->push(z_again).frames.back();
  EXPECT_LT(largest_distance(flow->manifold(), z, z_again), 10 * attainable<T>(tolerance))
      << manifold << ", " << tolerance;
  EXPECT_LT(largest_distance(flow->manifold(), x, x_again), 10 * attainable<T>(tolerance))
      << manifold << ", " << tolerance;
}

TEST(Flow, PushAndPullAreInverse) {
  for (const std::string& manifold : all_manifolds()) {
    for (const double tolerance : {1e-4, 1e-6, 1e-9}) expect_round_trip<double>(manifold, tolerance);
    for (const double tolerance : {1e-4, 1e-5}) expect_round_trip<float>(manifold, tolerance);
  }
}

TEST(Flow, SamplesStayOnTheManifoldInFloat) {
  for (const std::string& manifold : all_manifolds()) {
    const auto flow = random_flow<float>(small_config(manifold, 1e-4), 9, 1, 3);
    const Points<float> points = flow->sample(300, 1).frames.back();
    for (const Factor<float>& factor : flow->manifold().factors()) {
      for (std::size_t p = 0; p < points.size(); ++p) {
        const auto part = points[p].subspan(static_cast<std::size_t>(factor.row),
                                            static_cast<std::size_t>(factor.manifold->ambient()));
        double square = 0;
        for (const float x : part) square += static_cast<double>(x) * static_cast<double>(x);
        const double radius = std::sqrt(std::abs(factor.manifold->curvature()) * square);
        const ColumnForm::Kind kind = factor.manifold->column_form().kind;
        ASSERT_TRUE(kind != ColumnForm::Kind::vector || std::abs(radius - 1) < 1e-6)
            << manifold << ", " << radius;
        ASSERT_TRUE(kind != ColumnForm::Kind::inside || radius < 1) << manifold << ", " << radius;
        for (const float x : part) {
          ASSERT_TRUE(std::isfinite(x)) << manifold;
          ASSERT_TRUE(kind != ColumnForm::Kind::angles ||
                      (-std::numbers::pi_v<float> <= x && x < std::numbers::pi_v<float>));
        }
      }
    }
    EXPECT_NO_THROW(flow->check(points)) << manifold;
  }
}

TEST(Flow, FramesBeginWithThePointsAndEndWithTheResult) {
  for (const std::string& manifold : all_manifolds()) {
    constexpr double kTolerance = 1e-7;
    const auto flow = random_flow<double>(small_config(manifold, kTolerance), 10, 1, 1.5);
    const Points<double> z = flow->sample_base(21, 6);
    const auto path = flow->push(z, 5), ends = flow->push(z);
    ASSERT_EQ(path.frames.size(), 5u);
    ASSERT_EQ(ends.frames.size(), 2u);
    EXPECT_EQ(path.frames[0].values, z.values) << manifold;
    EXPECT_EQ(ends.frames[0].values, z.values) << manifold;
    const Points<double>& x = ends.frames[1];
    EXPECT_LT(largest_distance(flow->manifold(), path.frames[4], x), 10 * kTolerance) << manifold;
    // The way back meets the same points at the same times.
    const auto back = flow->pull(x, 5);
    EXPECT_EQ(back.frames[0].values, x.values) << manifold;
    for (std::size_t i = 0; i < 5; ++i)
      EXPECT_LT(largest_distance(flow->manifold(), path.frames[i], back.frames[4 - i]), 20 * kTolerance)
          << manifold << i;
    EXPECT_GT(largest_distance(flow->manifold(), path.frames[1], path.frames[2]), 1e-3) << manifold;
    EXPECT_LT(largest_distance(flow->manifold(), flow->log_prob(x).base_points, back.frames[4]),
              20 * kTolerance);
  }
  EXPECT_THROW(random_flow<double>(small_config("sphere:2"), 1)->push(Points<double>(0, 3), 1), Error);
}

TEST(Flow, SamplesOfASeedAreTheFirstOfMore) {
  for (const std::string& manifold : all_manifolds()) {
    constexpr double kTolerance = 1e-6;
    const auto flow = random_flow<double>(small_config(manifold, kTolerance), 11, 1, 1.5);
    const Points<double> few = flow->sample(10, 4).frames.back(), many = flow->sample(100, 4).frames.back();
    EXPECT_EQ(slice(flow->sample_base(100, 4), 0, 10).values, flow->sample_base(10, 4).values);
    EXPECT_LT(largest_distance(flow->manifold(), few, slice(many, 0, 10)), 10 * kTolerance) << manifold;
    EXPECT_NE(flow->sample_base(10, 4).values, flow->sample_base(10, 5).values);
    EXPECT_NE(flow->sample_base(10, 4, 0, 0).values, flow->sample_base(10, 4, 1, 0).values);
  }
}

TEST(Flow, ASampleInPiecesIsTheSampleBitForBit) {
  for (const std::string& manifold : all_manifolds()) {
    const auto flow = random_flow<float>(small_config(manifold, 1e-3), 11, 2, 1.5);
    const Points<float> whole = flow->sample(75, 4).frames.back();
    Points<float> pieces(0, whole.dimension);
    for (const auto& [first, n] : {std::pair<std::uint64_t, std::size_t>{0, 16}, {16, 48}, {64, 11}}) {
      EXPECT_EQ(flow->sample_base(n, 4, 0, first).values, slice(flow->sample_base(75, 4), first, n).values);
      const Points<float> piece = flow->sample(n, 4, first).frames.back();
      pieces.values.insert(pieces.values.end(), piece.values.begin(), piece.values.end());
    }
    EXPECT_EQ(pieces.values, whole.values) << manifold;
  }
}

TEST(Flow, ABatchIsItsPoints) {
  for (const std::string& manifold : all_manifolds()) {
    constexpr double kTolerance = 1e-7;
    const auto flow = random_flow<double>(small_config(manifold, kTolerance), 12, 1, 1.5);
    const Points<double> points = flow->sample(37, 2).frames.back();
    const LogProb<double> together = flow->log_prob(points);
    for (std::size_t p = 0; p < points.size(); ++p)
      EXPECT_NEAR(together.values[p], flow->log_prob(slice(points, p, 1)).values[0], 50 * kTolerance)
          << manifold;
  }
}

// Over fixed steps the gradient of a batch is the mean of its points' gradients, to rounding.
TEST(Flow, TheGradientOfABatchIsTheMeanOfItsPoints) {
  FlowConfig config = small_config("sphere:2 x torus:1");
  config.solver.fixed_steps = 3;
  config.regularisation = {0.1, 0.1};
  const auto flow = random_flow<double>(config, 13);
  const Points<double> points = flow->sample(35, 9).frames.back();
  const std::size_t n = flow->parameters().size();
  std::vector<double> together(n), one(n), mean(n, 0.0);
  const Loss loss = flow->gradient_of(LikelihoodBatch{points}, together);
  double total = 0;
  for (std::size_t p = 0; p < points.size(); ++p) {
    total += flow->gradient_of(LikelihoodBatch{slice(points, p, 1)}, one).total / 35;
    for (std::size_t i = 0; i < n; ++i) mean[i] += one[i] / 35;
  }
  EXPECT_NEAR(loss.total, total, 1e-13);
  EXPECT_NEAR(loss.total, loss.likelihood + 0.1 * loss.kinetic + 0.1 * loss.frobenius, 1e-13);
  EXPECT_GT(loss.kinetic, 0);
  EXPECT_GT(loss.frobenius, 0);
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(together[i], mean[i], 1e-13);
}

TEST(Flow, TheLossIsMinusTheMeanLogDensity) {
  for (const std::string& manifold : all_manifolds()) {
    const auto flow = random_flow<double>(small_config(manifold, 1e-8), 14, 1, 1.5);
    const Points<double> points = flow->sample(50, 8).frames.back();
    std::vector<double> gradient(flow->parameters().size());
    const LogProb<double> log_prob = flow->log_prob(points);
    EXPECT_NEAR(flow->gradient_of(LikelihoodBatch{points}, gradient).total, -log_prob.mean(), 1e-6)
        << manifold;
    // E log p − E⟨a, x⟩ over the flow's own draws.
    const auto target = std::make_shared<LinearTarget<double>>(
        std::vector<double>(static_cast<std::size_t>(points.dimension), 0.0));
    EXPECT_NEAR(flow->gradient_of(ReverseKlBatch{50, target}, gradient, {{8, 0}}).total, log_prob.mean(),
                1e-6)
        << manifold;
  }
}

TEST(Flow, ATighterToleranceIsObeyed) {
  const auto flow = random_flow<double>(small_config("sphere:2", 1e-3), 15);
  const auto exact = random_flow<double>(small_config("sphere:2", 1e-11), 15);
  const Points<double> z = flow->sample_base(32, 1), x = exact->push(z).frames.back();
  const double loose = largest_distance(flow->manifold(), flow->push(z).frames.back(), x);
  flow->set_tolerance(1e-8, 1e-8);
  const double tight = largest_distance(flow->manifold(), flow->push(z).frames.back(), x);
  EXPECT_LT(tight, 1e-7);
  EXPECT_GT(loose, 100 * tight);
  EXPECT_THROW(flow->set_tolerance(0, 1e-5), Error);
}

}  // namespace
}  // namespace riemflow
