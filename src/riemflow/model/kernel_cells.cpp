// CellMassPart of kernels.

#include <array>
#include <numbers>
#include <utility>

#include "riemflow/core/executor.hpp"
#include "riemflow/model/cell_mass_part.hpp"

namespace riemflow {
namespace {

constexpr double kKernelReach = 5.3;  ///< deviations: exp(−½ 5.3²) = 8e-7
constexpr double kBeyondReach = 1e-6;
constexpr double kCellsOfWide = 1.5;  ///< a kernel with a deviation of as many cells is wide
constexpr double kLargestBox = 1.5;   ///< deviations; 3 × 3 nodes err by 1.5⁶·15/2e6 = 9e-5 of the peak
constexpr double kSmallBox = 0.75;    ///< 2 × 2 nodes err by 0.75⁴·3/4320 = 2e-4

struct GaussRule {
  std::array<double, 3> nodes, weights;  ///< on [0, 1]
  int size;
};
constexpr GaussRule kTwo = {{0.21132486540518712, 0.78867513459481288, 0}, {0.5, 0.5, 0}, 2};
constexpr GaussRule kThree = {
    {0.11270166537925831, 0.5, 0.88729833462074169}, {5.0 / 18, 8.0 / 18, 5.0 / 18}, 3};

/// The turns by which an axis is moved onto itself.
std::span<const double> turns_of(LatticeEnd end) {
  static constexpr double kTurns[] = {0, -360, 360};
  return {kTurns, end == LatticeEnd::periodic ? 3u : 1u};
}

/// With the base as one more kernel where it is one: the standard normal, wrapped on the ball. On spheres and
/// tori it is uniform, and stays `wide`.
KernelParameters with_base(KernelParameters parameters, const KernelSpace& space) {
  for (double& weight : parameters.weights) weight *= 1 - parameters.wide;
  if (parameters.wide == 0) return parameters;
  switch (space.parts()[0].manifold->default_base()) {
    case DefaultBase::none:
    case DefaultBase::uniform:
      return parameters;
    case DefaultBase::normal:
    case DefaultBase::wrapped_normal:
      break;
  }
  const auto d = static_cast<std::size_t>(space.manifold().ambient());
  parameters.centres.values.resize(parameters.centres.values.size() + d, 0.0);
  parameters.bandwidths.push_back(1);
  parameters.weights.push_back(std::exchange(parameters.wide, 0.0));
  if (!parameters.shapes.empty())
    for (std::size_t i = 0; i < d * d; ++i) parameters.shapes.push_back(i % (d + 1) == 0 ? 1 : 0);
  return parameters;
}

class KernelCells final : public CellMassPart {
 public:
  KernelCells(std::shared_ptr<const Manifold<double>> manifold, const KernelParameters& given,
              const Lattice& lattice, int threads)
      : lattice_(lattice), space_(std::make_shared<KernelSpace>(std::move(manifold))), executor_(threads) {
    const KernelParameters parameters = with_base(given, *space_);  // weights are of the whole
    kernels_ = parameters.shapes.empty()
                   ? round_kernels(space_, parameters.centres, parameters.bandwidths)
                   : elliptic_kernels(space_, parameters.centres, parameters.bandwidths, parameters.shapes);
    KernelParameters wide;
    wide.centres.dimension = parameters.centres.dimension;
    const std::size_t shape = parameters.shapes.size() / parameters.size();
    double share = 0;
    const auto take = [&](std::size_t i, double weight) {
      const auto x = parameters.centres[i];
      wide.centres.values.insert(wide.centres.values.end(), x.begin(), x.end());
      wide.weights.push_back(weight);
      wide.bandwidths.push_back(parameters.bandwidths[i]);
      const auto at = parameters.shapes.begin() + static_cast<std::ptrdiff_t>(i * shape);
      wide.shapes.insert(wide.shapes.end(), at, at + static_cast<std::ptrdiff_t>(shape));
      share += weight;
    };
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (!add_narrow(parameters, i)) take(i, parameters.weights[i]);
    // (share + ε)·(a kernel density of the wide kernels and the base)
    if (share + parameters.wide > 0) {
      if (wide.weights.empty()) take(0, 0);
      for (double& weight : wide.weights) weight = share > 0 ? weight / share : 1;
      wide.wide = std::max(parameters.wide / (share + parameters.wide), 1e-300);
      wide_share_ = share + parameters.wide;
      wide_ = std::make_unique<KernelMixture>(space_->shared_manifold(), std::move(wide));
      wide_cells_ = smooth_cells(
          [this](const Points<double>& points) { return wide_->log_prob(points, &executor_); }, lattice_);
    }
  }
  double error() const override {
    return kBeyondReach + (wide_cells_ ? wide_share_ * wide_cells_->error() : 0);
  }

