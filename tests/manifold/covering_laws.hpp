#pragma once
// The laws of manifold/covering.hpp as one test kit: check_covering(space, covering, options). Every law is
// measured at random points and at those of the options, and reported by its worst error. What is said of
// derivatives is compared with differences of lift and drop along geodesics of the cover and of the space,
// seen in logarithms.

#include <Eigen/Core>

#include "laws.hpp"
#include "riemflow/manifold/covering.hpp"

namespace riemflow::test {

using Numbers = std::vector<double>;

struct CoveringLawOptions {
  /// Largest error, relative to `length`; of what is compared with differences.
  double tolerance = 1e-11, difference = 1e-8;
  /// The natural length of the space and of its cover. The radius is in units of it, as in LawOptions.
  double length = 1, cover_length = 1;
  double radius = 2;
  /// Distances of the space are this times the least of those of lifts; 0: they are not those of lifts.
  double similarity = 1;
  /// A point may be written as any of its lifts, in the length of points: project() takes one of them.
  bool images = false;
  int points = 12;
  std::uint64_t seed = 1;
  /// Points of the space, and of the cover, to look at beside random ones; their lifts may fall together.
  std::vector<Numbers> hard = {}, hard_above = {};
};

class CoveringCheck {
 public:
  CoveringCheck(const Manifold<double>& space, const Covering& covering, const CoveringLawOptions& o)
      : m_(space), n_(*covering.cover()), c_(covering), o_(o), L_(o.length), Ln_(o.cover_length) {}

  void run() {
    EXPECT_EQ(c_.ambient(), m_.ambient());
    EXPECT_EQ(n_.dimension(), m_.dimension());
    EXPECT_EQ(n_.covering(), nullptr);
    int looked_at = 0;
    for (int i = 0; i < o_.points; ++i) {
      Random random(o_.seed, Purpose::test, static_cast<std::uint64_t>(m_.dimension()),
                    static_cast<std::uint64_t>(i));
      const Numbers y = point_of(m_, random, o_.radius * L_), z = point_of(m_, random, o_.radius * L_);
      lifts(y);
      apart(y);
      if (o_.images) images(y);
      if (separate(lift(y, 0))) pull_back(random, y);
      if (o_.similarity != 0) distances(y, z);
      const Numbers x = point_of(n_, random, o_.radius * Ln_);
      if (!separate(x)) continue;
      above(random, x);
      stretch(x);
      ++looked_at;
    }
    EXPECT_GT(looked_at, o_.points / 2);
    volumes();
    Random random(o_.seed, Purpose::test, 0, 0);
    for (const Numbers& y : o_.hard) {
      lifts(y);
      if (o_.images) images(y);
    }
    for (const Numbers& x : o_.hard_above) stretch(x);
    errors_.report(m_.name(), o_.tolerance);
    differences_.report(m_.name(), o_.difference);
  }

 private:
  using Space = Manifold<double>;

  /// The whole of the space is J/n of the cover's, wherever J is a constant and the whole is finite.
  void volumes() {
    EXPECT_EQ(m_.compact(), n_.compact());
    if (!m_.compact()) return;
    const auto log_J = [&](std::uint64_t i) {
      Random random(o_.seed, Purpose::test, 1, i);
      return c_.log_stretch(point_of(n_, random, o_.radius * Ln_).data(), nullptr);
    };
    for (std::uint64_t i = 1; i < 8; ++i) ASSERT_NEAR(log_J(i), log_J(0), 1e-9) << m_.name();
    EXPECT_NEAR(m_.log_volume(), n_.log_volume() + log_J(0) - std::log(static_cast<double>(c_.sheets())),
                1e-10)
        << m_.name();
  }

