// The field and its rates on a tile against the reference, on every manifold and with every layer.

#include "riemflow/flow/field/field_pass.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "tests/flow/field/correspondence.hpp"

namespace riemflow {
namespace {

using namespace test;

/// A field of the library with its parameters, evaluated through a FieldPass.
template <class T>
class Evaluator {
 public:
  Evaluator(const FieldSpec& spec, const std::vector<double>& theta, const DivergenceConfig& divergence)
      : field_(std::shared_ptr<const Manifold<T>>(parse_manifold<T>(manifold_name(spec))),
               field_config(spec)),
        pass_(field_, divergence, true, true),
        working_(field_.working_size()),
        tape_(pass_.tape_size()),
        f(static_cast<std::size_t>(field_.manifold().ambient())) {
    field_.prepare(std::vector<T>(theta.begin(), theta.end()), working_.data());
  }

  void draw_noise(std::uint64_t seed) {
    for (int l = 0; l < kLanes; ++l) {
      Random random(seed, Purpose::test, 0, static_cast<std::uint64_t>(l));
      pass_.draw_noise(random, l);
    }
  }
  bool evaluate(double t, const std::vector<Pack<T>>& z) {
    return pass_.evaluate(working_.data(), static_cast<T>(t), z.data(), f.data(), rates, tape_.data());
  }

 private:
  VectorField<T> field_;
  FieldPass<T> pass_;
  AlignedVector<T> working_, tape_;

