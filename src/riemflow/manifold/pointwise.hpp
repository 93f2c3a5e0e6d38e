#pragma once
// Covered spaces whose geometry is written for one point in double: matrices, hyperbolic space in Lorentz
// coordinates. What is computed often is computed on the cover.

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "riemflow/manifold/covered.hpp"

namespace riemflow {

/// The geometry of manifold.hpp at one point, in its words. Pointers do not alias; frame: column j begins at
/// e + j·ambient.
class PointGeometry {
 public:
  virtual ~PointGeometry() = default;
  virtual void project(double* x) const = 0;
  /// Of finite numbers, as many as there should be.
  virtual std::optional<std::string> defect(const double* x) const = 0;
  virtual void to_tangent(const double* x, double* v) const = 0;
  virtual double inner(const double* x, const double* u, const double* v) const = 0;
  virtual void lower(const double* x, double* v) const = 0;
  virtual void frame(const double* x, double* e) const = 0;
  virtual void exp(const double* x, const double* v, double* y) const = 0;
  virtual void log(const double* x, const double* y, double* v) const = 0;
  virtual double distance(const double* x, const double* y) const = 0;
  virtual void transport(const double* x, const double* y, const double* v, double* w) const = 0;
  virtual double log_volume_density(const double* x) const = 0;
};

template <class T>
class Pointwise : public CoveredManifold<T> {
 public:
  int dimension() const final { return d_; }
  int ambient() const final { return D_; }
  bool compact() const final { return false; }
  double log_volume() const final { return std::numeric_limits<double>::infinity(); }
  std::shared_ptr<const Covering> covering() const final { return covering_; }

  void project(Pack<T>* x) const final {
    for (int l = 0; l < kLanes; ++l) {
      Numbers at = lane(x, l);
      geometry_->project(at.data());
      put(at, x, l);
    }
  }
  std::optional<std::string> defect(std::span<const T> point) const final {
    if (auto bad = coordinate_defect(point, D_)) return bad;
    return geometry_->defect(Numbers(point.begin(), point.end()).data());
  }
  void to_tangent(const Pack<T>* x, Pack<T>* v) const final {
    for (int l = 0; l < kLanes; ++l) {
      Numbers vector = lane(v, l);
      geometry_->to_tangent(lane(x, l).data(), vector.data());
      put(vector, v, l);
    }
  }
  Pack<T> inner(const Pack<T>* x, const Pack<T>* u, const Pack<T>* v) const final {
    Pack<T> product;
    for (int l = 0; l < kLanes; ++l)
      product[l] = static_cast<T>(geometry_->inner(lane(x, l).data(), lane(u, l).data(), lane(v, l).data()));
    return product;
  }
  void lower(const Pack<T>* x, Pack<T>* v) const final {
    for (int l = 0; l < kLanes; ++l) {
      Numbers vector = lane(v, l);
      geometry_->lower(lane(x, l).data(), vector.data());
      put(vector, v, l);
    }
  }
  void frame(const Pack<T>* x, PackMatrix<T> e) const final {
    Numbers columns(static_cast<std::size_t>(d_) * static_cast<std::size_t>(D_));
    for (int l = 0; l < kLanes; ++l) {
      geometry_->frame(lane(x, l).data(), columns.data());
      for (int j = 0; j < d_; ++j)
        for (int i = 0; i < D_; ++i)
          e(i, j)[l] = static_cast<T>(columns[static_cast<std::size_t>(j * D_ + i)]);
    }
  }

  void exp(const Pack<T>* x, const Pack<T>* v, Pack<T>* y) const final {
    Numbers to(static_cast<std::size_t>(D_));
    for (int l = 0; l < kLanes; ++l) {
      geometry_->exp(lane(x, l).data(), lane(v, l).data(), to.data());
      put(to, y, l);
    }
  }
  void log(const Pack<T>* x, const Pack<T>* y, Pack<T>* v) const final {
    Numbers vector(static_cast<std::size_t>(D_));
    for (int l = 0; l < kLanes; ++l) {
      geometry_->log(lane(x, l).data(), lane(y, l).data(), vector.data());
      put(vector, v, l);
    }
  }
  Pack<T> distance(const Pack<T>* x, const Pack<T>* y) const final {
    Pack<T> r;
    for (int l = 0; l < kLanes; ++l)
      r[l] = static_cast<T>(geometry_->distance(lane(x, l).data(), lane(y, l).data()));
    return r;
  }
  void transport(const Pack<T>* x, const Pack<T>* y, const Pack<T>* v, Pack<T>* w) const final {
    Numbers vector(static_cast<std::size_t>(D_));
    for (int l = 0; l < kLanes; ++l) {
      geometry_->transport(lane(x, l).data(), lane(y, l).data(), lane(v, l).data(), vector.data());
      put(vector, w, l);
    }
  }
  Pack<T> log_volume_density(const Pack<T>* x) const final {
    Pack<T> density;
    for (int l = 0; l < kLanes; ++l)
      density[l] = static_cast<T>(geometry_->log_volume_density(lane(x, l).data()));
    return density;
  }
  /// Throws Error: the volume is not finite.
  void random_uniform(Random&, Pack<T>*, int) const final {
    throw Error(this->name() + " has no uniform distribution", "use a normal distribution on its cover");
  }

 protected:
  Pointwise(int d, int D, std::unique_ptr<const PointGeometry> geometry,
            std::shared_ptr<const Covering> covering)
      : d_(d), D_(D), geometry_(std::move(geometry)), covering_(std::move(covering)) {}

 private:
  using Numbers = std::vector<double>;
  Numbers lane(const Pack<T>* x, int l) const {
    Numbers at(static_cast<std::size_t>(D_));
    for (std::size_t i = 0; i < at.size(); ++i) at[i] = static_cast<double>(x[i][l]);
    return at;
  }
  static void put(const Numbers& at, Pack<T>* x, int l) {
    for (std::size_t i = 0; i < at.size(); ++i) x[i][l] = static_cast<T>(at[i]);
  }

  int d_, D_;
  std::unique_ptr<const PointGeometry> geometry_;
  std::shared_ptr<const Covering> covering_;
};

}  // namespace riemflow
