#pragma once
// The contract of a manifold.
//
// A point is `ambient()` numbers, a tangent vector too (in the same coordinates). Every operation works on a
// tile (core/pack.hpp): x[i] is coordinate i of kLanes points. Out-parameters may not alias in-parameters
// unless said so; `=` overwrites, `+=` accumulates.
//
// The laws, for points x, y and tangent vectors u, v at x (checked for every manifold by
// tests/manifold/laws.hpp, which is reusable for your own):
//   project(x) is a point; project∘project = project; contains(project(x))
//   tangent projection is idempotent and orthogonal
//   ⟨e_i, e_j⟩_x = δ_ij for the frame e_1..e_d,  Σ_i u_i lower(v)_i = ⟨u, v⟩_x
//   exp_x(log_x(y)) = y,  log_x(exp_x(v)) = v inside the injectivity radius
//   distance(x, y) = ‖log_x(y)‖_x,  symmetric, triangle inequality
//   geodesics have constant speed: distance(x, exp_x(s·v)) = s·‖v‖_x
//   transport is an isometry, and carries the geodesic's velocity: transport_{x→y}(log_x y) = −log_y(x)
//   features are one to one, and their differential has full rank
//   the divergence of a field is the trace of its covariant derivative, ‖∇f‖² that of its square
//   backward passes are the adjoints
//   the patches make up the whole: ∫ 1 = the volume, or ∫ (default base) = 1

#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "riemflow/core/error.hpp"
#include "riemflow/core/pack.hpp"
#include "riemflow/core/random.hpp"
#include "riemflow/manifold/declarations.hpp"
#include "riemflow/manifold/features.hpp"
#include "riemflow/manifold/output_jet.hpp"
#include "riemflow/manifold/patch.hpp"

namespace riemflow {

template <class T>
class Manifold;
class Covering;

/// One factor of a product, with where its coordinates and its seeds start.
template <class T>
struct Factor {
  const Manifold<T>* manifold;
  int row;   ///< first ambient coordinate
  int seed;  ///< first seed column
};

template <class T>
class Manifold {
 public:
  virtual ~Manifold() = default;

  /// "sphere:2", "ball:2,K=-1", …; of the library's own, parse_manifold(name()) makes the same manifold.
  virtual std::string name() const = 0;
  /// Intrinsic dimension d.
  virtual int dimension() const = 0;
  /// Numbers a point.
  virtual int ambient() const = 0;
  /// True where the volume is finite, i.e. where a uniform distribution exists.
  virtual bool compact() const = 0;
  /// log of the total volume; +∞ where it is not compact.
  virtual double log_volume() const = 0;
  /// A unit of it, as in "nats per …": "sr", "rad³", "unit of length".
  virtual std::string unit_of_volume() const { return "unit of volume"; }
  /// All of it, where it is finite: "12.57", "8π²/24 = 3.29".
  virtual std::string volume_in_words() const {
    char text[32];  // by C: nvcc reads this header, and cannot read fmt
    std::snprintf(text, sizeof text, "%.4g", std::exp(log_volume()));
    return text;
  }
  /// The manifold itself, or the factors of a product in order.
  virtual std::vector<Factor<T>> factors() const = 0;
  /// How it is told through another manifold (covering.hpp), on which its densities are computed; null: they
  /// are computed on this one.
  virtual std::shared_ptr<const Covering> covering() const { return nullptr; }

  // --- what it says of itself (declarations.hpp) ----------------------------------------------------------
  /// Constant sectional curvature: K on the sphere and the ball, 0 elsewhere.
  virtual double curvature() const { return 0; }
  /// As a sentence has it: "the sphere S², by latitude and longitude".
  virtual std::string words() const { return name(); }
  virtual Picture picture() const { return {}; }
  /// Over which axes densities of a space of one or two dimensions can be drawn; none where there are none.
  virtual std::optional<DrawnCoordinates> drawn_coordinates() const { return std::nullopt; }
  virtual ColumnForm column_form() const { return {}; }
  /// The ways to write a point in columns, the usual one first. None:
  /// as column_form() says.
  virtual std::vector<Notation> notations() const { return {}; }
  virtual DefaultBase default_base() const { return compact() ? DefaultBase::uniform : DefaultBase::none; }
  virtual KernelForm kernel_form() const { return {}; }
  virtual DeviceFormulas device_formulas() const { return DeviceFormulas::none; }
  /// For the formulas of matrices.
  virtual MatrixForm matrix_form() const { return {}; }
  /// Why a flow on R^d cannot be one here by that chart; nothing if it can.
  virtual std::optional<Refusal> refuse_chart(ChartKind) const {
    return Refusal{"none is known", "use a flow on the manifold itself"};
  }
  /// Whether x ↦ a + b·x of each coordinate takes the space to itself: its points are standardised before a
  /// fit.
  virtual bool affine() const { return false; }
  /// The space of the first n coordinates, where each of them is a factor of its own; null elsewhere.
  virtual std::unique_ptr<const Manifold> leading(int n) const {
    static_cast<void>(n);
    return nullptr;
  }

