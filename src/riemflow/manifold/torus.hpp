#pragma once
// T^d, the flat torus of d angles in [−π, π): geodesics are straight lines that wrap.

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "riemflow/manifold/chart.hpp"
#include "riemflow/manifold/drawn_coordinates.hpp"

namespace riemflow {

template <class T>
class Torus final : public FlatChart<T> {
 public:
  explicit Torus(int d) : FlatChart<T>(d) { require_dimension("torus", d); }

  std::string name() const override { return fmt::format("torus:{}", d_); }
  std::string words() const override { return "the torus T" + as_power(d_) + ", by angles in degrees"; }
  std::string unit_of_volume() const override { return d_ == 1 ? "rad" : "rad" + as_power(d_); }
  std::optional<DrawnCoordinates> drawn_coordinates() const override {
    return own_coordinates(std::vector<DrawnAxis>(
        static_cast<std::size_t>(d_), {"angle", "radians", -std::numbers::pi, std::numbers::pi, true}));
  }
  Picture picture() const override { return {d_ == 2 ? Picture::Kind::torus : Picture::Kind::pairs}; }
  ColumnForm column_form() const override { return {ColumnForm::Kind::angles}; }
  DefaultBase default_base() const override { return DefaultBase::uniform; }
  KernelForm kernel_form() const override { return {KernelForm::Family::circles}; }
  DeviceFormulas device_formulas() const override { return DeviceFormulas::circles; }
  std::optional<Refusal> refuse_chart(ChartKind) const override {
    return Refusal{"no chart of R^d covers a torus once", "use a flow on the torus itself"};
  }
  std::unique_ptr<const Manifold<T>> leading(int n) const override { return std::make_unique<Torus>(n); }
  bool compact() const override { return true; }
  /// d log 2π
  double log_volume() const override { return d_ * std::log(2 * std::numbers::pi); }

  void project(Pack<T>* x) const override {
    for (int i = 0; i < d_; ++i) x[i] = wrapped(x[i]);
  }
  /// A thousand turns.
  double same_within() const override { return 1e-12 * 2 * std::numbers::pi; }
  // exp_x(v) = x + v, wrapped
  void exp(const Pack<T>* x, const Pack<T>* v, Pack<T>* y) const override {
    for (int i = 0; i < d_; ++i) y[i] = wrapped(x[i] + v[i]);
  }
  // log_x(y) = y − x, wrapped
  void log(const Pack<T>* x, const Pack<T>* y, Pack<T>* v) const override {
    for (int i = 0; i < d_; ++i) v[i] = wrapped(y[i] - x[i]);
  }
  // |log_x(y)|
  Pack<T> distance(const Pack<T>* x, const Pack<T>* y) const override {
    Pack<T> square = 0;
    for (int i = 0; i < d_; ++i) {
      const Pack<T> a = wrapped(y[i] - x[i]);
      square += a * a;
    }
    return sqrt(square);
  }
  // The rounding to T may reach +π, hence the wrapping.
  void random_uniform(Random& random, Pack<T>* x, int lane) const override {
    for (int i = 0; i < d_; ++i)
      x[i][lane] = wrapped(static_cast<T>(std::numbers::pi * (2 * random.uniform() - 1)));
  }
  // the angles;  √|G| = 1
  std::optional<PatchPart> part(double) const override {
    return PatchPart{
        std::vector<PatchPart::Axis>(static_cast<std::size_t>(d_), {-std::numbers::pi, std::numbers::pi, 8}),
        [d = d_](const double* u, double* x) {
          for (int i = 0; i < d; ++i) x[i] = u[i];
          return 1.0;
        }};
  }

  std::shared_ptr<const Features<T>> features() const override { return std::make_shared<Circles<T>>(d_); }
  /// Those of sines and cosines.
  std::shared_ptr<const GeodesicNeurons<T>> geodesic_neurons() const override { return nullptr; }

 private:
  using FlatChart<T>::d_;

  /// The angle a modulo 2π in [−π, π), π as rounded to T; bits are kept inside, and +π becomes −π.
  static T wrapped(T a) {
    constexpr T pi = std::numbers::pi_v<T>;
    if (-pi <= a && a < pi) return a;
    const T r = std::remainder(a, 2 * pi);
    return r < pi ? r : -r;
  }
  static Pack<T> wrapped(const Pack<T>& a) {
    Pack<T> r;
    for (int l = 0; l < kLanes; ++l) r[l] = wrapped(a[l]);
    return r;
  }
};

}  // namespace riemflow
