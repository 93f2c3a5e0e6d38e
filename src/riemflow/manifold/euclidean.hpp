#pragma once
// R^d with the flat metric: geodesics are straight lines.

#include <fmt/format.h>

#include <limits>

#include "riemflow/core/error.hpp"
#include "riemflow/manifold/chart.hpp"
#include "riemflow/manifold/drawn_coordinates.hpp"
#include "riemflow/manifold/spherical_angles.hpp"

namespace riemflow {

template <class T>
class Euclidean final : public FlatChart<T> {
 public:
  explicit Euclidean(int d) : FlatChart<T>(d) { require_dimension("euclidean", d); }

  std::string name() const override { return fmt::format("euclidean:{}", d_); }
  std::string words() const override { return "Euclidean space R" + as_power(d_); }
  std::string unit_of_volume() const override { return unit_of_size(d_); }
  std::optional<DrawnCoordinates> drawn_coordinates() const override {
    constexpr double all = std::numeric_limits<double>::infinity();
    return own_coordinates(std::vector<DrawnAxis>(static_cast<std::size_t>(d_), {"x", "", -all, all}));
  }
  Picture picture() const override { return {d_ == 2 ? Picture::Kind::plane : Picture::Kind::pairs}; }
  ColumnForm column_form() const override { return {ColumnForm::Kind::plain}; }
  DefaultBase default_base() const override { return DefaultBase::normal; }
  KernelForm kernel_form() const override { return {KernelForm::Family::normal}; }
  DeviceFormulas device_formulas() const override { return DeviceFormulas::flat; }
  std::optional<Refusal> refuse_chart(ChartKind) const override {
    return Refusal{"it is flat", "use a flow on it"};
  }
  bool affine() const override { return true; }
  bool compact() const override { return false; }
  double log_volume() const override { return std::numeric_limits<double>::infinity(); }

  void project(Pack<T>*) const override {}
  // exp_x(v) = x + v
  void exp(const Pack<T>* x, const Pack<T>* v, Pack<T>* y) const override {
    for (int i = 0; i < d_; ++i) y[i] = x[i] + v[i];
  }
  // log_x(y) = y − x
  void log(const Pack<T>* x, const Pack<T>* y, Pack<T>* v) const override {
    for (int i = 0; i < d_; ++i) v[i] = y[i] - x[i];
  }
  Pack<T> distance(const Pack<T>* x, const Pack<T>* y) const override {
    Pack<T> square = 0;
    for (int i = 0; i < d_; ++i) square += (y[i] - x[i]) * (y[i] - x[i]);
    return sqrt(square);
  }
  /// Throws Error: there is no uniform distribution on R^d.
  void random_uniform(Random&, Pack<T>*, int) const override {
    throw Error(name() + " has no uniform distribution", "use a normal distribution instead");
  }
  // x_i = t_i/(1 − t_i²), t_i ∈ (−1, 1);  √|G| = Π_i (1 + t_i²)/(1 − t_i²)²
  std::optional<PatchPart> part(double) const override {
    return PatchPart{std::vector<PatchPart::Axis>(static_cast<std::size_t>(d_), {-1, 1, 8}),
                     [d = d_](const double* t, double* x) {
                       double volume = 1;
                       for (int i = 0; i < d; ++i) volume *= stretch(t[i], x[i]);
                       return volume;
                     }};
  }

  std::shared_ptr<const Features<T>> features() const override {
    return std::make_shared<ScaledCoordinates<T>>(d_);
  }
  /// The distance to a hyperplane is linear.
  std::shared_ptr<const GeodesicNeurons<T>> geodesic_neurons() const override { return nullptr; }

 private:
  using FlatChart<T>::d_;
};

}  // namespace riemflow
