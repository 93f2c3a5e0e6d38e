#include "riemflow/manifold/grassmann.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <cmath>
#include <numbers>

namespace riemflow {
namespace {

constexpr int kMostGrassmannRows = 16;
/// What an entry of P² may differ from that of P in a file, over n: what three written decimals give.
constexpr double kNearlyProjector = 1e-3;
/// Below this share of the largest singular value a basis has no full rank.
constexpr double kLeastRank = 1e-9;

using Projector = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Angles = Eigen::VectorXd;

/// Principal vectors x_i of one subspace, directions d_i beside it, and the angles to the other.
struct Principal {
  Projector x, d;  // n × p
  Angles theta;

  /// The rotation by s times the angles.
  Projector rotation(double s) const {
    Projector R = Projector::Identity(x.rows(), x.rows());
    for (Eigen::Index i = 0; i < theta.size(); ++i) {
      const double angle = s * theta[i], half = std::sin(angle / 2), versed = -2 * half * half;
      R += versed * (x.col(i) * x.col(i).transpose() + d.col(i) * d.col(i).transpose()) +
           std::sin(angle) * (d.col(i) * x.col(i).transpose() - x.col(i) * d.col(i).transpose());
    }
    return R;
  }
};

class GrassmannGeometry final : public EmbeddedGeometry {
 public:
  GrassmannGeometry(int n, int p) : n_(n), p_(p) {}

  void project(double* x) const override {
    const Projector E = eigenvectors(x).rightCols(p_);
    put(E * E.transpose(), x);
  }
  std::optional<std::string> defect(const double* x) const override {
    const Projector P = matrix(x);
    const double skew = (P - P.transpose()).cwiseAbs().maxCoeff();
    if (!(skew <= 2 * kNearlyProjector))
      return fmt::format(
          "the matrix is not symmetric: entries differ from their mirror images by up to {:.6g}", skew);
    const double off = (P * P - P).cwiseAbs().maxCoeff();
    if (!(off <= n_ * kNearlyProjector))
      return fmt::format("the matrix P is no projector: P² differs from P by up to {:.6g}", off);
    if (!(std::abs(P.trace() - p_) <= 0.5))
      return fmt::format("the trace is {:.6g} where {} is expected", P.trace(), p_);
    return std::nullopt;
  }
  void to_tangent(const double* x, double* v) const override {
    const Projector R = Projector::Identity(n_, n_) - 2 * matrix(x), V = symmetric_of(v);
    put((V - R * V * R) / 2, v);
  }
  double inner(const double*, const double* u, const double* v) const override {
    return matrix(u).cwiseProduct(matrix(v)).sum() / 2;
  }
  void lower(const double*, double* v) const override { put(matrix(v) / 2, v); }
  // e_a e_bᵀ + e_b e_aᵀ of a basis that the projected x parts
  void frame(const double* x, double* e) const override {
    const Projector E = eigenvectors(x);
    for (int a = n_ - p_; a < n_; ++a)
      for (int b = 0; b < n_ - p_; ++b, e += n_ * n_) put(both(E.col(a), E.col(b)), e);
  }

  // V = H Xᵀ + X Hᵀ with H = VX = A Σ Wᵀ: x = XW, d = A, θ = Σ
  void exp(const double* x, const double* v, double* y) const override {
    const Projector X = eigenvectors(x).rightCols(p_), H = matrix(v) * X;
    const Eigen::JacobiSVD<Projector> svd(H.transpose() * H, Eigen::ComputeFullU);
    Principal to{X * svd.matrixU(), H * svd.matrixU(), Angles(p_)};
    normalise(to, [](double length) { return length; });
    const Projector R = to.rotation(1);
    put(R * matrix(x) * R.transpose(), y);
  }
  void log(const double* x, const double* y, double* v) const override {
    const Principal to = principal(x, y);
    Projector V = Projector::Zero(n_, n_);
    for (int i = 0; i < p_; ++i) V += to.theta[i] * both(to.x.col(i), to.d.col(i));
    put(V, v);
  }
  double distance(const double* x, const double* y) const override { return principal(x, y).theta.norm(); }
  void transport(const double* x, const double* y, const double* v, double* w) const override {
    const Projector R = principal(x, y).rotation(1);
    put(R * matrix(v) * R.transpose(), w);
    to_tangent(y, w);
  }
  double log_volume_density(const double*) const override { return 0; }

  // dP = Σ (e_aᵀ dX e_b)/(λ_a − λ_b) (e_a e_bᵀ + e_b e_aᵀ) over a of the subspace, b beside it: symmetric.
  void project_backward(const double* x, double* x_bar) const override {
    const Eigen::SelfAdjointEigenSolver<Projector> system(symmetric_of(x));
    const Projector E = system.eigenvectors();
    Projector G = E.transpose() * symmetric_of(x_bar) * E;
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j)
        G(i, j) *= (i < n_ - p_) == (j < n_ - p_)
                       ? 0
                       : 1 / std::abs(system.eigenvalues()[i] - system.eigenvalues()[j]);
    put(E * G * E.transpose(), x_bar);
  }
  // Of Z + Zᵀ: turning it turns its eigenvectors.
  void from_normals(const double* z, double* x) const override {
    put(matrix(z), x);
    project(x);
  }

