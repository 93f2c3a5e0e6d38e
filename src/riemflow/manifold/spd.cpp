#include "riemflow/manifold/spd.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

#include "riemflow/manifold/euclidean.hpp"

namespace riemflow {
namespace {

constexpr int kMostRows = 8;
/// What an entry of a whole matrix may differ from its mirror image by, relative to √(s_ii s_jj).
constexpr double kMirrored = 1e-6;

using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostRows, kMostRows>;
using Column = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostRows, 1>;
using Eigensystem = Eigen::SelfAdjointEigenSolver<Square>;

/// X of its upper triangle; `scale` is that of what is off the diagonal.
Square symmetric(int n, const double* triangle, double scale = 1) {
  Square X(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j) X(i, j) = X(j, i) = *triangle++ * (i == j ? 1 : scale);
  return X;
}
void put_triangle(const Square& X, double* triangle, double scale = 1) {
  for (int i = 0; i < X.rows(); ++i)
    for (int j = i; j < X.rows(); ++j) *triangle++ = i == j ? X(i, i) : scale * ((X(i, j) + X(j, i)) / 2);
}
constexpr double kRoot2 = std::numbers::sqrt2;

template <class F>
Square function_of(const Eigensystem& system, F f) {
  Column values = system.eigenvalues();
  for (double& value : values) value = f(value);
  return system.eigenvectors() * values.asDiagonal() * system.eigenvectors().transpose();
}
double natural_log(double a) { return std::log(a); }
double natural_exp(double a) { return std::exp(a); }

/// Below this share of the largest eigenvalue, one is not told from 0.
double least_share(int n) { return 4 * n * std::numeric_limits<double>::epsilon(); }

/// S = L Lᵀ, so that X ↦ L X Lᵀ takes the geometry at the identity to that at S.
class Base {
 public:
  Base(int n, const double* s) : L_(Eigen::LLT<Square>(symmetric(n, s)).matrixL()) {}
  /// L⁻¹ U L⁻ᵀ
  Square seen(const Square& U) const {
    const auto triangle = L_.triangularView<Eigen::Lower>();
    const Square half = triangle.solve(U);
    const Square whole = triangle.solve(half.transpose());
    return (whole + whole.transpose()) / 2;
  }
  Square put_back(const Square& X) const { return L_ * X * L_.transpose(); }
  const Square& root() const { return L_; }

 private:
  Square L_;
};

class SpdGeometry final : public PointGeometry {
 public:
  explicit SpdGeometry(int n) : n_(n) {}

  /// Eigenvalues that are too small become the least; the identity where none is positive.
  void project(double* x) const override {
    const Eigensystem system(symmetric(n_, x));
    const double largest = system.eigenvalues()[n_ - 1], least = least_share(n_) * largest;
    if (!(largest > 0))
      put_triangle(Square::Identity(n_, n_), x);
    else if (!(system.eigenvalues()[0] > least))
      put_triangle(function_of(system, [&](double value) { return std::max(value, 4 * least); }), x);
  }
  std::optional<std::string> defect(const double* x) const override {
    const Eigensystem system(symmetric(n_, x), Eigen::EigenvaluesOnly);
    const double smallest = system.eigenvalues()[0], largest = system.eigenvalues()[n_ - 1];
    if (!(smallest > 0))
      return fmt::format("the matrix is not positive definite: its smallest eigenvalue is {:.4g}", smallest);
    if (!(smallest > least_share(n_) * largest))
      return fmt::format("the matrix is singular to rounding: its eigenvalues are from {:.4g} to {:.4g}",
                         smallest, largest);
    return std::nullopt;
  }

