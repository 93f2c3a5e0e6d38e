// Order conditions of the tableaux, all of them to order 5 (Hairer, Nørsett & Wanner I, table II.2.1).

#include "riemflow/flow/ode/tableau.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

using Weights = std::vector<double>;

/// The stages with the one at the end of the step, where there is one: a row of A equal to b, c = 1.
struct Method {
  std::vector<Weights> A;
  Weights b, c;

  Weights apply(const Weights& v) const {
    Weights r(c.size(), 0.0);
    for (std::size_t i = 0; i < c.size(); ++i)
      for (std::size_t j = 0; j < c.size(); ++j) r[i] += A[i][j] * v[j];
    return r;
  }
};

Method method_of(const Tableau& tableau) {
  const auto stages = static_cast<std::size_t>(tableau.stages);
  const std::size_t all = stages + (tableau.error_order > 0 ? 1 : 0);
  Method method{std::vector<Weights>(all, Weights(all, 0.0)), Weights(all, 0.0), Weights(all, 1.0)};
  for (std::size_t i = 0; i < stages; ++i) {
    method.b[i] = tableau.b[i];
    method.c[i] = tableau.c[i];
    for (std::size_t j = 0; j < i; ++j) method.A[i][j] = tableau.a[i][j];
  }
  if (all > stages) method.A[stages] = method.b;
  return method;
}

Weights times(const Weights& a, const Weights& b) {
  Weights r;
  for (std::size_t i = 0; i < a.size(); ++i) r.push_back(a[i] * b[i]);
  return r;
}

/// A rooted tree: its order, its elementary weight in the stages, and γ, where Σ b_i·weight_i = 1/γ.
struct Tree {
  int order;
  Weights weight;
  double gamma;
};

std::vector<Tree> trees(const Method& m) {
  const Weights one(m.c.size(), 1.0), &c = m.c;
  const Weights cc = times(c, c), ccc = times(cc, c), Ac = m.apply(c), Acc = m.apply(cc), AAc = m.apply(Ac);
  return {{1, one, 1},
          {2, c, 2},
          {3, cc, 3},
          {3, Ac, 6},
          {4, ccc, 4},
          {4, times(c, Ac), 8},
          {4, Acc, 12},
          {4, AAc, 24},
          {5, times(cc, cc), 5},
          {5, times(cc, Ac), 10},
          {5, times(c, Acc), 15},
          {5, times(c, AAc), 30},
          {5, times(Ac, Ac), 20},
          {5, m.apply(ccc), 20},
          {5, m.apply(times(c, Ac)), 40},
          {5, m.apply(Acc), 60},
          {5, m.apply(AAc), 120}};
}

double sum(const Weights& weights, const Weights& values) {
  double s = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) s += weights[i] * values[i];
  return s;
}

/// Trees of order ≤ n whose condition Σ b_i·weight_i = target/γ fails by more than rounding.
int failures(const std::vector<Tree>& all, const Weights& b, int n, double target) {
  int failed = 0;
  for (const Tree& tree : all)
    if (tree.order <= n && !(std::abs(sum(b, tree.weight) - target / tree.gamma) < 2e-14)) ++failed;
  return failed;
}

TEST(Tableau, RowSumsAreTheNodes) {
  for (const Tableau* tableau : kTableaux) {
    const Method method = method_of(*tableau);
    for (std::size_t i = 0; i < method.c.size(); ++i)
      EXPECT_NEAR(sum(method.A[i], Weights(method.c.size(), 1.0)), method.c[i], 4e-15)
          << tableau->name << ", row " << i;
  }
}

TEST(Tableau, TheSolutionHasTheStatedOrderAndNoMore) {
  for (const Tableau* tableau : kTableaux) {
    const Method method = method_of(*tableau);
    const std::vector<Tree> all = trees(method);
    ASSERT_EQ(all.size(), 17u);
    EXPECT_EQ(failures(all, method.b, tableau->order, 1), 0) << tableau->name;
    const bool more = tableau->order < 5 && failures(all, method.b, tableau->order + 1, 1) == 0;
    EXPECT_FALSE(more) << tableau->name;
  }
  EXPECT_EQ(kDopri5.order, 5);
  EXPECT_EQ(kTsit5.order, 5);
  EXPECT_EQ(kBosh3.order, 3);
  EXPECT_EQ(kRk4.order, 4);
}

// e = b − b̂ with b̂ of order error_order − 1: the conditions with target 0, to that order and no further.
TEST(Tableau, TheErrorEstimateHasTheStatedOrder) {
  for (const Tableau* tableau : kTableaux) {
    const Method method = method_of(*tableau);
    const Weights e(tableau->e.begin(), tableau->e.begin() + static_cast<std::ptrdiff_t>(method.c.size()));
    if (tableau->error_order == 0) {
      for (const double weight : tableau->e) EXPECT_EQ(weight, 0) << tableau->name;
      continue;
    }
    const std::vector<Tree> all = trees(method);
    EXPECT_NEAR(sum(e, Weights(e.size(), 1.0)), 0, 1e-15) << tableau->name;
    EXPECT_EQ(failures(all, e, tableau->error_order - 1, 0), 0) << tableau->name;
    EXPECT_GT(failures(all, e, tableau->error_order, 0), 0) << tableau->name;
  }
}

// The embedded methods as published give the stage at the end of the step these weights, the solution none.
TEST(Tableau, TheErrorEstimateHasThePublishedSize) {
  EXPECT_DOUBLE_EQ(std::abs(kDopri5.e[6]), 1.0 / 40);
  EXPECT_DOUBLE_EQ(std::abs(kTsit5.e[6]), 1.0 / 66);
  EXPECT_DOUBLE_EQ(std::abs(kBosh3.e[3]), 1.0 / 8);
}

TEST(Tableau, ByNameOrAnErrorThatListsTheNames) {
  for (const Tableau* method : kTableaux) EXPECT_EQ(&tableau(method->name), method);
  try {
    tableau("rk45");
    FAIL();
  } catch (const Error& error) {
    const std::string what = error.what();
    for (const Tableau* method : kTableaux) EXPECT_NE(what.find(method->name), std::string::npos) << what;
    EXPECT_NE(what.find("rk45"), std::string::npos) << what;
  }
}

}  // namespace
}  // namespace riemflow
