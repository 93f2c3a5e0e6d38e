#include "riemflow/manifold/stiefel.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <cmath>
#include <numbers>

#include "riemflow/core/random.hpp"

namespace riemflow {
namespace {

constexpr int kMostStiefelRows = 16;
/// What an entry of XᵀX may differ from that of the identity by in a file: what three written decimals give.
constexpr double kNearlyOrthonormal = 1e-3;
/// Newton's method: to this residual, with steps of at most this length, from so many starts.
constexpr double kLogResidual = 1e-12, kLongestLogStep = 1;
constexpr int kLogSteps = 40, kLogStarts = 12;

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, kMostStiefelRows,
                             kMostStiefelRows>;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Matrix skew_part(const Matrix& A) { return (A - A.transpose()) / 2; }
Matrix symmetric_part(const Matrix& A) { return (A + A.transpose()) / 2; }

/// exp A: the series, of |A| halved until it is below ½, and squares.
Matrix matrix_exp(const Matrix& A) {
  constexpr int kTerms = 14;
  const double size = A.lpNorm<1>();
  const int halvings = size > 0.5 ? static_cast<int>(std::ceil(std::log2(size / 0.5))) : 0;
  const Matrix B = std::ldexp(1.0, -halvings) * A, I = Matrix::Identity(A.rows(), A.rows());
  Matrix E = I;
  for (int k = kTerms; k >= 1; --k) E = I + B * E / k;
  for (int i = 0; i < halvings; ++i) E = (E * E).eval();
  return E;
}

/// [X Q] of what is beside X in V, n × k with k = min(n, 2p).
Matrix basis_with(const Matrix& X, const Matrix& V) {
  const auto n = X.rows(), p = X.cols(), k = std::min(n, 2 * p);
  Matrix both = Matrix::Zero(n, k);
  both.leftCols(p) = X;
  Matrix beside = V - X * (X.transpose() * V);
  beside -= X * (X.transpose() * beside);
  // Where 2p > n all that is beside X is wanted, which is what the zeros become.
  if (k == 2 * p) both.rightCols(p) = beside;
  const Eigen::HouseholderQR<Rows> qr(both);
  const Rows Q = qr.householderQ() * Rows::Identity(n, k);
  Matrix result = Q;
  result.leftCols(p) = X;
  return result;
}

/// In a basis [X Q]: V = XA + QR.
struct Velocity {
  Matrix A, R;  // p × p, skew; (k − p) × p

  double norm() const { return std::sqrt(A.squaredNorm() + R.squaredNorm()); }
  Matrix generator() const {
    const auto p = A.rows(), k = p + R.rows();
    Matrix M = Matrix::Zero(k, k);
    M.topLeftCorner(p, p) = 2 * A;
    M.bottomLeftCorner(k - p, p) = R;
    M.topRightCorner(p, k - p) = -R.transpose();
    return M;
  }
  /// exp_X(V) in the basis, k × p
  Matrix end() const { return matrix_exp(generator()).leftCols(A.rows()) * matrix_exp(-A); }
  Matrix stacked() const {
    Matrix all(A.rows() + R.rows(), A.rows());
    all << A, R;
    return all;
  }

