#include "riemflow/manifold/chart_map.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "riemflow/core/error.hpp"
#include "riemflow/core/suggest.hpp"

namespace riemflow {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// |v|, whatever its size.
double length(int n, const double* v) { return Eigen::Map<const Eigen::VectorXd>(v, n).stableNorm(); }

// --- stereographic -------------------------------------------------------------------------------

template <class T>
class Stereographic final : public ChartMap<T> {
 public:
  Stereographic(std::shared_ptr<const Manifold<T>> manifold, double K)
      : ChartMap<T>(std::move(manifold)), d_(this->dimension()), R_(1 / std::sqrt(K)) {}

  std::string_view kind() const override { return "stereographic"; }
  bool everywhere() const override { return true; }

 private:
  /// s = 2/(1 + r²), and s y = scale · (y/unit). Beyond the unit ball in w = 1/r, so that r² is never formed:
  /// s = 2w²/(1 + w²), s y = 2w/(1 + w²) · y/r.
  struct Shrink {
    explicit Shrink(double r) {
      const bool far = r > 1;
      const double w = far ? 1 / r : r;
      s = (far ? 2 * w * w : 2) / (1 + w * w);
      log_s = std::log(2 / (1 + w * w)) - (far ? 2 * std::log(r) : 0);
      scale = far ? 2 * w / (1 + w * w) : s;
      unit = far ? r : 1;
      first = (far ? -1 : 1) * (1 - w) * (1 + w) / (1 + w * w);
    }
    double s, log_s, scale, unit;
    double first;  // s − 1 = (1 − r²)/(1 + r²)
  };

  bool image(const double* y, double* x) const override {
    const double r = length(d_, y);
    const Shrink at(r);
    x[0] = R_ * at.first;
    for (int i = 0; i < d_; ++i) x[i + 1] = R_ * at.scale * (y[i] / at.unit);
    return std::isfinite(r);
  }

  // y = x′/(|x| + x₁), x′ = x_{2:d+1}; where x₁ < 0 the same as x′(|x| − x₁)/|x′|², which does not cancel.
  bool preimage(const double* x, double* y) const override {
    const double r = length(d_, x + 1), norm = std::hypot(x[0], r);
    for (int i = 0; i < d_; ++i)
      y[i] = x[0] < 0 ? x[i + 1] / r * ((norm - x[0]) / r) : x[i + 1] / (norm + x[0]);
    return std::isfinite(norm) && (x[0] > 0 || r > 0);
  }

  double log_volume_at(const double* y) const override {
    return d_ * (std::log(R_) + Shrink(length(d_, y)).log_s);
  }

  // ∂s/∂y = −s² y. With t = s y:
  //   y_bar = R(s x′_bar − t(s x₁_bar + ⟨t, x′_bar⟩)) − d · volume_bar · t
  void pull_back(const double* y, const double* x_bar, double volume_bar, double* y_bar) const override {
    const Shrink at(length(d_, y));
    const auto t = [&](int i) { return at.scale * (y[i] / at.unit); };
    double along = at.s * x_bar[0];
    for (int i = 0; i < d_; ++i) along += t(i) * x_bar[i + 1];
    for (int i = 0; i < d_; ++i)
      y_bar[i] = R_ * (at.s * x_bar[i + 1] - t(i) * along) - d_ * volume_bar * t(i);
  }

  // c is conformal, Dcᵀ Dc = (R s)² I, so (Dc⁻¹)ᵀ = Dc/(R s)²:
  //   x₁_bar = −⟨y, y_bar⟩/R,   x′_bar = ((1 + |y|²)/2 · y_bar − ⟨y, y_bar⟩ y)/R
  void push(const double*, const double* y, const double* y_bar, double* x_bar) const override {
    double along = 0, square = 0;
    for (int i = 0; i < d_; ++i) {
      along += y[i] * y_bar[i];
      square += y[i] * y[i];
    }
    x_bar[0] = -along / R_;
    for (int i = 0; i < d_; ++i) x_bar[i + 1] = ((1 + square) / 2 * y_bar[i] - along * y[i]) / R_;
  }

