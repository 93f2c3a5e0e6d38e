#include "riemflow/kernel/kernel_data.hpp"

#include <Eigen/Core>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

constexpr std::size_t kPiece = 256;
/// Of the extent of all points: nearer ones are the same point, and no bandwidth is smaller.
constexpr double kSame = 1e-9, kNarrowest = 1e-7;

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

KernelData::KernelData(std::shared_ptr<const Manifold<double>> manifold, const Points<double>& points,
                       int most_neighbours, Executor* executor, const std::function<void()>& ask,
                       const Weights& weights)
    : space_(std::make_shared<KernelSpace>(std::move(manifold))) {
  require(points.size() > 0 && points.dimension == space_->manifold().ambient(),
          "a kernel density of " + std::to_string(points.size()) + " points of " +
              std::to_string(points.dimension) + " numbers",
          space_->manifold().name() + " needs " + std::to_string(space_->manifold().ambient()) +
              " numbers per point, and at least one point");
  const MetricTree all(*space_, points);
  const double extent = all.nodes().front().radius;
  // Equal points are next to each other along a line: |⟨u, a − b⟩| ≤ |a − b|, which no distance is shorter
  // than. A tree finds them slowly in many dimensions.
  const auto width = static_cast<std::size_t>(space_->width());
  std::vector<double> along(points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t c = 0; c < width; ++c)
      along[i] += all.embedded(i)[c] * std::cos(1.7 * static_cast<double>(c)) / std::sqrt(double(width));
  std::vector<std::uint32_t> line(points.size()), place(points.size());
  std::iota(line.begin(), line.end(), 0u);
  std::sort(line.begin(), line.end(), [&](std::uint32_t a, std::uint32_t b) { return along[a] < along[b]; });
  for (std::size_t i = 0; i < line.size(); ++i) place[line[i]] = static_cast<std::uint32_t>(i);

  // In the order of the tree: near in space, near in memory.
  const double same = kSame * extent, total = total_weight(weights, points.size());
  std::vector<bool> taken(points.size());
  centres_.dimension = points.dimension;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (ask && i % kPiece == 0) ask();
    if (taken[i]) continue;
    weights_.push_back(0);
    const auto take = [&](std::uint32_t other) {
      if (std::abs(along[other] - along[i]) > same) return false;
      if (!taken[other] && space_->squared_distance(all.embedded(i), all.embedded(other)) <= same * same) {
        weights_.back() += weight_of(weights, all.order()[other]) / total;
        taken[other] = true;
      }
      return true;
    };
    for (std::size_t j = place[i]; j < line.size() && take(line[j]);) ++j;
    for (std::size_t j = place[i]; j > 0 && take(line[j - 1]);) --j;
    origins_.push_back(all.order()[i]);
    const auto point = points[all.order()[i]];
    centres_.values.insert(centres_.values.end(), point.begin(), point.end());
  }
  tree_ = std::make_shared<MetricTree>(*space_, centres_);

  kept_ = std::min(static_cast<std::size_t>(std::max(most_neighbours, 0)), size() - 1);
  distances_.resize(size() * kept_);
  neighbours_.resize(size() * kept_);
  in_pieces(executor, size(), kPiece, [&](std::size_t begin, std::size_t end) {
    std::vector<MetricTree::Neighbour> found;
    for (std::size_t i = begin; i < end; ++i) {
      if (ask && i % 16 == 0) ask();
      tree_->nearest(*space_, tree_->embedded(i), kept_, static_cast<std::uint32_t>(i), found);
      const std::size_t row = tree_->order()[i] * kept_;
      for (std::size_t k = 0; k < kept_; ++k) {
        distances_[row + k] = std::sqrt(found[k].square);
        neighbours_[row + k] = tree_->order()[found[k].point];
      }
    }
  });
}

double KernelData::mean_distance(int k) const {
  if (kept_ == 0) return 1;
  double sum = 0;
  for (std::size_t i = 0; i < size(); ++i) sum += std::log(distance(i, std::min(k, most_neighbours())));
  return std::exp(sum / static_cast<double>(size()));
}

