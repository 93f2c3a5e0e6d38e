// Densities in blocks against plain loops. RIEMFLOW_SIMD chooses the instruction set under test.

#include "riemflow/core/simd/densities.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "riemflow/core/aligned.hpp"
#include "riemflow/core/random.hpp"
#include "tests/sanitized.hpp"

namespace riemflow {
namespace {

using simd::DensityFactor;
using simd::kBlock;
using DensityKind = DensityFactor::Kind;

/// log M_k(α), M_k(α) = ∫₀^∞ tᵏ φ(t − α) dt, as ∫ e^{(k+1)u} φ(e^u − α) du by the trapezoidal rule: what is
/// summed is analytic and vanishes with all its derivatives on both sides. With t = T e^v about its peak T,
/// T(T − α) = k + 1, so that nothing overflows and t − α = T(e^v − 1) + (k + 1)/T does not cancel.
double exact_log_moment(int k, double alpha) {
  using Real = long double;
  const Real a = alpha, root = std::sqrt(a * a + 4 * (k + 1));
  const Real peak = a > 0 ? (a + root) / 2 : 2 * (k + 1) / (root - a), rest = (k + 1) / peak;
  const auto log_term = [&](Real v) {
    const Real gap = peak * std::expm1(v) + rest;
    return (k + 1) * v - 0.5L * gap * gap;
  };
  const Real step = 1 / std::sqrt(peak * (2 * peak - a)) / 8, top = log_term(0);
  Real sum = 0;
  for (const int sign : {-1, 1})
    for (int j = sign < 0 ? 1 : 0;; ++j) {
      const Real term = std::exp(log_term(sign * j * step) - top);
      sum += term;
      if (term < 1e-22L) break;
    }
  return static_cast<double>(top + (k + 1) * std::log(peak) + std::log(sum * step) -
                             0.5L * std::log(2 * std::numbers::pi_v<Real>));
}

TEST(Densities, MomentsOfTheSphere) {
  // The reference itself: M₁ = αΦ + φ, M₂ = (α² + 1)Φ + αφ
  for (const double alpha : {-3.0, 0.0, 0.5, 12.0}) {
    const double whole = 0.5 * std::erfc(-alpha / std::numbers::sqrt2),
                 edge = std::exp(-0.5 * alpha * alpha) / std::sqrt(2 * std::numbers::pi);
    EXPECT_NEAR(exact_log_moment(1, alpha), std::log(alpha * whole + edge), 1e-13);
    EXPECT_NEAR(exact_log_moment(2, alpha), std::log((alpha * alpha + 1) * whole + alpha * edge), 1e-12);
  }
  std::vector<double> alphas = {-7.99, -5, -1, -0.999, 0, 1e-9, 0.999, 1, 1.001, 8.99, 9, 9.01, 30, 1e4, 1e8};
  for (double alpha = -7.9; alpha < 12; alpha += 0.0613) alphas.push_back(alpha);
  for (const int k : {1, 2, 3, 5, 8, 9, 17, 64}) {
    AlignedVector<double> c, a, s2;
    for (std::size_t i = 0; i < (alphas.size() + 15) / 16 * 16; ++i) {
      // α = c/(s√a): several ways to the same
      const double alpha = alphas[std::min(i, alphas.size() - 1)],
                   root = 0.2 + 0.1 * static_cast<double>(i % 9);
      const double s = std::min(3.0, 0.9 / (root * std::max(0.1, std::abs(alpha))));
      a.push_back(root * root);
      s2.push_back(s * s);
      c.push_back(alpha * s * root);
    }
    AlignedVector<double> values(c.size());
    simd::densities().log_moments(c.size(), k, c.data(), a.data(), s2.data(), values.data());
    for (std::size_t i = 0; i < alphas.size(); ++i) {
      const double alpha = c[i] / std::sqrt(s2[i] * a[i]), truth = exact_log_moment(k, alpha);
      const double expected = truth + 0.5 * k * std::log(s2[i]) - 0.5 * (k + 1) * std::log(a[i]);
      // Beyond the equator the recurrence cancels: relative to the moment of |α|.
      const double tolerance =
          4e-15 * (1 + k + std::abs(truth)) * std::exp(exact_log_moment(k, std::abs(alpha)) - truth);
      if (tolerance < 1)
        EXPECT_NEAR(values[i], expected, tolerance) << k << " at " << alpha;
      else
        EXPECT_LT(values[i], expected + std::log(1 + 2 * tolerance)) << k << " at " << alpha;
    }
  }
  // Below −8 it counts as nothing.
  const AlignedVector<double> c(kBlock, -0.81), a(kBlock, 1.0), s2(kBlock, 0.01);
  AlignedVector<double> values(kBlock);
  simd::densities().log_moments(kBlock, 2, c.data(), a.data(), s2.data(), values.data());
  for (const double value : values) EXPECT_EQ(value, -INFINITY);
}

/// Densities with random numbers in their rows, and the formulas of densities.hpp, one by one.
struct DensitySample {
  std::vector<DensityFactor> factors;
  int rows = 2, scratch = 0;
  std::size_t blocks;
  AlignedVector<double> numbers;
  std::vector<double> angles, x;

