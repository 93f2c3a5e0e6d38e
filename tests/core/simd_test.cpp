// Every kernel against plain loops in double. RIEMFLOW_SIMD chooses the instruction set under test.

#include "riemflow/core/simd/kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "riemflow/core/aligned.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/core/random.hpp"

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
/// A seventh of all (m, k) up to 70, the edges of every register block among them, with every width of a jet.
std::vector<Shape> shapes() {
  std::vector<Shape> r;
  for (int m = 1; m <= 70; ++m)
    for (int k = 1; k <= 70; ++k)
      if ((3 * m + k) % 7 == 0 || (m <= 9 && k <= 9)) r.push_back({m, 16 * (1 + (m + 2 * k) % 9), k});
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

/// `product` with A[rows × columns of C] looked up by `a_at(i, p)`, C being i's × n and the sum over `terms`
/// p.
template <class T, class Product, class Factor>
void expect_product(int rows, int n, int terms, const AlignedVector<T>& b, const AlignedVector<T>& before,
                    bool accumulate, const Product& product, const Factor& factor) {
  auto c = before;
  product(c.data());
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < n; ++j) {
      const double start = accumulate ? static_cast<double>(before[at(i, n, j)]) : 0;
      const Sum sum = exact_sum<T>(terms, start, [&](int p) {
        return static_cast<double>(factor(i, p)) * static_cast<double>(b[at(p, n, j)]);
      });
      ASSERT_NEAR(c[at(i, n, j)], sum.value, sum.bound) << rows << " x " << n << " of " << terms << " terms";
    }
  }
  for (std::size_t guard = at(rows, n, 0); guard < c.size(); ++guard) ASSERT_EQ(c[guard], before[guard]);
}

TYPED_TEST(Simd, Multiply) {
  for (const auto& [m, n, k] : shapes()) {
    for (const bool accumulate : {false, true}) {
      const int rows = m, columns = n, terms = k, lda = accumulate ? k + 3 : k;
      const auto a = this->numbers(m * lda), b = this->numbers(k * n), before = this->numbers(m * n + 16);
      expect_product(
          m, n, k, b, before, accumulate,
          [&](auto* c) {
            simd::kernels<TypeParam>().multiply(rows, columns, terms, a.data(), lda, b.data(), c, accumulate);
          },
          [&](int i, int p) { return a[at(i, lda, p)]; });
    }
  }
}

TYPED_TEST(Simd, MultiplyTransposed) {
  for (const auto& [m, n, k] : shapes()) {
    for (const bool accumulate : {false, true}) {
      const int rows = m, columns = n, width = k, lda = accumulate ? k + 1 : k;
      const auto a = this->numbers(m * lda), b = this->numbers(m * n), before = this->numbers(k * n + 16);
      expect_product(
          k, n, m, b, before, accumulate,
          [&](auto* c) {
            simd::kernels<TypeParam>().multiply_transposed(rows, columns, width, a.data(), lda, b.data(), c,
                                                           accumulate);
          },
          [&](int i, int p) { return a[at(p, lda, i)]; });
    }
  }
}

// Nothing changes behind a row's k numbers: neither the gap to the next row, nor the overhang, nor what
// follows.
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
      const auto start = static_cast<double>(before[at(i, 1, 0)]);
      const Sum sum = exact_sum<T>(kLanes, start, [&](int p) { return static_cast<double>(g[at(i, n, p)]); });
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
      const double rho = 1 / std::sqrt(1 + simd::kAsinRounding), cosine = std::cos(std::asin(rho * a));
      return {std::asin(rho * a), rho / cosine, rho * rho * rho * a / (cosine * cosine * cosine)};
    }
    case Function::asinh: {
      const double root = std::hypot(1, a);
      return {std::asinh(a), 1 / root, -a / root / root / root};
    }
  }
  return {};
}
/// As far as the function is used.
double reach(Function function) {
  return function == Function::asin ? 1 : function == Function::asinh ? 200 : 12;
}
constexpr Function kFunctions[] = {Function::tanh, Function::swish, Function::asin, Function::asinh};

/// Relative to the terms' size: float 9.5e-7, double 1.8e-15; 400 ε where 1 − |a| of asin has lost digits.
template <class T>
double accuracy(Function function) {
  return (function == Function::asin ? 400 : 8) * static_cast<double>(std::numeric_limits<T>::epsilon());
}