  int size() const {
    const auto p = static_cast<int>(A.rows());
    return p * (p - 1) / 2 + static_cast<int>(R.size());
  }
  /// Coordinates of an orthonormal basis of these V.
  void add(int i, double step) {
    const auto p = static_cast<int>(A.rows());
    for (int a = 1; a < p; ++a)
      for (int b = 0; b < a; ++b)
        if (i-- == 0) {
          A(a, b) += step / std::numbers::sqrt2;
          A(b, a) -= step / std::numbers::sqrt2;
          return;
        }
    R(i / p, i % p) += step;
  }
};

/// The V of exp_X(V) = Y, Y (k × p) in the basis, from V on; nothing if that leads nowhere.
std::optional<Velocity> shot(const Matrix& Y, Velocity V) {
  const int d = V.size();
  const auto numbers = Y.size();
  Matrix rest = V.end() - Y;
  for (int step = 0; step < kLogSteps; ++step) {
    const double size = rest.norm();
    if (!std::isfinite(size)) return std::nullopt;
    // Differences are good for a step of Newton's method: what they err by is gone in the next.
    constexpr double h = 1e-7;
    Eigen::MatrixXd J(numbers, d);
    for (int i = 0; i < d; ++i) {
      Velocity moved = V;
      moved.add(i, h);
      const Matrix slope = (moved.end() - Y - rest) / h;
      J.col(i) = slope.reshaped();
    }
    const Eigen::VectorXd way = -J.colPivHouseholderQr().solve(Eigen::VectorXd(rest.reshaped()));
    const double length = way.norm();
    if (!std::isfinite(length)) return std::nullopt;
    double part = std::min(1.0, kLongestLogStep / std::max(length, 1e-300));
    bool better = false;
    for (int halvings = 0; halvings < 8 && !better; ++halvings, part /= 2) {
      Velocity tried = V;
      for (int i = 0; i < d; ++i) tried.add(i, part * way[i]);
      const Matrix left = tried.end() - Y;
      if (!(left.norm() < size)) continue;
      better = true;
      V = tried;
      rest = left;
    }
    if (!better || length < 1e-14) break;
  }
  if (!(rest.norm() < kLogResidual)) return std::nullopt;
  return V;
}

/// Powers Q^t of a rotation, k × k, by its turns in planes: Q = U diag(…) Uᵀ with blocks of 2 × 2.
class Turns {
 public:
  explicit Turns(const Matrix& Q) : schur_(Q) {
    const Matrix S = schur_.matrixT();
    const auto k = static_cast<int>(S.rows());
    int half_turn = -1;
    for (int i = 0; i < k; ++i) {
      if (i + 1 < k && S(i + 1, i) != 0) {
        planes_.push_back({i, i + 1, std::atan2(S(i + 1, i) - S(i, i + 1), S(i, i) + S(i + 1, i + 1))});
        ++i;
      } else if (S(i, i) < 0) {  // two of these are half a turn
        if (half_turn >= 0) planes_.push_back({half_turn, i, std::numbers::pi});
        half_turn = half_turn >= 0 ? -1 : i;
      }
    }
  }
  /// Q^t A, and its derivative by t.
  void apply(double t, const Matrix& A, Matrix& moved, Matrix& velocity) const {
    Matrix turned = schur_.matrixU().transpose() * A, slope = Matrix::Zero(A.rows(), A.cols());
    for (const Plane& plane : planes_) {
      const double c = std::cos(t * plane.angle), s = std::sin(t * plane.angle);
      const Eigen::RowVectorXd a = turned.row(plane.first), b = turned.row(plane.second);
      turned.row(plane.first) = c * a - s * b;
      turned.row(plane.second) = s * a + c * b;
      slope.row(plane.first) = plane.angle * (-s * a - c * b);
      slope.row(plane.second) = plane.angle * (c * a - s * b);
    }
    moved = schur_.matrixU() * turned;
    velocity = schur_.matrixU() * slope;
  }

 private:
  struct Plane {
    int first, second;
    double angle;
  };
  Eigen::RealSchur<Matrix> schur_;
  std::vector<Plane> planes_;
};

class StiefelGeometry final : public EmbeddedGeometry {
 public:
  StiefelGeometry(int n, int p) : n_(n), p_(p) {}

  /// X(XᵀX)^{−1/2}; where columns depend on each other, some completion of them.
  void project(double* x) const override {
    constexpr double kIndependent = 1e-3;
    const Rows X = rows(x);
    const Eigen::SelfAdjointEigenSolver<Matrix> system(Matrix(X.transpose() * X));
    if (system.eigenvalues()[0] > kIndependent * system.eigenvalues()[p_ - 1]) {
      const Matrix Q = X * system.operatorInverseSqrt();
      put(Q * (1.5 * Matrix::Identity(p_, p_) - Q.transpose() * Q / 2), x);  // less its rounding
      return;
    }
    const Eigen::JacobiSVD<Rows, Eigen::HouseholderQRPreconditioner> svd(
        X, Eigen::ComputeFullU | Eigen::ComputeFullV);
    put(svd.matrixU().leftCols(p_) * svd.matrixV().transpose(), x);
  }
  std::optional<std::string> defect(const double* x) const override {
    const Matrix X = rows(x), off = X.transpose() * X - Matrix::Identity(p_, p_);
    Eigen::Index a = 0, b = 0;
    const double most = off.cwiseAbs().maxCoeff(&a, &b);
    if (most <= 2 * kNearlyOrthonormal) return std::nullopt;
    if (a == b)
      return fmt::format("column {} has norm {:.6g} where 1 is expected, to {}", a + 1,
                         std::sqrt(1 + off(a, a)), kNearlyOrthonormal);
    return fmt::format("columns {} and {} are not at right angles: their product is {:.6g}",
                       std::min(a, b) + 1, std::max(a, b) + 1, off(a, b));
  }
  void to_tangent(const double* x, double* v) const override {
    const Matrix X = rows(x), V = rows(v);
    put(V - X * symmetric_part(X.transpose() * V), v);
  }
  double inner(const double*, const double* u, const double* v) const override {
    return rows(u).cwiseProduct(rows(v)).sum();
  }
  void lower(const double*, double*) const override {}