  // --- points and tangent vectors -------------------------------------------------------------------------
  /// In place: the nearest point (sphere), the angle in [−π, π) (torus), pulled inside the rim (ball).
  virtual void project(Pack<T>* x) const = 0;
  /// Why `point` is not on the manifold, with the number that shows it; nothing if it is.
  virtual std::optional<std::string> defect(std::span<const T> point) const = 0;
  bool contains(std::span<const T> point) const { return !defect(point); }
  /// How far a finite x is off the manifold, relative to its size; 0 where every x is a point but for where
  /// it ends.
  virtual double drift(std::span<const T>) const { return 0; }
  /// In place: v becomes its orthogonal projection onto the tangent space at x.
  virtual void to_tangent(const Pack<T>* x, Pack<T>* v) const = 0;
  /// ⟨u, v⟩_x
  virtual Pack<T> inner(const Pack<T>* x, const Pack<T>* u, const Pack<T>* v) const = 0;
  /// In place: v becomes G(x)v, so that Σ_i u_i v_i is ⟨u, v⟩_x for tangent u.
  virtual void lower(const Pack<T>* x, Pack<T>* v) const = 0;
  /// ‖v‖_x
  Pack<T> norm(const Pack<T>* x, const Pack<T>* v) const { return sqrt(inner(x, v, v)); }
  /// An orthonormal basis of the tangent space: column j of e (ambient × d) = e_j.
  virtual void frame(const Pack<T>* x, PackMatrix<T> e) const = 0;

  /// Two points no farther apart are one that was written in two ways, an angle a turn more or a point of a
  /// quotient by another image, and rounded; in double. 0 where one point is one set of numbers. Not 0 on
  /// compact spaces alone.
  virtual double same_within() const { return 0; }

  // --- geodesics ------------------------------------------------------------------------------------------
  /// y = exp_x(v)
  virtual void exp(const Pack<T>* x, const Pack<T>* v, Pack<T>* y) const = 0;
  /// v = log_x(y); at an antipode, where it is not unique, one of the shortest.
  virtual void log(const Pack<T>* x, const Pack<T>* y, Pack<T>* v) const = 0;
  virtual Pack<T> distance(const Pack<T>* x, const Pack<T>* y) const = 0;
  /// A metric that is no longer than distance(x, y), where that takes long: what is far by it need not be
  /// measured.
  virtual Pack<T> distance_at_least(const Pack<T>* x, const Pack<T>* y) const { return distance(x, y); }
  /// w = v carried from x to y along the geodesic.
  virtual void transport(const Pack<T>* x, const Pack<T>* y, const Pack<T>* v, Pack<T>* w) const = 0;
  /// x = where a path is at time t, `from` at 0 and `to` at 1, and velocity = its derivative there: the
  /// shortest geodesic, or another smooth path where logarithms are dear.
  virtual void path(const Pack<T>* from, const Pack<T>* to, const Pack<T>& t, Pack<T>* x,
                    Pack<T>* velocity) const {
    const auto n = static_cast<std::size_t>(ambient());
    std::vector<Pack<T>> whole(n), part(n);
    log(from, to, whole.data());
    for (std::size_t i = 0; i < n; ++i) part[i] = t * whole[i];
    exp(from, part.data(), x);
    transport(from, x, whole.data(), velocity);
  }

