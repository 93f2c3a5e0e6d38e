#pragma once
// A compact space M of matrices in a flat space, whose tangent projection Π_x is a polynomial in x, with the
// metric m⟨u, v⟩ of the surrounding space. Of a field, on M itself, with v_j the seeds, u̇_j = Du[v_j] and
// H = Σ_j DΠ_x[v_j] v_j the mean curvature vector,
//   f = Π_x u   div f = Σ_j⟨v_j, u̇_j⟩ + ⟨u, H(x)⟩   ∇_v f = Π_x( u̇_v + DΠ_x[v] u )
// as DΠ_x[v] is symmetric. Off M these are the polynomials; seeds are those at project(x).

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "riemflow/manifold/pointwise.hpp"

namespace riemflow {

/// The geometry at one point, in double.
class EmbeddedGeometry : public PointGeometry {
 public:
  /// x_bar becomes (d project/dx)ᵀ x_bar at the unprojected x.
  virtual void project_backward(const double* x, double* x_bar) const = 0;
  /// What a uniform point is made of: x = that of D standard normals z.
  virtual void from_normals(const double* z, double* x) const = 0;
  /// As Manifold::path; false where that is the geodesic, and nothing has been done.
  virtual bool path(const double* from, const double* to, double t, double* x, double* velocity) const {
    static_cast<void>(from);
    static_cast<void>(to);
    static_cast<void>(t);
    static_cast<void>(x);
    static_cast<void>(velocity);
    return false;
  }
};

template <class T>
class Embedded : public Manifold<T> {
 public:
  int dimension() const final { return d_; }
  int ambient() const final { return D_; }
  bool compact() const final { return true; }
  std::vector<Factor<T>> factors() const final { return {{this, 0, 0}}; }
  DefaultBase default_base() const final { return DefaultBase::uniform; }
  /// None: flows alone.
  KernelForm kernel_form() const final { return {KernelForm::Family::none}; }
  /// None: masses are estimated from samples.
  std::optional<PatchPart> part(double) const final { return std::nullopt; }

  std::optional<std::string> defect(std::span<const T> point) const final {
    if (auto bad = coordinate_defect(point, D_)) return bad;
    const Numbers at(point.begin(), point.end());
    Numbers near = at;
    geometry_->project(near.data());
    constexpr double tolerance = std::numeric_limits<T>::digits > 24 ? 1e-6 : 1e-4;
    double square = 0;
    for (std::size_t i = 0; i < at.size(); ++i) square += (at[i] - near[i]) * (at[i] - near[i]);
    if (std::sqrt(square) <= tolerance) return std::nullopt;
    if (auto bad = geometry_->defect(at.data())) return bad;
    return fmt::format("{:.3g} from the nearest point, more than {}", std::sqrt(square), tolerance);
  }
  double drift(std::span<const T> point) const final {
    const Numbers at(point.begin(), point.end());
    Numbers near = at;
    geometry_->project(near.data());
    double square = 0, size = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      square += (at[i] - near[i]) * (at[i] - near[i]);
      size += near[i] * near[i];
    }
    return std::sqrt(square / size);
  }
  void to_tangent(const Pack<T>* x, Pack<T>* v) const final {
    const Tile given(v, v + D_);
    tangent(x, given.data(), v);
  }
  Pack<T> inner(const Pack<T>*, const Pack<T>* u, const Pack<T>* v) const final { return m_ * dot(D_, u, v); }
  void lower(const Pack<T>*, Pack<T>* v) const final {
    for (int i = 0; i < D_; ++i) v[i] *= m_;
  }
  void frame(const Pack<T>* x, PackMatrix<T> e) const final {
    Numbers columns(static_cast<std::size_t>(d_ * D_));
    for (int l = 0; l < kLanes; ++l) {
      geometry_->frame(lane(x, l).data(), columns.data());
      for (int j = 0; j < d_; ++j)
        for (int i = 0; i < D_; ++i)
          e(i, j)[l] = static_cast<T>(columns[static_cast<std::size_t>(j * D_ + i)]);
    }
  }