  // X (E_ab − E_ba)/√2 and Q E_ab, at the projected x
  void frame(const double* x, double* e) const override {
    const Matrix X = nearest(x), Q = beside(X);
    for (int a = 0; a < p_; ++a)
      for (int b = 0; b < a; ++b, e += n_ * p_) {
        Matrix E = Matrix::Zero(n_, p_);
        E.col(b) = X.col(a) / std::numbers::sqrt2;
        E.col(a) = -X.col(b) / std::numbers::sqrt2;
        put(E, e);
      }
    for (int i = 0; i < n_ - p_; ++i)
      for (int a = 0; a < p_; ++a, e += n_ * p_) {
        Matrix E = Matrix::Zero(n_, p_);
        E.col(a) = Q.col(i);
        put(E, e);
      }
  }

  void exp(const double* x, const double* v, double* y) const override {
    const Matrix X = nearest(x), V = rows(v), B = basis_with(X, V);
    put(B * velocity(B, V).end(), y);
  }
  void log(const double* x, const double* y, double* v) const override {
    const Matrix X = nearest(x), Y = nearest(y), B = basis_with(X, Y);
    put(B * shortest(X, Y, B).stacked(), v);
  }
  double distance(const double* x, const double* y) const override {
    const Matrix X = nearest(x), Y = nearest(y), B = basis_with(X, Y);
    return shortest(X, Y, B).norm();
  }

  // Along Y(t) = B e^{tM} [I; 0] e^{−tA}, B = [X Q], W = B e^{tM} ω e^{−tA} + what is beside B, which stays.
  // W' = −Y sym(Y'ᵀW) makes ω' = −Mω + ωA − [I; 0] sym([A; R]ᵀ ω), of constant coefficients: a series.
  void transport(const double* x, const double* y, const double* w, double* carried) const override {
    const Matrix X = nearest(x), Y = nearest(y), W = rows(w), B = basis_with(X, Y);
    const Velocity V = shortest(X, Y, B);
    const Matrix M = V.generator(), D = V.stacked();
    Matrix omega = B.transpose() * W;
    const Matrix rest = W - B * omega;
    const int parts = 1 + static_cast<int>(std::ceil(std::min(1e3, 3 * V.norm())));
    constexpr int kTerms = 24;
    for (int i = 0; i < parts; ++i) {
      Matrix term = omega;
      for (int k = 1; k <= kTerms; ++k) {
        Matrix next = term * V.A - M * term;
        next.topRows(p_) -= symmetric_part(D.transpose() * term);
        term = next / (static_cast<double>(parts) * k);
        omega += term;
      }
    }
    put(B * (matrix_exp(M) * omega * matrix_exp(-V.A)) + rest, carried);
    to_tangent(y, carried);
  }
  double log_volume_density(const double*) const override { return 0; }

  // Logarithms are by Newton's method; a path at one speed is B Q^t [I; 0], Q the rotation of R^k that takes
  // [I; 0] to Y, B's first columns to those of Y, and the others as near to where they are as that allows.
  bool path(const double* x, const double* y, double t, double* z, double* v) const override {
    if (p_ == 1) return false;
    const Matrix X = nearest(x), Y = nearest(y), B = basis_with(X, Y);
    const auto k = B.cols();
    Matrix Q(k, k);
    Q.leftCols(p_) = B.transpose() * Y;
    const Eigen::HouseholderQR<Rows> qr{Rows(Q.leftCols(p_))};
    const Rows whole = qr.householderQ() * Rows::Identity(k, k);
    const Matrix rest = whole.rightCols(k - p_);
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(Eigen::MatrixXd(rest.bottomRows(k - p_).transpose()),
                                                Eigen::ComputeFullU | Eigen::ComputeFullV);
    Eigen::MatrixXd U = svd.matrixU();
    Q.rightCols(k - p_) = rest * (U * svd.matrixV().transpose());
    if (Q.determinant() < 0) {
      U.col(k - p_ - 1) *= -1;
      Q.rightCols(k - p_) = rest * (U * svd.matrixV().transpose());
    }
    Matrix moved, velocity;
    Turns(Q).apply(t, Matrix::Identity(k, p_), moved, velocity);
    put(B * moved, z);
    put(B * velocity, v);
    return true;
  }