  // --- volume ---------------------------------------------------------------------------------------------
  /// log √|G|: of the coordinates themselves on R^d, T^d, B^d; of the d-spherical angles on S^d.
  virtual Pack<T> log_volume_density(const Pack<T>* x) const = 0;
  /// One lane of x = a uniform point; throws Error where there is none.
  virtual void random_uniform(Random& random, Pack<T>* x, int lane) const = 0;
  /// The whole of it in d ≤ 3 coordinates (whole.hpp); none where that is not known.
  virtual std::optional<PatchPart> part(double reach) const {
    static_cast<void>(reach);
    return std::nullopt;
  }

  // --- what a flow needs ----------------------------------------------------------------------------------
  /// True if all lanes of x can be evaluated, i.e. lie in the domain of the coordinates. x need not be a
  /// point: a Runge–Kutta stage on the sphere is off the sphere by O(h²).
  virtual LaneMask in_domain(const Pack<T>* x) const = 0;
  /// x_bar becomes (d project/dx)ᵀ x_bar at the unprojected x.
  virtual void project_backward(const Pack<T>* x, Pack<T>* x_bar) const = 0;
  /// What a coordinate error at x weighs against one at the origin: λ(x)/λ(0) on the ball, 1 elsewhere.
  /// weight[i] for each coordinate.
  virtual void error_weight(const Pack<T>* x, Pack<T>* weight) const = 0;

  // Seeds: directions in which a field is differentiated for its divergence, column j of v (ambient × k),
  // such that Σ_j v_j v_jᵀ = the identity of the tangent space in coordinates that are Euclidean at x (on the
  // ball these are λ times the frame). They vary with x where tangent spaces do, hence the backward passes.
  /// v (ambient × d) = an Euclidean-orthonormal basis.
  virtual void seed_basis(const Pack<T>* x, PackMatrix<T> v) const = 0;
  /// x_bar += the derivative of Σ_j ⟨v_bar_j, v_j(x)⟩. Exact for what is invariant under a rotation of the
  /// basis, as a trace is; the spin of the basis is left out.
  virtual void seed_basis_backward(const Pack<T>* x, PackMatrix<T> v, PackMatrix<T> v_bar,
                                   Pack<T>* x_bar) const = 0;
  /// v (ambient × k) = `noise` (ambient × k, fixed during a solve) projected onto the tangent space at x.
  virtual void seed_probe(const Pack<T>* x, PackMatrix<T> noise, int k, PackMatrix<T> v) const = 0;
  /// x_bar += the derivative of Σ_j ⟨v_bar_j, v_j(x)⟩.
  virtual void seed_probe_backward(const Pack<T>* x, PackMatrix<T> noise, int k, PackMatrix<T> v_bar,
                                   Pack<T>* x_bar) const = 0;

  // Fields: a network sees the features of a point, and its output becomes a tangent vector.
  /// Null where there are no fields.
  virtual std::shared_ptr<const Features<T>> features() const { return nullptr; }
  /// The neurons of a geodesic first layer; null where these are the linear ones of features(). Throws Error
  /// where there are none.
  virtual std::shared_ptr<const GeodesicNeurons<T>> geodesic_neurons() const {
    throw Error(name() + " has no geodesic input layer", "take ‹input› linear or fourier");
  }
  /// f (ambient packs) =, rates += those of the tangent vector that the jet's output becomes.
  virtual void velocity(const OutputJet<T>& jet, Pack<T>* f, Rates<T>& rates) const {
    static_cast<void>(jet);
    static_cast<void>(f);
    static_cast<void>(rates);
    no_fields();
  }
  /// u_bar =, x_bar += the cotangents of the jet, given those of f and of the rates. f_bar is scratch
  /// afterwards.
  virtual void velocity_backward(const OutputJet<T>& jet, Pack<T>* f_bar, const Rates<T>& rates_bar,
                                 PackMatrix<T> u_bar, PackMatrix<T> x_bar) const {
    static_cast<void>(jet);
    static_cast<void>(f_bar);
    static_cast<void>(rates_bar);
    static_cast<void>(u_bar);
    static_cast<void>(x_bar);
    no_fields();
  }

 protected:
  /// Throws Error: a space without fields was asked for one.
  [[noreturn]] void no_fields() const {
    throw Error(name() + " has no vector fields", "use a kernel density, or a flow on another manifold");
  }
};

}  // namespace riemflow
