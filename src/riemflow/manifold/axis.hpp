#pragma once
// axis:d, directions without sign: the unit vectors of R^{d+1}, where x and −x are the same axis. It is real
// projective space with the metric of the unit sphere, of half its volume; an angle between axes is at most a
// right one.

#include <fmt/format.h>

#include "riemflow/manifold/sphere_quotient.hpp"

namespace riemflow {

template <class T>
class Axis final : public SphereQuotient<T> {
 public:
  explicit Axis(int d) : SphereQuotient<T>(d, 1, signs(d)) {}

  std::string name() const override { return fmt::format("axis:{}", this->dimension()); }
  std::string unit_of_volume() const override {
    return this->dimension() == 1 ? "rad" : this->dimension() == 2 ? "sr" : unit_of_size(this->dimension());
  }
  std::optional<DrawnCoordinates> drawn_coordinates() const override {
    if (this->dimension() > 2) return std::nullopt;
    return this->dimension() == 1 ? circle_coordinates(1, true) : globe_coordinates(1, true);
  }
  Picture picture() const override {
    return {this->dimension() == 2 ? Picture::Kind::axes : Picture::Kind::pairs};
  }
  /// Of either end.
  ColumnForm column_form() const override {
    return {ColumnForm::Kind::vector, 1,
            this->dimension() == 2 ? ColumnForm::Places::usual : ColumnForm::Places::none};
  }

 private:
  static OrthogonalGroup signs(int d) {
    require_dimension("axis", d);
    const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(d + 1, d + 1);
    return {one, -one};
  }
};

}  // namespace riemflow
