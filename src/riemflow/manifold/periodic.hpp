#pragma once
// torus:d,L=…: d numbers that repeat with the periods L_1, …, L_d (hours of the day, days of the year, a
// crystal's cell), as points in [0, L_i), with the distance of their units. What it is told through is the
// torus of angles, y = L θ/2π, in one sheet, with J = Π L_i/2π. One L stands for all.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "riemflow/manifold/covered.hpp"
#include "riemflow/manifold/drawn_coordinates.hpp"
#include "riemflow/manifold/torus.hpp"

namespace riemflow {

/// The number a modulo L in [0, L); bits are kept inside.
template <class T>
T in_period(T a, T L) {
  if (0 <= a && a < L) return a;
  const T r = a - L * std::floor(a / L);
  return r >= 0 && r < L ? r : 0;
}

class ScaledTorus final : public Covering {
 public:
  explicit ScaledTorus(std::vector<double> periods)
      : cover_(std::make_shared<Torus<double>>(static_cast<int>(periods.size()))), L_(std::move(periods)) {
    for (const double L : L_) log_J_ += std::log(L / kTurn);
  }

  const std::shared_ptr<const Manifold<double>>& cover() const override { return cover_; }
  int ambient() const override { return cover_->ambient(); }
  std::size_t sheets() const override { return 1; }
  void lift(const double* y, std::size_t, double* x) const override {
    for (std::size_t i = 0; i < L_.size(); ++i) {
      const double turns = in_period(y[i], L_[i]) / L_[i];
      x[i] = kTurn * (turns < 0.5 ? turns : turns - 1);
    }
  }
  void drop(const double* x, double* y) const override {
    for (std::size_t i = 0; i < L_.size(); ++i) y[i] = in_period(L_[i] * (x[i] / kTurn), L_[i]);
  }
  double log_stretch(const double*, double*) const override { return log_J_; }
  void pull_back(const double*, std::size_t, const double*, const double* x_bar,
                 double* y_bar) const override {
    for (std::size_t i = 0; i < L_.size(); ++i) y_bar[i] = kTurn / L_[i] * x_bar[i];
  }

 private:
  static constexpr double kTurn = 2 * std::numbers::pi;
  std::shared_ptr<const Manifold<double>> cover_;
  std::vector<double> L_;
  double log_J_ = 0;
};

template <class T>
class PeriodicTorus final : public CoveredManifold<T> {
 public:
  /// One period, or d.
  PeriodicTorus(int d, std::vector<double> periods) : d_(d) {
    require_dimension("torus", d);
    require(periods.size() == 1 || periods.size() == static_cast<std::size_t>(d),
            fmt::format("torus: {} periods for {} dimensions", periods.size(), d),
            fmt::format("give one L for all, or {} parted by semicolons", d));
    for (const double L : periods)
      require(1e-12 <= L && L <= 1e12, fmt::format("torus: the period {} is not from 1e-12 to 1e12", L),
              "give the length after which the numbers repeat, as in L=24");
    if (periods.size() == 1) periods.resize(static_cast<std::size_t>(d), periods.front());
    L_ = std::move(periods);
    covering_ = std::make_shared<ScaledTorus>(L_);
  }

