// A vector field of your own, integrated and differentiated by the solver: on the sphere, the wind that blows
// towards one place,
//   f(x) = w − ⟨w, x⟩x,   div f(x) = −2⟨w, x⟩,
// carries the uniform density to p(x) = 1/(4π (cosh a − sinh a ⟨w, x⟩/a)²) with a = |w|. w is learned from
// points by maximum likelihood, and the density that is integrated is compared with this one.

#include <fmt/format.h>

#include <numbers>
#include <riemflow/riemflow.hpp>

using namespace riemflow;

/// The state of a point is (x, ℓ) with ẋ = f(x), ℓ̇ = div f(x).
class Wind final : public OdeSystem<double> {
 public:
  Eigen::Vector3d w = {0.1, 0.1, 0.1},
                  w_bar = {0, 0, 0};  ///< the parameters, and where their gradient is added

  int rows() const override { return 4; }
  int moving() const override { return 3; }
  int controlled() const override { return 4; }
  std::size_t tape_size() const override { return 3 * kLanes; }  // x

  bool evaluate(double, const Pack<double>* y, Pack<double>* rate, double* tape) override {
    Pack<double> s(0);
    for (int i = 0; i < 3; ++i) s += Pack<double>(w[i]) * y[i];
    for (int i = 0; i < 3; ++i) rate[i] = Pack<double>(w[i]) - s * y[i];
    rate[3] = Pack<double>(-2) * s;
    std::copy(y, y + 3, as_packs(tape));
    return true;
  }
  /// s_bar = −⟨x, ẋ_bar⟩ − 2 ℓ̇_bar;  w_bar += ẋ_bar + s_bar x;  x_bar += s_bar w − s ẋ_bar
  void backward(double, const double* tape, Pack<double>* rate_bar, Pack<double>* y_bar) override {
    const Pack<double>* x = as_packs(tape);
    Pack<double> s(0), s_bar = Pack<double>(-2) * rate_bar[3];
    for (int i = 0; i < 3; ++i) {
      s += Pack<double>(w[i]) * x[i];
      s_bar -= x[i] * rate_bar[i];
    }
    for (int i = 0; i < 3; ++i) {
      for (int l = 0; l < kLanes; ++l) w_bar[i] += rate_bar[i][l] + s_bar[l] * x[i][l];
      y_bar[i] += s_bar * Pack<double>(w[i]) - s * rate_bar[i];
    }
  }

  void project(Pack<double>* y) const override { sphere_.project(y); }
  void project_backward(const Pack<double>* y, Pack<double>* y_bar) const override {
    sphere_.project_backward(y, y_bar);
  }
  void error_weight(const Pack<double>*, Pack<double>* weight) const override {
    std::fill(weight, weight + 4, Pack<double>(1));
  }

 private:
  Sphere<double> sphere_{2};
};

int main() try {
  const double log_area = std::log(4 * std::numbers::pi);
  Solver<double> solver({.rtol = 1e-8, .atol = 1e-8});
  Trajectory<double> path;
  Pack<double> y[4], y_bar[4];

  // Points that the wind has carried: from time 0 to 1.
  Wind wind;
  wind.w = {0.8, -0.5, 0.3};
  Points<double> points = draws_of(Uniform<double>(std::make_shared<Sphere<double>>(2)), 4000, /*seed=*/1);
  for (std::size_t t = 0; t < points.tiles(); ++t) {
    points.load_tile(t, y);
    y[3] = Pack<double>(0);
    solver.solve(wind, 0, 1, y);
    points.store_tile(t, y);
  }

  // −log p(x) = log 4π + ∫₀¹ div f dt, along the path back from time 1 to 0; downhill in w.
  wind.w = {0.1, 0.1, 0.1};
  double nll = 0, worst = 0;
  for (int step = 0; step < 40; ++step) {
    const double a = wind.w.norm();
    nll = worst = 0;
    wind.w_bar.setZero();
    for (std::size_t t = 0; t < points.tiles(); ++t) {
      points.load_tile(t, y);
      y[3] = Pack<double>(0);
      const Pack<double> x[3] = {y[0], y[1], y[2]};
      solver.solve(wind, 1, 0, y, ErrorNorm::worst_point, 0, &path);
      std::fill(y_bar, y_bar + 4, Pack<double>(0));
      for (int l = 0; l < points.lanes(t); ++l) {
        const double along = wind.w.dot(Eigen::Vector3d(x[0][l], x[1][l], x[2][l])) / a;
        const double formula = -log_area - 2 * std::log(std::cosh(a) - std::sinh(a) * along);
        worst = std::max(worst, std::abs(y[3][l] - log_area - formula));
        nll += (log_area - y[3][l]) / static_cast<double>(points.size());
        y_bar[3][l] = -1 / static_cast<double>(points.size());
      }
      solver.backward(wind, path, y_bar);
    }
    wind.w -= wind.w_bar;
  }
  fmt::print("w = {:.3f} {:.3f} {:.3f} with an NLL of {:.4f} nats; log p is {:.1e} off its formula at most\n",
             wind.w[0], wind.w[1], wind.w[2], nll, worst);
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
