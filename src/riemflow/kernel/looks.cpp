#include "riemflow/kernel/looks.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace riemflow {
namespace {

/// Of the mean variance, added to each: an axis may be a thirtieth of another.
constexpr double kRound = 1e-3;

/// Eigenvalues in `variances`, and the eigenvectors as rows of the result.
Eigen::MatrixXd axes_of(const Eigen::MatrixXd& C, double* variances) {
  if (C.rows() == 2) {  // most data: in closed form, without memory of its own
    Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> eigen;
    eigen.computeDirect(Eigen::Matrix2d(C));
    Eigen::Map<Eigen::Vector2d>{variances} = eigen.eigenvalues();
    return eigen.eigenvectors().transpose();
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(C);
  std::copy_n(eigen.eigenvalues().data(), C.rows(), variances);
  return eigen.eigenvectors().transpose();
}

}  // namespace

Looker::Looker(const KernelSpace& space)
    : space_(space), d_(static_cast<std::size_t>(space.manifold().dimension())) {
  for (const KernelSpace::Part& part : space.parts())
    stride_ += static_cast<std::size_t>(part.dimension * part.ambient);
}

void Looker::frame(const double* x, double* to) const {
  for (const KernelSpace::Part& part : space_.parts()) {
    const TangentMatrix frame = frame_at(part, x + part.row).transpose();
    to = std::copy_n(frame.data(), frame.size(), to);
  }
}

void Looker::place(const double* frame, const KernelQuery& centre, const KernelQuery& neighbour, double* v,
                   double* to) const {
  for (const KernelSpace::Part& part : space_.parts()) {
    sight(part, neighbour, centre, v);
    for (int a = 0; a < part.dimension; ++a, frame += part.ambient)
      *to++ = std::inner_product(frame, frame + part.ambient, v, 0.0);
  }
}

Looks Looker::room_for(std::size_t rows) const {
  Looks looks;
  looks.centres.resize(rows);
  looks.features.resize(static_cast<Eigen::Index>(rows), Looks::kFeatures);
  looks.log_units.resize(rows);
  looks.log_variances.resize(rows * Looks::kShapes * d_);
  looks.axes.resize(rows * Looks::kShapes * stride_);
  return looks;
}

void Looker::complete(double mean, std::size_t n, Looks& looks) const {
  for (std::size_t row = 0; row < looks.size(); ++row) {
    auto features = looks.features.row(static_cast<Eigen::Index>(row));
    features[Looks::kFeatures - 3] = 0.5 * (looks.log_units[row] - mean);
    features[Looks::kFeatures - 2] = 0.2 * std::log(static_cast<double>(n)) - 1.5;
    features[Looks::kFeatures - 1] = 0.5 * std::log(static_cast<double>(d_));
  }
}

void Looker::write(const double* seen_distances, Sums& sums, const double* frame, std::size_t row,
                   Looks& looks) const {
  auto features = looks.features.row(static_cast<Eigen::Index>(row));
  const double unit = looks.log_units[row] = seen_distances[Looks::kUnit];
  for (std::size_t k = 0; k < Looks::kSeen.size(); ++k)
    features[static_cast<Eigen::Index>(k)] = seen_distances[k] - unit;

  // Axes and logarithms of variances, factor by factor.
  for (std::size_t g = 0; g < Looks::kShapes; ++g) {
    const double mean = sums[g].trace() / static_cast<double>(d_);
    double* log_variance = &looks.log_variances[(row * Looks::kShapes + g) * d_];
    const double* part_frame = frame;
    double* axes = &looks.axes[(row * Looks::kShapes + g) * stride_];
    Eigen::Index from = 0;
    for (const KernelSpace::Part& part : space_.parts()) {
      const Eigen::Map<const TangentMatrix> E(part_frame, part.dimension, part.ambient);
      Eigen::Map<TangentMatrix> turned(axes, part.dimension, part.ambient);
      if (mean > 0 && d_ > 1) {
        turned.noalias() =
            axes_of(sums[g].block(from, from, part.dimension, part.dimension), log_variance + from) * E;
        for (int a = 0; a < part.dimension; ++a)
          log_variance[from + a] = std::log(std::max(log_variance[from + a], 0.0) / mean + kRound);
      } else {
        turned = E;
        std::fill_n(log_variance + from, part.dimension, 0.0);
      }
      from += part.dimension;
      part_frame += turned.size();
      axes += turned.size();
    }
    const auto [least, most] = std::minmax_element(log_variance, log_variance + d_);
    features[static_cast<Eigen::Index>(Looks::kSeen.size() + g)] = 0.25 * (*most - *least);
    const double centre_of = std::accumulate(log_variance, log_variance + d_, 0.0) / static_cast<double>(d_);
    for (std::size_t a = 0; a < d_; ++a) log_variance[a] -= centre_of;
  }
}

}  // namespace riemflow