/// C_i = 1/k Σ_j v_j v_jᵀ, v_j the logarithms of the neighbours in the frame at x_i.
const std::vector<double>& KernelData::covariances(int k) {
  std::vector<double>& result = covariances_[k];
  if (!result.empty()) return result;
  const Manifold<double>& manifold = space_->manifold();
  const int D = manifold.ambient(), d = manifold.dimension();
  const auto size_D = static_cast<std::size_t>(D);
  result.assign(size() * static_cast<std::size_t>(d * d), 0);
  std::vector<Pack<double>> x(size_D), y(size_D), v(size_D), e(size_D * static_cast<std::size_t>(d)),
      column(size_D);
  for (std::size_t i = 0; i < size(); ++i) {
    for (std::size_t c = 0; c < size_D; ++c) x[c] = Pack<double>(centres_[i][c]);
    manifold.frame(x.data(), {e.data(), d});
    double* sum = &result[i * static_cast<std::size_t>(d * d)];
    for (int first = 0; first < k; first += kLanes) {
      const int lanes = std::min(kLanes, k - first);
      for (int l = 0; l < kLanes; ++l) {
        const std::size_t j =
            neighbours_[i * kept_ + static_cast<std::size_t>(first + std::min(l, lanes - 1))];
        for (std::size_t c = 0; c < size_D; ++c) y[c][l] = centres_[j][c];
      }
      manifold.log(x.data(), y.data(), v.data());
      std::vector<Pack<double>> in_frame(static_cast<std::size_t>(d));
      for (int a = 0; a < d; ++a) {
        for (int c = 0; c < D; ++c)
          column[static_cast<std::size_t>(c)] = e[static_cast<std::size_t>(c * d + a)];
        in_frame[static_cast<std::size_t>(a)] = manifold.inner(x.data(), v.data(), column.data());
      }
      for (int a = 0; a < d; ++a)
        for (int b = 0; b < d; ++b)
          for (int l = 0; l < lanes; ++l)
            sum[a * d + b] +=
                in_frame[static_cast<std::size_t>(a)][l] * in_frame[static_cast<std::size_t>(b)][l] / k;
    }
  }
  return result;
}

KernelParameters KernelData::parameters(const KernelRecipe& recipe) {
  KernelParameters result{centres_, weights_, std::vector<double>(size(), recipe.scale), {}, recipe.wide};
  const double narrowest = kNarrowest * std::max(tree_->nodes().front().radius, 1e-300);
  if (recipe.shape != KernelShape::one && kept_ > 0) {
    const int k = std::clamp(recipe.neighbours, 1, most_neighbours());
    const double mean = mean_distance(k);
    for (std::size_t i = 0; i < size(); ++i)
      result.bandwidths[i] *= std::pow(distance(i, k) / mean, recipe.adaptivity);
  }
  for (double& h : result.bandwidths) h = std::clamp(h, std::max(narrowest, 1e-9), 1e9);
  if (recipe.shape != KernelShape::anisotropic) return result;

  const Manifold<double>& manifold = space_->manifold();
  const int D = manifold.ambient(), d = manifold.dimension();
  const int k = std::clamp(recipe.shape_neighbours, 1, std::max(1, most_neighbours()));
  std::vector<Pack<double>> x(static_cast<std::size_t>(D)), e(static_cast<std::size_t>(D * d));
  const std::vector<double> none(kept_ > 0 ? 0 : size() * static_cast<std::size_t>(d * d));
  const std::vector<double>& covariance = kept_ > 0 ? covariances(k) : none;
  result.shapes.reserve(size() * shape_size(*space_));
  for (std::size_t i = 0; i < size(); ++i) {
    const Eigen::Map<const Matrix> C(&covariance[i * static_cast<std::size_t>(d * d)], d, d);
    Matrix S = Matrix::Zero(d, d);
    int seed = 0;
    double log_det = 0;
    const double mean = C.trace() / d;
    for (const KernelSpace::Part& part : space_->parts()) {
      const int n = part.dimension;
      auto block = S.block(seed, seed, n, n);
      block = recipe.shrinkage * Matrix::Identity(n, n);
      if (mean > 0) block += (1 - recipe.shrinkage) / mean * C.block(seed, seed, n, n);
      log_det += std::log(Eigen::MatrixXd(block).determinant());
      seed += n;
    }
    S /= std::exp(log_det / d);
    // From the frame to ambient coordinates; off spheres the frame is along the axes.
    for (std::size_t c = 0; c < x.size(); ++c) x[c] = Pack<double>(centres_[i][c]);
    manifold.frame(x.data(), {e.data(), d});
    seed = 0;
    for (const KernelSpace::Part& part : space_->parts()) {
      const int n = part.dimension, N = part.ambient;
      Matrix frame = Matrix::Identity(N, n);
      if (N > n)
        for (int r = 0; r < N; ++r)
          for (int c = 0; c < n; ++c)
            frame(r, c) = e[static_cast<std::size_t>((part.row + r) * d + seed + c)][0];
      const Matrix ambient = frame * S.block(seed, seed, n, n) * frame.transpose();
      result.shapes.insert(result.shapes.end(), ambient.data(), ambient.data() + ambient.size());
      seed += n;
    }
  }
  return result;
}

}  // namespace riemflow
