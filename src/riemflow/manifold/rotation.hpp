#pragma once
// rotation:3, the rotations of space, and rotation:3/G, orientations of a crystal: rotations that are the
// same if a symmetry of the crystal comes first, R ~ R s for s in its proper point group G.
//
// A point is a unit quaternion (w, x, y, z) up to sign: cos(ω/2) and sin(ω/2) times the axis, of the rotation
// by ω that takes the crystal's coordinates to those of the sample. The distance of two rotations is the
// angle of the one that takes one to the other, in radians: twice the angle of the quaternions. So the volume
// is 8π² of rotations and 8π²/|G| of orientations; a density with respect to the Haar measure of mass 1 is
// 8π², or 8π²/|G|, times the density here, and multiples of the random distribution are the same number.

#include <fmt/format.h>

#include <string_view>

#include "riemflow/core/rotation.hpp"
#include "riemflow/manifold/crystal_group.hpp"
#include "riemflow/manifold/rotation_notations.hpp"
#include "riemflow/manifold/sphere_quotient.hpp"

namespace riemflow {

template <class T>
class Rotation final : public SphereQuotient<T> {
 public:
  /// group: of kCrystalGroups; Error otherwise. "1" has the identity alone.
  explicit Rotation(std::string_view group = "1") : Rotation(crystal_group(group)) {}
  explicit Rotation(const CrystalGroup& group) : SphereQuotient<T>(3, 2, matrices(group)), group_(group) {}

  std::string name() const override {
    return group_.elements.size() == 1 ? "rotation:3" : fmt::format("rotation:3/{}", group_.name);
  }
  std::string unit_of_volume() const override { return "rad³"; }
  std::string volume_in_words() const override {
    const std::size_t n = group_.elements.size();
    return fmt::format("8π²{} = {:.4g}", n == 1 ? "" : fmt::format("/{}", n), std::exp(this->log_volume()));
  }
  const CrystalGroup& crystal() const { return group_; }
  Picture picture() const override { return {Picture::Kind::rotations, group_.name}; }
  std::vector<Notation> notations() const override { return rotation_notations(); }

 private:
  /// q ↦ ±q s.
  static OrthogonalGroup matrices(const CrystalGroup& group) {
    OrthogonalGroup all;
    for (const auto& s : group.elements)
      for (const double sign : {1.0, -1.0}) {
        Eigen::MatrixXd g(4, 4);
        for (int c = 0; c < 4; ++c) {
          rotation::Quaternion<double> unit{};
          unit[static_cast<std::size_t>(c)] = sign;
          const rotation::Quaternion<double> image = rotation::product(unit, s);
          for (int r = 0; r < 4; ++r) g(r, c) = image[static_cast<std::size_t>(r)];
        }
        all.push_back(std::move(g));
      }
    return all;
  }

  CrystalGroup group_;
};

}  // namespace riemflow