TYPED_TEST(Simd, FunctionsOfJetsForwardAndBackward) {
  using T = TypeParam;
  const auto& kernels = simd::kernels<T>();
  for (const Function function : kFunctions) {
    for (const int k : {0, 1, 2, 5}) {
      const int rows = 11, n = 16 * (1 + k);
      const double range = reach(function), tolerance = accuracy<T>(function);
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
            ASSERT_NEAR(out[slope], s.first * in, tolerance * (1 + s.first) * std::abs(in)) << argument;
            ASSERT_NEAR(bar[slope], s.first * slope_bar, tolerance * (1 + s.first) * std::abs(slope_bar));
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
TYPED_TEST(Simd, BackwardIsTheDerivativeOfForward) {
  using T = double;
  const auto& kernels = simd::kernels<T>();
  const int rows = 3, n = 48;
  for (const Function function : kFunctions) {
    const double range = function == Function::asin ? 0.45 : 2, step = 1e-5;
    AlignedVector<T> pre, bar_out;
    for (int i = 0; i < rows * n; ++i) {
      pre.push_back(range * (2 * this->random_.uniform() - 1));
      bar_out.push_back(this->random_.normal());
    }
    const AlignedVector<T> bias = {0.1, -0.3, 0.2};
    const auto contracted = [&](AlignedVector<T> jet) {
      AlignedVector<T> out(jet.size());
      kernels.activate(function, rows, n, bias.data(), jet.data(), out.data());
      double sum = 0;
      for (std::size_t i = 0; i < out.size(); ++i) sum += bar_out[i] * out[i];
      return sum;
    };
    AlignedVector<T> kept = pre, out(pre.size()), bar = bar_out;
    kernels.activate(function, rows, n, bias.data(), kept.data(), out.data());
    kernels.activate_backward(function, rows, n, kept.data(), bar.data());
    for (std::size_t i = 0; i < pre.size(); ++i) {
      AlignedVector<T> up = pre, down = pre;
      up[i] += step, down[i] -= step;
      ASSERT_NEAR(bar[i], (contracted(up) - contracted(down)) / (2 * step), 3e-8);
    }
  }
}

TYPED_TEST(Simd, ExtremeArguments) {
  using T = TypeParam;
  constexpr double kArguments[] = {0.0, 1e-30, 1e-5, 20, 100, 200, 1.5e3, 1e4};
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Function function : {Function::tanh, Function::swish, Function::asinh}) {
    AlignedVector<T> jet(32, T(1)), out(32), bar(32, T(1));
    for (int l = 0; l < kLanes; ++l)
      jet[at(0, 0, l)] = static_cast<T>(l < 8 ? kArguments[l] : -kArguments[l - 8]);
    const auto arguments = jet;
    const T bias = 0;
    simd::kernels<T>().activate(function, 1, 32, &bias, jet.data(), out.data());
    simd::kernels<T>().activate_backward(function, 1, 32, jet.data(), bar.data());
    for (std::size_t l = 0; l < kLanes; ++l) {
      const auto a = static_cast<double>(arguments[l]);
      const Derivatives s = formula(function, a);
      const double tolerance = accuracy<T>(function), lost = tolerance * std::min(1.0, std::abs(a));
      EXPECT_NEAR(out[l], s.value, tolerance * std::abs(s.value))
          << static_cast<int>(function) << " at " << a;
      EXPECT_NEAR(out[16 + l], s.first, tolerance) << static_cast<int>(function) << " at " << a;
      EXPECT_NEAR(bar[l], s.first + s.second, tolerance + lost) << static_cast<int>(function) << " at " << a;
    }
    std::fill(jet.begin(), jet.end(), static_cast<T>(nan));
    simd::kernels<T>().activate(function, 1, 32, &bias, jet.data(), out.data());
    for (const T value : out) EXPECT_TRUE(std::isnan(value)) << static_cast<int>(function) << ": a NaN vanished";
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
      std::fputs(error.what(), stderr);
      std::exit(3);
    }
    std::exit(0);
  };
  EXPECT_EXIT(ask_for_an_unknown_one(), testing::ExitedWithCode(3), "RIEMFLOW_SIMD=abacus .*" + names);
}

}  // namespace
}  // namespace riemflow
