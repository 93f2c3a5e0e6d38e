#include "riemflow/kernel/normal_mixture.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/base.hpp"
#include "riemflow/distribution/draws.hpp"
#include "riemflow/kernel/kernel_blocks.hpp"

namespace riemflow {
namespace {

/// Points of a piece of work, as many whatever the threads.
constexpr std::size_t kSharedAPiece = 256;
/// A share of a point that is less is nothing.
constexpr double kLeastShare = 1e-5;
/// Of log-densities.
constexpr double kNoFloor = -1e300;
constexpr double kWideAtFirst = 0.01, kWideAtLeast = 1e-4, kWideAtMost = 0.5;
/// Deviations are no less than this part of the first ones.
constexpr double kLeastDeviation = 1e-3;

}  // namespace

/// r of a lift of a point and a normal, in points: a point that counts as two shares out two.
struct NormalMixture::Share {
  std::uint32_t lift, normal;
  double count;
};

struct NormalMixture::Piece {
  std::vector<Share> shares;
  double log_likelihood = 0, wide = 0;
};

NormalMixture::NormalMixture(const KernelData& data, int components, std::uint64_t seed, Executor* executor,
                             std::shared_ptr<const Covering> covering)
    : data_(data),
      executor_(executor),
      space_(*data.space()),
      d_(static_cast<std::size_t>(space_.manifold().dimension())),
      width_(static_cast<std::size_t>(space_.width())),
      covering_(std::move(covering)),
      sheets_(covering_ ? covering_->sheets() : 1),
      lifts_(data.centres()),
      wide_(kWideAtFirst) {
  const std::size_t n = data.size();
  require(components >= 1 && static_cast<std::size_t>(components) <= n,
          fmt::format("{} normals for {} different points", components, n),
          "take one at least, and no more than there are points");
  if (covering_) {
    lifts_ = Points<double>(n * sheets_, data.centres().dimension);
    std::vector<double> below(static_cast<std::size_t>(covering_->ambient()));
    for (std::size_t i = 0; i < n; ++i) {
      covering_->drop(data.centres()[i].data(), below.data());
      for (std::size_t s = 0; s < sheets_; ++s)
        covering_->lift(below.data(), s, lifts_[i * sheets_ + s].data());
    }
  }
  embedded_.resize(lifts_.size() * width_);
  for (std::size_t i = 0; i < lifts_.size(); ++i) space_.embed(lifts_[i], &embedded_[i * width_]);
  log_wide_ = log_densities_of(*default_base<double>(data.manifold()), data.centres());

  // In the order of the data, not of the tree: turned points have the same start.
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::uint32_t i) { return data.origins()[i]; });
  Random random(seed, Purpose::mixture_start, 0, 0);
  std::vector<double> nearest(n, INFINITY), chances = data.weights();
  while (normals_.size() < static_cast<std::size_t>(components)) {
    double left = random.uniform() * std::accumulate(chances.begin(), chances.end(), 0.0);
    std::size_t place = 0;
    while (place + 1 < n && (left -= chances[order[place]]) > 0) ++place;
    normals_.emplace_back();
    normals_.back().weight = 1.0 / components;
    const auto at = data.centres()[order[place]];
    move_to(normals_.back(), {at.begin(), at.end()});
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t s = i * sheets_; s < (i + 1) * sheets_; ++s)
        nearest[i] = std::min(
            nearest[i], space_.squared_distance(&embedded_[s * width_], normals_.back().embedded.data()));
      chances[i] = data.weights()[i] * nearest[i];
    }
  }
  // As wide as the distance of the middle one of the points that are no centre to the nearest centre.
  std::erase(nearest, 0.0);
  double square = 1;
  if (!nearest.empty()) {
    const auto middle = nearest.begin() + static_cast<std::ptrdiff_t>(nearest.size() / 2);
    std::nth_element(nearest.begin(), middle, nearest.end());
    square = *middle;
  }
  least_variance_ = kLeastDeviation * kLeastDeviation * square;
  for (Normal& normal : normals_)
    for (const KernelSpace::Part& part : space_.parts())
      normal.spread.push_back(std::min(square, std::pow(most_deviation(part), 2)) *
                              Eigen::MatrixXd::Identity(part.dimension, part.dimension));
}

