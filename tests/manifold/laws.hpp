#pragma once
// The laws of manifold/manifold.hpp as one test kit, for any manifold: check_laws(my_manifold, options).
// Every law is measured at random points and reported by its worst error. Laws of what a manifold has not
// (fields, patches, kernels) are left out.

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <limits>
#include <map>

#include "backward.hpp"
#include "field_laws.hpp"
#include "patch_laws.hpp"
#include "tile.hpp"

namespace riemflow::test {

struct LawOptions {
  /// Largest error, relative to `length` for lengths and to the vector for directions.
  double tolerance = 1e-10;
  /// Of adjoints against differences, whose own error grows with the degree of a polynomial.
  double adjoints = 1e-9;
  /// The natural length of the manifold, such as its radius of curvature. The next two are in its units.
  double length = 1;
  /// Points are drawn this far from project(0) where there is no uniform distribution; vectors this long.
  double radius = 3;
  /// Up to which length exp is one to one.
  double injectivity = std::numeric_limits<double>::infinity();
  /// A symmetric space: the geodesic reflection in the midpoint of x and y carries minus the transport x → y.
  bool symmetric = true;
  /// What vector fields need: seeds, weights of errors, project_backward. Covered spaces refuse them.
  bool fields = true;
  /// Geodesics reach a border, but not between two points: vectors are parts of logarithms.
  bool bordered = false;
  /// Whether patches are integrated over (d ≤ 3), which takes the longest.
  bool patches = true;
  /// Of 16 points each.
  int tiles = 4;
  std::uint64_t seed = 1;
};

/// The worst error of each law.
class Findings {
 public:
  template <class T>
  void add(const std::string& law, const Pack<T>& error) {
    double& largest = worst_.try_emplace(law, 0).first->second;
    largest = std::max(largest, worst(error));
  }
  void demand(const std::string& law, const LaneMask& holds) {
    Pack<double> error;
    for (int l = 0; l < kLanes; ++l)
      error[l] = holds.lane[static_cast<std::size_t>(l)] ? 0 : std::numeric_limits<double>::infinity();
    add(law, error);
  }
  void report(const std::string& manifold, double tolerance) const {
    for (const auto& [law, error] : worst_) EXPECT_LE(error, tolerance) << manifold << ": " << law;
  }

 private:
  std::map<std::string, double> worst_;
};

template <class T>
class LawCheck {
 public:
  LawCheck(const Manifold<T>& m, const LawOptions& o)
      : m_(m), o_(o), D_(m.ambient()), d_(m.dimension()), L_(static_cast<T>(o.length)) {}

  void run() {
    EXPECT_EQ(m_.compact(), std::isfinite(m_.log_volume())) << m_.name();
    factors_cover();
    for (int t = 0; t < o_.tiles; ++t) {
      Random random(o_.seed, Purpose::test, static_cast<std::uint64_t>(d_), static_cast<std::uint64_t>(t));
      const Tile<T> x = random_point(m_, random, reach());
      const Tile<T> y = random_point(m_, random, reach());
      const Tile<T> z = random_point(m_, random, reach());
      projection(random, x);
      tangent_space(random, x);
      if (o_.fields) seeds(random, x);
      volume(x);
      distances(x, y, z);
      const Tile<T> v = o_.bordered
                            ? plus(make_tile<T>(D_), random_pack<T>(random, &Random::uniform), log(m_, x, y))
                            : random_tangent(m_, random, x, vector_length());
      geodesic(random, x, v);
      infinitesimal(random, x, y);
      parallel(random, x, v);
      if constexpr (std::is_same_v<T, double>)
        if (t == 0 && o_.fields) {
          backward(random, x);
          fields(random, x, y);
        }
    }
    if constexpr (std::is_same_v<T, double>) patches();
    errors_.report(m_.name(), o_.tolerance);
    loose_.report(m_.name(), std::is_same_v<T, double> ? 1e-6 : 1e-3);
    backward_.report(m_.name(), o_.adjoints);
  }

 private:
  double reach() const { return o_.radius * o_.length; }
  double vector_length() const { return std::min(o_.radius, 0.9 * o_.injectivity) * o_.length; }

  LaneMask contained(const Tile<T>& x) const {
    LaneMask r;
    for (int l = 0; l < kLanes; ++l) r.lane[static_cast<std::size_t>(l)] = m_.contains(lane(x, l));
    return r;
  }

