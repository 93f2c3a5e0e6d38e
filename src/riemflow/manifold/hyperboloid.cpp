#include "riemflow/manifold/hyperboloid.hpp"

#include <cmath>

#include "riemflow/manifold/poincare_ball.hpp"

namespace riemflow {
namespace {

/// Of points that are read, relative, of x₀.
constexpr double kWrittenOnHyperboloid = 1e-3;
/// By lifting to the ball, in units of 1/√c: log-densities with a slope of twenty are right to some 1e-6.
constexpr double kMostMoved = 1e-7;

/// x⃗·y⃗
double spatial_product(int d, const double* x, const double* y) {
  double sum = 0;
  for (int i = 1; i <= d; ++i) sum += x[i] * y[i];
  return sum;
}
/// √(1/c + |x⃗|²)
double time_of(int d, double c, const double* x) {
  return std::hypot(1 / std::sqrt(c), std::sqrt(spatial_product(d, x, x)));
}

std::optional<std::string> off_hyperboloid(int d, double c, const double* x, double tolerance) {
  const double expected = time_of(d, c, x);
  if (std::abs(x[0] - expected) <= tolerance * expected) return std::nullopt;
  return fmt::format("x0 is {:.9g} where {:.9g} is expected, √(1/c + |x|²) of the other coordinates{}", x[0],
                     expected, x[0] < 0 ? "; x0 counts from the upper sheet, where it is positive" : "");
}

class LorentzGeometry final : public PointGeometry {
 public:
  LorentzGeometry(int d, double K, double tolerance)
      : d_(d), c_(-K), sqrt_c_(std::sqrt(-K)), tolerance_(tolerance) {}

  void project(double* x) const override { x[0] = time(x); }
  std::optional<std::string> defect(const double* x) const override {
    return off_hyperboloid(d_, c_, x, tolerance_);
  }

  void to_tangent(const double* x, double* v) const override { v[0] = tangent_time(x, v); }
  // u⃗·v⃗ − τ_u τ_v, τ = x⃗·u⃗/x₀ the time part: across x⃗ as it is, along it a part 1/(c x₀²).
  double inner(const double* x, const double* u, const double* v) const override {
    const double square = spatial_product(d_, x, x), x0 = time(x);
    if (!(square > 0)) return spatial_product(d_, u, v);
    const double along_u = spatial_product(d_, x, u) / square, along_v = spatial_product(d_, x, v) / square;
    double across = 0;
    for (int i = 1; i <= d_; ++i) across += (u[i] - along_u * x[i]) * (v[i] - along_v * x[i]);
    return across + along_u * along_v * (square / (c_ * x0 * x0));
  }
  // Of all covectors that are ⟨v, ·⟩ on tangent vectors the one without a time part.
  void lower(const double* x, double* v) const override {
    const double square = spatial_product(d_, x, x), x0 = time(x);
    if (square > 0) {
      const double along = spatial_product(d_, x, v) / square;
      for (int i = 1; i <= d_; ++i) v[i] = (v[i] - along * x[i]) + along / (c_ * x0 * x0) * x[i];
    }
    v[0] = 0;
  }
  // The unit vectors at the origin carried to x by the boost: E_j + (√c x_j, c x_j x⃗/(1 + √c x₀)).
  void frame(const double* x, double* e) const override {
    const double x0 = time(x);
    for (int j = 1; j <= d_; ++j, e += d_ + 1) {
      const double share = c_ * x[j] / (1 + sqrt_c_ * x0);
      e[0] = sqrt_c_ * x[j];
      for (int i = 1; i <= d_; ++i) e[i] = (i == j ? 1 : 0) + share * x[i];
    }
  }