  // X = QP. From QᵀdX = ΩP + dP with Ω = QᵀdQ skew, Ω_ij = (QᵀdX − dXᵀQ)_ij/(λ_i + λ_j) in P's eigenvectors,
  // and what is beside Q is dX P⁻¹.
  void project_backward(const double* x, double* x_bar) const override {
    const Matrix X = rows(x), G = rows(x_bar);
    const Eigen::SelfAdjointEigenSolver<Matrix> system(Matrix(X.transpose() * X));
    const Matrix U = system.eigenvectors();
    const Matrix lengths = system.eigenvalues().cwiseSqrt();
    const Matrix inverse = U * lengths.cwiseInverse().col(0).asDiagonal() * U.transpose(), Q = X * inverse;
    Matrix K = U.transpose() * skew_part(Q.transpose() * G) * U;
    for (int i = 0; i < p_; ++i)
      for (int j = 0; j < p_; ++j) K(i, j) *= 2 / (lengths(i, 0) + lengths(j, 0));
    put(Q * (U * K * U.transpose()) + (G - Q * (Q.transpose() * G)) * inverse, x_bar);
  }
  // The polar factor of normals: turning them turns it.
  void from_normals(const double* z, double* x) const override {
    put(rows(z), x);
    project(x);
  }

 private:
  Matrix rows(const double* x) const { return Eigen::Map<const Rows>(x, n_, p_); }
  void put(const Matrix& X, double* x) const { Eigen::Map<Rows>(x, n_, p_) = X; }
  Matrix nearest(const double* x) const {
    std::vector<double> at(x, x + n_ * p_);
    project(at.data());
    return rows(at.data());
  }
  /// n × (n − p)
  Matrix beside(const Matrix& X) const {
    const Eigen::HouseholderQR<Rows> qr(X);
    const Rows Q = qr.householderQ() * Rows::Identity(n_, n_);
    return Q.rightCols(n_ - p_);
  }
  Velocity velocity(const Matrix& B, const Matrix& V) const {
    const Matrix all = B.transpose() * V;
    return {skew_part(all.topRows(p_)), all.bottomRows(all.rows() - p_)};
  }

  Velocity shortest(const Matrix& X, const Matrix& Y, const Matrix& B) const {
    const Matrix end = B.transpose() * Y;
    Velocity start = velocity(B, Y);
    if (p_ == 1) {  // the sphere's, also at the antipode
      start.R(0, 0) = std::copysign(2 * std::atan2((X - Y).norm(), (X + Y).norm()), end(1, 0));
      return start;
    }
    const double chord = (X - Y).norm(), size = start.norm();
    if (chord == 0) return {Matrix::Zero(p_, p_), Matrix::Zero(start.R.rows(), p_)};
    if (size > 0) {
      start.A *= chord / size;
      start.R *= chord / size;
    }
    std::optional<Velocity> best;
    Random random(1, Purpose::mixture_start, 0, 0);
    for (int i = 0; i < kLogStarts; ++i) {
      if (i > 0) {  // in any direction, as far as there is no shorter one
        for (int j = 0; j < start.size(); ++j) start.add(j, random.normal());
        const double length = start.norm();
        start.A *= std::numbers::pi / length;
        start.R *= std::numbers::pi / length;
      }
      const std::optional<Velocity> found = shot(end, start);
      if (found && (!best || found->norm() < best->norm())) best = found;
      if (best && best->norm() < std::numbers::pi) return *best;
    }
    if (best) return *best;
    const double none = std::numeric_limits<double>::quiet_NaN();
    return {Matrix::Constant(p_, p_, none), Matrix::Constant(start.R.rows(), p_, none)};
  }

  int n_, p_;
};

}  // namespace

std::unique_ptr<const EmbeddedGeometry> stiefel_geometry(int n, int p) {
  require(1 <= p && p < n && n <= kMostStiefelRows,
          fmt::format("stiefel:{},{}: {} vectors of R^{}", n, p, p, n),
          fmt::format("give n and p with 1 ≤ p < n ≤ {}, as in stiefel:3,2", kMostStiefelRows));
  return std::make_unique<StiefelGeometry>(n, p);
}

std::vector<Notation> stiefel_notations(int n, int p) {
  Notation entries{"matrices of orthonormal columns, row by row", {}, false, {}, {}};
  for (int i = 1; i <= n; ++i)
    for (int j = 1; j <= p; ++j)
      entries.columns.push_back(n > 9 ? fmt::format("x{}_{}", i, j) : fmt::format("x{}{}", i, j));
  entries.read = [n, p](const double* numbers, double* x) {
    std::copy_n(numbers, n * p, x);
    const StiefelGeometry geometry(n, p);
    const std::optional<std::string> bad = geometry.defect(x);
    if (!bad) geometry.project(x);
    return bad;
  };
  entries.write = [n, p](const double* x, double* numbers) { std::copy_n(x, n * p, numbers); };
  return {entries};
}

}  // namespace riemflow