  void to_tangent(const double*, double*) const override {}
  double inner(const double* x, const double* u, const double* v) const override {
    const Base at(n_, x);
    return at.seen(symmetric(n_, u)).cwiseProduct(at.seen(symmetric(n_, v))).sum();
  }
  // W = S⁻¹ V S⁻¹; tr(U W) counts what is off the diagonal twice.
  void lower(const double* x, double* v) const override {
    const Base at(n_, x);
    const Square L = at.root().triangularView<Eigen::Lower>().solve(Square::Identity(n_, n_));
    put_triangle(L.transpose() * at.seen(symmetric(n_, v)) * L, v, 2);
  }
  // L E Lᵀ of E_ii and (E_ij + E_ji)/√2
  void frame(const double* x, double* e) const override {
    const Base at(n_, x);
    for (int i = 0; i < n_; ++i)
      for (int j = i; j < n_; ++j, e += n_ * (n_ + 1) / 2) {
        Square E = Square::Zero(n_, n_);
        E(i, j) = E(j, i) = i == j ? 1 : 1 / kRoot2;
        put_triangle(at.put_back(E), e);
      }
  }

  // L exp(L⁻¹ V L⁻ᵀ) Lᵀ
  void exp(const double* x, const double* v, double* y) const override {
    const Base at(n_, x);
    put_triangle(at.put_back(function_of(Eigensystem(at.seen(symmetric(n_, v))), natural_exp)), y);
  }
  void log(const double* x, const double* y, double* v) const override {
    const Base at(n_, x);
    put_triangle(at.put_back(function_of(Eigensystem(at.seen(symmetric(n_, y))), natural_log)), v);
  }
  // √Σ log² of the eigenvalues of S⁻¹Y
  double distance(const double* x, const double* y) const override {
    const Eigensystem ratio(Base(n_, x).seen(symmetric(n_, y)), Eigen::EigenvaluesOnly);
    double square = 0;
    for (const double value : ratio.eigenvalues()) square += std::log(value) * std::log(value);
    return std::sqrt(square);
  }
  // E V Eᵀ, E = (Y S⁻¹)^{1/2} = L M^{1/2} L⁻¹ with M = L⁻¹ Y L⁻ᵀ
  void transport(const double* x, const double* y, const double* v, double* w) const override {
    const Base at(n_, x);
    const Square root =
        function_of(Eigensystem(at.seen(symmetric(n_, y))), [](double value) { return std::sqrt(value); });
    put_triangle(at.put_back(root * at.seen(symmetric(n_, v)) * root), w);
  }
  /// √|G| = 2^{n(n−1)/4} det(S)^{−(n+1)/2}
  double log_volume_density(const double* x) const override {
    double log_root = 0;
    const Base at(n_, x);
    for (int i = 0; i < n_; ++i) log_root += std::log(at.root()(i, i));
    return n_ * (n_ - 1) / 4.0 * std::numbers::ln2 - (n_ + 1) * log_root;
  }

 private:
  int n_;
};

/// log( sinh(δ/2)/(δ/2) ) and its derivative ½ coth(δ/2) − 1/δ, to a few roundings relative.
struct Spreading {
  double value, slope;
};
Spreading spreading(double delta) {
  const double size = std::abs(delta), s = delta * delta;
  if (size < 0.25)
    return {s * (1 / 24. - s * (1 / 2880. - s * (1 / 181440. - s * (1 / 9676800. - s / 479001600.)))),
            delta * (1 / 12. - s * (1 / 720. - s * (1 / 30240. - s * (1 / 1209600. - s / 47900160.))))};
  const double less = -std::expm1(-size);  // 1 − e^{−δ}
  return {size / 2 + std::log(less / size),
          std::copysign((1 + std::exp(-size)) / (2 * less) - 1 / size, delta)};
}

class SpdCovering final : public Covering {
 public:
  explicit SpdCovering(int n) : cover_(std::make_shared<Euclidean<double>>(n * (n + 1) / 2)), n_(n) {}

