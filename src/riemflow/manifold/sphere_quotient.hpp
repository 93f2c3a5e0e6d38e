#pragma once
// S^d/Γ: the unit sphere of R^D, D = d + 1, whose points are the same if an element of the finite group Γ of
// orthogonal matrices takes one to the other, with s times the length of the unit sphere. What it is told
// through is the sphere of radius s, of |Γ| sheets, and c is a local isometry.
//
// A point is any one of its |Γ| unit vectors; project() takes the one with the largest x_1, of several the
// one with the largest x_2, and so on. Geometry is that of the nearest image: of y seen from x, the g y with
// the largest ⟨x, g y⟩. Where that is not unique (the cut locus) log takes one of the shortest geodesics.

#include <Eigen/Core>
#include <cmath>
#include <utility>

#include "riemflow/manifold/covered.hpp"
#include "riemflow/manifold/sphere.hpp"

namespace riemflow {

/// The elements of Γ, the identity first.
using OrthogonalGroup = std::vector<Eigen::MatrixXd>;

/// Lifts x = s·g y.
class SphereQuotientCovering final : public Covering {
 public:
  SphereQuotientCovering(int d, double s, OrthogonalGroup group)
      : cover_(std::make_shared<Sphere<double>>(d, 1 / (s * s))),
        D_(d + 1),
        s_(s),
        group_(std::move(group)) {}

  const std::shared_ptr<const Manifold<double>>& cover() const override { return cover_; }
  int ambient() const override { return D_; }
  std::size_t sheets() const override { return group_.size(); }
  void lift(const double* y, std::size_t sheet, double* x) const override {
    Eigen::Map<Eigen::VectorXd> to(x, D_);
    to = group_[sheet] * Eigen::Map<const Eigen::VectorXd>(y, D_);
    to *= s_ / to.norm();
  }
  void drop(const double* x, double* y) const override {
    Eigen::VectorXd unit = Eigen::Map<const Eigen::VectorXd>(x, D_).normalized();
    Eigen::Map<Eigen::VectorXd>(y, D_) = kept(unit);
  }
  void pull_back(const double*, std::size_t sheet, const double*, const double* x_bar,
                 double* y_bar) const override {
    Eigen::Map<Eigen::VectorXd>(y_bar, D_) =
        s_ * (group_[sheet].transpose() * Eigen::Map<const Eigen::VectorXd>(x_bar, D_));
  }
  // g_s h with h the element that takes x to the image that drop keeps.
  void carry(const double* x, std::size_t sheet, double* v) const override {
    Eigen::Map<Eigen::VectorXd> moved(v, D_);
    const Eigen::VectorXd unit = Eigen::Map<const Eigen::VectorXd>(x, D_).normalized();
    const Eigen::VectorXd image = group_[sheet] * (group_[keeper_of(unit)] * moved);
    moved = image;
  }
  /// Of all images the first in the order of falling coordinates. Coordinates count as equal to a rounding,
  /// so that a point on the border has one image whatever its rounding.
  Eigen::VectorXd kept(const Eigen::VectorXd& y) const { return group_[keeper_of(y)] * y; }
  const OrthogonalGroup& group() const { return group_; }

 private:
  std::size_t keeper_of(const Eigen::VectorXd& y) const {
    constexpr double kSame = 1e-12;
    Eigen::VectorXd best = y;
    std::size_t keeper = 0;
    for (std::size_t g = 1; g < group_.size(); ++g) {
      const Eigen::VectorXd image = group_[g] * y;
      int c = 0;
      while (c + 1 < D_ && std::abs(image[c] - best[c]) <= kSame) ++c;
      if (!(image[c] > best[c] + kSame)) continue;
      best = image;
      keeper = g;
    }
    return keeper;
  }

  std::shared_ptr<const Manifold<double>> cover_;
  int D_;
  double s_;
  OrthogonalGroup group_;
};

template <class T>
class SphereQuotient : public CoveredManifold<T> {
 public:
  int dimension() const final { return d_; }
  int ambient() const final { return d_ + 1; }
  bool compact() const final { return true; }
  double log_volume() const final {
    return sphere_.log_volume() + d_ * std::log(s_) - std::log(static_cast<double>(covering_->sheets()));
  }
  std::shared_ptr<const Covering> covering() const final { return covering_; }

  void project(Pack<T>* x) const final {
    sphere_.project(x);
    Eigen::VectorXd y(d_ + 1);
    for (int l = 0; l < kLanes; ++l) {
      for (int i = 0; i <= d_; ++i) y[i] = x[i][l];
      y = covering_->kept(y);
      for (int i = 0; i <= d_; ++i) x[i][l] = static_cast<T>(y[i]);
    }
  }
  std::optional<std::string> defect(std::span<const T> point) const final { return sphere_.defect(point); }
  /// Images written with nine decimals.
  double same_within() const final { return 1e-8 * s_; }
  void to_tangent(const Pack<T>* x, Pack<T>* v) const final { sphere_.to_tangent(x, v); }
  // s² ⟨u, v⟩
  Pack<T> inner(const Pack<T>* x, const Pack<T>* u, const Pack<T>* v) const final {
    return square_ * sphere_.inner(x, u, v);
  }
  void lower(const Pack<T>*, Pack<T>* v) const final {
    for (int i = 0; i <= d_; ++i) v[i] *= square_;
  }
  void frame(const Pack<T>* x, PackMatrix<T> e) const final {
    sphere_.frame(x, e);
    for (int i = 0; i <= d_; ++i)
      for (int j = 0; j < d_; ++j) e(i, j) /= static_cast<T>(s_);
  }