void NormalMixture::move_to(Normal& normal, std::vector<double> at) const {
  normal.at = std::move(at);
  normal.embedded.resize(width_);
  space_.embed(normal.at, normal.embedded.data());
  normal.frames.clear();
  for (const KernelSpace::Part& part : space_.parts())
    normal.frames.push_back(frame_at(part, normal.at.data() + part.row));
}

/// y (d) = the logarithm of a point at μ, in the frame there; scratch: ambient.
void NormalMixture::see(const Normal& normal, std::size_t lift, double* scratch, double* y) const {
  const KernelQuery from{normal.at.data(), normal.embedded.data()},
      at{lifts_[lift].data(), &embedded_[lift * width_]};
  for (std::size_t f = 0; f < space_.parts().size(); ++f) {
    const KernelSpace::Part& part = space_.parts()[f];
    const Sight sight_of = sight(part, at, from, scratch);
    double square = 0;
    for (int a = 0; a < part.dimension; ++a) {
      y[a] = 0;
      for (int c = 0; c < part.ambient; ++c) y[a] += normal.frames[f](c, a) * scratch[c];
      square += y[a] * y[a];
    }
    if (is_seen_from_centre(part.family) && square > 0) {  // sin θ as yet
      const double sine = std::sqrt(part.curvature * square);
      for (int a = 0; a < part.dimension; ++a) y[a] *= std::atan2(sine, sight_of.cosine) / sine;
    }
    y += part.dimension;
  }
}

/// Each normal with all its images, the shapes carried along by the symmetry's differential.
KernelParameters NormalMixture::parameters() const {
  const KernelParameters own = own_parameters();
  if (!covering_) return own;
  const int D = space_.manifold().ambient();
  KernelParameters all;
  all.centres = Points<double>(own.size() * sheets_, D);
  all.wide = own.wide;
  std::vector<double> below(static_cast<std::size_t>(covering_->ambient()));
  TangentMatrix G(D, D);
  for (std::size_t m = 0; m < own.size(); ++m) {
    const double* at = own.centres[m].data();
    covering_->drop(at, below.data());
    for (std::size_t s = 0; s < sheets_; ++s) {
      covering_->lift(below.data(), s, all.centres[m * sheets_ + s].data());
      all.weights.push_back(own.weights[m] / static_cast<double>(sheets_));
      all.bandwidths.push_back(own.bandwidths[m]);
      for (int c = 0; c < D; ++c) {
        Eigen::VectorXd v = Eigen::VectorXd::Unit(D, c);
        covering_->carry(at, s, v.data());
        G.col(c) = v;
      }
      const double* shape = &own.shapes[m * shape_size(space_)];
      for (const KernelSpace::Part& part : space_.parts()) {
        const auto turn = G.block(part.row, part.row, part.ambient, part.ambient);
        const TangentMatrix image =
            turn * Eigen::Map<const TangentMatrix>(shape, part.ambient, part.ambient) * turn.transpose();
        all.shapes.insert(all.shapes.end(), image.data(), image.data() + image.size());
        shape += image.size();
      }
    }
  }
  return all;
}

KernelParameters NormalMixture::own_parameters() const {
  KernelParameters result;
  result.centres.dimension = space_.manifold().ambient();
  result.wide = wide_;
  for (const Normal& normal : normals_) {
    result.centres.values.insert(result.centres.values.end(), normal.at.begin(), normal.at.end());
    result.weights.push_back(normal.weight);
    double log_det = 0;
    for (const Eigen::MatrixXd& spread : normal.spread)
      log_det += 2 * spread.llt().matrixL().toDenseMatrix().diagonal().array().log().sum();
    const double square = std::exp(log_det / static_cast<double>(d_));
    result.bandwidths.push_back(std::sqrt(square));
    for (std::size_t f = 0; f < normal.spread.size(); ++f) {
      const TangentMatrix shape =
          normal.frames[f] * (normal.spread[f] / square) * normal.frames[f].transpose();
      result.shapes.insert(result.shapes.end(), shape.data(), shape.data() + shape.size());
    }
  }
  return result;
}

