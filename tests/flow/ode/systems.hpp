#pragma once
// Differential equations on manifolds with solutions in closed form, each with an integral along the path as
// its last row. Time enters through the speed s′(t) of s(t) = t + sin(2t)/2: all are reparametrised
// autonomous flows.

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "riemflow/core/random.hpp"
#include "riemflow/flow/ode/system.hpp"
#include "riemflow/manifold/euclidean.hpp"
#include "riemflow/manifold/poincare_ball.hpp"
#include "riemflow/manifold/sphere.hpp"
#include "riemflow/manifold/torus.hpp"

namespace riemflow::test {

using State = std::vector<Pack<double>>;  ///< one pack a row, the integral last

inline double progress(double t) { return t + 0.3 * std::sin(t); }
inline double speed(double t) { return 1 + 0.3 * std::cos(t); }

/// A field on a manifold, and one integral; counts its evaluations and keeps their times.
class ManifoldSystem : public OdeSystem<double> {
 public:
  explicit ManifoldSystem(std::unique_ptr<const Manifold<double>> manifold)
      : manifold_(std::move(manifold)) {}

  int rows() const override { return manifold_->ambient() + 1; }
  int moving() const override { return manifold_->ambient(); }
  int controlled() const override { return rows(); }
  std::size_t tape_size() const override { return 0; }
  bool evaluate(double t, const Pack<double>* y, Pack<double>* rate, double*) override {
    times.push_back(t);
    if (!manifold_->in_domain(y).all()) return false;
    rates(t, y, rate);
    return true;
  }
  void backward(double, const double*, Pack<double>*, Pack<double>*) override {}
  void project(Pack<double>* y) const override { manifold_->project(y); }
  void project_backward(const Pack<double>* y, Pack<double>* y_bar) const override {
    manifold_->project_backward(y, y_bar);
  }
  void error_weight(const Pack<double>* y, Pack<double>* weight) const override {
    manifold_->error_weight(y, weight);
    weight[moving()] = 1;
  }

  const Manifold<double>& manifold() const { return *manifold_; }
  std::vector<double> times;  ///< of all evaluations so far

 protected:
  /// r = (ż, q̇) at the point z.
  virtual void rates(double t, const Pack<double>* z, Pack<double>* r) const = 0;

 private:
  std::unique_ptr<const Manifold<double>> manifold_;
};

/// A system that knows where it comes from and goes to.
class SolvedSystem : public ManifoldSystem {
 public:
  using ManifoldSystem::ManifoldSystem;

  virtual std::string name() const = 0;
  /// The state at time t that started at time `from` from the point `start` with the integral 0.
  virtual std::vector<double> exact(const std::vector<double>& start, double from, double t) const = 0;
  virtual std::vector<double> random_start(Random& random) const = 0;  ///< at time 0

