#include "riemflow/kernel/neighbourhoods.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "riemflow/kernel/elliptic_terms.hpp"

namespace riemflow {
namespace {

/// Centres of a piece of work.
constexpr std::size_t kCentresAPiece = 128;
/// Neighbours whose places are kept: 24 are among them even where two fifths are out.
constexpr std::size_t kPlaced = 48;
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

Neighbourhoods::Neighbourhoods(const KernelData& data, Executor* executor)
    : data_(data),
      executor_(executor),
      space_(*data.space()),
      d_(static_cast<std::size_t>(space_.manifold().dimension())),
      width_(static_cast<std::size_t>(space_.width())),
      kept_(static_cast<std::size_t>(data.most_neighbours())),
      placed_(std::min(kPlaced, kept_)) {
  for (const KernelSpace::Part& part : space_.parts())
    stride_ += static_cast<std::size_t>(part.dimension * part.ambient);
  embedded_.resize(size() * width_);
  frames_.resize(size() * stride_);
  in_pieces(executor, size(), kCentresAPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      space_.embed(data.centres()[i], &embedded_[i * width_]);
      double* to = &frames_[i * stride_];
      for (const KernelSpace::Part& part : space_.parts()) {
        const TangentMatrix frame = frame_at(part, data.centres()[i].data() + part.row).transpose();
        to = std::copy_n(frame.data(), frame.size(), to);
      }
    }
  });
  log_distances_.resize(size() * kept_);
  places_.resize(size() * placed_ * d_);
  in_pieces(executor, size(), kCentresAPiece, [&](std::size_t begin, std::size_t end) {
    std::vector<double> v(static_cast<std::size_t>(space_.manifold().ambient()));
    for (std::size_t i = begin; i < end; ++i) {
      double* to = &places_[i * placed_ * d_];
      for (std::size_t k = 0; k < kept_; ++k) {
        const int neighbour = static_cast<int>(k) + 1;
        log_distances_[i * kept_ + k] = std::log(data.distance(i, neighbour));
        if (k >= placed_) continue;
        const double* frame = &frames_[i * stride_];
        for (const KernelSpace::Part& part : space_.parts()) {
          sight(part, centre(data.neighbour(i, neighbour)), centre(i), v.data());
          for (int a = 0; a < part.dimension; ++a, frame += part.ambient)
            *to++ = std::inner_product(frame, frame + part.ambient, v.data(), 0.0);
        }
      }
    }
  });
}

Neighbourhoods::Looks Neighbourhoods::look(const std::vector<bool>& out) const {
  Looks looks;
  looks.rows.assign(size(), MetricTree::kNone);
  for (std::size_t i = 0; i < size(); ++i) {
    if (out[i]) continue;
    looks.rows[i] = static_cast<std::uint32_t>(looks.centres.size());
    looks.centres.push_back(static_cast<std::uint32_t>(i));
  }
  const std::size_t n = looks.centres.size();
  looks.features.resize(static_cast<Eigen::Index>(n), kFeatures);
  looks.log_units.resize(n);
  looks.log_variances.resize(n * kShapes * d_);
  looks.axes.resize(n * kShapes * stride_);
  in_pieces(executor_, n, kCentresAPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) measure(looks.centres[row], out, row, looks);
  });
  const double mean =
      std::accumulate(looks.log_units.begin(), looks.log_units.end(), 0.0) / static_cast<double>(n);
  for (std::size_t row = 0; row < n; ++row) {
    auto features = looks.features.row(static_cast<Eigen::Index>(row));
    features[kFeatures - 3] = 0.5 * (looks.log_units[row] - mean);
    features[kFeatures - 2] = 0.2 * std::log(static_cast<double>(n)) - 1.5;
    features[kFeatures - 1] = 0.5 * std::log(static_cast<double>(d_));
  }
  return looks;
}

void Neighbourhoods::measure(std::size_t i, const std::vector<bool>& out, std::size_t row,
                             Looks& looks) const {
  const double* log_distances = &log_distances_[i * kept_];
  double seen_distance[kSeen.size()], last = log_distances[kept_ - 1];
  std::size_t filled = 0;
  std::array<TangentMatrix, kShapes> sums;
  for (TangentMatrix& sum : sums) sum.setZero(static_cast<Eigen::Index>(d_), static_cast<Eigen::Index>(d_));
  int seen = 0;
  for (std::size_t k = 0; k < kept_ && filled < kSeen.size(); ++k) {
    if (out[data_.neighbour(i, static_cast<int>(k) + 1)]) continue;
    ++seen;
    if (seen == kSeen[filled] || filled == 0) last = log_distances[k];
    if (seen == kSeen[filled]) seen_distance[filled++] = last;
    if (seen > kShaping.back() || k >= placed_) continue;
    const double* at = &places_[(i * placed_ + k) * d_];
    for (std::size_t g = 0; g < kShapes; ++g) {
      if (seen > kShaping[g]) continue;
      double* sum = sums[g].data();
      for (std::size_t a = 0; a < d_; ++a)
        for (std::size_t b = 0; b < d_; ++b) *sum++ += at[a] * at[b];
    }
  }
  std::fill(seen_distance + filled, seen_distance + kSeen.size(), last);

  auto features = looks.features.row(static_cast<Eigen::Index>(row));
  const double unit = looks.log_units[row] = seen_distance[kUnit];
  for (std::size_t k = 0; k < kSeen.size(); ++k)
    features[static_cast<Eigen::Index>(k)] = seen_distance[k] - unit;

  // Axes and logarithms of variances, factor by factor.
  for (std::size_t g = 0; g < kShapes; ++g) {
    const double mean = sums[g].trace() / static_cast<double>(d_);
    double* log_variance = &looks.log_variances[(row * kShapes + g) * d_];
    const double* frame = &frames_[i * stride_];
    double* axes = &looks.axes[(row * kShapes + g) * stride_];
    Eigen::Index from = 0;
    for (const KernelSpace::Part& part : space_.parts()) {
      const Eigen::Map<const TangentMatrix> E(frame, part.dimension, part.ambient);
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
      frame += turned.size();
      axes += turned.size();
    }
    const auto [least, most] = std::minmax_element(log_variance, log_variance + d_);
    features[static_cast<Eigen::Index>(kSeen.size() + g)] = 0.25 * (*most - *least);
    const double centre_of = std::accumulate(log_variance, log_variance + d_, 0.0) / static_cast<double>(d_);
    for (std::size_t a = 0; a < d_; ++a) log_variance[a] -= centre_of;
  }
}

}  // namespace riemflow
