// Every kernel against plain loops in double. RIEMFLOW_SIMD chooses the instruction set under test.

#include "riemflow/core/simd/kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "riemflow/core/aligned.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/core/random.hpp"
#include "tests/sanitized.hpp"

namespace riemflow {
namespace {

using simd::Function;

template <class T>
class Simd : public testing::Test {
 protected:
  Random random_{17, Purpose::test, 0, 0};

  AlignedVector<T> numbers(int n, double from = -1, double to = 1) {
    AlignedVector<T> r;
    for (int i = 0; i < n; ++i) r.push_back(static_cast<T>(from + (to - from) * random_.uniform()));
    return r;
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Simd, Precisions);

// --- matrix products ----------------------------------------------------------------------------

struct Shape {
  int m, n, k;
};
/// One in eleven (sanitized: 44) of all (m, k) up to 70, the edges of every register block among them, with
/// every width of a jet.
std::vector<Shape> shapes() {
  std::vector<Shape> r;
  for (int m = 1; m <= 70; ++m)
    for (int k = 1; k <= 70; ++k)
      if ((3 * m + k) % (kSanitized ? 44 : 11) == 0 || (m <= 9 && k <= 9))
        r.push_back({m, 16 * (1 + (m + 2 * k) % 9), k});
  for (const int edge : {1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 64, 70})
    for (const int jets : {1, 2, 3, 4, 5, 6, 9}) r.push_back({edge, 16 * jets, 71 - edge});
  return r;
}

/// Σ_p a_p b_p, and how far a sum of the terms in T, in any order and added to `start`, may be from it.
struct Sum {
  double value, bound;
};
template <class T, class Terms>
Sum exact_sum(int count, double start, const Terms& terms) {
  constexpr double epsilon = std::numeric_limits<T>::epsilon();
  double value = start, size = std::abs(start);
  for (int p = 0; p < count; ++p) value += terms(p), size += std::abs(terms(p));
  return {value, (count + 2) * epsilon * size};
}

std::size_t at(int row, int stride, int column) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(stride) + static_cast<std::size_t>(column);
}

TYPED_TEST(Simd, MultiplyAndItsTranspose) {
  using T = TypeParam;
  for (const auto& [m, n, k] : shapes()) {
    for (const bool transposed : {false, true}) {
      for (const bool accumulate : {false, true}) {
        const int rows = transposed ? k : m, terms = transposed ? m : k, lda = accumulate ? k + 3 : k;
        const auto a = this->numbers(m * lda), b = this->numbers(terms * n);
        const auto before = this->numbers(rows * n + 16);
        auto c = before;
        const auto& kernels = simd::kernels<T>();
        (transposed ? kernels.multiply_transposed : kernels.multiply)(m, n, k, a.data(), lda, b.data(),
                                                                      c.data(), accumulate);
        for (int i = 0; i < rows; ++i) {
          for (int j = 0; j < n; ++j) {
            const double start = accumulate ? static_cast<double>(before[at(i, n, j)]) : 0;
            const Sum sum = exact_sum<T>(terms, start, [&](int p) {
              const T factor = transposed ? a[at(p, lda, i)] : a[at(i, lda, p)];
              return static_cast<double>(factor) * static_cast<double>(b[at(p, n, j)]);
            });
            ASSERT_NEAR(c[at(i, n, j)], sum.value, sum.bound) << m << " x " << n << " x " << k;
          }
        }
        for (std::size_t g = at(rows, n, 0); g < c.size(); ++g) ASSERT_EQ(c[g], before[g]);
      }
    }
  }
}

// Nothing changes behind a row's k numbers: not the gap to the next row, not the overhang.
TYPED_TEST(Simd, AddOuter) {
  using T = TypeParam;
  for (const auto& [m, n, k] : shapes()) {
    for (const int lda : {k, k + 5}) {
      const auto g = this->numbers(m * n), b = this->numbers(k * n);
      const auto before = this->numbers((m - 1) * lda + k + simd::kOverhang + 16);
      auto a = before;
      AlignedVector<T> scratch(simd::outer_scratch(m, n, k) + 16, T(77));
      simd::kernels<T>().add_outer(m, n, k, g.data(), b.data(), a.data(), lda, scratch.data());
      for (int i = 0; i < m; ++i) {
        for (int j = 0; j < k; ++j) {
          const Sum sum = exact_sum<T>(n, static_cast<double>(before[at(i, lda, j)]), [&](int p) {
            return static_cast<double>(g[at(i, n, p)]) * static_cast<double>(b[at(j, n, p)]);
          });
          ASSERT_NEAR(a[at(i, lda, j)], sum.value, sum.bound) << m << " x " << n << " x " << k;
        }
        const std::size_t end = i + 1 < m ? at(i + 1, lda, 0) : a.size();
        for (std::size_t gap = at(i, lda, k); gap < end; ++gap) ASSERT_EQ(a[gap], before[gap]);
      }
      for (std::size_t s = simd::outer_scratch(m, n, k); s < scratch.size(); ++s)
        ASSERT_EQ(scratch[s], T(77));
    }
  }
}

TYPED_TEST(Simd, AddValueSums) {
  using T = TypeParam;
  for (const auto& [m, n, k] : shapes()) {
    const auto g = this->numbers(m * n), before = this->numbers(m + 16);
    auto sums = before;
    simd::kernels<T>().add_value_sums(m, n, g.data(), sums.data());
    for (int i = 0; i < m; ++i) {
      const Sum sum = exact_sum<T>(kLanes, static_cast<double>(before[at(i, 1, 0)]),
                                   [&](int p) { return static_cast<double>(g[at(i, n, p)]); });
      ASSERT_NEAR(sums[at(i, 1, 0)], sum.value, sum.bound);
    }
    for (std::size_t s = at(m, 1, 0); s < sums.size(); ++s) ASSERT_EQ(sums[s], before[s]);
  }
}

// --- functions of jets --------------------------------------------------------------------------

struct Derivatives {
  double value, first, second;
};
Derivatives formula(Function function, double a) {
  switch (function) {
    case Function::tanh: {
      const double sech = 1 / std::cosh(a);
      return {std::tanh(a), sech * sech, -2 * std::tanh(a) * sech * sech};
    }
    case Function::swish: {
      const double s = 1 / (1 + std::exp(-a)), rest = 1 / (1 + std::exp(a));
      return {a * s, s * (1 + a * rest), s * rest * (2 + a * (rest - s))};
    }
    case Function::asin: {
      const double root = static_cast<double>(
          sqrtl(1 + static_cast<long double>(simd::kAsinRounding) - a * static_cast<long double>(a)));
      return {std::atan2(a, root), 1 / root, a / root / root / root};
    }
    case Function::asinh: {
      const double root = std::hypot(1, a);
      return {std::asinh(a), 1 / root, -a / root / root / root};
    }
    case Function::sin:
      return {std::sin(a), std::cos(a), -std::sin(a)};
  }
  return {};
}
constexpr Function kFunctions[] = {Function::tanh, Function::swish, Function::asin, Function::asinh,
                                   Function::sin};

/// Relative to the terms' size: float 9.5e-7, double 1.8e-15; 64 ε for asin, steep at its ends.
template <class T>
double accuracy(Function function) {
  return (function == Function::asin ? 64 : 8) * static_cast<double>(std::numeric_limits<T>::epsilon());
}

TYPED_TEST(Simd, FunctionsOfJetsForwardAndBackward) {
  using T = TypeParam;
  const auto& kernels = simd::kernels<T>();
  for (const Function function : kFunctions) {
    for (const int k : {0, 1, 2, 5}) {
      const int rows = 11, n = 16 * (1 + k);
      const double range = function == Function::asin ? 1 : function == Function::asinh ? 200 : 12;
      const double tolerance = accuracy<T>(function);
      const auto pre = this->numbers(rows * n, -range / 2, range / 2), bar_out = this->numbers(rows * n);
      const auto bias = this->numbers(rows, -range / 2, range / 2);
      AlignedVector<T> kept = pre, out(pre.size()), again(pre.size()), bar = bar_out;
      kernels.activate(function, rows, n, bias.data(), kept.data(), out.data());
      kernels.reactivate(function, rows, n, kept.data(), again.data());
      kernels.activate_backward(function, rows, n, kept.data(), bar.data());
      EXPECT_EQ(out, again);
      for (int i = 0; i < rows; ++i) {
        for (int l = 0; l < kLanes; ++l) {
          const std::size_t value = at(i, n, l);
          const T argument = pre[value] + bias[at(i, 1, 0)];
          const Derivatives s = formula(function, static_cast<double>(argument));
          ASSERT_NEAR(out[value], s.value, tolerance * (1 + std::abs(s.value))) << argument;
          ASSERT_EQ(kept[value], function == Function::tanh ? out[value] : argument);
          const auto value_bar = static_cast<double>(bar_out[value]);
          double expected = s.first * value_bar, size = std::abs(expected) + std::abs(value_bar);
          for (int j = 1; j <= k; ++j) {
            const std::size_t slope = at(i, n, 16 * j + l);
            const auto in = static_cast<double>(pre[slope]), slope_bar = static_cast<double>(bar_out[slope]);
            ASSERT_EQ(kept[slope], pre[slope]);
            ASSERT_NEAR(out[slope], s.first * in, tolerance * (1 + std::abs(s.first)) * std::abs(in))
                << argument;
            ASSERT_NEAR(bar[slope], s.first * slope_bar,
                        tolerance * (1 + std::abs(s.first)) * std::abs(slope_bar));
            expected += s.second * in * slope_bar;
            size += (1 + std::abs(s.second)) * std::abs(in * slope_bar);
          }
          ASSERT_NEAR(bar[value], expected, tolerance * size) << argument;
        }
      }
    }
  }
}

// ⟨cotangent, derivative of the jet function⟩ by central differences of `activate` itself.
TEST(SimdBackward, IsTheDerivativeOfForward) {
  const auto& kernels = simd::kernels<double>();
  const int rows = 3, n = 48;
  Random random(18, Purpose::test, 0, 0);
  for (const Function function : kFunctions) {
    const double range = function == Function::asin ? 0.45 : 2, step = 1e-5;
    AlignedVector<double> pre, bar_out;
    for (int i = 0; i < rows * n; ++i) {
      pre.push_back(range * (2 * random.uniform() - 1));
      bar_out.push_back(random.normal());
    }
    AlignedVector<double> bias = {0.1, -0.3, 0.2}, kept = pre, out(pre.size()), bar = bar_out;
    const auto contracted = [&](AlignedVector<double> jet) {
      kernels.activate(function, rows, n, bias.data(), jet.data(), out.data());
      return std::inner_product(out.begin(), out.end(), bar_out.begin(), 0.0);
    };
    kernels.activate(function, rows, n, bias.data(), kept.data(), out.data());
    kernels.activate_backward(function, rows, n, kept.data(), bar.data());
    for (std::size_t i = 0; i < pre.size(); ++i) {
      AlignedVector<double> up = pre, down = pre;
      up[i] += step, down[i] -= step;
      ASSERT_NEAR(bar[i], (contracted(up) - contracted(down)) / (2 * step), 3e-8);
    }
  }
}

TYPED_TEST(Simd, ExtremeArguments) {
  using T = TypeParam;
  constexpr double kFar[] = {0.0, 1e-30, 1e-5, 20, 100, 200, 1.5e3, 1e4}, kNear[] = {0.0, 1e-30, 1e-5, 1};
  for (const Function function : kFunctions) {
    AlignedVector<T> jet(32, T(1)), out(32), bar(32, T(1)), bias(1);
    for (std::size_t l = 0; l < kLanes; ++l)
      jet[l] = static_cast<T>((function == Function::asin ? kNear[l % 4] : kFar[l % 8]) * (l < 8 ? 1 : -1));
    const auto arguments = jet;
    simd::kernels<T>().activate(function, 1, 32, bias.data(), jet.data(), out.data());
    simd::kernels<T>().activate_backward(function, 1, 32, jet.data(), bar.data());
    for (std::size_t l = 0; l < kLanes; ++l) {
      const auto a = static_cast<double>(arguments[l]);
      const auto [value, first, second] = formula(function, a);
      const double tolerance = accuracy<T>(function);
      SCOPED_TRACE("function " + std::to_string(static_cast<int>(function)) + " at " + std::to_string(a));
      EXPECT_NEAR(out[l], value, tolerance * std::abs(value) + 1e-36);  // what is flushed to zero
      EXPECT_NEAR(out[16 + l], first, tolerance * (1 + std::abs(first)));
      EXPECT_NEAR(bar[l], first + second, 2 * tolerance * (1 + std::abs(first) + std::abs(second)));
    }
  }
}

TYPED_TEST(Simd, ANaNStaysNaN) {
  using T = TypeParam;
  for (const Function function : kFunctions) {
    AlignedVector<T> jet(32, std::numeric_limits<T>::quiet_NaN()), out(32), bias(1);
    simd::kernels<T>().activate(function, 1, 32, bias.data(), jet.data(), out.data());
    for (const T y : out)
      ASSERT_TRUE(std::isnan(y)) << "function " << static_cast<int>(function) << ": " << y;
  }
}

// --- the choice of an instruction set -----------------------------------------------------------

TEST(InstructionSet, IsOneOfThoseAvailable) {
  const auto available = simd::available_instruction_sets();
  EXPECT_EQ(std::count(available.begin(), available.end(), simd::instruction_set()), 1);
  const char* forced = std::getenv("RIEMFLOW_SIMD");
  EXPECT_EQ(simd::instruction_set(), forced != nullptr && *forced != '\0' ? forced : available.front());
}

TEST(InstructionSetDeathTest, AnUnknownNameThrowsAndNamesTheAvailable) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  std::string names;
  for (const std::string& name : simd::available_instruction_sets())
    names += (names.empty() ? "" : ", ") + name;
  const auto ask_for_an_unknown_one = [] {
    setenv("RIEMFLOW_SIMD", "abacus", 1);
    try {
      simd::kernels<float>();
    } catch (const Error& error) {
      std::fputs(error.what(), stderr), std::exit(3);
    }
  };
  EXPECT_EXIT(ask_for_an_unknown_one(), testing::ExitedWithCode(3), "RIEMFLOW_SIMD=abacus .*" + names);
}

}  // namespace
}  // namespace riemflow