  void exp(const Pack<T>* x, const Pack<T>* v, Pack<T>* y) const final {
    Numbers to(static_cast<std::size_t>(D_));
    for (int l = 0; l < kLanes; ++l) {
      geometry_->exp(lane(x, l).data(), lane(v, l).data(), to.data());
      put(to, y, l);
    }
    this->project(y);
  }
  void log(const Pack<T>* x, const Pack<T>* y, Pack<T>* v) const final {
    Numbers vector(static_cast<std::size_t>(D_));
    for (int l = 0; l < kLanes; ++l) {
      geometry_->log(lane(x, l).data(), lane(y, l).data(), vector.data());
      put(vector, v, l);
    }
  }
  Pack<T> distance(const Pack<T>* x, const Pack<T>* y) const final {
    Pack<T> r;
    for (int l = 0; l < kLanes; ++l)
      r[l] = static_cast<T>(geometry_->distance(lane(x, l).data(), lane(y, l).data()));
    return r;
  }
  /// Straight through the surrounding space.
  Pack<T> distance_at_least(const Pack<T>* x, const Pack<T>* y) const final {
    Pack<T> square = 0;
    for (int i = 0; i < D_; ++i) square += (y[i] - x[i]) * (y[i] - x[i]);
    return sqrt(m_ * square);
  }
  void transport(const Pack<T>* x, const Pack<T>* y, const Pack<T>* v, Pack<T>* w) const final {
    Numbers vector(static_cast<std::size_t>(D_));
    for (int l = 0; l < kLanes; ++l) {
      geometry_->transport(lane(x, l).data(), lane(y, l).data(), lane(v, l).data(), vector.data());
      put(vector, w, l);
    }
  }

  void path(const Pack<T>* from, const Pack<T>* to, const Pack<T>& t, Pack<T>* x,
            Pack<T>* velocity) const final {
    Numbers at(static_cast<std::size_t>(D_)), moves(at.size());
    for (int l = 0; l < kLanes; ++l) {
      if (!geometry_->path(lane(from, l).data(), lane(to, l).data(), static_cast<double>(t[l]), at.data(),
                           moves.data()))
        return Manifold<T>::path(from, to, t, x, velocity);
      put(at, x, l);
      put(moves, velocity, l);
    }
  }

  /// 0: there are no coordinates but those of the surrounding space.
  Pack<T> log_volume_density(const Pack<T>*) const final { return 0; }
  void random_uniform(Random& random, Pack<T>* x, int l) const final {
    Numbers z(static_cast<std::size_t>(D_)), point(z.size());
    for (double& number : z) number = random.normal();
    geometry_->from_normals(z.data(), point.data());
    put(point, x, l);
  }

  LaneMask in_domain(const Pack<T>* x) const final { return finite(D_, x); }
  void project_backward(const Pack<T>* x, Pack<T>* x_bar) const final {
    for (int l = 0; l < kLanes; ++l) {
      Numbers bar = lane(x_bar, l);
      geometry_->project_backward(lane(x, l).data(), bar.data());
      put(bar, x_bar, l);
    }
  }
  void error_weight(const Pack<T>*, Pack<T>* weight) const final {
    for (int i = 0; i < D_; ++i) weight[i] = 1;
  }