  /// A step of coordinates of about `size` natural lengths, to leave the manifold by.
  Tile<T> step(Random& random, const Tile<T>& x, double size) const {
    Tile<T> u = random_normals<T>(random, D_);
    Tile<T> weight(u.size(), Pack<T>(1));
    if (o_.fields) m_.error_weight(x.data(), weight.data());
    const Pack<T> scale = static_cast<T>(size) * L_ / length(u);
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = u[i] * scale / weight[i];
    return u;
  }

  void factors_cover() const {
    int row = 0, seed = 0;
    for (const auto& f : m_.factors()) {
      EXPECT_EQ(f.row, row);
      EXPECT_EQ(f.seed, seed);
      row += f.manifold->ambient();
      seed += f.manifold->dimension();
    }
    EXPECT_EQ(row, D_);
    EXPECT_EQ(seed, d_);
  }

  void projection(Random& random, const Tile<T>& x) {
    const Tile<T> off = plus(x, Pack<T>(1), step(random, x, 0.1));
    const Tile<T> p = project(m_, off);
    errors_.add("project(project(x)) = project(x)", length(plus(p, Pack<T>(-1), project(m_, p))) / L_);
    errors_.add("project leaves points where they are", distance(m_, x, project(m_, x)) / L_);
    errors_.demand("contains(project(x))", contained(p));
    errors_.demand("a point is contained", contained(x));
    errors_.demand("in_domain(x)", m_.in_domain(x.data()));
    errors_.demand("in_domain near x", m_.in_domain(off.data()));
  }

  void tangent_space(Random& random, const Tile<T>& x) {
    const Tile<T> v = random_normals<T>(random, D_);
    const Tile<T> t = to_tangent(m_, x, v);
    errors_.add("tangent projection is idempotent",
                length(plus(t, Pack<T>(-1), to_tangent(m_, x, t))) / length(v));

    TileMatrix<T> e(D_, d_);
    m_.frame(x.data(), e.view());
    Tile<T> rest = t;
    for (int j = 0; j < d_; ++j) {
      const Tile<T> ej = e.column(j);
      errors_.add("the frame is tangent", length(plus(ej, Pack<T>(-1), to_tangent(m_, x, ej))) / length(ej));
      const Tile<T> normal = plus(v, Pack<T>(-1), t);
      errors_.add("tangent projection is orthogonal", inner(m_, x, normal, ej) / length(v));
      for (int i = 0; i <= j; ++i)
        errors_.add("the frame is orthonormal", inner(m_, x, e.column(i), ej) - (i == j ? 1 : 0));
      rest = plus(rest, -inner(m_, x, t, ej), ej);
    }
    Tile<T> lowered = t;
    m_.lower(x.data(), lowered.data());
    for (int j = 0; j < d_; ++j)
      errors_.add("lower is the metric",
                  (riemflow::dot(D_, e.column(j).data(), lowered.data()) - inner(m_, x, e.column(j), t)) /
                      norm(m_, x, t));
    errors_.add("the frame spans the tangent space", length(rest) / length(v));
  }

  void seeds(Random& random, const Tile<T>& x) {
    const Tile<T> w = random_normals<T>(random, D_);
    TileMatrix<T> v(D_, d_);
    m_.seed_basis(x.data(), v.view());
    Tile<T> rest = to_tangent(m_, x, w);
    for (int j = 0; j < d_; ++j) rest = plus(rest, -dot(v.column(j), w), v.column(j));
    errors_.add("sum v_j v_j^T is the identity", length(rest) / length(w));

    const int k = 3;
    TileMatrix<T> noise(D_, k), probe(D_, k);
    for (auto& n : noise.values) n = random_pack<T>(random, &Random::normal);
    m_.seed_probe(x.data(), noise.view(), k, probe.view());
    for (int j = 0; j < k; ++j) {
      const Tile<T> expected = to_tangent(m_, x, noise.column(j));
      errors_.add("a probe is projected noise",
                  length(plus(expected, Pack<T>(-1), probe.column(j))) / length(noise.column(j)));
    }
  }

  // In a chart √|G| = 1/|det(e_1..e_d)|.
  void volume(const Tile<T>& x) {
    if (D_ != d_ || d_ > 16) return;
    TileMatrix<T> e(d_, d_);
    m_.frame(x.data(), e.view());
    const Pack<T> claimed = m_.log_volume_density(x.data());
    for (int l = 0; l < kLanes; ++l) {
      Eigen::MatrixXd matrix(d_, d_);
      for (int i = 0; i < d_; ++i)
        for (int j = 0; j < d_; ++j) matrix(i, j) = e.view()(i, j)[l];
      const double expected = -std::log(std::abs(matrix.determinant()));
      errors_.add("the volume density is that of the frame",
                  Pack<double>((claimed[l] - expected) / (d_ + std::abs(expected))));
    }
  }