double NormalMixture::step() {
  std::vector<Piece> pieces((data_.size() + kSharedAPiece - 1) / kSharedAPiece);
  share_out(pieces);
  double log_likelihood = 0, wide = 0;
  for (const Piece& piece : pieces) {
    log_likelihood += piece.log_likelihood;
    wide += piece.wide;
  }
  wide_ = std::clamp(wide, kWideAtLeast, kWideAtMost);
  move(pieces);
  return log_likelihood;
}

void NormalMixture::share_out(std::vector<Piece>& pieces) const {
  const KernelParameters now = own_parameters();
  const auto kernels = elliptic_kernels(data_.space(), now.centres, now.bandwidths, now.shapes);
  std::vector<double> log_weights;
  for (const double weight : now.weights)
    log_weights.push_back(std::log((1 - wide_) * weight / static_cast<double>(sheets_)));
  std::vector<std::uint32_t> order(now.size());
  std::iota(order.begin(), order.end(), 0u);
  const KernelBlocks blocks(*kernels, order, log_weights, 0);
  const auto n = static_cast<double>(data_.size());
  in_pieces(executor_, data_.size(), kSharedAPiece, [&](std::size_t begin, std::size_t end) {
    Piece& piece = pieces[begin / kSharedAPiece];
    const std::size_t row = KernelBlocks::whole(now.size());
    AlignedVector<double> logs(row * sheets_);
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t s = 0; s < sheets_; ++s)
        blocks.log_values({lifts_[i * sheets_ + s].data(), &embedded_[(i * sheets_ + s) * width_]}, 0,
                          now.size(), kNoFloor, &logs[s * row]);
      const double wide = std::log(wide_) + log_wide_[i];
      double most = wide;
      for (std::size_t k = 0; k < logs.size(); ++k)
        if (k % row < now.size()) most = std::max(most, logs[k]);
      double sum = std::exp(wide - most);
      for (std::size_t k = 0; k < logs.size(); ++k)
        if (k % row < now.size()) sum += std::exp(logs[k] - most);
      const double weight = data_.weights()[i];
      piece.log_likelihood += weight * (most + std::log(sum));
      piece.wide += weight * std::exp(wide - most) / sum;
      for (std::size_t k = 0; k < logs.size(); ++k)
        if (const double share = std::exp(logs[k] - most) / sum; k % row < now.size() && share > kLeastShare)
          piece.shares.push_back({static_cast<std::uint32_t>(i * sheets_ + k / row),
                                  static_cast<std::uint32_t>(k % row), n * weight * share});
    }
  });
}

/// The sums of all shares: of 1, y and the lower half of y yᵀ.
std::vector<double> NormalMixture::sums_of(const std::vector<Piece>& pieces) const {
  const std::size_t M = normals_.size(), size = 1 + d_ + d_ * (d_ + 1) / 2;
  std::vector<std::vector<double>> sums(pieces.size());
  in_pieces(executor_, pieces.size(), 1, [&](std::size_t p, std::size_t) {
    sums[p].resize(M * size);
    std::vector<double> scratch(static_cast<std::size_t>(space_.manifold().ambient())), y(d_);
    for (const Share& share : pieces[p].shares) {
      see(normals_[share.normal], share.lift, scratch.data(), y.data());
      double* to = &sums[p][share.normal * size];
      *to++ += share.count;
      for (std::size_t a = 0; a < d_; ++a) *to++ += share.count * y[a];
      for (std::size_t a = 0; a < d_; ++a)
        for (std::size_t b = 0; b <= a; ++b) *to++ += share.count * y[a] * y[b];
    }
  });
  for (std::size_t p = 1; p < sums.size(); ++p)
    for (std::size_t i = 0; i < sums[p].size(); ++i) sums[0][i] += sums[p][i];
  return std::move(sums[0]);
}