  void add(std::size_t first, std::size_t last, double weight, std::span<double> masses,
           const std::function<void()>& between) override {
    const std::size_t columns = lattice_.columns.centres.size();
    executor_.run(last - first, [&](std::size_t i, int) {
      for (const Narrow& kernel : narrow_)
        add_kernel(kernel, first + i, weight, masses.subspan(i * columns, columns));
    });
    between();
    if (wide_cells_) wide_cells_->add(first, last, weight * wide_share_, masses, between);
  }

 private:
  struct Narrow {
    std::size_t index;
    double weight, deviation, log_peak;
    bool elongated;
    CoordinateBox box;
  };

  double log_value(std::size_t i, const double* x) const {
    double embedded[4];
    space_->embed({x, static_cast<std::size_t>(space_->manifold().ambient())}, embedded);
    return kernels_->log_value({x, embedded}, i);
  }

  /// Radius that holds all but 1e-6 of a kernel.
  double radius_of(bool round, double least, double most) const {
    const double reach = kKernelReach * most, by_chord = 2 * std::asin(std::min(1.0, reach / 2));
    switch (space_->parts()[0].family) {
      case KernelForm::Family::chord: {
        if (round) return by_chord;
        const double height = 1 - kKernelReach * std::sqrt(least * most);  // x = y/|y|, y at least so high
        return height > 0 ? std::atan(reach / height) : std::numbers::pi;
      }
      case KernelForm::Family::circles:
        return round ? by_chord : reach;
      case KernelForm::Family::normal:
      case KernelForm::Family::hyperbolic:
      case KernelForm::Family::none:
        break;
    }
    return reach;
  }

  /// False if it is wide.
  bool add_narrow(const KernelParameters& parameters, std::size_t i) {
    const double* centre = parameters.centres[i].data();
    const bool round = parameters.shapes.empty();
    const double most = 1 / std::sqrt(kernels_->precision(i)), log_peak = log_value(i, centre);
    // In two dimensions the peak is 1/(2π σ₁σ₂).
    const double least = round ? most : std::min(most, std::exp(-log_peak) / (2 * std::numbers::pi * most));
    const CoordinateBox at = lattice_.around(centre, 0);
    const auto scales = lattice_.scales(at.low[0], at.low[1]);
    const double cell = std::max(scales[0] * step_of(lattice_.rows), scales[1] * step_of(lattice_.columns));
    if (least >= kCellsOfWide * cell) return false;
    narrow_.push_back({i, parameters.weights[i], least, log_peak, most > 1.5 * least,
                       lattice_.around(centre, radius_of(round, least, most))});
    return true;
  }