  static Numbers point_of(const Space& m, Random& random, double radius) {
    return lane(random_point(m, random, radius), 0);
  }
  static Tile<double> tile(const Numbers& x) { return broadcast<double>(x); }
  static double distance_of(const Space& m, const Numbers& x, const Numbers& y) {
    return m.distance(tile(x).data(), tile(y).data())[0];
  }
  static Numbers exp_of(const Space& m, const Numbers& x, const Numbers& v) {
    return lane(exp(m, tile(x), tile(v)), 0);
  }
  static Numbers log_of(const Space& m, const Numbers& x, const Numbers& y) {
    return lane(log(m, tile(x), tile(y)), 0);
  }
  static double inner_of(const Space& m, const Numbers& x, const Numbers& u, const Numbers& v) {
    return m.inner(tile(x).data(), tile(u).data(), tile(v).data())[0];
  }
  static Numbers times(double s, Numbers v) {
    for (double& c : v) c *= s;
    return v;
  }
  static double pairing(const Numbers& u, const Numbers& v) {
    double sum = 0;
    for (std::size_t i = 0; i < u.size(); ++i) sum += u[i] * v[i];
    return sum;
  }
  static double apart_by(const Numbers& a, const Numbers& b) {
    double square = 0;
    for (std::size_t i = 0; i < a.size(); ++i) square += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(square);
  }
  static std::vector<Numbers> frame_of(const Space& m, const Numbers& x) {
    TileMatrix<double> e(m.ambient(), m.dimension());
    m.frame(tile(x).data(), e.view());
    std::vector<Numbers> columns;
    for (int j = 0; j < m.dimension(); ++j) columns.push_back(lane(e.column(j), 0));
    return columns;
  }
  Numbers lift(const Numbers& y, std::size_t sheet) const {
    Numbers x(static_cast<std::size_t>(n_.ambient()));
    c_.lift(y.data(), sheet, x.data());
    return x;
  }
  Numbers drop(const Numbers& x) const {
    Numbers y(static_cast<std::size_t>(m_.ambient()));
    c_.drop(x.data(), y.data());
    return y;
  }
  Numbers projected(const Numbers& y) const { return lane(project(m_, tile(y)), 0); }
  /// The lift of y that is nearest to x.
  Numbers lift_near(const Numbers& y, const Numbers& x) const {
    Numbers best = lift(y, 0);
    for (std::size_t s = 1; s < c_.sheets(); ++s)
      if (const Numbers other = lift(y, s); distance_of(n_, other, x) < distance_of(n_, best, x))
        best = other;
    return best;
  }
  /// No other lift is near, where sheets meet and c is folded.
  bool separate(const Numbers& x) const {
    const Numbers y = drop(x);
    int near = 0;
    for (std::size_t s = 0; s < c_.sheets(); ++s) near += distance_of(n_, lift(y, s), x) < 0.01 * Ln_;
    return near <= 1;
  }
  /// d/dt of f(t) at 0, which is 0 there; errs by t⁴.
  template <class F>
  static Numbers slope(double h, F f) {
    const Numbers near = f(h), back = f(-h), far = f(2 * h), far_back = f(-2 * h);
    Numbers result(near.size());
    for (std::size_t i = 0; i < near.size(); ++i)
      result[i] = (8 * (near[i] - back[i]) - (far[i] - far_back[i])) / (12 * h);
    return result;
  }
  static double norm_of(const Space& m, const Numbers& x, const Numbers& v) {
    return std::sqrt(std::max(0.0, inner_of(m, x, v, v)));
  }
  void add(Findings& findings, const std::string& law, double error) {
    findings.add(law, Pack<double>(error));
  }
  void demand(const std::string& law, bool holds) {
    add(errors_, law, holds ? 0 : std::numeric_limits<double>::infinity());
  }

  void lifts(const Numbers& y) {
    const Numbers kept = projected(y);
    const double size = std::max(L_, std::sqrt(pairing(kept, kept)));
    demand("a point has lifts", !c_.defect(y.data()));
    for (std::size_t s = 0; s < c_.sheets(); ++s) {
      const Numbers x = lift(y, s), below = drop(x);
      demand("a lift is a point of the cover", n_.contains(x));
      demand("drop is a point", m_.contains(below));
      add(errors_, "drop(lift(y)) = y", distance_of(m_, below, y) / L_);
      add(errors_, "drop keeps what project keeps", apart_by(below, kept) / size);
    }
  }

  void apart(const Numbers& y) {
    for (std::size_t s = 0; s < c_.sheets(); ++s)
      for (std::size_t t = 0; t < s; ++t)
        demand("lifts are apart", apart_by(lift(y, s), lift(y, t)) > 1e-6 * Ln_);
  }

  void images(const Numbers& y) {
    const Numbers kept = projected(y);
    const double size = std::sqrt(pairing(y, y));
    for (std::size_t s = 0; s < c_.sheets(); ++s) {
      const Numbers x = lift(y, s), image = times(size / std::sqrt(pairing(x, x)), x);
      add(errors_, "project takes one image for all", apart_by(projected(image), kept) / size);
      add(errors_, "images are one point", distance_of(m_, image, y) / L_);
    }
  }

  void distances(const Numbers& y, const Numbers& z) {
    const Numbers x = lift(y, 0);
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t s = 0; s < c_.sheets(); ++s) least = std::min(least, distance_of(n_, x, lift(z, s)));
    add(errors_, "distances are the least of lifts",
        (distance_of(m_, y, z) - o_.similarity * least) / (L_ + o_.similarity * least));
  }