  /// Where random points of time 0 are at time t, the integral at 0.
  State random_state(std::uint64_t seed, double t) const {
    State y(static_cast<std::size_t>(rows()), Pack<double>(0));
    for (int l = 0; l < kLanes; ++l) {
      Random random(seed, Purpose::test, 0, static_cast<std::uint64_t>(l));
      const std::vector<double> z = exact(random_start(random), 0, t);
      for (std::size_t i = 0; i + 1 < z.size(); ++i) y[i][l] = z[i];
    }
    return y;
  }
  /// What becomes by time t of the lanes that start at time `from`.
  State exact(const State& start, double from, double t) const {
    State y = start;
    for (int l = 0; l < kLanes; ++l) {
      std::vector<double> z;
      for (std::size_t i = 0; i + 1 < start.size(); ++i) z.push_back(start[i][l]);
      const std::vector<double> end = exact(z, from, t);
      for (std::size_t i = 0; i < end.size(); ++i) y[i][l] = end[i];
    }
    return y;
  }
};

/// The worst over the lanes.
struct Errors {
  double point, integral;
};
inline Errors errors(const Manifold<double>& manifold, const State& actual, const State& expected) {
  const Pack<double> distance = manifold.distance(actual.data(), expected.data());
  const Pack<double> off = abs(actual.back() - expected.back());
  return {*std::max_element(distance.lane, distance.lane + kLanes),
          *std::max_element(off.lane, off.lane + kLanes)};
}

/// S²: turning about the axis (0, 0, 1), ż = s′(t) e₃ × z; q̇ = s′(t) z₁.
class Rotation final : public SolvedSystem {
 public:
  Rotation() : SolvedSystem(std::make_unique<Sphere<double>>(2)) {}
  std::string name() const override { return "rotation of the sphere"; }
  void rates(double t, const Pack<double>* z, Pack<double>* r) const override {
    r[0] = -speed(t) * z[1];
    r[1] = r[3] = speed(t) * z[0];
    r[2] = 0;
  }
  using SolvedSystem::exact;
  std::vector<double> exact(const std::vector<double>& z, double from, double t) const override {
    const double angle = progress(t) - progress(from), c = std::cos(angle), s = std::sin(angle);
    return {c * z[0] - s * z[1], s * z[0] + c * z[1], z[2], s * z[0] - (1 - c) * z[1]};
  }
  std::vector<double> random_start(Random& random) const override {
    const double height = 0.8 * (2 * random.uniform() - 1), angle = 6 * random.uniform(),
                 w = std::sqrt(1 - height * height);
    return {w * std::cos(angle), w * std::sin(angle), height};
  }
};

/// S²: up the gradient of the height h = z₃, ż = s′(t)(e₃ − h z/|z|²): h = tanh(s(t) + c). q̇ = s′(t) h².
class Ascent final : public SolvedSystem {
 public:
  Ascent() : SolvedSystem(std::make_unique<Sphere<double>>(2)) {}
  std::string name() const override { return "gradient flow on the sphere"; }
  void rates(double t, const Pack<double>* z, Pack<double>* r) const override {
    const Pack<double> square = dot(3, z, z);
    for (int i = 0; i < 3; ++i) r[i] = speed(t) * ((i == 2 ? 1 : 0) - z[2] * z[i] / square);
    r[3] = speed(t) * z[2] * z[2] / square;
  }
  using SolvedSystem::exact;
  std::vector<double> exact(const std::vector<double>& z, double from, double t) const override {
    const double begin = std::atanh(z[2]), end = begin + progress(t) - progress(from);
    const double shrink = std::cosh(begin) / std::cosh(end);
    return {z[0] * shrink, z[1] * shrink, std::tanh(end), end - begin - (std::tanh(end) - z[2])};
  }
  std::vector<double> random_start(Random& random) const override { return Rotation().random_start(random); }
};

/// B²: along the ray through the point at hyperbolic speed 2s′(t), ẋ = s′(t)(1 − |x|²)·x/|x|: |x| = tanh(s +
/// c). q̇ = s′(t)|x|.
class RadialGeodesic final : public SolvedSystem {
 public:
  RadialGeodesic() : SolvedSystem(std::make_unique<PoincareBall<double>>(2)) {}
  std::string name() const override { return "radial geodesics of the ball"; }
  void rates(double t, const Pack<double>* x, Pack<double>* r) const override {
    const Pack<double> radius = sqrt(dot(2, x, x)), along = speed(t) * (1 - radius * radius) / radius;
    for (int i = 0; i < 2; ++i) r[i] = along * x[i];
    r[2] = speed(t) * radius * radius;
  }
  using SolvedSystem::exact;
  std::vector<double> exact(const std::vector<double>& x, double from, double t) const override {
    const double radius = std::hypot(x[0], x[1]), begin = std::atanh(radius);
    const double end = begin + progress(t) - progress(from), scale = std::tanh(end) / radius;
    return {scale * x[0], scale * x[1], end - begin - (std::tanh(end) - radius)};
  }
  std::vector<double> random_start(Random& random) const override {
    const double radius = 0.3 + 0.3 * random.uniform(), angle = 6 * random.uniform();
    return {radius * std::cos(angle), radius * std::sin(angle)};
  }
};

/// T²: θ̇ = s′(t)(5 + 3 sin θ)/4 in both angles, so that φ with tan(φ/2) = (5 tan(θ/2) + 3)/4 turns at the
/// speed s′(t) and meets the seam with θ. q̇ = cos(θ₁)·θ̇₁.
class UnevenRotation final : public SolvedSystem {
 public:
  UnevenRotation() : SolvedSystem(std::make_unique<Torus<double>>(2)) {}
  std::string name() const override { return "uneven rotation of the torus"; }
  void rates(double t, const Pack<double>* angle, Pack<double>* r) const override {
    for (int i = 0; i < 2; ++i) r[i] = speed(t) * (5 + 3 * sin(angle[i])) / 4;
    r[2] = cos(angle[0]) * r[0];
  }
  using SolvedSystem::exact;
  std::vector<double> exact(const std::vector<double>& angle, double from, double t) const override {
    const auto moved = [&](double theta) {
      const double phi = 2 * std::atan((5 * std::tan(theta / 2) + 3) / 4) + progress(t) - progress(from);
      return 2 * std::atan((4 * std::tan(phi / 2) - 3) / 5);
    };
    return {moved(angle[0]), moved(angle[1]), std::sin(moved(angle[0])) - std::sin(angle[0])};
  }
  std::vector<double> random_start(Random& random) const override {
    return {6 * random.uniform() - 3, 6 * random.uniform() - 3};
  }
};

inline std::vector<std::unique_ptr<SolvedSystem>> solved_systems() {
  std::vector<std::unique_ptr<SolvedSystem>> all;
  all.push_back(std::make_unique<Rotation>());
  all.push_back(std::make_unique<Ascent>());
  all.push_back(std::make_unique<RadialGeodesic>());
  all.push_back(std::make_unique<UnevenRotation>());
  return all;
}

}  // namespace riemflow::test