  // cosh θ x + sinh θ/θ v, θ = √c‖v‖
  void exp(const double* x, const double* v, double* y) const override {
    const double theta = sqrt_c_ * std::sqrt(inner(x, v, v));
    const double half = std::sinh(theta / 2), scale = theta > 0 ? std::sinh(theta) / theta : 1;
    for (int i = 1; i <= d_; ++i) y[i] = x[i] + (2 * half * half * x[i] + scale * v[i]);
    y[0] = time(y);
  }
  // Along m = y − cosh θ x = (y − x) − (c q/2) x, which is sinh θ/√c long.
  void log(const double* x, const double* y, double* v) const override {
    const double q = square(x, y), r = distance(x, y), theta = sqrt_c_ * r;
    const double scale = theta > 0 ? theta / std::sinh(theta) : 1;
    for (int i = 1; i <= d_; ++i) v[i] = scale * ((y[i] - x[i]) - c_ * q / 2 * x[i]);
    v[0] = tangent_time(x, v);
  }
  // (2/√c) asinh(√(c q)/2)
  double distance(const double* x, const double* y) const override {
    return 2 / sqrt_c_ * std::asinh(sqrt_c_ * std::sqrt(square(x, y)) / 2);
  }
  // v + c⟨y, v⟩/(1 − c⟨x, y⟩) (x + y), with ⟨y, v⟩ = ⟨y − x, v⟩ and −c⟨x, y⟩ = 1 + c q/2
  void transport(const double* x, const double* y, const double* v, double* w) const override {
    double product = -time_difference(y, x) * tangent_time(x, v);
    for (int i = 1; i <= d_; ++i) product += (y[i] - x[i]) * v[i];
    const double scale = c_ * product / (2 + c_ * square(x, y) / 2);
    for (int i = 1; i <= d_; ++i) w[i] = v[i] + scale * (x[i] + y[i]);
    w[0] = tangent_time(y, w);
  }
  /// In the coordinates x⃗: √|G| = 1/(√c x₀).
  double log_volume_density(const double* x) const override { return -std::log(sqrt_c_ * time(x)); }

 private:
  double time(const double* x) const { return time_of(d_, c_, x); }
  /// The time part of the tangent vector at x with the spatial part of v.
  double tangent_time(const double* x, const double* v) const { return spatial_product(d_, x, v) / time(x); }
  /// x₀ − y₀
  double time_difference(const double* x, const double* y) const {
    double sum = 0;
    for (int i = 1; i <= d_; ++i) sum += (x[i] - y[i]) * (x[i] + y[i]);
    return sum / (time(x) + time(y));
  }

  // q = ⟨x − y, x − y⟩ = 2(P − s) with s = x⃗·y⃗ and P = x₀y₀ − 1/c = (|x⃗|² + |y⃗|² + c|x⃗|²|y⃗|²)/(1 + c x₀y₀).
  // For s > 0 that cancels; there (P − s)(P + s) = |x⃗ ∧ y⃗|² + (x₀ − y₀)²/c, of which nothing does. The area
  // |x⃗ ∧ y⃗| is |b| times what of v is across b, b the longer of the two, v the other or their difference.
  double square(const double* x, const double* y) const {
    const double xx = spatial_product(d_, x, x), yy = spatial_product(d_, y, y);
    const double s = spatial_product(d_, x, y);
    const double P = (xx + yy + c_ * xx * yy) / (1 + c_ * time(x) * time(y));
    if (!(s > 0)) return 2 * (P - s);
    const double* longer = xx < yy ? y : x;
    const double* other = xx < yy ? x : y;
    const double longest = std::max(xx, yy);
    double difference = 0;
    for (int i = 1; i <= d_; ++i) difference += (x[i] - y[i]) * (x[i] - y[i]);
    const bool near = difference < std::min(xx, yy);
    std::vector<double> v(static_cast<std::size_t>(d_ + 1));
    for (int i = 1; i <= d_; ++i) v[static_cast<std::size_t>(i)] = near ? other[i] - longer[i] : other[i];
    // Twice: the first leaves a rounding along b.
    for (int time = 0; time < 2; ++time) {
      const double along = spatial_product(d_, v.data(), longer) / longest;
      for (int i = 1; i <= d_; ++i) v[static_cast<std::size_t>(i)] -= along * longer[i];
    }
    const double across = spatial_product(d_, v.data(), v.data());
    const double rise = time_difference(x, y);
    return 2 * (longest * across + rise * rise / c_) / (P + s);
  }