  /// √m times the frame.
  void seed_basis(const Pack<T>* x, PackMatrix<T> v) const final {
    frame(x, v);
    const Pack<T> root = static_cast<T>(std::sqrt(static_cast<double>(m_)));
    for (int j = 0; j < d_; ++j)
      for (int i = 0; i < D_; ++i) v(i, j) *= root;
  }
  // From v_j = Π v_j: dv_j = DΠ[dx] v_j up to spin.
  void seed_basis_backward(const Pack<T>* x, PackMatrix<T> v, PackMatrix<T> v_bar,
                           Pack<T>* x_bar) const final {
    Tile at(x, x + D_), at_bar = zeros();
    this->project(at.data());
    for (int j = 0; j < d_; ++j)
      tangent_backward(at.data(), column(v, j).data(), column(v_bar, j).data(), at_bar.data());
    project_backward(x, at_bar.data());
    for (int i = 0; i < D_; ++i) x_bar[i] += at_bar[static_cast<std::size_t>(i)];
  }
  void seed_probe(const Pack<T>* x, PackMatrix<T> noise, int k, PackMatrix<T> v) const final {
    Tile w = zeros();
    for (int j = 0; j < k; ++j) {
      tangent(x, column(noise, j).data(), w.data());
      for (int i = 0; i < D_; ++i) v(i, j) = w[static_cast<std::size_t>(i)];
    }
  }
  void seed_probe_backward(const Pack<T>* x, PackMatrix<T> noise, int k, PackMatrix<T> v_bar,
                           Pack<T>* x_bar) const final {
    for (int j = 0; j < k; ++j) tangent_backward(x, column(noise, j).data(), column(v_bar, j).data(), x_bar);
  }

  /// The entries of the matrix.
  std::shared_ptr<const Features<T>> features() const override {
    return std::make_shared<ScaledCoordinates<T>>(D_);
  }

  void velocity(const OutputJet<T>& jet, Pack<T>* f, Rates<T>& rates) const final {
    const Tile x = column(jet.x, 0), u = column(jet.u, 0), H = mean_curvature(x.data());
    tangent(x.data(), u.data(), f);
    rates.divergence += trace_of(D_, jet) + dot(D_, u.data(), H.data());
    rates.kinetic += m_ * dot(D_, f, f);
    if (!jet.frobenius) return;
    Pack<T> squares = 0;
    Tile c = zeros();
    for (int j = 1; j <= jet.k; ++j) {
      tangent(x.data(), slope(jet, x, u, j).data(), c.data());
      squares += dot(D_, c.data(), c.data());
    }
    rates.frobenius += Pack<T>(jet.share) * squares;
  }
  void velocity_backward(const OutputJet<T>& jet, Pack<T>* f_bar, const Rates<T>& rates_bar,
                         PackMatrix<T> u_bar, PackMatrix<T> x_bar) const final {
    const Tile x = column(jet.x, 0), u = column(jet.u, 0), H = mean_curvature(x.data());
    const Pack<T>& div_bar = rates_bar.divergence;
    Tile w = zeros(), bar = zeros(), at_bar = zeros();
    tangent(x.data(), u.data(), w.data());
    for (int i = 0; i < D_; ++i) f_bar[i] += 2 * m_ * rates_bar.kinetic * w[static_cast<std::size_t>(i)];
    tangent(x.data(), f_bar, bar.data());
    tangent_backward(x.data(), u.data(), f_bar, at_bar.data());
    for (int i = 0; i < D_; ++i) {
      const auto row = static_cast<std::size_t>(i);
      u_bar(i, 0) = bar[row] + div_bar * H[row];
      x_bar(i, 0) += at_bar[row] + Pack<T>(bend_) * div_bar * u[row];
    }
    const Pack<T> trace_bar = Pack<T>(jet.share) * div_bar;
    for (int j = 1; j <= jet.k; ++j) {
      for (int i = 0; i < D_; ++i) {
        u_bar(i, j) = trace_bar * jet.x(i, j);
        x_bar(i, j) += trace_bar * jet.u(i, j);
      }
      if (!jet.frobenius) continue;
      // c = Π w, w = u̇ + DΠ[v] u
      const Tile v = column(jet.x, j), along = slope(jet, x, u, j);
      Tile c_bar = zeros();
      tangent(x.data(), along.data(), c_bar.data());
      for (Pack<T>& c : c_bar) c *= Pack<T>(2 * jet.share) * rates_bar.frobenius;
      tangent(x.data(), c_bar.data(), w.data());
      Tile point_bar = zeros(), seed_bar = zeros();
      tangent_backward(x.data(), along.data(), c_bar.data(), point_bar.data());
      tilt_backward(v.data(), u.data(), w.data(), point_bar.data());
      tangent_backward(x.data(), u.data(), w.data(), seed_bar.data());
      tilt(x.data(), v.data(), w.data(), bar.data());
      for (int i = 0; i < D_; ++i) {
        const auto row = static_cast<std::size_t>(i);
        u_bar(i, j) += w[row];
        u_bar(i, 0) += bar[row];
        x_bar(i, j) += seed_bar[row];
        x_bar(i, 0) += point_bar[row];
      }
    }
  }

