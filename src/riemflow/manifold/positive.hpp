#pragma once
// positive:1, the numbers above 0 with their usual distance. What they are told through is the line, by y =
// exp x, with J = y: kernels and flows see ratios, so that lengths, durations and energies over many
// magnitudes are one cloud, and nothing leaks below 0. Volumes are lengths in the units of the numbers.
//
// Geodesics that reach 0 turn back there.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "riemflow/manifold/covered.hpp"
#include "riemflow/manifold/drawn_coordinates.hpp"
#include "riemflow/manifold/euclidean.hpp"

namespace riemflow {

class Logarithms final : public Covering {
 public:
  const std::shared_ptr<const Manifold<double>>& cover() const override { return cover_; }
  int ambient() const override { return 1; }
  std::size_t sheets() const override { return 1; }
  void lift(const double* y, std::size_t, double* x) const override { x[0] = std::log(y[0]); }
  // A draw beyond the range of numbers is at its end.
  void drop(const double* x, double* y) const override {
    y[0] = std::clamp(std::exp(x[0]), std::numeric_limits<double>::min(), std::numeric_limits<double>::max());
  }
  double log_stretch(const double* x, double* x_bar) const override {
    if (x_bar != nullptr) x_bar[0] += 1;
    return x[0];
  }
  void pull_back(const double* y, std::size_t, const double*, const double* x_bar,
                 double* y_bar) const override {
    y_bar[0] = x_bar[0] / y[0];
  }

 private:
  std::shared_ptr<const Manifold<double>> cover_ = std::make_shared<Euclidean<double>>(1);
};

template <class T>
class Positive final : public CoveredManifold<T> {
 public:
  std::string name() const override { return "positive:1"; }
  int dimension() const override { return 1; }
  int ambient() const override { return 1; }
  bool compact() const override { return false; }
  double log_volume() const override { return std::numeric_limits<double>::infinity(); }
  std::string unit_of_volume() const override { return "unit of length"; }
  Picture picture() const override { return {Picture::Kind::pairs}; }
  std::optional<DrawnCoordinates> drawn_coordinates() const override {
    return own_coordinates(
        {{"x", "", std::numeric_limits<double>::min(), std::numeric_limits<double>::infinity()}});
  }
  std::shared_ptr<const Covering> covering() const override { return covering_; }
  std::vector<Notation> notations() const override {
    Notation number{"numbers above 0", {"y"}, false, {}, {}};
    number.read = [](const double* numbers, double* y) -> std::optional<std::string> {
      if (!(numbers[0] >= kLeast)) return outside(numbers[0]);
      y[0] = numbers[0];
      return std::nullopt;
    };
    number.write = [](const double* y, double* numbers) { numbers[0] = y[0]; };
    return {number};
  }

  void project(Pack<T>* x) const override {
    for (T& a : x[0].lane) a = std::max(a, kLeast);
  }
  std::optional<std::string> defect(std::span<const T> point) const override {
    if (auto bad = coordinate_defect(point, 1)) return bad;
    if (point[0] >= kLeast) return std::nullopt;
    return outside(static_cast<double>(point[0]));
  }
  void to_tangent(const Pack<T>*, Pack<T>*) const override {}
  Pack<T> inner(const Pack<T>*, const Pack<T>* u, const Pack<T>* v) const override { return u[0] * v[0]; }
  void lower(const Pack<T>*, Pack<T>*) const override {}
  void frame(const Pack<T>*, PackMatrix<T> e) const override { e(0, 0) = 1; }

  // |x + v|
  void exp(const Pack<T>* x, const Pack<T>* v, Pack<T>* y) const override {
    for (int l = 0; l < kLanes; ++l) y[0][l] = std::max(std::abs(x[0][l] + v[0][l]), kLeast);
  }
  void log(const Pack<T>* x, const Pack<T>* y, Pack<T>* v) const override { v[0] = y[0] - x[0]; }
  Pack<T> distance(const Pack<T>* x, const Pack<T>* y) const override { return abs(y[0] - x[0]); }
  void transport(const Pack<T>*, const Pack<T>*, const Pack<T>* v, Pack<T>* w) const override { w[0] = v[0]; }
  Pack<T> log_volume_density(const Pack<T>*) const override { return 0; }
  void random_uniform(Random&, Pack<T>*, int) const override {
    throw Error("positive:1 has no uniform distribution", "its volume is infinite");
  }

 private:
  static constexpr T kLeast = std::numeric_limits<T>::min();
  static std::string outside(double number) {
    if (number > 0)
      return fmt::format(
          "{:.9g} is below {:.3g}, the least number that is told from 0 here: give another unit", number,
          kLeast);
    return fmt::format("{:.9g} is not above 0 (interval:1,from=0,to=… has its ends)", number);
  }

  std::shared_ptr<const Covering> covering_ = std::make_shared<Logarithms>();
};

}  // namespace riemflow
