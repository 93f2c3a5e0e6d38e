#pragma once
// axis:d, directions without sign: the unit vectors of R^{d+1}, where x and −x are the same axis. It is real
// projective space with the metric of the unit sphere, of half its volume; an angle between axes is at most a
// right one.

#include <fmt/format.h>

#include "riemflow/manifold/earth.hpp"
#include "riemflow/manifold/sphere_quotient.hpp"

namespace riemflow {

template <class T>
class Axis final : public SphereQuotient<T> {
 public:
  explicit Axis(int d) : SphereQuotient<T>(d, 1, signs(d)) {}

  std::string name() const override { return fmt::format("axis:{}", this->dimension()); }
  std::string unit_of_volume() const override {
    return this->dimension() == 2 ? "sr (the whole is 2π)" : "unit of volume, of half the unit sphere's";
  }
  std::vector<Notation> notations() const override {
    if (this->dimension() != 2) return {vectors()};
    Notation place{"latitude and longitude of either end", {"latitude", "longitude"}, true, {}, {}};
    place.read = [](const double* angles, double* x) -> std::optional<std::string> {
      if (std::abs(angles[0]) > std::numbers::pi / 2 + 1e-9)
        return fmt::format("latitude {:.6g}° where -90° to 90° is expected", angles[0] / kRadians);
      earth_point(angles[0], angles[1], x);
      return std::nullopt;
    };
    place.write = [](const double* x, double* angles) {
      angles[0] = std::atan2(x[2], std::hypot(x[0], x[1]));
      angles[1] = std::atan2(x[1], x[0]);
    };
    return {place, vectors()};
  }

 private:
  Notation vectors() const {
    const int D = this->ambient();
    Notation vector{"vectors along the axis, rescaled to norm 1", {}, false, {}, {}};
    for (int i = 1; i <= D; ++i)
      vector.columns.push_back(D == 3 ? std::string(1, "xyz"[i - 1]) : fmt::format("x_{}", i));
    vector.read = [D](const double* numbers, double* x) -> std::optional<std::string> {
      const double norm = Eigen::Map<const Eigen::VectorXd>(numbers, D).stableNorm();
      if (!(std::abs(norm - 1) <= 1e-3))
        return fmt::format("norm {:.6g} where 1 is expected, to 0.001", norm);
      for (int i = 0; i < D; ++i) x[i] = numbers[i] / norm;
      return std::nullopt;
    };
    vector.write = [D](const double* x, double* numbers) { std::copy_n(x, D, numbers); };
    return vector;
  }
  static OrthogonalGroup signs(int d) {
    require_dimension("axis", d);
    const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(d + 1, d + 1);
    return {one, -one};
  }
};

}  // namespace riemflow