  void distances(const Tile<T>& x, const Tile<T>& y, const Tile<T>& z) {
    const Pack<T> xy = distance(m_, x, y), yz = distance(m_, y, z), xz = distance(m_, x, z);
    const Tile<T> v = log(m_, x, y);
    errors_.add("exp(log(y)) = y", distance(m_, exp(m_, x, v), y) / L_);
    errors_.add("log is tangent", length(plus(v, Pack<T>(-1), to_tangent(m_, x, v))) / length(v));
    errors_.add("distance = |log|", (xy - norm(m_, x, v)) / (L_ + xy));
    errors_.add("distance is symmetric", (xy - distance(m_, y, x)) / (L_ + xy));
    errors_.add("triangle inequality", max(Pack<T>(0), xz - xy - yz) / (L_ + xz));
    errors_.add("distance(x, x) = 0", distance(m_, x, x) / L_);
    const auto least = [&](const Tile<T>& a, const Tile<T>& b) {
      return m_.distance_at_least(a.data(), b.data());
    };
    errors_.add("distance_at_least is no longer", max(Pack<T>(0), least(x, y) - xy) / (L_ + xy));
    errors_.add("distance_at_least is symmetric", (least(x, y) - least(y, x)) / (L_ + xy));
    errors_.add("distance_at_least has the triangle inequality",
                max(Pack<T>(0), least(x, z) - least(x, y) - least(y, z)) / (L_ + xz));
    errors_.add("log_x(x) = 0", norm(m_, x, log(m_, x, x)) / L_);
    errors_.add("exp_x(0) = x", distance(m_, exp(m_, x, make_tile<T>(D_)), x) / L_);
  }

  void geodesic(Random& random, const Tile<T>& x, const Tile<T>& v) {
    const Pack<T> r = norm(m_, x, v);
    const Tile<T> y = exp(m_, x, v);
    errors_.demand("exp is a point", contained(y));
    errors_.add("log(exp(v)) = v", norm(m_, x, plus(log(m_, x, y), Pack<T>(-1), v)) / L_);

    const Pack<T> s = random_pack<T>(random, &Random::uniform);
    const Tile<T> middle = exp(m_, x, plus(make_tile<T>(D_), s, v));
    errors_.add("constant speed", (distance(m_, x, middle) - s * r) / L_);
    errors_.add("geodesics are straight", (distance(m_, x, middle) + distance(m_, middle, y) - r) / L_);
  }

  // distance(x − hw, x + hw) = 2h‖w‖_x + O(h³): the distance is the one of the metric, in every direction.
  // Beside a border it is taken around the middle of the way to y.
  void infinitesimal(Random& random, const Tile<T>& at, const Tile<T>& y) {
    const Tile<T> way = log(m_, at, y);
    const Tile<T> x = o_.bordered ? exp(m_, at, plus(make_tile<T>(D_), Pack<T>(0.5), way)) : at;
    T h = static_cast<T>(std::is_same_v<T, double> ? 1e-4 : 1e-2);
    const Tile<T> w = o_.bordered ? log(m_, x, y) : random_tangent(m_, random, x, o_.length);
    Pack<T> scale = h * L_ / norm(m_, x, w);
    for (int l = 0; l < kLanes && o_.bordered; ++l) scale[l] = std::min(scale[l], T(0.5));
    const Tile<T> a = project(m_, plus(x, -scale, w)), b = project(m_, plus(x, scale, w));
    loose_.add("distance is that of the metric", distance(m_, a, b) / (2 * scale * norm(m_, x, w)) - 1);
  }

  void parallel(Random& random, const Tile<T>& x, const Tile<T>& v) {
    const Tile<T> y = exp(m_, x, v);
    const double small = 0.3 * std::min(1.0, o_.injectivity) * o_.length;
    const Tile<T> a = random_tangent(m_, random, x, small), b = random_tangent(m_, random, x, small);
    const Tile<T> ta = transport(m_, x, y, a), tb = transport(m_, x, y, b);
    const Pack<T> product = norm(m_, x, a) * norm(m_, x, b);
    errors_.add("transport lands in the tangent space",
                length(plus(ta, Pack<T>(-1), to_tangent(m_, y, ta))) / length(ta));
    errors_.add("transport is an isometry", (inner(m_, x, a, b) - inner(m_, y, ta, tb)) / product);
    errors_.add("transport there and back",
                norm(m_, x, plus(a, Pack<T>(-1), transport(m_, y, x, ta))) / norm(m_, x, a));

    const Tile<T> forth = log(m_, x, y), back = log(m_, y, x);
    errors_.add("transport carries the velocity",
                norm(m_, y, plus(transport(m_, x, y, forth), Pack<T>(1), back)) / L_);

    if (!o_.symmetric || o_.bordered) return;
    const Tile<T> middle = exp(m_, x, plus(make_tile<T>(D_), Pack<T>(0.5), v));
    const Tile<T> arm = log(m_, middle, exp(m_, x, a));
    const Tile<T> reflected = exp(m_, middle, plus(make_tile<T>(D_), Pack<T>(-1), arm));
    errors_.add("transport is minus the reflection in the midpoint",
                norm(m_, y, plus(ta, Pack<T>(1), log(m_, y, reflected))) / L_);
  }