  int d_;
  double R_;
};

// --- wrapped -------------------------------------------------------------------------------------

/// log(sinh ρ/ρ), ρ ≥ 0: below 2 as log1p Σ_{n≥1} ρ^{2n}/(2n+1)!, then as ρ + log1p(−e^{−2ρ}) − log 2ρ.
double log_sinhc(double rho) {
  if (rho < 2) {
    double term = 1, sum = 0;
    for (int n = 1; n <= 14; ++n) sum += term *= rho * rho / (2 * n * (2 * n + 1));
    return std::log1p(sum);
  }
  return rho + std::log1p(-std::exp(-2 * rho)) - std::log(2 * rho);
}

/// Its derivative coth ρ − 1/ρ: below 2 by the continued fraction ρ/(3 + ρ²/(5 + ρ²/(7 + …))).
double log_sinhc_slope(double rho) {
  if (rho < 2) {
    double below = 31;
    for (int n = 29; n >= 3; n -= 2) below = n + rho * rho / below;
    return rho / below;
  }
  return 1 / std::tanh(rho) - 1 / rho;
}

template <class T>
class Wrapped final : public ChartMap<T> {
 public:
  Wrapped(std::shared_ptr<const Manifold<T>> manifold, double K)
      : ChartMap<T>(std::move(manifold)),
        d_(this->dimension()),
        root_(std::sqrt(-K)),
        rim_(1 - 4 * std::sqrt(d_) * static_cast<double>(std::numeric_limits<T>::epsilon())) {}

  std::string_view kind() const override { return "wrapped"; }
  bool everywhere() const override { return true; }

 private:
  /// tanh(ρ/2)/ρ
  static double shrink(double rho) { return rho > 0 ? std::tanh(rho / 2) / rho : 0.5; }

  bool image(const double* y, double* x) const override {
    const double rho = root_ * length(d_, y);
    for (int i = 0; i < d_; ++i) x[i] = shrink(rho) * y[i];
    return std::tanh(rho / 2) < rim_;
  }

  bool preimage(const double* x, double* y) const override {
    const double s = root_ * length(d_, x);
    for (int i = 0; i < d_; ++i) y[i] = s > 0 ? 2 * std::atanh(s) / s * x[i] : 2 * x[i];
    return s < 1;
  }

  double log_volume_at(const double* y) const override { return (d_ - 1) * log_sinhc(root_ * length(d_, y)); }

  // Across y by tanh(ρ/2)/ρ, along n = y/|y| by its radial derivative sech²(ρ/2)/2:
  //   y_bar = g x_bar + ((sech²(ρ/2)/2 − g)⟨n, x_bar⟩ + (d−1) volume_bar √c (coth ρ − 1/ρ)) n,  g =
  //   tanh(ρ/2)/ρ
  void pull_back(const double* y, const double* x_bar, double volume_bar, double* y_bar) const override {
    const double r = length(d_, y), rho = root_ * r, g = shrink(rho);
    const auto n = [&](int i) { return r > 0 ? y[i] / r : 0; };
    const double sech = 1 / std::cosh(rho / 2);
    double along = 0;
    for (int i = 0; i < d_; ++i) along += n(i) * x_bar[i];
    const double radial =
        (sech * sech / 2 - g) * along + (d_ - 1) * volume_bar * root_ * log_sinhc_slope(rho);
    for (int i = 0; i < d_; ++i) y_bar[i] = g * x_bar[i] + radial * n(i);
  }

  // With s = √c|x| = tanh(ρ/2): across x by ρ/s = 2 atanh(s)/s, along it by 2 cosh²(ρ/2) = 2/(1 − s²).
  void push(const double* x, const double*, const double* y_bar, double* x_bar) const override {
    const double r = length(d_, x), s = root_ * r;
    const double across = s > 0 ? 2 * std::atanh(s) / s : 2, along = 2 / ((1 - s) * (1 + s));
    const auto n = [&](int i) { return r > 0 ? x[i] / r : 0; };
    double radial = 0;
    for (int i = 0; i < d_; ++i) radial += n(i) * y_bar[i];
    for (int i = 0; i < d_; ++i) x_bar[i] = across * (y_bar[i] - radial * n(i)) + along * radial * n(i);
  }