 private:
  Projector matrix(const double* x) const { return Eigen::Map<const Projector>(x, n_, n_); }
  Projector symmetric_of(const double* x) const { return (matrix(x) + matrix(x).transpose()) / 2; }
  void put(const Projector& X, double* x) const { Eigen::Map<Projector>(x, n_, n_) = X; }
  /// Ascending eigenvalues: the last p are of the subspace.
  Projector eigenvectors(const double* x) const {
    return Eigen::SelfAdjointEigenSolver<Projector>(symmetric_of(x)).eigenvectors();
  }
  template <class A, class B>
  static Projector both(const A& a, const B& b) {
    return a * b.transpose() + b * a.transpose();
  }
  /// d to length 1 where it has one, with θ = angle(length, i).
  template <class F>
  static void normalise(Principal& to, F angle) {
    for (Eigen::Index i = 0; i < to.theta.size(); ++i) {
      const double length = to.d.col(i).norm();
      to.theta[i] = angle(length);
      if (length > 0) to.d.col(i) /= length;
    }
  }
  // XᵀY = U C Wᵀ, x = XU, y = YW; y − Cx is sin θ d.
  Principal principal(const double* x, const double* y) const {
    const Projector X = eigenvectors(x).rightCols(p_), Y = eigenvectors(y).rightCols(p_);
    const Eigen::JacobiSVD<Projector> svd(X.transpose() * Y, Eigen::ComputeFullU | Eigen::ComputeFullV);
    Principal to{X * svd.matrixU(), Y * svd.matrixV(), Angles(p_)};
    to.d -= X * (X.transpose() * to.d);
    to.d -= X * (X.transpose() * to.d);
    Eigen::Index i = 0;
    normalise(to, [&](double length) { return std::atan2(length, svd.singularValues()[i++]); });
    return to;
  }

  int n_, p_;
};

std::vector<std::string> names_of_entries(const char* stem, int rows, int columns) {
  std::vector<std::string> names;
  for (int i = 1; i <= rows; ++i)
    for (int j = 1; j <= columns; ++j)
      names.push_back(rows > 9 ? fmt::format("{}{}_{}", stem, i, j) : fmt::format("{}{}{}", stem, i, j));
  return names;
}

}  // namespace

std::unique_ptr<const EmbeddedGeometry> grassmann_geometry(int n, int p) {
  require(1 <= p && p < n && n <= kMostGrassmannRows,
          fmt::format("grassmann:{},{}: subspaces of {} dimensions of R^{}", n, p, p, n),
          fmt::format("give n and p with 1 ≤ p < n ≤ {}, as in grassmann:4,2", kMostGrassmannRows));
  return std::make_unique<GrassmannGeometry>(n, p);
}

std::vector<Notation> grassmann_notations(int n, int p) {
  Notation projector{"projectors, row by row", names_of_entries("p", n, n), false, {}, {}};
  projector.read = [n, p](const double* numbers, double* x) {
    std::copy_n(numbers, n * n, x);
    const GrassmannGeometry geometry(n, p);
    const std::optional<std::string> bad = geometry.defect(x);
    if (!bad) geometry.project(x);
    return bad;
  };
  projector.write = [n](const double* x, double* numbers) { std::copy_n(x, n * n, numbers); };

  Notation basis{"bases, n rows of p numbers", names_of_entries("x", n, p), false, {}, {}};
  basis.read = [n, p](const double* numbers, double* x) -> std::optional<std::string> {
    const Projector X = Eigen::Map<const Projector>(numbers, n, p);
    const Eigen::JacobiSVD<Projector, Eigen::HouseholderQRPreconditioner> svd(
        X, Eigen::ComputeFullU | Eigen::ComputeFullV);
    const double largest = svd.singularValues()[0], least = svd.singularValues()[p - 1];
    if (!(least > kLeastRank * largest))
      return fmt::format("the {} vectors are dependent: singular values from {:.3g} to {:.3g}", p, least,
                         largest);
    const Projector E = svd.matrixU().leftCols(p);
    Eigen::Map<Projector>(x, n, n) = E * E.transpose();
    return std::nullopt;
  };
  basis.write = [n, p](const double* x, double* numbers) {
    const Projector P = Eigen::Map<const Projector>(x, n, n);
    const Projector E = Eigen::SelfAdjointEigenSolver<Projector>(P).eigenvectors().rightCols(p);
    Eigen::Map<Projector>(numbers, n, p) = E;
  };
  return {projector, basis};
}

}  // namespace riemflow