  int d_;
  double c_, sqrt_c_, tolerance_;
};

class BallCovering final : public Covering {
 public:
  BallCovering(int d, double K)
      : cover_(std::make_shared<PoincareBall<double>>(d, K)), d_(d), c_(-K), sqrt_c_(std::sqrt(-K)) {}

  const std::shared_ptr<const Manifold<double>>& cover() const override { return cover_; }
  int ambient() const override { return d_ + 1; }
  std::size_t sheets() const override { return 1; }
  /// Rounding moves a coordinate of the ball by ε/2, and so the point by ε/2·√d·cosh²(√c r/2)/√c.
  std::optional<std::string> defect(const double* y) const override {
    const double half = kMostMoved / (0.5 * std::numeric_limits<double>::epsilon() * std::sqrt(d_));
    const double most = 2 * std::acosh(std::sqrt(half)) / sqrt_c_;
    const double r = std::asinh(sqrt_c_ * std::sqrt(spatial_product(d_, y, y))) / sqrt_c_;
    if (r < most) return std::nullopt;
    return fmt::format(
        "the point is {:.4g} from the origin, beyond {:.4g}, where the ball that densities are computed on "
        "knows it to less than {:g} of its radius of curvature",
        r, most, kMostMoved);
  }
  void lift(const double* y, std::size_t, double* x) const override {
    const double scale = 1 / (1 + sqrt_c_ * time_of(d_, c_, y));
    for (int i = 0; i < d_; ++i) x[i] = scale * y[i + 1];
  }
  // x⃗ = λ x, λ = 2/(1 − c|x|²)
  void drop(const double* x, double* y) const override {
    double square = 0;
    for (int i = 0; i < d_; ++i) square += x[i] * x[i];
    const double r = sqrt_c_ * std::sqrt(square), lambda = 2 / ((1 - r) * (1 + r));
    for (int i = 0; i < d_; ++i) y[i + 1] = lambda * x[i];
    y[0] = time_of(d_, c_, y);
  }
  // Of x = y⃗/a, a = 1 + √c y₀, dy₀ = y⃗·dy⃗/y₀: ȳ = (x̄ − √c (x·x̄)/y₀ y⃗)/a
  void pull_back(const double* y, std::size_t, const double* x, const double* x_bar,
                 double* y_bar) const override {
    const double y0 = time_of(d_, c_, y), a = 1 + sqrt_c_ * y0;
    double along = 0;
    for (int i = 0; i < d_; ++i) along += x[i] * x_bar[i];
    y_bar[0] = 0;
    for (int i = 0; i < d_; ++i) y_bar[i + 1] = (x_bar[i] - sqrt_c_ * along / y0 * y[i + 1]) / a;
  }

 private:
  std::shared_ptr<const Manifold<double>> cover_;
  int d_;
  double c_, sqrt_c_;
};

}  // namespace

std::unique_ptr<const PointGeometry> lorentz_geometry(int d, double K, double tolerance) {
  require_dimension("hyperboloid", d);
  require_curvature("hyperboloid", K, -1);
  return std::make_unique<LorentzGeometry>(d, K, tolerance);
}

std::shared_ptr<const Covering> ball_covering(int d, double K) {
  require_dimension("hyperboloid", d);
  require_curvature("hyperboloid", K, -1);
  return std::make_shared<BallCovering>(d, K);
}

std::vector<Notation> lorentz_notations(int d, double K) {
  Notation lorentz{"Lorentz coordinates (x0 = √(1/c + |x|²) first)", {}, false, {}, {}};
  for (int i = 0; i <= d; ++i) lorentz.columns.push_back(fmt::format("x{}", i));
  lorentz.read = [d, K](const double* numbers, double* x) -> std::optional<std::string> {
    if (auto bad = off_hyperboloid(d, -K, numbers, kWrittenOnHyperboloid)) return bad;
    std::copy_n(numbers, d + 1, x);
    x[0] = time_of(d, -K, x);
    return std::nullopt;
  };
  lorentz.write = [d](const double* x, double* numbers) { std::copy_n(x, d + 1, numbers); };
  return {lorentz};
}

}  // namespace riemflow
