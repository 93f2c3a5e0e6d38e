#include "riemflow/core/pack.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace riemflow {
namespace {

template <class T>
class PackOf : public ::testing::Test {
 protected:
  /// (l + 1)·scale in lane l. Volatile: the compiler folds functions of constants, rounded otherwise than
  /// libm.
  static Pack<T> ramp(double scale) {
    volatile double step = scale;
    Pack<T> p;
    for (int l = 0; l < kLanes; ++l) p[l] = static_cast<T>((l + 1) * step);
    return p;
  }
};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PackOf, Precisions);

#define EXPECT_LANES(pack, expression) \
  for (int l = 0; l < kLanes; ++l) EXPECT_EQ((pack)[l], (expression)) << "lane " << l

TYPED_TEST(PackOf, IsOneAlignedBlock) {
  using T = TypeParam;
  EXPECT_EQ(sizeof(Pack<T>), kLanes * sizeof(T));
  EXPECT_EQ(alignof(Pack<T>), 64u);
}

TYPED_TEST(PackOf, Arithmetic) {
  using T = TypeParam;
  const Pack<T> a = this->ramp(0.75), b = this->ramp(-2) + 1;
  EXPECT_LANES(Pack<T>(3), T(3));
  EXPECT_LANES(a + b, a[l] + b[l]);
  EXPECT_LANES(a - b, a[l] - b[l]);
  EXPECT_LANES(a * b, a[l] * b[l]);
  EXPECT_LANES(a / b, a[l] / b[l]);
  EXPECT_LANES(-a, -a[l]);
  EXPECT_LANES(2 * a + 1, 2 * a[l] + 1);
  Pack<T> c = a;
  c += b;
  c *= a;
  c -= b;
  c /= b;
  EXPECT_LANES(c, ((a[l] + b[l]) * a[l] - b[l]) / b[l]);
}

TYPED_TEST(PackOf, ComparesAndSelects) {
  using T = TypeParam;
  const Pack<T> a = this->ramp(1);
  const LaneMask low = a < T(5);
  for (int l = 0; l < kLanes; ++l) EXPECT_EQ(low.lane[static_cast<std::size_t>(l)], l < 4);
  EXPECT_LANES(select(low, a, -a), l < 4 ? a[l] : -a[l]);
  EXPECT_TRUE(low.any());
  EXPECT_FALSE(low.all());
  EXPECT_FALSE((a < T(1)).any());
  EXPECT_TRUE((a < T(17)).all());
  EXPECT_TRUE((a < 2 * a).all());

  // NaN is below nothing, and where it is not selected it does not leak.
  Pack<T> bad = a;
  bad[3] = std::nan("");
  EXPECT_FALSE((bad < T(100)).lane[3]);
  EXPECT_LANES(select(bad < T(100), bad, Pack<T>(-1)), l == 3 ? T(-1) : a[l]);
  EXPECT_EQ(select(true, 1.0, 2.0), 1.0);
  EXPECT_EQ(select(false, 1.0, 2.0), 2.0);
}

TYPED_TEST(PackOf, FunctionsAreTheScalarOnes) {
  const auto a = this->ramp(0.06), s = this->ramp(0.3) - 2.5;
  EXPECT_LANES(sqrt(a), std::sqrt(a[l]));
  EXPECT_LANES(exp(s), std::exp(s[l]));
  EXPECT_LANES(log(a), std::log(a[l]));
  EXPECT_LANES(log1p(a), std::log1p(a[l]));
  EXPECT_LANES(sin(s), std::sin(s[l]));
  EXPECT_LANES(cos(s), std::cos(s[l]));
  EXPECT_LANES(asin(a), std::asin(a[l]));
  EXPECT_LANES(sinh(s), std::sinh(s[l]));
  EXPECT_LANES(cosh(s), std::cosh(s[l]));
  EXPECT_LANES(tanh(s), std::tanh(s[l]));
  EXPECT_LANES(asinh(s), std::asinh(s[l]));
  EXPECT_LANES(atanh(a), std::atanh(a[l]));
  EXPECT_LANES(abs(s), std::abs(s[l]));
  EXPECT_LANES(atan2(s, a), std::atan2(s[l], a[l]));
  EXPECT_LANES(max(s, a), std::max(s[l], a[l]));
  EXPECT_LANES(copysign(a, s), std::copysign(a[l], s[l]));
}

TYPED_TEST(PackOf, SumsLanesInOrder) {
  using T = TypeParam;
  EXPECT_EQ(lane_sum(this->ramp(1)), T(136));
  // 2^60 swallows what is added to it one by one; any other order would not.
  Pack<T> p(1);
  p[0] = T(0x1p60);
  EXPECT_EQ(lane_sum(p), T(0x1p60));
}

TYPED_TEST(PackOf, DotWalksColumns) {
  using T = TypeParam;
  Pack<T> m[6];
  for (int i = 0; i < 6; ++i) m[i] = this->ramp(i + 1);
  // ⟨(1,2,3), (4,5,6)⟩ and, as columns of a 3 × 2 matrix, ⟨(1,3,5), (2,4,6)⟩, in units of (l+1)².
  EXPECT_LANES(dot(3, m, m + 3), T(32 * (l + 1) * (l + 1)));
  EXPECT_LANES(dot(3, m, m + 1, 2, 2), T(44 * (l + 1) * (l + 1)));
  EXPECT_LANES(dot(1, m, m + 1), T(2 * (l + 1) * (l + 1)));

  const PackMatrix<T> matrix{m, 2};
  EXPECT_EQ(&matrix(2, 1), m + 5);
  EXPECT_EQ(&matrix.from(1, 1)(1, 0), m + 5);
}

#undef EXPECT_LANES

}  // namespace
}  // namespace riemflow