  struct Logarithms {
    double value, bound, size;  ///< size: of the terms
  };

  DensitySample(Random& random, std::vector<DensityFactor> of, std::size_t blocks_, double narrow)
      : factors(std::move(of)), blocks(blocks_) {
    for (DensityFactor& factor : factors) {
      const bool ball = factor.kind == DensityKind::ball || factor.kind == DensityKind::round_ball;
      factor.row = rows;
      rows += factor.rows();
      scratch = std::max(scratch, factor.ambient * kBlock);
      std::vector<double>& point = factor.kind == DensityKind::torus ? angles : x;
      factor.point = static_cast<int>(point.size());
      for (const double number : point_of(random, factor)) point.push_back(number);
      if (ball) point.push_back(gap(factor, &point[static_cast<std::size_t>(factor.point)]));
    }
    numbers.resize(blocks * static_cast<std::size_t>(rows) * kBlock);
    for (std::size_t i = 0; i < blocks * kBlock; ++i) {
      at(i, 0) = random.normal();
      at(i, 1) = at(i, 0) + random.uniform();
      for (const DensityFactor& factor : factors) {
        int row = factor.row;
        const std::vector<double> m = point_of(random, factor);
        for (const double number : m) at(i, row++) = number;
        if (factor.kind == DensityKind::ball || factor.kind == DensityKind::round_ball)
          at(i, row++) = gap(factor, m.data());
        if (factor.kind == DensityKind::sphere) at(i, row++) = std::exp(2 * random.normal() - narrow);
        if (factor.kind == DensityKind::round || factor.kind == DensityKind::round_ball) {
          at(i, row++) = std::exp(random.normal() + narrow);
          continue;
        }
        for (; row < factor.row + factor.rows(); ++row) at(i, row) = std::exp(0.5 * narrow) * random.normal();
      }
    }
  }

  double& at(std::size_t i, int row) {
    return numbers[(i / kBlock * static_cast<std::size_t>(rows) + static_cast<std::size_t>(row)) * kBlock +
                   i % kBlock];
  }

  static std::vector<double> point_of(Random& random, const DensityFactor& factor) {
    const bool ball = factor.kind == DensityKind::ball || factor.kind == DensityKind::round_ball;
    std::vector<double> point(static_cast<std::size_t>(ball ? factor.dimension : factor.ambient));
    double square = 0;
    for (double& number : point) {
      number =
          factor.kind == DensityKind::torus ? std::numbers::pi * (2 * random.uniform() - 1) : random.normal();
      square += number * number;
    }
    if (factor.kind == DensityKind::sphere)
      for (double& number : point) number /= std::sqrt(factor.curvature * square);
    if (ball)
      for (double& number : point)
        number *= std::tanh(std::sqrt(square)) / std::sqrt(-factor.curvature * square);
    return point;
  }
  static double gap(const DensityFactor& factor, const double* point) {
    double square = 0;
    for (int i = 0; i < factor.dimension; ++i) square += point[i] * point[i];
    return 1 + factor.curvature * square;
  }

