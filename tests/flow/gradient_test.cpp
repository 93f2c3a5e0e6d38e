// The gradient of the whole loss against the reference over the same steps, every component: on every
// manifold, every pair of options.

#include <gtest/gtest.h>

#include <algorithm>

#include "riemflow/distribution/base.hpp"
#include "riemflow/flow/tile_flow.hpp"
#include "tests/flow/field/correspondence.hpp"
#include "tests/flow/linear_target.hpp"
#include "tests/flow/pairwise.hpp"
#include "tests/flow/replay.hpp"

namespace riemflow {
namespace {

using namespace test;

enum class Objective { nll, reverse_kl };

struct GradientCase {
  FieldSpec field;
  DivergenceConfig divergence;
  Regularisation regularisation;
  Objective objective;
};

bool has(const std::vector<FactorSpec>& factors, std::initializer_list<Kind> kinds) {
  return std::any_of(factors.begin(), factors.end(), [&](const FactorSpec& factor) {
    return std::find(kinds.begin(), kinds.end(), factor.kind) != kinds.end();
  });
}

/// Every pair of options that make a difference on the manifold.
std::vector<GradientCase> models(const std::vector<FactorSpec>& factors) {
  std::vector<GradientCase> all;
  const int inputs = has(factors, {Kind::sphere, Kind::ball}) ? 3 : 2,
            scalings = has(factors, {Kind::ball}) ? 3 : 1;
  for (const Combination& choice : pairwise({inputs, scalings, 2, 2, 3, 3, 2})) {
    GradientCase model;
    model.field = {factors,
                   5,
                   2,
                   choice[2] == 0 ? reference::Activation::tanh : reference::Activation::swish,
                   choice[0] == 2,
                   static_cast<reference::Scaling>(choice[1]),
                   choice[3] == 0 ? 0 : 1.5,
                   choice[0] == 1};
    model.divergence = estimators()[static_cast<std::size_t>(choice[4])];
    if (choice[5] == 1) model.regularisation.kinetic = 0.3;
    if (choice[5] == 2) model.regularisation.frobenius = 0.2;
    model.objective = choice[6] == 0 ? Objective::nll : Objective::reverse_kl;
    all.push_back(model);
  }
  return all;
}

std::string described(const GradientCase& model) {
  return test::described(model.field) + ", " + test::described(model.divergence) +
         fmt::format(", kinetic {}, Frobenius {}", model.regularisation.kinetic,
                     model.regularisation.frobenius);
}

/// Unscaled on the ball, the last layer is made small: the path must stay inside. On spheres it is made
/// smaller, to save steps and with them time.
std::vector<double> random_parameters(const FieldSpec& spec, reference::Draw& draw) {
  std::vector<double> theta = draw.parameters(spec);
  const bool unscaled = spec.scaling == reference::Scaling::none && has(spec.factors, {Kind::ball});
  const double factor = unscaled ? 0.15 : has(spec.factors, {Kind::sphere}) ? 0.5 : 1;
  for (auto last = theta.end() - reference::ambient(spec) * (spec.width + 2); last != theta.end(); ++last)
    *last *= factor;
  return theta;
}

/// Two weighted points among fourteen others that only share their steps.
struct Batch {
  std::vector<std::vector<double>> points;  ///< a lane each
  std::vector<double> weights;
  std::vector<double> target;
};
constexpr int kWeighted[] = {6, 15};

template <class T>
Batch random_batch(const FieldSpec& spec, reference::Draw& draw) {
  Batch batch;
  for (int l = 0; l < kLanes; ++l) batch.points.push_back(rounded<T>(draw.point(spec)));
  batch.weights.assign(kLanes, 0.0);
  for (const int l : kWeighted) batch.weights[static_cast<std::size_t>(l)] = draw(0.2, 0.5);
  batch.weights = rounded<T>(batch.weights);
  for (int i = 0; i < reference::ambient(spec); ++i) batch.target.push_back(draw(-1, 1));
  batch.target = rounded<T>(batch.target);
  return batch;
}

constexpr GradientOptions kOptions{{91, 12}, 0};
constexpr std::uint64_t kFirstPoint = 1000;

struct Result {
  LossAndGradient values;
  std::vector<reference::Step> steps;
};

template <class T>
Result library_gradient(const GradientCase& model, const std::vector<double>& theta, const Batch& batch) {
  FlowConfig config;
  config.manifold = manifold_name(model.field);
  config.field = field_config(model.field);
  config.divergence = model.divergence;
  config.regularisation = model.regularisation;
  config.solver.rtol = config.solver.atol = 1e-4;
  const std::shared_ptr<const Manifold<T>> manifold = config.manifold.on<T>();
  const VectorField<T> field(manifold, config.field);
  const auto base = default_base<T>(manifold);
  TileFlow<T> flow(field, *base, config);
  const std::vector<T> parameters(theta.begin(), theta.end());
  AlignedVector<T> working(field.working_size()), bar(field.working_size() + simd::kOverhang, T(0));
  field.prepare(parameters, working.data());
  flow.bind(working.data(), bar.data());

  const std::vector<Pack<T>> tile = tile_of<T>(batch.points);
  Pack<T> weight;
  for (int l = 0; l < kLanes; ++l) weight[l] = static_cast<T>(batch.weights[static_cast<std::size_t>(l)]);
  TileLoss loss;
  const LinearTarget<T> target(batch.target);
  const SolveReport report =
      model.objective == Objective::nll
          ? flow.nll_gradient(tile.data(), weight, kOptions, kFirstPoint, loss)
          : flow.reverse_kl_gradient(tile.data(), weight, target, kOptions, kFirstPoint, loss);
  EXPECT_EQ(report.status, Status::ok) << described(model);
  std::vector<T> gradient(parameters.size());
  field.pull_back(parameters, bar.data(), gradient);
  Result result{{loss.total, {gradient.begin(), gradient.end()}}, {}};
  for (const auto& [t, h] : flow.trajectory().steps) result.steps.push_back({t, h});
  return result;
}

template <class T>
LossAndGradient reference_gradient(const GradientCase& model, const std::vector<double>& theta,
                                   const Batch& batch, const std::vector<reference::Step>& steps) {
  LossAndGradient sum{0, std::vector<double>(theta.size(), 0.0)};
  for (const int lane : kWeighted) {
    const auto l = static_cast<std::size_t>(lane);
    const Random random(kOptions.key.seed, Purpose::divergence_noise, kOptions.key.iteration,
                        kFirstPoint + l);
    const reference::Problem problem{
        model.field,
        reference::dopri5(),
        steps,
        drawn_noise<T>(model.divergence, reference::ambient(model.field), random),
        {model.regularisation.kinetic, model.regularisation.frobenius}};
    const auto loss = [&](const auto& parameters) {
      return model.objective == Objective::nll
                 ? replayed_nll(problem, parameters, batch.points[l])
                 : replayed_reverse_kl(problem, parameters, batch.points[l], batch.target);
    };
    const LossAndGradient one = loss_and_gradient(loss, theta);
    sum.loss += batch.weights[l] * one.loss;
    for (std::size_t p = 0; p < theta.size(); ++p) sum.gradient[p] += batch.weights[l] * one.gradient[p];
  }
  return sum;
}

/// Relative to the largest component.
double gradient_error(const std::vector<double>& actual, const std::vector<double>& expected) {
  double largest = 0, off = 0;
  for (std::size_t p = 0; p < expected.size(); ++p) {
    largest = std::max(largest, std::abs(expected[p]));
    off = std::max(off, actual[p] == actual[p] ? std::abs(actual[p] - expected[p]) : 1e300);
  }
  return off / largest;
}

struct Tolerance {
  double gradient, loss;
};
template <class T>
void expect_exact_gradients(const std::vector<GradientCase>& models, std::uint64_t seed,
                            Tolerance tolerance) {
  reference::Draw draw{std::mt19937_64{seed}};
  double worst = 0;
  for (const GradientCase& model : models) {
    const std::vector<double> theta = rounded<T>(random_parameters(model.field, draw));
    const Batch batch = random_batch<T>(model.field, draw);
    const auto [values, steps] = library_gradient<T>(model, theta, batch);
    const LossAndGradient expected = reference_gradient<T>(model, theta, batch, steps);
    EXPECT_GE(steps.size(), 2u) << described(model);
    EXPECT_NEAR(values.loss, expected.loss, tolerance.loss * (1 + std::abs(expected.loss)))
        << described(model);
    const double error = gradient_error(values.gradient, expected.gradient);
    EXPECT_LT(error, tolerance.gradient) << described(model);
    worst = std::max(worst, error);
  }
  testing::Test::RecordProperty("worst_relative_error", fmt::format("{:.2e}", worst));
}

// A few, for the runs that leave out what is slow.
TEST(Gradient, EqualsTheReferenceOnSomeModels) {
  using enum Kind;
  for (const FactorSpec& factor : {FactorSpec{sphere, 2, 1}, FactorSpec{ball, 2, -1}, FactorSpec{torus, 2}}) {
    std::vector<GradientCase> some = models({factor});
    some.resize(5);
    expect_exact_gradients<double>(some, 33, {1e-10, 1e-12});
    some.resize(1);
    expect_exact_gradients<float>(some, 34, {1e-3, 1e-5});
  }
}

class SlowGradient : public testing::TestWithParam<std::vector<FactorSpec>> {};
INSTANTIATE_TEST_SUITE_P(
    Manifolds, SlowGradient,
    testing::Values(std::vector{FactorSpec{Kind::euclidean, 2}},  //
                    std::vector{FactorSpec{Kind::sphere, 2, 1}},  //
                    std::vector{FactorSpec{Kind::sphere, 3, 1}},  //
                    std::vector{FactorSpec{Kind::ball, 2, -1}}, std::vector{FactorSpec{Kind::ball, 2, -0.5}},
                    std::vector{FactorSpec{Kind::ball, 3, -1}},  //
                    std::vector{FactorSpec{Kind::torus, 2}},
                    std::vector{FactorSpec{Kind::sphere, 2, 1}, FactorSpec{Kind::sphere, 1, 1}}));

// With both objectives, whichever of them the pairs ask for.
TEST_P(SlowGradient, EqualsTheReferenceInDouble) {
  std::vector<GradientCase> all;
  for (GradientCase model : models(GetParam()))
    for (const Objective objective : {Objective::nll, Objective::reverse_kl}) {
      model.objective = objective;
      all.push_back(model);
    }
  expect_exact_gradients<double>(all, 31, {1e-10, 1e-12});
}
TEST_P(SlowGradient, EqualsTheReferenceInFloat) {
  expect_exact_gradients<float>(models(GetParam()), 32, {1e-3, 1e-5});
}

}  // namespace
}  // namespace riemflow
