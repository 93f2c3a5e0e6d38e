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

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "riemflow/core/pack.hpp"
#include "riemflow/core/random.hpp"

namespace riemflow {

/// Kinds the field's layers specialise on; a product is a list of these. Covered spaces have none: what is
/// computed is computed on the cover.
enum class Geometry { euclidean, sphere, ball, torus, covered };

template <class T>
class Manifold;
class Covering;

/// A way to write a point as numbers in columns.
struct Notation {
  std::string name;                  ///< as a sentence has it: "unit quaternions (w x y z)"
  std::vector<std::string> columns;  ///< their usual names, lower case
  bool angular = false;              ///< angles: degrees or radians in files, radians here
  /// point = that of the numbers; or why there is none, as "the determinant is −1, a reflection".
  std::function<std::optional<std::string>(const double* numbers, double* point)> read;
  std::function<void(const double* point, double* numbers)> write;
};

/// What densities of a space are shown as: by pairs of coordinates of samples, where it has no picture of its
/// own. Of rotations, `group` is that of the crystal, by its name. `cover`: as the cover, isometric and of
/// one sheet.
struct Picture {
  enum class Kind { pairs, globe, torus, disk, plane, rotations, cover };
  Kind kind = Kind::pairs;
  std::string group = {};
};

/// One factor of a product, with where its coordinates and its seeds start.
template <class T>
struct Factor {
  const Manifold<T>* manifold;
  Geometry geometry;
  double curvature;
  int row;   ///< first ambient coordinate
  int seed;  ///< first seed column
};

template <class T>
class Manifold {
 public:
  virtual ~Manifold() = default;

  /// "sphere:2", "ball:2,K=-1", …; parse_manifold(name()) makes the same manifold.
  virtual std::string name() const = 0;
  /// Intrinsic dimension d.
  virtual int dimension() const = 0;
  /// Numbers a point: d + 1 on the sphere, d elsewhere.
  virtual int ambient() const = 0;
  /// True where the volume is finite, i.e. where a uniform distribution exists.
  virtual bool compact() const = 0;
  /// log of the total volume; +∞ where it is not compact.
  virtual double log_volume() const = 0;
  /// A unit of it, as in "nats per …".
  virtual std::string unit_of_volume() const { return "unit of volume"; }
  /// The manifold itself, or the factors of a product in order.
  virtual std::vector<Factor<T>> factors() const = 0;
  /// How it is told through another manifold (covering.hpp), on which its densities are computed; null: they
  /// are computed on this one.
  virtual std::shared_ptr<const Covering> covering() const { return nullptr; }
  virtual Picture picture() const { return {}; }
  /// The ways to write a point in columns, the usual one first; of covered spaces and their products.
  virtual std::vector<Notation> notations() const { return {}; }

  // --- points and tangent vectors -------------------------------------------------------------------------
  /// In place: the nearest point (sphere), the angle in [−π, π) (torus), pulled inside the rim (ball).
  virtual void project(Pack<T>* x) const = 0;
  /// Why `point` is not on the manifold, with the number that shows it; nothing if it is.
  virtual std::optional<std::string> defect(std::span<const T> point) const = 0;
  bool contains(std::span<const T> point) const { return !defect(point); }
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

  // --- geodesics ------------------------------------------------------------------------------------------
  /// y = exp_x(v)
  virtual void exp(const Pack<T>* x, const Pack<T>* v, Pack<T>* y) const = 0;
  /// v = log_x(y); at an antipode, where it is not unique, one of the shortest.
  virtual void log(const Pack<T>* x, const Pack<T>* y, Pack<T>* v) const = 0;
  virtual Pack<T> distance(const Pack<T>* x, const Pack<T>* y) const = 0;
  /// w = v carried from x to y along the geodesic.
  virtual void transport(const Pack<T>* x, const Pack<T>* y, const Pack<T>* v, Pack<T>* w) const = 0;

  // --- volume ---------------------------------------------------------------------------------------------
  /// log √|G|: of the coordinates themselves on R^d, T^d, B^d; of the d-spherical angles on S^d.
  virtual Pack<T> log_volume_density(const Pack<T>* x) const = 0;
  /// One lane of x = a uniform point; throws Error where there is none.
  virtual void random_uniform(Random& random, Pack<T>* x, int lane) const = 0;

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
};

}  // namespace riemflow