  const std::shared_ptr<const Manifold<double>>& cover() const override { return cover_; }
  int ambient() const override { return cover_->ambient(); }
  std::size_t sheets() const override { return 1; }
  void lift(const double* y, std::size_t, double* x) const override {
    put_triangle(function_of(Eigensystem(symmetric(n_, y)), natural_log), x, kRoot2);
  }
  void drop(const double* x, double* y) const override {
    put_triangle(function_of(Eigensystem(symmetric(n_, x, 1 / kRoot2)), natural_exp), y);
  }
  // d log J = tr(G dX), G with the eigenvectors of X and the eigenvalues Σ_j slope(δ_ij)
  double log_stretch(const double* x, double* x_bar) const override {
    const Eigensystem system(symmetric(n_, x, 1 / kRoot2));
    double sum = 0;
    Column slopes = Column::Zero(n_);
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < i; ++j) {
        const auto [value, slope] = spreading(system.eigenvalues()[i] - system.eigenvalues()[j]);
        sum += value;
        slopes[i] += slope;
        slopes[j] -= slope;
      }
    if (x_bar == nullptr) return sum;
    const Square G = system.eigenvectors() * slopes.asDiagonal() * system.eigenvectors().transpose();
    std::vector<double> own(static_cast<std::size_t>(ambient()));
    put_triangle(G, own.data(), kRoot2);
    for (std::size_t i = 0; i < own.size(); ++i) x_bar[i] += own[i];
    return sum;
  }
  // The differential of the logarithm at S = V diag(σ) Vᵀ is symmetric: V (Γ ∘ VᵀUV) Vᵀ with the divided
  // differences Γ_ij = (a − b)/(σ_i − σ_j), a = log σ_i and b = log σ_j, e^{−(a+b)/2} h/sinh h of h = (a −
  // b)/2.
  void pull_back(const double* y, std::size_t, const double*, const double* x_bar,
                 double* y_bar) const override {
    const Eigensystem system(symmetric(n_, y));
    const Square& V = system.eigenvectors();
    Square inside = V.transpose() * symmetric(n_, x_bar, 1 / kRoot2) * V;
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) {
        const double a = std::log(system.eigenvalues()[i]), b = std::log(system.eigenvalues()[j]);
        const double h = (a - b) / 2;
        inside(i, j) *= std::exp(-(a + b) / 2) * (std::abs(h) < 1e-8 ? 1 : h / std::sinh(h));
      }
    put_triangle(V * inside * V.transpose(), y_bar, 2);
  }

 private:
  std::shared_ptr<const Manifold<double>> cover_;
  int n_;
};

std::vector<std::string> entry_names(int n, bool whole) {
  std::vector<std::string> names;
  for (int i = 1; i <= n; ++i)
    for (int j = whole ? 1 : i; j <= n; ++j) names.push_back(fmt::format("s{}{}", i, j));
  return names;
}

}  // namespace

std::unique_ptr<const PointGeometry> spd_geometry(int n) {
  require(1 <= n && n <= kMostRows, fmt::format("spd:{}: matrices of {} rows", n, n),
          fmt::format("give 1 to {} rows, which are up to {} dimensions", kMostRows,
                      kMostRows * (kMostRows + 1) / 2));
  return std::make_unique<SpdGeometry>(n);
}

std::shared_ptr<const Covering> spd_covering(int n) { return std::make_shared<SpdCovering>(n); }

std::vector<Notation> spd_notations(int n) {
  const auto size = static_cast<std::size_t>(n * (n + 1) / 2);
  const auto checked = [n](const double* x) { return SpdGeometry(n).defect(x); };
  Notation triangle{"the upper triangles of matrices, row by row", entry_names(n, false), false, {}, {}};
  triangle.read = [size, checked](const double* numbers, double* x) {
    std::copy_n(numbers, size, x);
    return checked(x);
  };
  triangle.write = [size](const double* x, double* numbers) { std::copy_n(x, size, numbers); };
  if (n == 1) return {triangle};

  Notation whole{"whole matrices, row by row", entry_names(n, true), false, {}, {}};
  whole.read = [n, checked](const double* numbers, double* x) -> std::optional<std::string> {
    const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> S(numbers,
                                                                                                     n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j)
        if (!(std::abs(S(i, j) - S(j, i)) <= kMirrored * std::sqrt(std::abs(S(i, i) * S(j, j)))))
          return fmt::format("the matrix is not symmetric: s{}{} is {:.9g}, but s{}{} is {:.9g}", j + 1,
                             i + 1, S(j, i), i + 1, j + 1, S(i, j));
    put_triangle(S, x);
    return checked(x);
  };
  whole.write = [n](const double* x, double* numbers) {
    const Square S = symmetric(n, x);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) *numbers++ = S(i, j);
  };
  return {triangle, whole};
}

}  // namespace riemflow