  int d_;
  double root_;  // √c
  double rim_;
};

// --- naive ---------------------------------------------------------------------------------------

template <class T>
class Naive final : public ChartMap<T> {
 public:
  Naive(std::shared_ptr<const Manifold<T>> manifold, double K)
      : ChartMap<T>(std::move(manifold)), d_(this->dimension()), root_(std::sqrt(-K)) {}

  std::string_view kind() const override { return "naive"; }
  bool everywhere() const override { return false; }

 private:
  /// λ(y), NaN outside.
  double lambda(const double* y) const {
    const double s = root_ * length(d_, y);
    return s < 1 ? 2 / ((1 - s) * (1 + s)) : kNaN;
  }

  bool image(const double* y, double* x) const override {
    std::copy(y, y + d_, x);
    return root_ * length(d_, y) < 1;
  }
  bool preimage(const double* x, double* y) const override { return image(x, y); }
  double log_volume_at(const double* y) const override { return d_ * std::log(lambda(y)); }

  // ∂ log λ/∂y = c λ y
  void pull_back(const double* y, const double* x_bar, double volume_bar, double* y_bar) const override {
    const double slope = d_ * volume_bar * root_ * root_ * lambda(y);
    for (int i = 0; i < d_; ++i) y_bar[i] = x_bar[i] + slope * y[i];
  }
  void push(const double*, const double*, const double* y_bar, double* x_bar) const override {
    std::copy(y_bar, y_bar + d_, x_bar);
  }

  int d_;
  double root_;  // √c
};

// --- packs ---------------------------------------------------------------------------------------

template <class T>
void widen(int n, const Pack<T>* tile, int lane, double* point) {
  for (int i = 0; i < n; ++i) point[i] = static_cast<double>(tile[i][lane]);
}

/// point as T, NaN if it does not exist; false if it does not, or not in T.
template <class T>
bool narrow(int n, const double* point, bool exists, T* out) {
  for (int i = 0; i < n; ++i) exists = exists && std::isfinite(static_cast<T>(point[i]));
  for (int i = 0; i < n; ++i) out[i] = static_cast<T>(exists ? point[i] : kNaN);
  return exists;
}

/// to = map(from), lane by lane.
template <class T, class Map>
LaneMask map_tile(int n_from, const Pack<T>* from, int n_to, Pack<T>* to, const Map& map) {
  std::vector<double> a(static_cast<std::size_t>(n_from)), b(static_cast<std::size_t>(n_to));
  std::vector<T> rounded(b.size());
  LaneMask exists;
  for (int l = 0; l < kLanes; ++l) {
    widen(n_from, from, l, a.data());
    exists.lane[static_cast<std::size_t>(l)] =
        narrow(n_to, b.data(), map(a.data(), b.data()), rounded.data());
    for (int i = 0; i < n_to; ++i) to[i][l] = rounded[static_cast<std::size_t>(i)];
  }
  return exists;
}

/// The same for rows; `log_volume(from, to)` in double.
template <class T, class Map, class LogVolume>
Mapped<T> map_points(const Points<T>& from, int n_from, int n_to, const Map& map,
                     const LogVolume& log_volume) {
  require(from.dimension == n_from || from.values.empty(),
          fmt::format("points of {} numbers where {} are expected", from.dimension, n_from),
          "pass points of the manifold to to_chart, coordinates of its chart to to_manifold");
  const std::size_t size = from.values.empty() ? 0 : from.size();
  Mapped<T> mapped{Points<T>(size, n_to), std::vector<double>(size), {}};
  std::vector<double> a(static_cast<std::size_t>(n_from)), b(static_cast<std::size_t>(n_to));
  for (std::size_t p = 0; p < size; ++p) {
    std::copy(from[p].begin(), from[p].end(), a.begin());
    const bool exists = narrow(n_to, b.data(), map(a.data(), b.data()), mapped.points[p].data());
    mapped.log_volume[p] = exists ? log_volume(a.data(), b.data()) : kNaN;
    if (!exists) mapped.missing.push_back(p);
  }
  return mapped;
}

}  // namespace

template <class T>
LaneMask ChartMap<T>::to_manifold(const Pack<T>* y, Pack<T>* x) const {
  return map_tile(dimension(), y, manifold_->ambient(), x,
                  [this](const double* a, double* b) { return image(a, b); });
}

