#include "riemflow/kernel/kernel_mixture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "riemflow/core/error.hpp"
#include "riemflow/core/simd/densities.hpp"
#include "riemflow/distribution/base.hpp"

namespace riemflow {
namespace {

/// Points a piece of work.
constexpr std::size_t kPointsAPiece = 64;

void check(const KernelParameters& parameters, const KernelSpace& space) {
  const std::size_t n = parameters.size();
  require(n > 0, "a kernel density without centres", "give at least one point");
  require(parameters.centres.dimension == space.manifold().ambient(),
          fmt::format("a kernel density whose centres have {} numbers", parameters.centres.dimension),
          fmt::format("{} needs {}", space.manifold().name(), space.manifold().ambient()));
  require(parameters.weights.size() == n && parameters.bandwidths.size() == n &&
              (parameters.shapes.empty() || parameters.shapes.size() == n * shape_size(space)),
          fmt::format("a kernel density of {} centres, {} weights, {} bandwidths and {} numbers of shapes", n,
                      parameters.weights.size(), parameters.bandwidths.size(), parameters.shapes.size()),
          "give one of each a centre");
  for (std::size_t i = 0; i < n; ++i) {
    const auto defect = space.manifold().defect(parameters.centres[i]);
    require(!defect,
            fmt::format("centre {} is not on {}: {}", i, space.manifold().name(), defect.value_or("")),
            "correct or remove it");
    require(parameters.weights[i] >= 0 && parameters.weights[i] <= 1 + 1e-9,
            fmt::format("weight {} is {}", i, parameters.weights[i]), "it must be from 0 to 1");
    require(parameters.bandwidths[i] >= 1e-9 && parameters.bandwidths[i] <= 1e9,
            fmt::format("bandwidth {} is {}", i, parameters.bandwidths[i]), "it must be from 1e-9 to 1e9");
  }
  const double total = std::accumulate(parameters.weights.begin(), parameters.weights.end(), 0.0);
  require(std::abs(total - 1) <= 1e-9, fmt::format("the weights add up to {}", total), "they must to 1");
  require(parameters.wide > 0 && parameters.wide <= 1,
          fmt::format("the share of the wide component is {}", parameters.wide),
          "give a number above 0 and up to 1 (0.01 is usual)");
}

}  // namespace

/// e^{log_scale}·sum, the scale so near the largest term that none overflows.
struct KernelMixture::Running {
  double log_scale;
  double sum;

  void add(double l) {
    if (l > log_scale) {
      sum = sum * std::exp(log_scale - l) + 1;
      log_scale = l;
    } else {
      sum += std::exp(l - log_scale);
    }
  }
  double log() const { return log_scale + std::log(sum); }
};

/// What a node must be able to add to be visited: e^log_floor times its weight. It rises with the sum, which
/// is looked at anew where it has grown by a twentieth.
class KernelMixture::Floor {
 public:
  Floor(const Running& sum, double tolerance) : sum_(sum), log_tolerance_(std::log(tolerance)) { renew(); }
  double log() {
    if (sum_.log_scale != seen_.log_scale || sum_.sum > 1.05 * seen_.sum) renew();
    return value_;
  }

