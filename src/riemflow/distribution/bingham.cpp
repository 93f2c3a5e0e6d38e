#include "riemflow/distribution/bingham.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Eigenvalues>
#include <utility>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/principal_axes.hpp"

namespace riemflow {

struct Bingham::Spectrum {
  Eigen::MatrixXd axes;
  Eigen::VectorXd gaps;
  double top;

  explicit Spectrum(const Eigen::MatrixXd& A) {
    require(A.rows() == A.cols() && A.rows() >= 2,
            fmt::format("Bingham matrix of {} x {}", A.rows(), A.cols()),
            "pass a square matrix of d + 1 rows on S^d, d = 1 or more");
    require(
        A.rows() <= kMostBinghamDimension + 1, fmt::format("Bingham matrix of {} rows", A.rows()),
        fmt::format("use at most {}; Watson and angular central Gaussian distributions are for any dimension",
                    kMostBinghamDimension + 1));
    require(A.allFinite(), "Bingham matrix that is not finite", "pass finite numbers");
    const double asymmetry = (A - A.transpose()).cwiseAbs().maxCoeff();
    require(asymmetry <= 1e-12 * A.cwiseAbs().maxCoeff(),
            fmt::format("Bingham matrix is off symmetry by {}", asymmetry),
            "pass (A + A^T)/2, which is the same density");
    // Of a diagonal matrix the axes are those of coordinates, to the bit.
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum((A + A.transpose()) / 2);
    axes = spectrum.eigenvectors();
    top = spectrum.eigenvalues()[A.rows() - 1];
    gaps = top - spectrum.eigenvalues().array();
  }
};

Bingham::Bingham(const Eigen::MatrixXd& matrix) : Bingham(matrix, Spectrum(matrix)) {}

Bingham::Bingham(const Eigen::MatrixXd& matrix, Spectrum spectrum)
    : matrix_(matrix),
      axes_(std::move(spectrum.axes)),
      gaps_(std::move(spectrum.gaps)),
      top_(spectrum.top),
      constants_(bingham_constants(gaps_)),
      envelope_(gaps_) {}

std::string Bingham::name() const {
  return fmt::format("bingham:matrix={}", fmt::join(matrix_.reshaped(), ";"));
}

void Bingham::sample(Random& random, Pack<double>* x, int lane) const {
  const Eigen::VectorXd y = axes_ * envelope_.draw(random);
  const double length = y.norm();
  for (int i = 0; i < ambient(); ++i) x[i][lane] = y[i] / length;
}

Bingham fit_bingham(const Points<double>& points, const Weights& weights) {
  const PrincipalAxes principal = principal_axes(directions_of(points, weights, "a Bingham distribution"));
  const Eigen::VectorXd& squares = principal.squares;
  const Eigen::Index D = squares.size();
  require(
      D <= kMostBinghamDimension + 1, fmt::format("Bingham distribution of points of {} numbers", D),
      fmt::format("use at most {}; Watson and angular central Gaussian distributions are for any dimension",
                  kMostBinghamDimension + 1));
  require(squares.minCoeff() >= kLeastSquare,
          fmt::format("the {} points lie in a subspace of R^{}, to a mean square of {:.2g}", points.size(), D,
                      squares.minCoeff()),
          fmt::format("a Bingham distribution needs points that span R^{}: pass more, or other ones", D),
          Fault::bad_data);
  const Eigen::MatrixXd matrix =
      principal.axes * (-bingham_gaps(squares)).asDiagonal() * principal.axes.transpose();
  return Bingham((matrix + matrix.transpose()) / 2);
}

template class DifferentiableDensity<Bingham, double>;

}  // namespace riemflow