  /// |Wv|², W's rows from `row` on
  double square(std::size_t i, int row, const DensityFactor& factor, const std::vector<double>& v) {
    double q = 0;
    for (int r = 0; r < factor.dimension; ++r) {
      double u = 0;
      for (std::size_t c = static_cast<std::size_t>(r); c < v.size(); ++c) u += at(i, row++) * v[c];
      q += u * u;
    }
    EXPECT_EQ(row, factor.row + factor.rows());
    return q;
  }

  Logarithms expected(std::size_t i) {
    Logarithms sum{at(i, 0), at(i, 1), 1};
    const auto subtract = [&](double form) {
      sum.value -= 0.5 * form, sum.bound -= 0.5 * form, sum.size += form;
    };
    for (const DensityFactor& factor : factors) {
      const double* point = (factor.kind == DensityKind::torus ? angles : x).data() + factor.point;
      const int D = factor.ambient, d = factor.dimension, row = factor.row;
      const double K = factor.curvature;
      std::vector<double> v;
      double distance = 0;
      const bool ball = factor.kind == DensityKind::ball || factor.kind == DensityKind::round_ball;
      for (int c = 0; c < (ball ? d : D); ++c) {
        v.push_back(point[c] - at(i, row + c));
        if (factor.kind == DensityKind::torus) v.back() = std::remainder(v.back(), 2 * std::numbers::pi);
        distance += v.back() * v.back();
      }
      if (factor.kind == DensityKind::round) {
        subtract(at(i, row + D) * distance);
      } else if (factor.kind == DensityKind::sphere) {
        const double s2 = at(i, row + D), q = square(i, row + D + 1, factor, v);
        double c = 0;
        for (int j = 0; j < D; ++j) c += K * point[j] * at(i, row + j);
        const double a = c * c + s2 * q, alpha = c / std::sqrt(s2 * a);
        subtract(q / a);
        const double moment = alpha < -8 ? -INFINITY : exact_log_moment(d, alpha);
        sum.value += -0.5 * (d + 1) * std::log(a) + 0.5 * d * std::log(s2) + moment;
        sum.size +=
            std::isfinite(moment) ? (d + 1) * std::exp(exact_log_moment(d, std::abs(alpha)) - moment) : 0;
      } else if (ball) {
        const double b = point[d], p = -K * distance / (b * at(i, row + d)), root = std::sqrt(1 + p);
        const double h = p > 0 ? std::asinh(std::sqrt(p)) / std::sqrt(p) : 1;
        sum.value += (d - 1) * std::log(h / root);
        if (factor.kind == DensityKind::round_ball) {
          subtract(at(i, row + d + 1) * 4 / -K * p * h * h);
          continue;
        }
        for (int c = 0; c < d; ++c)
          v[static_cast<std::size_t>(c)] =
              2 * h / (root * b) * (v[static_cast<std::size_t>(c)] - p * b * at(i, row + c));
        subtract(square(i, row + d + 1, factor, v));
        sum.size += 10 / b * sum.size;
      } else {
        subtract(square(i, row + D, factor, v));
      }
    }
    return sum;
  }

