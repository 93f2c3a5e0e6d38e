#pragma once
// interval:1, the numbers from `from` to `to`, both among them, with their usual distance. What it is told
// through is the circle, folded flat: y = from + (to − from)|θ|/π, of the two sheets ±θ, with J = (to −
// from)/π. A density need not vanish at the ends. Volumes are lengths in the units of the numbers.
//
// Geodesics that reach an end turn back there.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "riemflow/manifold/covered.hpp"
#include "riemflow/manifold/drawn_coordinates.hpp"
#include "riemflow/manifold/torus.hpp"

namespace riemflow {

class FoldedCircle final : public Covering {
 public:
  FoldedCircle(double from, double to)
      : cover_(std::make_shared<Torus<double>>(1)),
        from_(from),
        to_(to),
        J_((to - from) / std::numbers::pi) {}

  const std::shared_ptr<const Manifold<double>>& cover() const override { return cover_; }
  int ambient() const override { return 1; }
  std::size_t sheets() const override { return 2; }
  // π is written as −π.
  void lift(const double* y, std::size_t sheet, double* x) const override {
    const double theta = std::clamp((y[0] - from_) / J_, 0.0, std::numbers::pi);
    x[0] = sheet == 0 && theta < std::numbers::pi ? theta : -theta;
  }
  void drop(const double* x, double* y) const override {
    y[0] = std::clamp(from_ + J_ * std::abs(x[0]), from_, to_);
  }
  double log_stretch(const double*, double*) const override { return std::log(J_); }
  void pull_back(const double*, std::size_t sheet, const double*, const double* x_bar,
                 double* y_bar) const override {
    y_bar[0] = (sheet == 0 ? x_bar[0] : -x_bar[0]) / J_;
  }
  void carry(const double* x, std::size_t sheet, double* v) const override {
    if (std::signbit(x[0]) != (sheet == 1)) v[0] = -v[0];
  }

 private:
  std::shared_ptr<const Manifold<double>> cover_;
  double from_, to_, J_;
};

template <class T>
class Interval final : public CoveredManifold<T> {
 public:
  explicit Interval(double from = 0, double to = 1) : from_(from), to_(to) {
    require(std::isfinite(from) && std::isfinite(to) && from < to && std::isfinite(to - from),
            fmt::format("interval: from {} to {}", from, to),
            "give two numbers, the smaller one first, as in interval:1,from=0,to=1");
    require(static_cast<T>(from) < static_cast<T>(to) &&
                to - from > 1e-6 * std::max(std::abs(from), std::abs(to)),
            fmt::format("interval: from {} to {} is too short for its place", from, to),
            "subtract what all numbers have in common");
    covering_ = std::make_shared<FoldedCircle>(from, to);
  }

  std::string name() const override {
    return from_ == 0 && to_ == 1 ? "interval:1" : fmt::format("interval:1,from={},to={}", from_, to_);
  }
  int dimension() const override { return 1; }
  int ambient() const override { return 1; }
  bool compact() const override { return true; }
  double log_volume() const override { return std::log(to_ - from_); }
  std::string unit_of_volume() const override { return "unit of length"; }
  Picture picture() const override { return {Picture::Kind::pairs}; }
  std::optional<DrawnCoordinates> drawn_coordinates() const override {
    return own_coordinates({{"x", "", from_, to_}});
  }
  std::shared_ptr<const Covering> covering() const override { return covering_; }
  std::vector<Notation> notations() const override {
    Notation number{fmt::format("numbers from {} to {}", from_, to_), {"u"}, false, {}, {}};
    number.read = [from = from_, to = to_](const double* numbers, double* x) -> std::optional<std::string> {
      if (!(from <= numbers[0] && numbers[0] <= to)) return outside(numbers[0], from, to);
      x[0] = numbers[0];
      return std::nullopt;
    };
    number.write = [](const double* x, double* numbers) { numbers[0] = x[0]; };
    return {number};
  }

  /// The nearer end of what is outside.
  void project(Pack<T>* x) const override {
    for (T& a : x[0].lane) a = std::clamp(a, static_cast<T>(from_), static_cast<T>(to_));
  }
  std::optional<std::string> defect(std::span<const T> point) const override {
    if (auto bad = coordinate_defect(point, 1)) return bad;
    if (static_cast<T>(from_) <= point[0] && point[0] <= static_cast<T>(to_)) return std::nullopt;
    return outside(static_cast<double>(point[0]), from_, to_);
  }
  void to_tangent(const Pack<T>*, Pack<T>*) const override {}
  Pack<T> inner(const Pack<T>*, const Pack<T>* u, const Pack<T>* v) const override { return u[0] * v[0]; }
  void lower(const Pack<T>*, Pack<T>*) const override {}
  void frame(const Pack<T>*, PackMatrix<T> e) const override { e(0, 0) = 1; }

  // x + v, folded at both ends.
  void exp(const Pack<T>* x, const Pack<T>* v, Pack<T>* y) const override {
    const T low = static_cast<T>(from_), high = static_cast<T>(to_), length = high - low;
    for (int l = 0; l < kLanes; ++l) {
      const T there = x[0][l] + v[0][l];
      y[0][l] = low <= there && there <= high
                    ? there
                    : std::clamp(low + std::abs(std::remainder(there - low, 2 * length)), low, high);
    }
  }
  void log(const Pack<T>* x, const Pack<T>* y, Pack<T>* v) const override { v[0] = y[0] - x[0]; }
  Pack<T> distance(const Pack<T>* x, const Pack<T>* y) const override { return abs(y[0] - x[0]); }
  void transport(const Pack<T>*, const Pack<T>*, const Pack<T>* v, Pack<T>* w) const override { w[0] = v[0]; }
  Pack<T> log_volume_density(const Pack<T>*) const override { return 0; }
  void random_uniform(Random& random, Pack<T>* x, int lane) const override {
    x[0][lane] = std::clamp(static_cast<T>(from_ + (to_ - from_) * random.uniform()), static_cast<T>(from_),
                            static_cast<T>(to_));
  }

 private:
  static std::string outside(double number, double from, double to) {
    return fmt::format("{:.9g} is not from {} to {}", number, from, to);
  }

  double from_, to_;
  std::shared_ptr<const Covering> covering_;
};

}  // namespace riemflow