 protected:
  using Tile = std::vector<Pack<T>>;

  /// H = bend·x + shift·I, of square matrices.
  Embedded(int d, int D, double m, double bend, double shift,
           std::unique_ptr<const EmbeddedGeometry> geometry)
      : geometry_(std::move(geometry)),
        d_(d),
        D_(D),
        m_(static_cast<T>(m)),
        bend_(static_cast<T>(bend)),
        shift_(static_cast<T>(shift)) {}

  // Linear in u, v and c, and of any degree in x.
  /// w = Π_x u, a symmetric map on M and off it.
  virtual void tangent(const Pack<T>* x, const Pack<T>* u, Pack<T>* w) const = 0;
  /// w = DΠ_x[v] u, the derivative at x along v.
  virtual void tilt(const Pack<T>* x, const Pack<T>* v, const Pack<T>* u, Pack<T>* w) const = 0;
  /// x_bar += the derivative of ⟨c, Π_x u⟩ by x; that of ⟨c, DΠ_x[v] u⟩ by v is the same.
  virtual void tangent_backward(const Pack<T>* x, const Pack<T>* u, const Pack<T>* c,
                                Pack<T>* x_bar) const = 0;
  /// x_bar += the derivative of ⟨c, DΠ_x[v] u⟩ by x.
  virtual void tilt_backward(const Pack<T>* v, const Pack<T>* u, const Pack<T>* c, Pack<T>* x_bar) const = 0;

  MatrixForm form(int rows, int columns, int rank) const {
    return {rows,
            columns,
            rank,
            static_cast<double>(m_),
            static_cast<double>(bend_),
            static_cast<double>(shift_)};
  }
  Tile zeros() const { return Tile(static_cast<std::size_t>(D_), Pack<T>(0)); }
  /// Of each lane alone.
  void project_lanes(Pack<T>* x) const {
    for (int l = 0; l < kLanes; ++l) {
      Numbers at = lane(x, l);
      geometry_->project(at.data());
      put(at, x, l);
    }
  }

  std::unique_ptr<const EmbeddedGeometry> geometry_;

 private:
  using Numbers = std::vector<double>;
  Numbers lane(const Pack<T>* x, int l) const {
    Numbers at(static_cast<std::size_t>(D_));
    for (std::size_t i = 0; i < at.size(); ++i) at[i] = static_cast<double>(x[i][l]);
    return at;
  }
  static void put(const Numbers& at, Pack<T>* x, int l) {
    for (std::size_t i = 0; i < at.size(); ++i) x[i][l] = static_cast<T>(at[i]);
  }
  Tile column(PackMatrix<T> a, int j) const {
    Tile all = zeros();
    for (int i = 0; i < D_; ++i) all[static_cast<std::size_t>(i)] = a(i, j);
    return all;
  }
  Tile mean_curvature(const Pack<T>* x) const {
    Tile H = zeros();
    for (int i = 0; i < D_; ++i) H[static_cast<std::size_t>(i)] = Pack<T>(bend_) * x[i];
    if (shift_ == 0) return H;
    const int n = static_cast<int>(std::lround(std::sqrt(D_)));
    for (int i = 0; i < n; ++i) H[static_cast<std::size_t>(i * (n + 1))] += Pack<T>(shift_);
    return H;
  }
  /// u̇_j + DΠ_x[v_j] u
  Tile slope(const OutputJet<T>& jet, const Tile& x, const Tile& u, int j) const {
    Tile w = zeros();
    tilt(x.data(), column(jet.x, j).data(), u.data(), w.data());
    for (int i = 0; i < D_; ++i) w[static_cast<std::size_t>(i)] += jet.u(i, j);
    return w;
  }

  int d_, D_;
  T m_, bend_, shift_;
};

}  // namespace riemflow