  void above(Random& random, const Numbers& x) {
    const Numbers y = drop(x);
    add(errors_, "x is a lift of drop(x)", distance_of(n_, lift_near(y, x), x) / Ln_);
    const Numbers u = lane(random_tangent(n_, random, tile(x), Ln_), 0);
    const Numbers v = lane(random_tangent(n_, random, tile(x), Ln_), 0);
    for (std::size_t s = 0; s < c_.sheets(); ++s) {
      const Numbers there = lift(y, s);
      Numbers moved = x, cu = u, cv = v;
      c_.carry(x.data(), s, moved.data());
      c_.carry(x.data(), s, cu.data());
      c_.carry(x.data(), s, cv.data());
      const double size = norm_of(n_, x, u) * norm_of(n_, x, v);
      add(errors_, "carry takes x to the lift", distance_of(n_, moved, there) / Ln_);
      add(errors_, "carry is an isometry", (inner_of(n_, there, cu, cv) - inner_of(n_, x, u, v)) / size);
      if (s > 3 && s + 1 < c_.sheets()) continue;
      const Numbers differential = slope(kStep, [&](double h) {
        return log_of(n_, there, lift_near(drop(exp_of(n_, x, times(h, u))), there));
      });
      add(differences_, "carry is the differential of the symmetry",
          norm_of(n_, there, subtracted(differential, cu)) / norm_of(n_, x, u));
    }
  }
  static Numbers subtracted(Numbers a, const Numbers& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
    return a;
  }

  // J = |det A|, A_ij = ⟨e_i, dc(f_j)⟩ of frames e below and f above.
  void stretch(const Numbers& x) {
    const Numbers y = drop(x);
    const int d = m_.dimension();
    const std::vector<Numbers> below = frame_of(m_, y), above = frame_of(n_, x);
    Numbers gradient(x.size(), 0.5);
    const double log_J = c_.log_stretch(x.data(), gradient.data());
    add(errors_, "log J alone is log J with its gradient", c_.log_stretch(x.data(), nullptr) - log_J);
    for (std::size_t s = 0; s < c_.sheets(); ++s)
      add(errors_, "log J is the same at all lifts",
          (c_.log_stretch(lift(drop(x), s).data(), nullptr) - log_J) / std::max(1.0, std::abs(log_J)));
    Eigen::MatrixXd A(d, d);
    for (int j = 0; j < d; ++j) {
      const Numbers& f = above[static_cast<std::size_t>(j)];
      const auto at = [&](double h) { return exp_of(n_, x, times(h * Ln_, f)); };
      const Numbers column = slope(kStep, [&](double h) { return log_of(m_, y, drop(at(h))); });
      for (int i = 0; i < d; ++i) A(i, j) = inner_of(m_, y, below[static_cast<std::size_t>(i)], column) / Ln_;
      const double along =
          slope(kStep, [&](double h) { return Numbers{c_.log_stretch(at(h).data(), nullptr) - log_J}; })[0];
      double said = 0;  // what is added to the 0.5 that was there
      for (std::size_t i = 0; i < f.size(); ++i) said += (gradient[i] - 0.5) * f[i] * Ln_;
      add(differences_, "the gradient of log J", said - along);
    }
    add(differences_, "J is the ratio of volumes",
        (std::log(std::abs(A.determinant())) - log_J) / std::max(1.0, std::abs(log_J)));
  }

  // x̄·dx/dt = ȳ·dy/dt along geodesics of the space.
  void pull_back(Random& random, const Numbers& y) {
    const Numbers w = lane(random_tangent(m_, random, tile(y), L_), 0);
    for (std::size_t s = 0; s < c_.sheets(); ++s) {
      if (s > 3 && s + 1 < c_.sheets()) continue;
      const Numbers x = lift(y, s);
      Numbers x_bar = lane(random_tangent(n_, random, tile(x), 1), 0), y_bar(y.size());
      c_.pull_back(y.data(), s, x.data(), x_bar.data(), y_bar.data());
      const Numbers dx =
          slope(kStep, [&](double h) { return log_of(n_, x, lift_near(exp_of(m_, y, times(h, w)), x)); });
      const double size = std::sqrt(pairing(x_bar, x_bar) * pairing(dx, dx));
      add(differences_, "pull_back is the transposed differential of lift",
          (pairing(x_bar, dx) - pairing(y_bar, w)) / size);
    }
  }

  static constexpr double kStep = 1e-4;
  const Space& m_;
  const Space& n_;
  const Covering& c_;
  CoveringLawOptions o_;
  double L_, Ln_;
  Findings errors_, differences_;
};

/// Expects every law to hold.
inline void check_covering(const Manifold<double>& space, const Covering& covering,
                           const CoveringLawOptions& options) {
  CoveringCheck(space, covering, options).run();
}

}  // namespace riemflow::test