  void exp(const Pack<T>* x, const Pack<T>* v, Pack<T>* y) const final {
    sphere_.exp(x, v, y);
    project(y);
  }
  void log(const Pack<T>* x, const Pack<T>* y, Pack<T>* v) const final {
    std::vector<Pack<T>> near(static_cast<std::size_t>(d_ + 1));
    nearest(x, y, near.data());
    sphere_.log(x, near.data(), v);
  }
  Pack<T> distance(const Pack<T>* x, const Pack<T>* y) const final {
    std::vector<Pack<T>> near(static_cast<std::size_t>(d_ + 1));
    nearest(x, y, near.data());
    return static_cast<T>(s_) * sphere_.distance(x, near.data());
  }
  /// To the nearest image of y, and from there to y by the element that takes it there.
  void transport(const Pack<T>* x, const Pack<T>* y, const Pack<T>* v, Pack<T>* w) const final {
    const auto D = static_cast<std::size_t>(d_ + 1);
    std::vector<Pack<T>> near(D), there(D);
    const std::array<std::size_t, kLanes> by = nearest(x, y, near.data());
    sphere_.transport(x, near.data(), v, there.data());
    for (int l = 0; l < kLanes; ++l) {
      const Eigen::MatrixXd& g = covering_->group()[by[static_cast<std::size_t>(l)]];
      for (int i = 0; i <= d_; ++i) {
        double sum = 0;
        for (int j = 0; j <= d_; ++j)
          sum += g(j, i) * static_cast<double>(there[static_cast<std::size_t>(j)][l]);
        w[i][l] = static_cast<T>(sum);
      }
    }
  }

  /// In the angles of the sphere.
  Pack<T> log_volume_density(const Pack<T>* x) const final {
    return sphere_.log_volume_density(x) + Pack<T>(d_ * std::log(s_));
  }
  void random_uniform(Random& random, Pack<T>* x, int lane) const final {
    sphere_.random_uniform(random, x, lane);
    Eigen::VectorXd y(d_ + 1);
    for (int i = 0; i <= d_; ++i) y[i] = x[i][lane];
    y = covering_->kept(y);
    for (int i = 0; i <= d_; ++i) x[i][lane] = static_cast<T>(y[i]);
  }

 protected:
  SphereQuotient(int d, double s, OrthogonalGroup group)
      : d_(d),
        s_(s),
        square_(static_cast<T>(s * s)),
        sphere_(d),
        covering_(std::make_shared<SphereQuotientCovering>(d, s, std::move(group))) {}

 private:
  /// near = the image of y that is nearest to x; returns which element makes it, a lane each.
  std::array<std::size_t, kLanes> nearest(const Pack<T>* x, const Pack<T>* y, Pack<T>* near) const {
    std::array<std::size_t, kLanes> by{};
    const OrthogonalGroup& group = covering_->group();
    const auto D = static_cast<std::size_t>(d_ + 1);
    std::vector<Pack<double>> from(D), to(D);
    for (std::size_t i = 0; i < D; ++i)
      for (int l = 0; l < kLanes; ++l) {
        from[i][l] = static_cast<double>(x[i][l]);
        to[i][l] = static_cast<double>(y[i][l]);
      }
    Pack<double> most = -2;
    for (std::size_t g = 0; g < group.size(); ++g) {
      Pack<double> cosine = 0;
      for (int i = 0; i <= d_; ++i) {
        Pack<double> image = 0;
        for (int j = 0; j <= d_; ++j) image += group[g](i, j) * to[static_cast<std::size_t>(j)];
        cosine += from[static_cast<std::size_t>(i)] * image;
      }
      for (int l = 0; l < kLanes; ++l)
        if (cosine[l] > most[l]) {
          most[l] = cosine[l];
          by[static_cast<std::size_t>(l)] = g;
        }
    }
    for (int l = 0; l < kLanes; ++l) {
      const Eigen::MatrixXd& g = group[by[static_cast<std::size_t>(l)]];
      for (int i = 0; i <= d_; ++i) {
        double image = 0;
        for (int j = 0; j <= d_; ++j) image += g(i, j) * to[static_cast<std::size_t>(j)][l];
        near[i][l] = static_cast<T>(image);
      }
    }
    return by;
  }

  int d_;
  double s_;
  T square_;
  Sphere<T> sphere_;
  std::shared_ptr<const SphereQuotientCovering> covering_;
};

}  // namespace riemflow