template <class T>
LaneMask ChartMap<T>::to_chart(const Pack<T>* x, Pack<T>* y) const {
  return map_tile(manifold_->ambient(), x, dimension(), y,
                  [this](const double* a, double* b) { return preimage(a, b); });
}

template <class T>
Pack<T> ChartMap<T>::log_volume(const Pack<T>* y) const {
  std::vector<double> point(static_cast<std::size_t>(dimension()));
  Pack<T> result;
  for (int l = 0; l < kLanes; ++l) {
    widen(dimension(), y, l, point.data());
    result[l] = static_cast<T>(log_volume_at(point.data()));
  }
  return result;
}

template <class T>
void ChartMap<T>::backward(const Pack<T>* y, const Pack<T>* x_bar, const Pack<T>& volume_bar,
                           Pack<T>* y_bar) const {
  const int d = dimension(), D = manifold_->ambient();
  std::vector<double> at(static_cast<std::size_t>(d)), in(static_cast<std::size_t>(D)), out(at.size());
  for (int l = 0; l < kLanes; ++l) {
    widen(d, y, l, at.data());
    widen(D, x_bar, l, in.data());
    pull_back(at.data(), in.data(), static_cast<double>(volume_bar[l]), out.data());
    for (int i = 0; i < d; ++i) y_bar[i][l] = static_cast<T>(out[static_cast<std::size_t>(i)]);
  }
}

template <class T>
void ChartMap<T>::push_covector(std::span<const T> x, std::span<const double> y_bar, double volume_bar,
                                std::span<double> x_bar) const {
  const std::vector<double> point(x.begin(), x.end()), none(x.size());
  std::vector<double> y(y_bar.size()), sum(y_bar.size());
  preimage(point.data(), y.data());
  pull_back(y.data(), none.data(), volume_bar, sum.data());
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += y_bar[i];
  push(point.data(), y.data(), sum.data(), x_bar.data());
}

template <class T>
Mapped<T> ChartMap<T>::to_manifold(const Points<T>& y) const {
  return map_points(
      y, dimension(), manifold_->ambient(), [this](const double* a, double* b) { return image(a, b); },
      [this](const double* a, const double*) { return log_volume_at(a); });
}

template <class T>
Mapped<T> ChartMap<T>::to_chart(const Points<T>& x) const {
  return map_points(
      x, manifold_->ambient(), dimension(), [this](const double* a, double* b) { return preimage(a, b); },
      [this](const double*, const double* b) { return log_volume_at(b); });
}

template <class T>
std::shared_ptr<const ChartMap<T>> make_chart_map(std::string_view kind,
                                                  std::shared_ptr<const Manifold<T>> manifold) {
  require(manifold != nullptr, "a chart of no manifold", "pass the manifold");
  const std::optional<ChartKind> known = value_named<ChartKind>(kind);
  if (!known) {
    const std::string_view nearest = nearest_name(kind, names_of(ChartKind{}));
    const std::string all = "the charts are stereographic (spheres), wrapped and naive (balls)";
    throw Error(fmt::format("unknown chart '{}'", kind),
                nearest.empty() ? all : fmt::format("perhaps you meant {}? {}", nearest, all));
  }
  std::optional<Refusal> refusal = manifold->refuse_chart(*known);
  if (manifold->factors().size() != 1) refusal = {"it is a product", "use a flow on the manifold itself"};
  if (refusal)
    throw Error(fmt::format("{} has no {} chart: {}", manifold->name(), kind, refusal->reason),
                refusal->advice);
  const double K = manifold->curvature();
  switch (*known) {
    case ChartKind::stereographic:
      return std::make_shared<Stereographic<T>>(std::move(manifold), K);
    case ChartKind::wrapped:
      return std::make_shared<Wrapped<T>>(std::move(manifold), K);
    case ChartKind::naive:
      break;
  }
  return std::make_shared<Naive<T>>(std::move(manifold), K);
}

template class ChartMap<float>;
template class ChartMap<double>;
template std::shared_ptr<const ChartMap<float>> make_chart_map(std::string_view,
                                                               std::shared_ptr<const Manifold<float>>);
template std::shared_ptr<const ChartMap<double>> make_chart_map(std::string_view,
                                                                std::shared_ptr<const Manifold<double>>);

}  // namespace riemflow