  std::string name() const override {
    const bool same = std::all_of(L_.begin(), L_.end(), [&](double L) { return L == L_.front(); });
    return same ? fmt::format("torus:{},L={}", d_, L_.front())
                : fmt::format("torus:{},L={}", d_, fmt::join(L_, ";"));
  }
  int dimension() const override { return d_; }
  int ambient() const override { return d_; }
  bool compact() const override { return true; }
  double log_volume() const override {
    double sum = 0;
    for (const double L : L_) sum += std::log(L);
    return sum;
  }
  std::string unit_of_volume() const override {
    std::vector<std::string> units;
    for (const double L : L_) units.push_back(fmt::format("unit of a period of {}", L));
    return product_of_units(units);
  }
  Picture picture() const override { return {Picture::Kind::pairs}; }
  std::optional<DrawnCoordinates> drawn_coordinates() const override {
    std::vector<DrawnAxis> axes;
    for (const double L : L_) axes.push_back({"x", fmt::format("period {:g}", L), 0, L, true});
    return own_coordinates(std::move(axes));
  }
  std::shared_ptr<const Covering> covering() const override { return covering_; }
  std::vector<Notation> notations() const override {
    Notation number{fmt::format("numbers that repeat after {}, wrapped to begin at 0", fmt::join(L_, ", ")),
                    {},
                    false,
                    {},
                    {}};
    for (int i = 1; i <= d_; ++i) number.columns.push_back(d_ == 1 ? "t" : fmt::format("t_{}", i));
    number.read = [L = L_](const double* numbers, double* x) -> std::optional<std::string> {
      for (std::size_t i = 0; i < L.size(); ++i) {
        if (!(std::abs(numbers[i]) <= kMostPeriods * L[i]))
          return fmt::format("{:.6g} is more than {:.0f} periods of {}", numbers[i], kMostPeriods, L[i]);
        x[i] = in_period(numbers[i], L[i]);
      }
      return std::nullopt;
    };
    number.write = [d = d_](const double* x, double* numbers) { std::copy_n(x, d, numbers); };
    return {number};
  }

  void project(Pack<T>* x) const override {
    each([&](int i, int l, T L) { x[i][l] = in_period(x[i][l], L); });
  }
  /// A thousand periods.
  double same_within() const override { return 1e-12 * *std::max_element(L_.begin(), L_.end()); }
  /// As on the torus, any numbers.
  std::optional<std::string> defect(std::span<const T> point) const override {
    return coordinate_defect(point, d_);
  }
  void to_tangent(const Pack<T>*, Pack<T>*) const override {}
  Pack<T> inner(const Pack<T>*, const Pack<T>* u, const Pack<T>* v) const override { return dot(d_, u, v); }
  void lower(const Pack<T>*, Pack<T>*) const override {}
  void frame(const Pack<T>*, PackMatrix<T> e) const override {
    for (int i = 0; i < d_; ++i)
      for (int j = 0; j < d_; ++j) e(i, j) = i == j ? 1 : 0;
  }

  void exp(const Pack<T>* x, const Pack<T>* v, Pack<T>* y) const override {
    each([&](int i, int l, T L) { y[i][l] = in_period(x[i][l] + v[i][l], L); });
  }
  void log(const Pack<T>* x, const Pack<T>* y, Pack<T>* v) const override {
    each([&](int i, int l, T L) { v[i][l] = std::remainder(y[i][l] - x[i][l], L); });
  }
  Pack<T> distance(const Pack<T>* x, const Pack<T>* y) const override {
    Pack<T> square = 0;
    each([&](int i, int l, T L) {
      const T a = std::remainder(y[i][l] - x[i][l], L);
      square[l] += a * a;
    });
    return sqrt(square);
  }
  void transport(const Pack<T>*, const Pack<T>*, const Pack<T>* v, Pack<T>* w) const override {
    std::copy_n(v, d_, w);
  }
  Pack<T> log_volume_density(const Pack<T>*) const override { return 0; }
  void random_uniform(Random& random, Pack<T>* x, int lane) const override {
    for (int i = 0; i < d_; ++i)
      x[i][lane] = in_period(static_cast<T>(L_[static_cast<std::size_t>(i)] * random.uniform()), period(i));
  }

 private:
  /// Beyond, little of the number is left.
  static constexpr double kMostPeriods = 1e6;

  T period(int i) const { return static_cast<T>(L_[static_cast<std::size_t>(i)]); }
  template <class F>
  void each(F f) const {
    for (int i = 0; i < d_; ++i)
      for (int l = 0; l < kLanes; ++l) f(i, l, period(i));
  }

  int d_;
  std::vector<double> L_;
  std::shared_ptr<const Covering> covering_;
};

}  // namespace riemflow
