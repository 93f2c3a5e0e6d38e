#include "riemflow/distribution/von_mises_fisher_concentration.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "riemflow/distribution/von_mises_fisher_constants.hpp"

namespace riemflow {
namespace {

TEST(VonMisesFisherConcentration, InvertsTheMeanResultantLength) {
  for (const int d : {1, 2, 3, 10, 64, 500}) {
    for (const double kappa : {1e-3, 0.05, 0.7, 3.0, 20.0, 150.0, 1e3, 1e4, 1e6, 1e9}) {
      const double drop = von_mises_fisher_constants(d, kappa).mean_drop;
      // The drop's own 1e-12 becomes 1e-12/(1 − drop) of κ where the resultant is short.
      EXPECT_NEAR(von_mises_fisher_concentration(d, drop) / kappa, 1, 1e-11 / (1 - drop))
          << d << ' ' << kappa;
    }
  }
}

TEST(VonMisesFisherConcentration, Limits) {
  EXPECT_EQ(von_mises_fisher_concentration(2, 1), 0);
  EXPECT_EQ(von_mises_fisher_concentration(2, 1.5), 0);
  EXPECT_TRUE(std::isinf(von_mises_fisher_concentration(2, 0)));
  EXPECT_TRUE(std::isinf(von_mises_fisher_concentration(2, -1e-17)));
}

}  // namespace
}  // namespace riemflow