 public:
  std::vector<Pack<T>> f;
  Rates<T> rates;
};

/// On the manifold, and as a Runge–Kutta stage may leave it: off the sphere, beyond the seam of the torus; at
/// the centre of the ball and near its rim.
std::vector<std::vector<double>> points_on_and_off(const FieldSpec& spec, reference::Draw& draw) {
  struct Displacement {
    double sphere, torus, ball;
  };
  std::vector<std::vector<double>> points;
  for (const auto& [sphere, torus, ball] : {Displacement{1, 0, 1}, {0.93, -3, 1e-3}, {1.1, 4, 1.5}}) {
    std::vector<std::vector<double>> z = reference::blocks(spec, draw.point(spec));
    for (std::size_t b = 0; b < z.size(); ++b) {
      if (spec.factors[b].kind == Kind::sphere) z[b] = reference::scaled(sphere, z[b]);
      if (spec.factors[b].kind == Kind::ball) z[b] = reference::scaled(ball, z[b]);
      for (double& angle : z[b]) angle += spec.factors[b].kind == Kind::torus ? torus : 0;
    }
    points.push_back(reference::concatenation(z));
  }
  return points;
}

/// |actual − expected| ≤ tolerance·(1 + |expected|) for f, divergence, kinetic and Frobenius, in every lane.
template <class T>
void expect_reference_values(const FieldSpec& spec, const DivergenceConfig& divergence, double tolerance,
                             reference::Draw& draw) {
  const std::vector<double> theta = rounded<T>(draw.parameters(spec));
  std::vector<std::vector<double>> points = points_on_and_off(spec, draw);
  for (std::vector<double>& point : points) point = rounded<T>(point);
  const double t = 0.375;
  const std::uint64_t seed = draw.engine();
  Evaluator<T> field(spec, theta, divergence);
  field.draw_noise(seed);
  ASSERT_TRUE(field.evaluate(t, tile_of<T>(points)));

  // One lane of each point; over the cases, every lane.
  for (std::size_t p = 0; p < points.size(); ++p) {
    const int lane = static_cast<int>(p) + static_cast<int>(points.size()) * static_cast<int>(seed % 5);
    const reference::Noise noise =
        drawn_noise<T>(divergence, reference::ambient(spec),
                       Random(seed, Purpose::test, 0, static_cast<std::uint64_t>(lane)));
    const auto near = [&](T actual, double expected, const char* what) {
      EXPECT_NEAR(static_cast<double>(actual), expected, tolerance * (1 + std::abs(expected)))
          << what << " of point " << p << ": " << described(spec) << ", " << described(divergence);
    };
    // f is constant along rays; its rates are those at the point's projection.
    const std::vector<double> f = reference::field(spec, theta, points[p], t);
    const std::vector<double> x = reference::projection(spec, points[p]);
    for (std::size_t i = 0; i < f.size(); ++i) near(field.f[i][lane], f[i], "f");
    near(field.rates.divergence[lane], reference::divergence(spec, theta, x, t, noise), "divergence");
    near(field.rates.kinetic[lane], reference::kinetic(spec, theta, x, t), "kinetic energy");
    near(field.rates.frobenius[lane], reference::frobenius(spec, theta, x, t, noise), "Frobenius norm");
  }
}

bool has(const std::vector<FactorSpec>& factors, std::initializer_list<Kind> kinds) {
  return std::any_of(factors.begin(), factors.end(), [&](const FactorSpec& factor) {
    return std::find(kinds.begin(), kinds.end(), factor.kind) != kinds.end();
  });
}

/// Every combination of options that differ on the manifold.
std::vector<FieldSpec> all_fields(const std::vector<FactorSpec>& factors, int width, int depth) {
  using reference::Scaling;
  std::vector<FieldSpec> fields;
  for (const bool geodesic : {false, true})
    for (const Scaling scaling : {Scaling::none, Scaling::unit, Scaling::paper})
      for (const auto activation : {reference::Activation::tanh, reference::Activation::swish})
        for (const double bound : {0.0, 1.5}) {
          if (geodesic && !has(factors, {Kind::sphere, Kind::ball})) continue;
          if (scaling != Scaling::none && !has(factors, {Kind::ball})) continue;
          fields.push_back({factors, width, depth, activation, geodesic, scaling, bound});
        }
  return fields;
}

std::vector<std::vector<FactorSpec>> manifolds() {
  using enum Kind;
  return {{{euclidean, 2}},
          {{sphere, 2, 1}},
          {{sphere, 2, 0.5}},
          {{sphere, 2, 4}},
          {{sphere, 3, 1}},
          {{sphere, 3, 0.5}},
          {{ball, 2, -1}},
          {{ball, 2, -0.5}},
          {{ball, 3, -1}},
          {{torus, 2}},
          {{sphere, 2, 1}, {sphere, 1, 1}},
          {{sphere, 2, 1}, {torus, 1}},
          {{ball, 2, -1}, {sphere, 2, 1}},
          {{euclidean, 1}},
          {{sphere, 1, 1}},
          {{ball, 1, -1}},
          {{torus, 1}}};
}

constexpr double kDouble = 1e-12, kFloat = 1e-5;

TEST(FieldPass, EqualsTheReferenceOnItsCases) {
  reference::Draw draw;
  for (const auto& [name, spec] : reference::cases()) {
    for (const DivergenceConfig& divergence : estimators()) {
      expect_reference_values<double>(spec, divergence, kDouble, draw);
      expect_reference_values<float>(spec, divergence, kFloat, draw);
    }
  }
}

TEST(FieldPass, EqualsTheReferenceWithWavesOnEveryManifold) {
  reference::Draw draw{std::mt19937_64{5}};
  for (const auto& factors : manifolds()) {
    for (const int depth : {1, 2}) {
      const FieldSpec spec{factors, 5,   depth, reference::Activation::swish, false, reference::Scaling::unit,
                           0,       true};
      for (const DivergenceConfig& divergence : estimators()) {
        expect_reference_values<double>(spec, divergence, kDouble, draw);
        expect_reference_values<float>(spec, divergence, kFloat, draw);
      }
    }
  }
}

TEST(FieldPass, EqualsTheReferenceWithEveryOptionOnEveryManifold) {
  reference::Draw draw{std::mt19937_64{4}};
  for (const auto& factors : manifolds()) {
    for (const FieldSpec& spec : all_fields(factors, 5, 2)) {
      for (const DivergenceConfig& divergence : estimators()) {
        expect_reference_values<double>(spec, divergence, kDouble, draw);
        expect_reference_values<float>(spec, divergence, kFloat, draw);
      }
    }
  }
}

TEST(FieldPass, EqualsTheReferenceInEightDimensions) {
  reference::Draw draw{std::mt19937_64{5}};
  for (const FactorSpec& factor : {FactorSpec{Kind::sphere, 8, 1}, FactorSpec{Kind::ball, 8, -1}}) {
    for (const bool geodesic : {false, true}) {
      const FieldSpec spec{{factor}, 19, 3, reference::Activation::swish, geodesic, reference::Scaling::unit};
      for (const DivergenceConfig& divergence : estimators()) {
        expect_reference_values<double>(spec, divergence, 10 * kDouble, draw);
        expect_reference_values<float>(spec, divergence, 10 * kFloat, draw);
      }
    }
  }
}

template <class T>
void expect_outside(const FieldSpec& spec, int bad_coordinate, double value) {
  reference::Draw draw;
  Evaluator<T> field(spec, draw.parameters(spec), {});
  std::vector<Pack<T>> z = tile_of<T>({draw.point(spec), draw.point(spec)});
  ASSERT_TRUE(field.evaluate(0.5, z));
  for (const int lane : {0, 7, 15}) {
    std::vector<Pack<T>> bad = z;
    bad[static_cast<std::size_t>(bad_coordinate)][lane] = static_cast<T>(value);
    EXPECT_FALSE(field.evaluate(0.5, bad)) << described(spec) << ", " << value << " in lane " << lane;
  }
}

TEST(FieldPass, OneLaneOutsideTheDomainIsEnough) {
  const FieldSpec ball{{{Kind::ball, 2, -4}}, 4, 2};
  const FieldSpec product{{{Kind::sphere, 2, 1}, {Kind::ball, 2, -1}}, 4, 2};
  expect_outside<double>(ball, 1, 0.5);
  expect_outside<float>(ball, 0, 0.5);
  expect_outside<double>(product, 3, 1.0);
  expect_outside<float>(product, 4, -7.0);
  for (const double broken :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    expect_outside<double>({{{Kind::euclidean, 2}}, 4, 2}, 1, broken);
    expect_outside<double>({{{Kind::torus, 2}}, 4, 2}, 0, broken);
    expect_outside<double>({{{Kind::sphere, 2, 1}}, 4, 2}, 2, broken);
  }
}

TEST(FieldPass, WithoutDerivativesTheFieldIsTheSame) {
  reference::Draw draw;
  for (const auto& [name, spec] : reference::cases()) {
    const std::vector<double> theta = draw.parameters(spec);
    const auto z = tile_of<double>({draw.point(spec), draw.point(spec), draw.point(spec)});
    Evaluator<double> with(spec, theta, {});
    ASSERT_TRUE(with.evaluate(0.3, z));
    const VectorField<double> field(
        std::shared_ptr<const Manifold<double>>(parse_manifold<double>(manifold_name(spec))),
        field_config(spec));
    FieldPass<double> values(field, {}, false, false);
    EXPECT_EQ(values.seeds(), 0);
    AlignedVector<double> working(field.working_size()), tape(values.tape_size());
    field.prepare(theta, working.data());
    std::vector<Pack<double>> f(z.size());
    Rates<double> rates;
    ASSERT_TRUE(values.evaluate(working.data(), 0.3, z.data(), f.data(), rates, tape.data()));
    for (std::size_t i = 0; i < f.size(); ++i)
      for (int l = 0; l < kLanes; ++l) EXPECT_DOUBLE_EQ(f[i][l], with.f[i][l]) << name;
  }
}

}  // namespace
}  // namespace riemflow