void NormalMixture::move(const std::vector<Piece>& pieces) {
  const auto d = static_cast<Eigen::Index>(d_);
  const std::size_t size = 1 + d_ + d_ * (d_ + 1) / 2;
  const std::vector<double> sums = sums_of(pieces);
  double all = 0;
  for (std::size_t m = 0; m < normals_.size(); ++m) all += sums[m * size];
  for (std::size_t m = 0; m < normals_.size(); ++m) {
    Normal& normal = normals_[m];
    const double* sum = &sums[m * size];
    const double count = *sum++;
    normal.weight = count / all;
    if (!(count > 0)) continue;
    const Eigen::VectorXd mean = Eigen::Map<const Eigen::VectorXd>(sum, d) / count;
    sum += d_;
    Eigen::MatrixXd about(d, d);  // Σ r (y − ȳ)(y − ȳ)ᵀ
    for (Eigen::Index a = 0; a < d; ++a)
      for (Eigen::Index b = 0; b <= a; ++b) about(a, b) = about(b, a) = *sum++ - count * mean[a] * mean[b];
    const Eigen::MatrixXd turn = step_along(normal, mean);
    give_spread(normal, count, turn * about * turn.transpose());
  }
}

/// Goes to exp_μ(step). What transport along makes of a frame's vectors, in the frame there.
Eigen::MatrixXd NormalMixture::step_along(Normal& normal, const Eigen::VectorXd& step) const {
  const Manifold<double>& manifold = space_.manifold();
  const auto D = static_cast<std::size_t>(manifold.ambient());
  const int d = static_cast<int>(d_);
  std::vector<Pack<double>> x(D), v(D), y(D), here(D * d_), there(D * d_), carried(D), axis(D);
  for (std::size_t c = 0; c < D; ++c) x[c] = Pack<double>(normal.at[c]);
  manifold.frame(x.data(), {here.data(), d});
  for (std::size_t c = 0; c < D; ++c) {
    v[c] = Pack<double>(0.0);
    for (std::size_t a = 0; a < d_; ++a)
      v[c] += here[c * d_ + a] * Pack<double>(step[static_cast<Eigen::Index>(a)]);
  }
  manifold.exp(x.data(), v.data(), y.data());
  manifold.project(y.data());
  manifold.frame(y.data(), {there.data(), d});
  Eigen::MatrixXd turn(d, d);
  for (std::size_t a = 0; a < d_; ++a) {
    for (std::size_t c = 0; c < D; ++c) v[c] = here[c * d_ + a];
    manifold.transport(x.data(), y.data(), v.data(), carried.data());
    for (std::size_t b = 0; b < d_; ++b) {
      for (std::size_t c = 0; c < D; ++c) axis[c] = there[c * d_ + b];
      turn(static_cast<Eigen::Index>(b), static_cast<Eigen::Index>(a)) =
          manifold.inner(y.data(), carried.data(), axis.data())[0];
    }
  }
  std::vector<double> at(D);
  for (std::size_t c = 0; c < D; ++c) at[c] = y[c][0];
  move_to(normal, std::move(at));
  return turn;
}

void NormalMixture::give_spread(Normal& normal, double count, const Eigen::MatrixXd& sum) const {
  const auto imagined = static_cast<double>(d_);
  Eigen::Index row = 0;
  for (std::size_t f = 0; f < space_.parts().size(); ++f) {
    const KernelSpace::Part& part = space_.parts()[f];
    const int e = part.dimension;
    const Eigen::MatrixXd block = sum.block(row, row, e, e);
    const double variance = block.trace() / (e * count);
    const Eigen::MatrixXd spread =
        (block + imagined * variance * Eigen::MatrixXd::Identity(e, e)) / (count + imagined);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(spread);
    const Eigen::VectorXd variances =
        eigen.eigenvalues().cwiseMax(least_variance_).cwiseMin(std::pow(most_deviation(part), 2));
    normal.spread[f] = eigen.eigenvectors() * variances.asDiagonal() * eigen.eigenvectors().transpose();
    row += e;
  }
}

}  // namespace riemflow