  void backward(Random& random, const Tile<T>& x) {
    const Tile<T> off = plus(x, Pack<T>(1), step(random, x, 0.05));
    const Tile<T> u = step(random, x, 1);
    backward_.add("project_backward", project_backward_error(m_, random, off, u, o_.length));
    backward_.add("seed_basis_backward", seed_basis_backward_error(m_, random, off, u));
    backward_.add("seed_probe_backward", seed_probe_backward_error(m_, random, off, u));
  }

  void fields(Random& random, const Tile<T>& x, const Tile<T>& y) {
    const AllFeatures features(m_);
    if (!features.complete()) return;
    const Tile<T> off = plus(x, Pack<T>(1), step(random, x, 0.05)), u = step(random, x, 1);
    seen(features, random, x, y, off, u);
    if (has_geodesic_neurons()) {
      seen(AllFeatures(m_, true), random, x, y, off, u);
      for (const auto& f : m_.factors())
        if (const auto neurons = f.manifold->geodesic_neurons())
          backward_.add("geodesic neurons' backward",
                        Pack<double>(neuron_backward_error(*neurons, random, 0.3 * o_.length)));
    }
    for (const BallScaling scaling : {BallScaling::none, BallScaling::unit, BallScaling::paper}) {
      const FieldErrors errors = field_errors(m_, features, random, x, scaling, o_.length);
      loose_.add("velocity is tangent", errors.tangent);
      loose_.add("kinetic = the square of velocity", errors.kinetic);
      loose_.add("divergence = the rate of volume", errors.divergence);
      // Off the diagonal a product has Euclidean coordinates (DESIGN.md).
      if (m_.factors().size() == 1)
        loose_.add("frobenius = the square of the covariant derivative", errors.frobenius);
      backward_.add("velocity_backward", velocity_backward_error(m_, random, off, u, scaling, o_.length));
    }
  }

  bool has_geodesic_neurons() const {
    bool any = false;
    try {
      for (const auto& f : m_.factors()) any = f.manifold->geodesic_neurons() != nullptr || any;
    } catch (const Error&) {
      return false;
    }
    return any;
  }

  void seen(const AllFeatures& features, Random& random, const Tile<T>& x, const Tile<T>& y,
            const Tile<T>& off, const Tile<T>& u) {
    backward_.add("features' backward", feature_backward_error(m_, features, random, off, u));
    loose_.add("features' jets are derivatives", feature_jet_error(m_, features, x, o_.length));
    loose_.demand("features have full rank", Pack<T>(1e-3) < least_stretch(m_, features, x));
    if (d_ > kFewDimensions) return;  // the search takes d³ a step
    loose_.add("features are one to one", distance_to_double(m_, features, x, y, o_.length));
  }

  void patches() {
    if (!o_.patches || !has_patches(m_)) return;
    const std::vector<Patch> all = whole_manifold(m_, kReach);
    Random random(o_.seed, Purpose::test, static_cast<std::uint64_t>(d_), 0);
    loose_.add("patches say their volume", Pack<double>(patch_volume_error(m_, all, random)));
    if (const auto error = whole_error(m_, all))
      loose_.add("patches make up the whole", Pack<double>(*error));
    if (const auto error = kernel_error(m_, all, random, o_.length))
      loose_.add("kernels have mass 1", Pack<double>(*error));
  }

  static constexpr int kFewDimensions = 8;
  /// Coordinates of hyperbolic space keep enough digits for differences up to here; less than 1e-20 is
  /// beyond.
  static constexpr double kReach = 12;

  const Manifold<T>& m_;
  LawOptions o_;
  int D_, d_;
  T L_;
  Findings errors_, loose_, backward_;
};

/// Expects every law to hold.
template <class T>
void check_laws(const Manifold<T>& manifold, const LawOptions& options) {
  LawCheck<T>(manifold, options).run();
}

}  // namespace riemflow::test
