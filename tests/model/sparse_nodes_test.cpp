#include "riemflow/model/sparse_nodes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace riemflow {
namespace {

using Place = SparseNodes::Node;
constexpr std::array<std::size_t, 2> kNodes{180, 360};  // of the Earth, at the centres of degrees

std::array<double, 3> unit_vector(const Place& node) {
  const double phi = (static_cast<double>(node[0]) + 0.5) * std::numbers::pi / 180 - std::numbers::pi / 2,
               lambda = (static_cast<double>(node[1]) + 0.5) * std::numbers::pi / 180;
  return {std::cos(phi) * std::cos(lambda), std::cos(phi) * std::sin(lambda), std::sin(phi)};
}
/// Of no symmetry at the poles.
double no_symmetry(const Place& node) {
  const auto [x, y, z] = unit_vector(node);
  return 2 * x + y * y * z + std::exp(z + x) + std::sin(3 * x * y);
}

struct CountedValues {
  std::size_t computed = 0;
  std::function<double(const Place&)> f;
  std::vector<double> operator()(const std::vector<Place>& nodes) {
    std::vector<double> values;
    for (const Place& node : nodes) values.push_back(f(node));
    computed += nodes.size();
    return values;
  }
};

std::vector<std::vector<double>> all_rows(SparseNodes& sparse, CountedValues& f, double allowed,
                                          std::size_t at_once, std::size_t count = kNodes[0]) {
  std::vector<std::vector<double>> result;
  for (std::size_t first = 0; first < count; first += at_once) {
    std::vector<std::size_t> rows(std::min(at_once, count - first));
    std::iota(rows.begin(), rows.end(), first);
    for (auto& row :
         sparse.rows(rows, std::ref(f), [&](const Place&, double, double error) { return error <= allowed; }))
      result.push_back(std::move(row));
    sparse.forget_before(first + rows.size());
  }
  return result;
}

TEST(SparseNodes, ASmoothFunctionIsInterpolatedToFourthOrderAcrossPolesAndSeam) {
  std::vector<double> errors;
  for (const std::size_t stride : {3, 9}) {
    SparseNodes sparse(kNodes, stride, LatticeEnd::pole);
    CountedValues f{0, no_symmetry};
    const auto rows = all_rows(sparse, f, 1e9, 7);
    EXPECT_EQ(f.computed, kNodes[0] * kNodes[1] / (stride * stride));
    double worst = 0;
    for (std::size_t i = 0; i < kNodes[0]; ++i)
      for (std::size_t j = 0; j < kNodes[1]; ++j)
        worst = std::max(worst, std::abs(rows[i][j] - no_symmetry({i, j})));
    errors.push_back(worst);
  }
  EXPECT_LT(errors[0], 5e-5);
  EXPECT_NEAR(std::log(errors[1] / errors[0]) / std::log(3), 4, 0.2);
}

TEST(SparseNodes, WhatIsSettledIsAsExactAsAsked) {
  const auto bumpy = [](const Place& node) {
    const auto [x, y, z] = unit_vector(node);
    return no_symmetry(node) + 2 * std::exp(60 * (0.6 * x + 0.8 * z - 1)) + std::exp(200 * (y - 1)) +
           std::exp(90 * (z - 1));
  };
  for (const double allowed : {1e-2, 1e-3, 1e-4}) {
    SparseNodes sparse(kNodes, 3, LatticeEnd::pole);
    CountedValues f{0, bumpy};
    const auto rows = all_rows(sparse, f, allowed, 10);
    double worst = 0;
    for (std::size_t i = 0; i < kNodes[0]; ++i)
      for (std::size_t j = 0; j < kNodes[1]; ++j)
        worst = std::max(worst, std::abs(rows[i][j] - bumpy({i, j})));
    EXPECT_LT(worst, allowed);
    EXPECT_LT(f.computed, kNodes[0] * kNodes[1] / 3);
  }
}

TEST(SparseNodes, TheSameValuesHoweverManyRowsAtOnce) {
  std::vector<std::vector<double>> whole;
  for (const std::size_t at_once : {180, 1, 11}) {
    SparseNodes sparse(kNodes, 5, LatticeEnd::pole);
    CountedValues f{0, no_symmetry};
    const auto rows = all_rows(sparse, f, 1e-4, at_once);
    if (whole.empty()) whole = rows;
    EXPECT_EQ(rows, whole) << at_once;
  }
}

TEST(SparseNodes, ATorusGoesRoundBothWays) {
  constexpr std::array<std::size_t, 2> nodes{90, 90};
  const auto wave = [](const Place& node) {
    const double a = static_cast<double>(node[0]) * std::numbers::pi / 45,
                 b = static_cast<double>(node[1]) * std::numbers::pi / 45;
    return std::sin(a + 1) + std::cos(a - 2 * b);
  };
  SparseNodes sparse(nodes, 3, LatticeEnd::periodic);
  CountedValues f{0, wave};
  const auto rows = all_rows(sparse, f, 1e9, 8, 90);
  const double h = std::numbers::pi / 15;
  for (std::size_t i = 0; i < 90; ++i)
    for (std::size_t j = 0; j < 90; ++j) EXPECT_NEAR(rows[i][j], wave({i, j}), 0.0234 * 18 * std::pow(h, 4));
}

TEST(SparseNodes, NothingIsInterpolatedFromAFailure) {
  constexpr Place kHole{91, 181};  // is computed
  const auto holed = [&](const Place& node) {
    return node == kHole ? std::numeric_limits<double>::quiet_NaN() : no_symmetry(node);
  };
  SparseNodes sparse(kNodes, 3, LatticeEnd::pole);
  CountedValues f{0, holed};
  const auto rows = all_rows(sparse, f, 1e9, 10);
  for (std::size_t i = 0; i < kNodes[0]; ++i)
    for (std::size_t j = 0; j < kNodes[1]; ++j)
      EXPECT_EQ(std::isnan(rows[i][j]), (Place{i, j} == kHole)) << i << " " << j;
}

TEST(SparseNodes, StridesThatFit) {
  const auto stride = [](std::size_t rows, std::size_t columns, double most) {
    return SparseNodes::stride_for({rows, columns}, most, LatticeEnd::pole, LatticeEnd::periodic);
  };
  EXPECT_EQ(stride(360, 720, 4), 3u);
  EXPECT_EQ(stride(720, 1440, 8), 5u);
  EXPECT_EQ(stride(180, 360, 2), 1u);
  EXPECT_EQ(stride(340, 682, 4), 1u);  // 3 does not divide them
  EXPECT_EQ(stride(9, 18, 3), 1u);     // too few rows are left
  EXPECT_EQ(stride(45, 45, 3), 1u);    // no column is half a turn away
  EXPECT_EQ(SparseNodes::stride_for({360, 360}, 3, LatticeEnd::open, LatticeEnd::open), 1u);
  EXPECT_EQ(SparseNodes::stride_for({45, 45}, 3, LatticeEnd::periodic, LatticeEnd::periodic), 3u);
}

}  // namespace
}  // namespace riemflow
