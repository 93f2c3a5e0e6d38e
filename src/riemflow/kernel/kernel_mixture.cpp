#include "riemflow/kernel/kernel_mixture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "riemflow/core/error.hpp"
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

/// e^{log_scale}·sum, the scale the largest term so far: no term over- or underflows.
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

  std::map<int, std::vector<std::uint32_t>> by_width;
  for (std::size_t i = 0; i < n; ++i)
    by_width[static_cast<int>(std::floor(0.5 * std::log2(kernels_->precision(i))))].push_back(
        static_cast<std::uint32_t>(i));
  for (auto& [width, which] : by_width) {
    octaves_.push_back(octave_of(std::move(which)));
    extent_ = std::max(extent_, octaves_.back().tree.nodes().front().radius);
  }
}

KernelMixture::Octave KernelMixture::octave_of(std::vector<std::uint32_t> which) const {
  Octave octave{MetricTree(*space_, parameters_.centres, std::move(which)), {}};
  const MetricTree& tree = octave.tree;
  octave.bounds.resize(tree.nodes().size());
  // From the leaves up: a node stands before its children.
  for (std::size_t node = octave.bounds.size(); node-- > 0;) {
    const MetricTree::Node& at = tree.nodes()[node];
    Running sum{-1e300, 0};
    Bound bound{0, 0, INFINITY};
    if (at.right != 0) {
      for (const std::size_t child : {node + 1, static_cast<std::size_t>(at.right)}) {
        sum.add(octave.bounds[child].log_sum);
        bound.weight += octave.bounds[child].weight;
        bound.precision = std::min(bound.precision, octave.bounds[child].precision);
      }
    } else {
      for (std::size_t i = at.begin; i < at.end; ++i) {
        const std::size_t centre = tree.order()[i];
        sum.add(std::max(-1e300, log_weights_[centre] + kernels_->log_bound(centre)));
        bound.weight += parameters_.weights[centre];
        bound.precision = std::min(bound.precision, kernels_->precision(centre));
      }
    }
    bound.log_sum = sum.log();
    octave.bounds[node] = bound;
  }
  return octave;
}

/// leaf(centres) for those that count beside what `sum` has by then, the nearest nodes first.
template <class Leaf>
void KernelMixture::visit(const double* embedded, const Running& sum, const Leaf& leaf) const {
  struct Open {
    std::uint32_t node;
    double distance;
  };
  static thread_local std::vector<Open> of_thread;
  std::vector<Open>& open = of_thread;  // looked up once: in a shared library that is a call
  for (const auto& [tree, bounds] : octaves_) {
    open.assign(1, {0, tree.least_distance(*space_, 0, embedded)});
    while (!open.empty()) {
      const auto [n, distance] = open.back();
      open.pop_back();
      const MetricTree::Node& node = tree.nodes()[n];
      const Bound& bound = bounds[n];
      const double most = bound.log_sum - 0.5 * bound.precision * kernels_->reach(distance) - sum.log_scale;
      if (most < 0 && std::exp(most) <= tolerance_ * bound.weight * sum.sum) continue;
      if (node.right == 0) {
        leaf(std::span(tree.order()).subspan(node.begin, node.end - node.begin));
        continue;
      }
      Open a{n + 1, tree.least_distance(*space_, n + 1, embedded)};
      Open b{node.right, tree.least_distance(*space_, node.right, embedded)};
      if (a.distance < b.distance) std::swap(a, b);
      open.push_back(a);
      open.push_back(b);
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
  double values[MetricTree::kLeaf];
  visit(embedded.data(), sum, [&](std::span<const std::uint32_t> centres) {
    kernels_->log_values(query, centres, values);
    for (std::size_t j = 0; j < centres.size(); ++j)
      if (centres[j] != without) sum.add(log_weights_[centres[j]] + values[j]);
  });
  const double log_p = sum.log();
  if (gradient == nullptr) return log_p - std::log(left);

  const double base_share = std::exp(log_base - log_p);
  for (std::size_t c = 0; c < x.size(); ++c) gradient[c] = base_share > 0 ? base_share * gradient[c] : 0;
  visit(embedded.data(), sum, [&](std::span<const std::uint32_t> centres) {
    kernels_->log_values(query, centres, values);
    for (std::size_t j = 0; j < centres.size(); ++j) {
      if (centres[j] == without) continue;
      const double share = std::exp(log_weights_[centres[j]] + values[j] - log_p);
      if (share > 0) kernels_->add_gradient(query, centres[j], share, gradient);
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
  const auto which = static_cast<std::uint32_t>(i);
  double value = 0;
  kernels_->log_values({x.data(), embedded.data()}, {&which, 1}, &value);
  return value;
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
