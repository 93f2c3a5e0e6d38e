// The law of the estimated divergence. With S = sym(P s Du P), the estimate from one probe has mean div f and
// variance
//   2‖S‖²_F             for Gaussian noise,
//   2‖S‖²_F − 2Σ S_ii²  for Rademacher noise (in the coordinates in which it is drawn),
// and k probes divide it by k.

#include <gtest/gtest.h>

#include "riemflow/flow/field/field_pass.hpp"
#include "tests/flow/field/correspondence.hpp"

namespace riemflow {
namespace {

using namespace test;

/// S above, as rows.
reference::Matrix<double> symmetric_part(const FieldSpec& spec, const std::vector<double>& theta,
                                         const std::vector<double>& z, double t) {
  const int D = reference::ambient(spec);
  const auto n = static_cast<std::size_t>(D);
  std::vector<std::vector<double>> columns;
  for (int i = 0; i < D; ++i) {
    const auto seed = reference::tangent_projection(spec, z, reference::coordinate_vector<double>(D, i));
    auto blocks = reference::blocks(spec, reference::network_derivative(spec, theta, z, t, seed));
    const auto z_blocks = reference::blocks(spec, z);
    for (std::size_t b = 0; b < blocks.size(); ++b)
      blocks[b] = reference::scaled(reference::output_scale(spec, spec.factors[b], z_blocks[b]), blocks[b]);
    columns.push_back(reference::tangent_projection(spec, z, reference::concatenation(blocks)));
  }
  reference::Matrix<double> s(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) s[i][j] = 0.5 * (columns[j][i] + columns[i][j]);
  return s;
}

double predicted_variance(const reference::Matrix<double>& s, const DivergenceConfig& divergence) {
  double variance = 0;
  for (std::size_t i = 0; i < s.size(); ++i)
    for (std::size_t j = 0; j < s.size(); ++j)
      if (i != j || divergence.noise == Noise::gaussian) variance += 2 * s[i][j] * s[i][j];
  return variance / divergence.probes;
}

/// Divergences of one point under n draws of the noise.
std::vector<double> estimates(const FieldSpec& spec, const std::vector<double>& theta,
                              const std::vector<double>& z, double t, const DivergenceConfig& divergence,
                              int n) {
  const VectorField<double> field(
      std::shared_ptr<const Manifold<double>>(parse_manifold<double>(manifold_name(spec))),
      field_config(spec));
  FieldPass<double> pass(field, divergence, false, true);
  AlignedVector<double> working(field.working_size()), tape(pass.tape_size());
  field.prepare(theta, working.data());
  const auto tile = tile_of<double>({z});
  std::vector<Pack<double>> f(tile.size());
  Rates<double> rates;
  std::vector<double> values;
  for (std::uint64_t round = 0; values.size() < static_cast<std::size_t>(n); ++round) {
    for (int l = 0; l < kLanes; ++l) {
      Random random(41, Purpose::test, round, static_cast<std::uint64_t>(l));
      pass.draw_noise(random, l);
    }
    EXPECT_TRUE(pass.evaluate(working.data(), t, tile.data(), f.data(), rates, tape.data()));
    values.insert(values.end(), rates.divergence.lane, rates.divergence.lane + kLanes);
  }
  return values;
}

struct Moments {
  double mean, variance, error_of_mean, error_of_variance;
};
Moments moments(const std::vector<double>& x) {
  const auto n = static_cast<double>(x.size());
  double mean = 0, second = 0, fourth = 0;
  for (const double xi : x) mean += xi / n;
  for (const double xi : x) second += std::pow(xi - mean, 2) / n, fourth += std::pow(xi - mean, 4) / n;
  return {mean, second * n / (n - 1), std::sqrt(second / n), std::sqrt((fourth - second * second) / n)};
}

TEST(Hutchinson, MeanAndVarianceAreThePredictedOnes) {
  reference::Draw draw{std::mt19937_64{11}};
  for (const auto& [name, spec] : reference::cases()) {
    const std::vector<double> theta = draw.parameters(spec), z = draw.point(spec);
    const double t = 0.6, exact = reference::divergence(spec, theta, z, t);
    const auto s = symmetric_part(spec, theta, z, t);
    for (const Noise noise : {Noise::rademacher, Noise::gaussian}) {
      for (const int probes : {1, 3}) {
        const DivergenceConfig divergence{DivergenceEstimator::hutchinson, noise, probes};
        const Moments seen = moments(estimates(spec, theta, z, t, divergence, 20000));
        const double variance = predicted_variance(s, divergence);
        EXPECT_NEAR(seen.mean, exact, 4 * seen.error_of_mean) << name << ", " << described(divergence);
        EXPECT_NEAR(seen.variance, variance, 4.5 * seen.error_of_variance)
            << name << ", " << described(divergence);
        EXPECT_LT(seen.error_of_variance, 0.03 * variance) << name << ": too few draws to tell";
      }
    }
  }
}

// In one flat dimension Rademacher noise estimates without error; in more it never has more variance than
// Gaussian.
TEST(Hutchinson, RademacherIsExactInOneDimension) {
  reference::Draw draw{std::mt19937_64{12}};
  for (const FactorSpec& factor :
       {FactorSpec{Kind::euclidean, 1}, FactorSpec{Kind::torus, 1}, FactorSpec{Kind::ball, 1, -0.7}}) {
    const FieldSpec spec{{factor}, 6, 2};
    const std::vector<double> theta = draw.parameters(spec), z = draw.point(spec);
    const double exact = reference::divergence(spec, theta, z, 0.2);
    for (const double estimate :
         estimates(spec, theta, z, 0.2, {DivergenceEstimator::hutchinson, Noise::rademacher, 1}, 64))
      EXPECT_NEAR(estimate, exact, 1e-13 * (1 + std::abs(exact)));
  }
}

}  // namespace
}  // namespace riemflow