 private:
  void renew() {
    seen_ = sum_;
    value_ = sum_.log() + log_tolerance_;
  }
  const Running& sum_;
  double log_tolerance_, value_;
  Running seen_{};
};

KernelMixture::KernelMixture(std::shared_ptr<const Manifold<double>> manifold, KernelParameters parameters,
                             double tolerance)
    : space_(std::make_shared<KernelSpace>(manifold)),
      parameters_(std::move(parameters)),
      tolerance_(tolerance),
      wide_(default_base<double>(manifold)) {
  check(parameters_, *space_);
  const std::size_t n = parameters_.size();
  const auto& [centres, weights, bandwidths, shapes, wide] = parameters_;
  kernels_ = shapes.empty() ? round_kernels(space_, centres, bandwidths)
                            : elliptic_kernels(space_, centres, bandwidths, shapes);
  for (const double w : weights) log_weights_.push_back(std::log(w) + std::log1p(-wide));
  cumulative_.resize(n);
  std::partial_sum(weights.begin(), weights.end(), cumulative_.begin());

  // Half octaves take 20 % longer, two octaves 5 to 15 %. A bound of elongated kernels on the sphere without
  // its factor (σ/s)^{d+1}, for a precision smaller by 2(d+1) log(σ/s)/R², did not pay.
  std::map<int, std::vector<std::uint32_t>> by_width;
  for (std::size_t i = 0; i < n; ++i)
    by_width[static_cast<int>(std::floor(0.5 * std::log2(kernels_->precision(i))))].push_back(
        static_cast<std::uint32_t>(i));
  for (auto at = by_width.rbegin(); at != by_width.rend(); ++at) {
    octaves_.push_back(octave_of(std::move(at->second)));
    extent_ = std::max(extent_, octaves_.back().tree.nodes().front().radius);
  }
}

KernelMixture::Octave KernelMixture::octave_of(std::vector<std::uint32_t> which) const {
  MetricTree tree(*space_, parameters_.centres, std::move(which), kLeaf, KernelBlocks::kBlock);
  // From the leaves up: a node stands before its children.
  std::vector<Running> sums(tree.nodes().size(), {-1e300, 0});
  std::vector<double> weights(sums.size());
  std::vector<NodeBound> bounds(sums.size(), {-INFINITY, INFINITY});
  for (std::size_t node = sums.size(); node-- > 0;) {
    const MetricTree::Node& at = tree.nodes()[node];
    if (at.right != 0) {
      for (const std::size_t child : {node + 1, static_cast<std::size_t>(at.right)}) {
        sums[node].add(sums[child].log());
        weights[node] += weights[child];
        bounds[node].precision = std::min(bounds[node].precision, bounds[child].precision);
      }
    } else {
      for (std::size_t j = at.begin; j < at.end; ++j) {
        const std::size_t i = tree.order()[j];
        sums[node].add(std::max(-1e300, log_weights_[i] + kernels_->log_bound(i)));
        weights[node] += parameters_.weights[i];
        bounds[node].precision = std::min(bounds[node].precision, kernels_->precision(i));
      }
    }
    if (weights[node] > 0) bounds[node].log_bound = sums[node].log() - std::log(weights[node]);
  }
  KernelBlocks blocks(*kernels_, tree.order(), log_weights_, std::log1p(-parameters_.wide));
  KernelNodes nodes(*space_, tree, bounds, kernels_->turn());
  return {std::move(tree), std::move(blocks), std::move(nodes)};
}

/// leaf(octave, begin, end) for those kernels that count beside the sum that `floor` looks at, the nodes that
/// may add most first; leaves that stand beside each other together.
template <class Leaf>
void KernelMixture::visit(const double* embedded, Floor& floor, const Leaf& leaf) const {
  struct Open {
    double bound;
    std::uint32_t group;
  };
  static thread_local std::vector<Open> of_thread;
  std::vector<Open>& open = of_thread;  // looked up once: in a shared library that is a call
  alignas(64) double bounds[KernelNodes::kBlock];
  for (const Octave& octave : octaves_) {
    open.assign(1, {INFINITY, 0});
    while (!open.empty()) {
      const auto [most, g] = open.back();
      open.pop_back();
      if (most <= floor.log()) continue;
      octave.nodes.log_bounds(g, embedded, bounds);
      const KernelNodes::Group& group = octave.nodes.group(g);
      const auto counts = [&](std::size_t c) { return !(bounds[c] <= floor.log()); };
      const auto first = static_cast<std::ptrdiff_t>(open.size());
      for (std::size_t c = 0; c < group.count; ++c) {
        if (!counts(c)) continue;
        const auto [begin, end, below] = group.children[c];
        if (below != 0) {
          open.push_back({bounds[c], below});
          continue;
        }
        while (c + 1 < group.count && group.children[c + 1].group == 0 && counts(c + 1)) ++c;
        leaf(octave, begin, group.children[c].end);
      }
      std::sort(open.begin() + first, open.end(),
                [](const Open& a, const Open& b) { return a.bound < b.bound; });
    }
  }
}

double KernelMixture::log_wide(std::span<const double> x, double* gradient) const {
  std::vector<Pack<double>> at(x.begin(), x.end()), slope(x.size());
  const double value = (gradient != nullptr ? wide_->log_density_gradient(at.data(), slope.data())
                                            : wide_->log_density(at.data()))[0];
  if (gradient != nullptr)
    for (std::size_t c = 0; c < x.size(); ++c) gradient[c] = slope[c][0];
  return value;
}

double KernelMixture::log_density_at(std::span<const double> x, std::optional<std::size_t> without,
                                     double* gradient) const {
  std::vector<double> embedded(static_cast<std::size_t>(space_->width()));
  space_->embed(x, embedded.data());
  const KernelQuery query{x.data(), embedded.data()};
  const double base = log_wide(x, gradient);
  // What is left of the weights: p = (1 − ε)/left Σ_{j ≠ i} w_j K_j + ε p₀, computed times `left`.
  const double left = without ? 1 - parameters_.weights[*without] : 1;
  if (!(left > 0)) return base;

  const double log_base = base + std::log(parameters_.wide * left);
  Running sum{std::max(log_base, -1e300), 1};
  Floor floor(sum, tolerance_);
  alignas(64) double values[KernelNodes::kBlock * KernelBlocks::whole(kLeaf)];
  const auto add = simd::densities().add_exponentials;
  const auto compute = [&](Floor& least, const Octave& octave, std::size_t begin, std::size_t end) {
    octave.blocks.log_values(query, begin, end, least.log(), values);
    if (!without) return;
    for (std::size_t j = begin; j < end; ++j)
      if (octave.tree.order()[j] == *without) values[j - begin] = -INFINITY;
  };
  visit(embedded.data(), floor, [&](const Octave& octave, std::size_t begin, std::size_t end) {
    compute(floor, octave, begin, end);
    add(KernelBlocks::whole(end - begin), values, &sum.log_scale, &sum.sum);
  });
  const double log_p = sum.log();
  if (gradient == nullptr) return log_p - std::log(left);

  const double base_share = std::exp(log_base - log_p);
  for (std::size_t c = 0; c < x.size(); ++c) gradient[c] = base_share > 0 ? base_share * gradient[c] : 0;
  // What counts for little in p may be steep: a hundredth of the tolerance.
  const double tolerance = 0.01 * tolerance_;
  Floor of_gradient(sum, tolerance);
  visit(embedded.data(), of_gradient, [&](const Octave& octave, std::size_t begin, std::size_t end) {
    compute(of_gradient, octave, begin, end);
    for (std::size_t j = begin; j < end; ++j) {
      const std::size_t i = octave.tree.order()[j];
      const double share = std::exp(values[j - begin] - log_p);
      if (share > tolerance * parameters_.weights[i]) kernels_->add_gradient(query, i, share, gradient);
    }
  });
  return log_p - std::log(left);
}

std::optional<std::size_t> KernelMixture::centre_at(std::span<const double> x, double distance) const {
  std::vector<double> embedded(static_cast<std::size_t>(space_->width()));
  space_->embed(x, embedded.data());
  std::optional<std::size_t> nearest;
  double least = distance * distance;
  std::vector<MetricTree::Neighbour> found;
  for (const Octave& octave : octaves_) {
    octave.tree.nearest(*space_, embedded.data(), 1, MetricTree::kNone, found);
    if (!(found.front().square <= least)) continue;
    least = found.front().square;
    nearest = octave.tree.order()[found.front().point];
  }
  return nearest;
}

double KernelMixture::log_kernel(std::size_t i, std::span<const double> x) const {
  std::vector<double> embedded(static_cast<std::size_t>(space_->width()));
  space_->embed(x, embedded.data());
  return kernels_->log_value({x.data(), embedded.data()}, i);
}

Pack<double> KernelMixture::evaluate(const Pack<double>* x, const Pack<double>* data,
                                     Pack<double>* gradient) const {
  const auto size = static_cast<std::size_t>(ambient());
  std::vector<double> point(size), slope(size);
  Pack<double> result;
  for (int lane = 0; lane < kLanes; ++lane) {
    std::optional<std::size_t> own;
    if (data != nullptr) {
      for (std::size_t c = 0; c < size; ++c) point[c] = data[c][lane];
      own = centre_at(point, kSamePoint * extent_);
    }
    for (std::size_t c = 0; c < size; ++c) point[c] = x[c][lane];
    result[lane] = log_density_at(point, own, gradient != nullptr ? slope.data() : nullptr);
    if (gradient != nullptr)
      for (std::size_t c = 0; c < size; ++c) gradient[c][lane] = slope[c];
  }
  return result;
}

void KernelMixture::sample(Random& random, Pack<double>* x, int lane) const {
  if (random.uniform() < parameters_.wide) return wide_->sample(random, x, lane);
  const double u = random.uniform() * cumulative_.back();
  const auto at = std::upper_bound(cumulative_.begin(), cumulative_.end() - 1, u) - cumulative_.begin();
  std::vector<double> point(static_cast<std::size_t>(ambient()));
  kernels_->sample(random, static_cast<std::size_t>(at), point.data());
  for (std::size_t c = 0; c < point.size(); ++c) x[c][lane] = point[c];
}

std::vector<double> KernelMixture::log_prob(const Points<double>& points, Executor* executor,
                                            Points<double>* gradients) const {
  require(points.dimension == ambient() || points.values.empty(),
          fmt::format("the points have {} coordinates", points.dimension),
          fmt::format("the kernel density has {}", ambient()), Fault::bad_data);
  std::vector<double> values(points.size());
  in_pieces(executor, points.size(), kPointsAPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      values[i] = log_density_at(points[i], {}, gradients == nullptr ? nullptr : (*gradients)[i].data());
  });
  return values;
}

}  // namespace riemflow