  AlignedVector<double> computed(double log_floor) const {
    AlignedVector<double> values(blocks * kBlock, 7.0), space(static_cast<std::size_t>(scratch));
    const simd::DensityLayout layout{factors.data(), static_cast<int>(factors.size()), rows, scratch};
    simd::densities().log_values(layout, numbers.data(), blocks, angles.data(), x.data(), log_floor,
                                 space.data(), values.data());
    return values;
  }
};

std::vector<std::vector<DensityFactor>> density_cases() {
  std::vector<std::vector<DensityFactor>> all;
  for (const int d : {1, 2, 3, 4, 7, 9, 16, 64}) {
    if (kSanitized && d > 9) continue;
    all.push_back({{DensityKind::euclidean, d, d, 0, 0, 0}});
    all.push_back({{DensityKind::torus, d, d, 0, 0, 0}});
    all.push_back({{DensityKind::sphere, d, d + 1, 1, 0, 0}});
    all.push_back({{DensityKind::ball, d, d, -1, 0, 0}});
    all.push_back({{DensityKind::round, d, 2 * d, 0, 0, 0}});
    all.push_back({{DensityKind::round_ball, d, d + 1, -0.5, 0, 0}});
  }
  all.push_back({{DensityKind::sphere, 2, 3, 0.25, 0, 0}, {DensityKind::torus, 1, 1, 0, 0, 0}});
  all.push_back({{DensityKind::torus, 2, 2, 0, 0, 0},
                 {DensityKind::sphere, 3, 4, 1, 0, 0},
                 {DensityKind::torus, 3, 3, 0, 0, 0}});
  all.push_back({{DensityKind::ball, 2, 2, -2, 0, 0},
                 {DensityKind::euclidean, 2, 2, 0, 0, 0},
                 {DensityKind::sphere, 2, 3, 1, 0, 0}});
  return all;
}

TEST(Densities, AreTheFormulas) {
  Random random(19, Purpose::test, 0, 0);
  for (const std::vector<DensityFactor>& factors : density_cases())
    for (const double narrow : {-1.0, 3.0, 9.0})
      for (const std::size_t blocks : {1, 3}) {
        DensitySample sample(random, factors, blocks, narrow);
        const AlignedVector<double> values = sample.computed(-INFINITY);
        for (std::size_t i = 0; i < values.size(); ++i) {
          const auto [value, bound, size] = sample.expected(i);
          const double tolerance = 2e-14 * size * factors[0].ambient;
          if (!(tolerance < 0.1)) continue;  // beyond the equator, with many dimensions
          if (std::isfinite(value))
            ASSERT_NEAR(values[i], value, tolerance)
                << static_cast<int>(factors[0].kind) << " of " << factors[0].dimension;
          else
            ASSERT_EQ(values[i], value);
        }
      }
}

// What is below the floor may be left out, what is not is the same to the bit; and if all are, all are.
TEST(Densities, OnlyWhatIsBelowTheFloorIsLeftOut) {
  Random random(23, Purpose::test, 0, 0);
  for (const std::vector<DensityFactor>& factors : density_cases()) {
    DensitySample sample(random, factors, 6, 0.0);
    const AlignedVector<double> all = sample.computed(-INFINITY);
    std::vector<double> bounds;
    for (std::size_t i = 0; i < all.size(); ++i) bounds.push_back(sample.expected(i).bound);
    std::vector<double> sorted = bounds;
    std::sort(sorted.begin(), sorted.end());
    for (const std::size_t rank : {std::size_t{0}, sorted.size() / 2, sorted.size() - 1}) {
      const double floor = sorted[rank] - 1e-6 * (1 + std::abs(sorted[rank]));
      const AlignedVector<double> values = sample.computed(floor);
      for (std::size_t i = 0; i < all.size(); ++i)
        if (bounds[i] >= sorted[rank])
          ASSERT_EQ(values[i], all[i]) << static_cast<int>(factors[0].kind);
        else
          ASSERT_TRUE(values[i] == all[i] || values[i] == -INFINITY);
    }
    const double above = sorted.back() + 1e-6 * (1 + std::abs(sorted.back()));
    for (const double value : sample.computed(above)) ASSERT_EQ(value, -INFINITY);
  }
}

TEST(Densities, BoundsOfBalls) {
  Random random(31, Purpose::test, 0, 0);
  const std::vector<std::vector<DensityFactor>> spaces = {
      {{DensityKind::round, 3, 3, 0, 0, 3}},
      {{DensityKind::round, 14, 14, 0, 0, 3}},
      {{DensityKind::round_ball, 2, 3, -2, 0, 3}},
      {{DensityKind::round, 2, 4, 0, 0, 3}, {DensityKind::round_ball, 3, 4, -0.5, 4, 7}}};
  for (const std::vector<DensityFactor>& factors : spaces)
    for (const double turn : {0.7, static_cast<double>(INFINITY)}) {
      const int rows = factors.back().row + factors.back().ambient;
      AlignedVector<double> block(static_cast<std::size_t>(rows * kBlock)), bounds(kBlock, 7.0);
      const auto number = [&](std::size_t i, int row) -> double& {
        return block[static_cast<std::size_t>(row * kBlock) + i];
      };
      std::vector<double> x;
      const auto draw = [&](const DensityFactor& factor) {
        std::vector<double> point = DensitySample::point_of(random, factor);
        if (factor.kind == DensityKind::round_ball) point.push_back(DensitySample::gap(factor, point.data()));
        return point;
      };
      for (const DensityFactor& factor : factors)
        for (const double coordinate : draw(factor)) x.push_back(coordinate);
      for (std::size_t i = 0; i < kBlock; ++i) {
        number(i, 0) = random.normal();
        number(i, 1) = std::exp(random.normal());
        number(i, 2) = 0.4 * static_cast<double>(i);  // the last ones hold x
        if (i == kBlock - 1) number(i, 2) = 1e3;
        for (const DensityFactor& factor : factors) {
          const std::vector<double> point = draw(factor);
          for (int c = 0; c < factor.ambient; ++c)
            number(i, factor.row + c) = point[static_cast<std::size_t>(c)];
        }
      }
      const simd::BallLayout layout{factors.data(), static_cast<int>(factors.size()), rows, turn};
      simd::densities().log_bounds(layout, block.data(), x.data(), bounds.data());
      for (std::size_t i = 0; i < kBlock; ++i) {
        double square = 0;
        for (const DensityFactor& factor : factors) {
          const bool ball = factor.kind == DensityKind::round_ball;
          const double* point = &x[static_cast<std::size_t>(factor.point)];
          double gap = 0;
          for (int c = 0; c < (ball ? factor.dimension : factor.ambient); ++c)
            gap += std::pow(point[c] - number(i, factor.row + c), 2);
          if (ball) {
            const double p = -factor.curvature * gap /
                             (point[factor.dimension] * number(i, factor.row + factor.dimension));
            gap = -4 / factor.curvature * std::pow(std::asinh(std::sqrt(p)), 2);
          }
          square += gap;
        }
        const double gap = std::max(0.0, std::sqrt(square) - number(i, 2)),
                     w = std::min(gap * gap, turn * turn);
        const double reach = w * (1 - (std::isfinite(turn) ? w / (4 * turn * turn) : 0));
        ASSERT_NEAR(bounds[i], number(i, 0) - 0.5 * number(i, 1) * reach,
                    1e-10 * (1 + number(i, 1) * square));
        ASSERT_GE(bounds[i], number(i, 0) - 0.5 * number(i, 1) * reach - 1e-15 * (1 + std::abs(bounds[i])));
      }
      EXPECT_EQ(bounds[kBlock - 1], number(kBlock - 1, 0));
    }
}

TEST(Densities, SumsOfExponentials) {
  Random random(29, Purpose::test, 0, 0);
  const auto add = simd::densities().add_exponentials;
  for (const double spread : {0.1, 30.0, 500.0, 1e5})
    for (const double start : {-1e300, -1e4, 0.0}) {
      double log_scale = start, sum = 1;
      long double largest = start;
      std::vector<double> terms = {start};
      for (int leaf = 0; leaf < 6; ++leaf) {
        AlignedVector<double> values(static_cast<std::size_t>(kBlock * (1 + leaf % 3)));
        for (double& value : values) value = random.uniform() < 0.2 ? -INFINITY : spread * random.normal();
        if (leaf == 3) std::fill(values.begin(), values.end(), -INFINITY);
        add(values.size(), values.data(), &log_scale, &sum);
        terms.insert(terms.end(), values.begin(), values.end());
        ASSERT_TRUE(std::isfinite(sum) && sum >= 1);
      }
      for (const double term : terms) largest = std::max<long double>(largest, term);
      long double total = 0;
      for (const double term : terms) total += std::exp(term - largest);
      const auto truth = static_cast<double>(largest + std::log(total));
      EXPECT_NEAR(log_scale + std::log(sum), truth, 1e-14 * (1 + std::abs(truth))) << spread << " " << start;
    }
  AlignedVector<double> values(kBlock, 0.0);
  values[3] = NAN;
  double log_scale = 0, sum = 1;
  add(values.size(), values.data(), &log_scale, &sum);
  EXPECT_TRUE(std::isnan(sum));
}

}  // namespace
}  // namespace riemflow