  void add_kernel(const Narrow& kernel, std::size_t row, double weight, std::span<double> masses) const {
    const double most = kLargestBox * kernel.deviation;
    for (const double turn : turns_of(lattice_.row_end)) {
      const double low = std::max(lattice_.rows.edges[row], kernel.box.low[0] + turn);
      const double high = std::min(lattice_.rows.edges[row + 1], kernel.box.high[0] + turn);
      if (!(low < high)) continue;
      const double middle = 0.5 * (kernel.box.low[1] + kernel.box.high[1]);
      const double length = (high - low) * lattice_.scales(0.5 * (low + high), middle)[0];
      const std::size_t n = pieces_of(length, most);
      const double side = (high - low) / static_cast<double>(n);
      for (std::size_t k = 0; k < n; ++k)
        add_strip(kernel, low + side * static_cast<double>(k), side, weight, masses);
    }
  }

  void add_strip(const Narrow& kernel, double low, double side, double weight,
                 std::span<double> masses) const {
    const LatticeAxis& axis = lattice_.columns;
    const double step = step_of(axis);
    for (const double turn : turns_of(lattice_.column_end)) {
      const double from = std::max(axis.edges.front(), kernel.box.low[1] + turn);
      const double to = std::min(axis.edges.back(), kernel.box.high[1] + turn);
      if (!(from < to)) continue;
      const auto first = static_cast<std::size_t>(std::max(0.0, (from - axis.edges.front()) / step - 1));
      for (std::size_t column = first; column < masses.size() && axis.edges[column] < to; ++column) {
        const double left = std::max(from, axis.edges[column]), right = std::min(to, axis.edges[column + 1]);
        if (!(left < right)) continue;
        const auto scales = lattice_.scales(low + 0.5 * side, 0.5 * (left + right));
        const std::size_t n = pieces_of((right - left) * scales[1], kLargestBox * kernel.deviation);
        const double across = (right - left) / static_cast<double>(n);
        for (std::size_t k = 0; k < n; ++k)
          masses[column] += weight * kernel.weight *
                            box_mass(kernel, {low, left + across * static_cast<double>(k)}, {side, across},
                                     {scales[0] * side, scales[1] * across});
      }
    }
  }

  double box_mass(const Narrow& kernel, std::array<double, 2> low, std::array<double, 2> side,
                  std::array<double, 2> lengths) const {
    double x[3];
    if (kernel.elongated) {  // |u| ≥ |u of the middle| − radius/σ
      const double radius = 0.5 * std::hypot(lengths[0], lengths[1]) / kernel.deviation;
      if (lattice_.place(low[0] + 0.5 * side[0], low[1] + 0.5 * side[1], x) &&
          std::sqrt(2 * std::max(0.0, kernel.log_peak - log_value(kernel.index, x))) > kKernelReach + radius)
        return 0;
    }
    const GaussRule& rule = std::max(lengths[0], lengths[1]) <= kSmallBox * kernel.deviation ? kTwo : kThree;
    double sum = 0;
    for (int a = 0; a < rule.size; ++a)
      for (int b = 0; b < rule.size; ++b) {
        const auto ua = static_cast<std::size_t>(a), ub = static_cast<std::size_t>(b);
        const double first = low[0] + side[0] * rule.nodes[ua], second = low[1] + side[1] * rule.nodes[ub];
        if (!lattice_.place(first, second, x)) continue;
        const auto scales = lattice_.scales(first, second);
        sum += rule.weights[ua] * rule.weights[ub] * scales[0] * scales[1] *
               std::exp(log_value(kernel.index, x));
      }
    return sum * side[0] * side[1];
  }

  const Lattice& lattice_;
  std::shared_ptr<const KernelSpace> space_;
  std::unique_ptr<const Kernels> kernels_;
  std::vector<Narrow> narrow_;
  std::unique_ptr<const KernelMixture> wide_;
  std::unique_ptr<CellMassPart> wide_cells_;
  double wide_share_ = 0;
  Executor executor_;
};

}  // namespace

std::unique_ptr<CellMassPart> kernel_cells(std::shared_ptr<const Manifold<double>> manifold,
                                           const KernelParameters& parameters, const Lattice& lattice,
                                           int threads) {
  return std::make_unique<KernelCells>(std::move(manifold), parameters, lattice, threads);
}

}  // namespace riemflow
