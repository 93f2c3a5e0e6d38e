#pragma once
// What the tests of closed forms share: random frames, masses by cubature, differences, cells, and slopes of
// likelihoods.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/QR>
#include <string>

#include "riemflow/core/points.hpp"
#include "riemflow/core/weights.hpp"
#include "riemflow/distribution/draws.hpp"
#include "riemflow/distribution/rounded.hpp"
#include "riemflow/manifold/cubature.hpp"
#include "riemflow/manifold/parse.hpp"
#include "riemflow/manifold/whole.hpp"
#include "tests/distribution/support.hpp"

namespace riemflow::density_test {

inline Eigen::VectorXd normal_vector(int n, std::uint64_t seed) {
  Random random(seed, Purpose::test, 7, 0);
  Eigen::VectorXd v(n);
  for (double& z : v) z = random.normal();
  return v;
}

/// Orthonormal columns.
inline Eigen::MatrixXd random_frame(int n, std::uint64_t seed) {
  const Eigen::VectorXd numbers = normal_vector(n * n, seed);
  return Eigen::HouseholderQR<Eigen::MatrixXd>(numbers.reshaped(n, n)).householderQ() *
         Eigen::MatrixXd::Identity(n, n);
}

inline Eigen::MatrixXd symmetric_of(const Eigen::MatrixXd& frame, const Eigen::VectorXd& eigenvalues) {
  const Eigen::MatrixXd m = frame * eigenvalues.asDiagonal() * frame.transpose();
  return (m + m.transpose()) / 2;
}

/// ∫ p over a manifold without covering, d ≤ 3, by adaptive cubature.
inline Integral mass_of(const Distribution<double>& p, const std::string& manifold, double tolerance,
                        std::size_t evaluations = 2'000'000) {
  const auto space = parse_manifold<double>(manifold);
  CubatureOptions options;
  options.absolute = options.relative = tolerance;
  options.evaluations = evaluations;
  return integrate(
      [&](const Points<double>& points, std::span<double> values) {
        const std::vector<double> log_p = log_densities_of(p, points);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::exp(log_p[i]);
      },
      whole_manifold(*space, kReachDouble), p.ambient(), options);
}

/// ∫ p over S¹ or S² in gnomonic coordinates about both ends of the last axis, x ∝ ±(v₁e₁ + … + e_D) with
/// dσ = (1 + |v|²)^{−D/2} dv and v_i = width_i sinh t_i: the trapezoidal rule knows peaks of any width.
inline double gnomonic_mass(const Distribution<double>& p, const Eigen::MatrixXd& axes,
                            const Eigen::VectorXd& widths, double step = 0.16) {
  const int D = p.ambient();
  const double end = 26 - std::log(widths.head(D - 1).minCoeff());
  std::vector<double> nodes;
  for (double t = -end; t <= end; t += step) nodes.push_back(t);
  const std::size_t n = nodes.size(), rows = D == 3 ? n : 1;
  double mass = 0;
  for (std::size_t a = 0; a < rows; ++a) {
    Points<double> points(2 * n, D);
    std::vector<double> log_weights(n);
    for (std::size_t b = 0; b < n; ++b) {
      Eigen::VectorXd v = Eigen::VectorXd::Ones(D);
      v[0] = widths[0] * std::sinh(nodes[b]);
      if (D == 3) v[1] = widths[1] * std::sinh(nodes[a]);
      const double length = v.norm();
      log_weights[b] = std::log(widths[0] * std::cosh(nodes[b]) * step) - D * std::log(length);
      if (D == 3) log_weights[b] += std::log(widths[1] * std::cosh(nodes[a]) * step);
      const Eigen::VectorXd x = axes * v / length;
      for (int i = 0; i < D; ++i) {
        points[b][static_cast<std::size_t>(i)] = x[i];
        points[n + b][static_cast<std::size_t>(i)] = -x[i];
      }
    }
    const std::vector<double> log_p = log_densities_of(p, points);
    for (std::size_t b = 0; b < 2 * n; ++b) mass += std::exp(log_p[b] + log_weights[b % n]);
  }
  return mass;
}

/// The gradient against central differences of the value, in every ambient coordinate.
inline void expect_gradient(const Distribution<double>& p, const Point& x, double h, double tolerance) {
  const Point gradient = gradient_at(p, x);
  double size = 1;
  for (const double g : gradient) size = std::max(size, std::abs(g));
  for (std::size_t i = 0; i < x.size(); ++i) {
    Point up = x, down = x;
    up[i] += h;
    down[i] -= h;
    const double slope = (log_density_at(p, up) - log_density_at(p, down)) / (2 * h);
    EXPECT_NEAR(gradient[i], slope, tolerance * size) << p.name() << " coordinate " << i;
  }
}

/// The density of float points is the one of double precision at these points, rounded.
inline void expect_float_agrees(const std::shared_ptr<const Distribution<double>>& p,
                                const std::vector<Point>& points) {
  const auto rounded = in_precision<float>(p);
  for (Point x : points) {
    for (double& x_i : x) x_i = static_cast<float>(x_i);
    const double truth = log_density_at(*p, x);
    EXPECT_NEAR(log_density_at(*rounded, x), truth, 1e-7 * std::abs(truth)) << p->name();
    const Point exact = gradient_at(*p, x), single = gradient_at(*rounded, x);
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_NEAR(single[i], exact[i], 1e-7 * std::abs(exact[i]) + 1e-30);
  }
}

inline Points<double> points_of(const std::vector<Point>& points) {
  Points<double> all(points.size(), static_cast<int>(points[0].size()));
  for (std::size_t i = 0; i < points.size(); ++i)
    std::copy(points[i].begin(), points[i].end(), all[i].begin());
  return all;
}

inline Weights random_weights(std::size_t n, std::uint64_t seed) {
  Weights weights;
  Random random(seed, Purpose::test, 8, 0);
  for (std::size_t i = 0; i < n; ++i) weights.push_back(random.uniform());
  return weights;
}

inline double mean_log_likelihood(const Distribution<double>& p, const Points<double>& points,
                                  const Weights& weights) {
  const std::vector<double> log_p = log_densities_of(p, points);
  return weighted_mean(log_p, weights);
}

/// −E log p of draws against the entropy, and draws on the sphere.
inline void expect_entropy_of_draws(const Distribution<double>& p, std::uint64_t seed, int n) {
  const std::vector<Point> points = draw(p, seed, n);
  EXPECT_LT(
      estimate(points, [&](const Point& x) { return -log_density_at(p, x); }).sigmas(*p.entropy(), 1e-9), 4.5)
      << p.name() << ' ' << seed;
}

/// χ² of draws on S² over 6 bands of equal height times 8 sectors, against masses by midpoints; in units of
/// its deviation from what is expected.
inline double chi_square_on_sphere(const Distribution<double>& p, std::uint64_t seed, int n) {
  constexpr int bands = 6, sectors = 8, fine = 100;
  std::vector<double> mass(bands * sectors, 0), count(bands * sectors, 0);
  Points<double> grid(static_cast<std::size_t>(bands * fine * sectors * fine), 3);
  std::size_t at = 0;
  const double pi = std::numbers::pi;
  for (int i = 0; i < bands * fine; ++i)
    for (int j = 0; j < sectors * fine; ++j) {
      const double z = -1 + 2 * (i + 0.5) / (bands * fine), a = -pi + 2 * pi * (j + 0.5) / (sectors * fine);
      const double r = std::sqrt(1 - z * z);
      grid[at][0] = r * std::cos(a);
      grid[at][1] = r * std::sin(a);
      grid[at++][2] = z;
    }
  const std::vector<double> log_p = log_densities_of(p, grid);
  for (int i = 0; i < bands * fine; ++i)
    for (int j = 0; j < sectors * fine; ++j)
      mass[static_cast<std::size_t>(i / fine * sectors + j / fine)] +=
          std::exp(log_p[static_cast<std::size_t>(i * sectors * fine + j)]) * 4 * pi /
          (bands * fine * sectors * fine);
  for (const Point& x : draw(p, seed, n)) {
    const int i = std::min(bands - 1, static_cast<int>((x[2] + 1) / 2 * bands));
    const int j = std::min(sectors - 1, static_cast<int>((std::atan2(x[1], x[0]) + pi) / (2 * pi) * sectors));
    count[static_cast<std::size_t>(i * sectors + j)] += 1;
  }
  double square = 0, cells = -1, rest_mass = 0, rest_count = 0;
  for (std::size_t c = 0; c < mass.size(); ++c) {
    if (n * mass[c] < 10) {
      rest_mass += mass[c];
      rest_count += count[c];
      continue;
    }
    square += std::pow(count[c] - n * mass[c], 2) / (n * mass[c]);
    cells += 1;
  }
  if (n * rest_mass > 1) {
    square += std::pow(rest_count - n * rest_mass, 2) / (n * rest_mass);
    cells += 1;
  } else {
    EXPECT_LT(rest_count, 12) << p.name();
  }
  return (square - cells) / std::sqrt(2 * cells);
}

}  // namespace riemflow::density_test
