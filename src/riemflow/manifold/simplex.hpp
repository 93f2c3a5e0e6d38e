#pragma once
// simplex:n, n + 1 proportions that are not negative and add to 1: compositions, shares, probabilities. A
// point is y = √p, the square roots of the proportions, on the unit sphere, and what counts are their sizes,
// so that the simplex is the sphere of dimension n but for the signs: distances are those of the sphere, 2
// arcsin(|√p − √q|/2) at most a right angle, half the length of Fisher and Rao. A proportion may be 0, and a
// density need not vanish there. The volume is that of the sphere over 2^{n+1}: π/2, π/2, π²/8 for n = 1,
// 2, 3.
//
// A density with respect to dp_1 … dp_n is larger by −½ Σ_{i=1}^{n+1} log p_i − n log 2 in logarithm, because
// the metric is ¼ Σ dp_i²/p_i, whose determinant on the simplex is 4^{−n}/Π p_i.
//
// A density takes 2^{n+1} of the sphere's, hence n up to 6.

#include <fmt/format.h>

#include "riemflow/manifold/sphere_quotient.hpp"

namespace riemflow {

template <class T>
class Simplex final : public SphereQuotient<T> {
 public:
  explicit Simplex(int n) : SphereQuotient<T>(n, 1, signs(n)) {}

  std::string name() const override { return fmt::format("simplex:{}", this->dimension()); }
  std::string unit_of_volume() const override {
    return unit_of_size(this->dimension()) + " of √p on the unit sphere";
  }
  Picture picture() const override { return {Picture::Kind::pairs}; }
  std::vector<Notation> notations() const override {
    const int D = this->ambient();
    Notation proportions{"proportions that add to 1", {}, false, {}, {}};
    for (int i = 1; i <= D; ++i) proportions.columns.push_back(fmt::format("p{}", i));
    proportions.read = [D](const double* numbers, double* x) -> std::optional<std::string> {
      double sum = 0;
      for (int i = 0; i < D; ++i) {
        if (!(numbers[i] >= 0)) return fmt::format("proportion {} is {:.6g}, below 0", i + 1, numbers[i]);
        sum += numbers[i];
      }
      if (!(std::abs(sum - 1) <= kSumTolerance))
        return fmt::format("the proportions add to {:.6g} where 1 is expected, to {}", sum, kSumTolerance);
      for (int i = 0; i < D; ++i) x[i] = std::sqrt(numbers[i] / sum);
      return std::nullopt;
    };
    proportions.write = [D](const double* x, double* numbers) {
      for (int i = 0; i < D; ++i) numbers[i] = x[i] * x[i];
    };
    return {proportions};
  }

 private:
  static constexpr int kLargest = 6;
  static constexpr double kSumTolerance = 1e-3;

  static OrthogonalGroup signs(int n) {
    require_dimension("simplex", n);
    require(n <= kLargest,
            fmt::format("simplex:{}: a density of {} proportions would be a sum over 2^{} lifts", n, n + 1,
                        n + 1),
            fmt::format(
                "give up to {} proportions, simplex:{}; or take the logarithms of {} of them over the last "
                "as points of euclidean:{}, where none is 0",
                kLargest + 1, kLargest, n, n));
    OrthogonalGroup all;
    for (int flips = 0; flips < 1 << (n + 1); ++flips) {
      Eigen::MatrixXd g = Eigen::MatrixXd::Identity(n + 1, n + 1);
      for (int i = 0; i <= n; ++i)
        if ((flips >> i & 1) != 0) g(i, i) = -1;
      all.push_back(std::move(g));
    }
    return all;
  }
};

}  // namespace riemflow
