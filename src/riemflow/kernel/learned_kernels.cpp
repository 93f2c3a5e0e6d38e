#include "riemflow/kernel/learned_kernels.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "riemflow/core/error.hpp"
#include "riemflow/core/random.hpp"
#include "riemflow/distribution/base.hpp"
#include "riemflow/distribution/draws.hpp"
#include "riemflow/kernel/elliptic_terms.hpp"

namespace riemflow {
namespace {

constexpr auto kS = static_cast<std::size_t>(LearnedKernels::kKernels);
constexpr std::size_t kShapes = Neighbourhoods::kShapes;
/// The covariance that shapes kernel s: widths rise with s, and each covariance has narrow and wide ones.
constexpr std::size_t shape_of(std::size_t s) { return s % kShapes; }
constexpr int kOutputs = 3 * LearnedKernels::kKernels + 1;
/// Of powers a: from somewhat rounder than round to half as long again as the neighbourhood.
constexpr double kLeastPower = -0.3, kMostPower = 1.5;
/// Of log h beside the distance to the eighth neighbour.
constexpr double kLeastOffset = -7, kMostOffset = 3.5;
/// First widths, as multiples of the distance to the eighth neighbour; first ε.
constexpr double kLeastWidth = 0.12, kMostWidth = 3, kFirstWide = 0.011;
/// Points that stand for all that are not near.
constexpr std::size_t kFar = 160;
/// Kernels that are e^−kNothing of the largest so far are nothing; factors of kernels that are not far away.
constexpr double kNothing = 30, kUsualFactor = 0.1;
/// Centres of a piece of work; pieces of the scored points, as many whatever the threads.
constexpr std::size_t kRowsAPiece = 128, kScorePieces = 8;

const double kLog2Pi = std::log(2 * std::numbers::pi);

double log_sum(const double* values, std::size_t n) {
  const double most = *std::max_element(values, values + n);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += std::exp(values[i] - most);
  return most + std::log(sum);
}

double whole_power(double x, int n) {
  double power = 1;
  for (; n > 0; n >>= 1, x *= x)
    if (n & 1) power *= x;
  return power;
}

}  // namespace

/// What the network says of them.
struct LearnedKernels::Said {
  std::vector<KernelNetwork::Pass> passes;   ///< a piece of rows
  double wide = 0;                           ///< ε
  std::vector<double> centre_weights;        ///< π, a row
  std::vector<double> weights;               ///< [row][S]: w
  std::vector<bool> free_width, free_power;  ///< [row][S]: not at a bound
  std::vector<double> log_variances;         ///< [row][S][d]: log Σ_ii along the axes
  std::vector<double> precisions;            ///< e to minus these
  std::vector<double> log_peaks;             ///< [row][S]: log (1 − ε) π w √det(2πΣ)⁻¹
  std::vector<double> squares;               ///< [row][S][part]: K det Σ^(1/d) on spheres, else 0
};

/// A kernel at a point: its value is factor·e^exponent, its slopes those of log K.
struct LearnedKernels::Term {
  std::size_t kernel;  ///< row·kS + s
  double exponent, factor, width_slope, power_slope;
};

/// Sums over points scored, each times its weight.
struct LearnedKernels::Scores {
  double loss = 0, base = 0, total = 0;            ///< base: Σ share of p₀
  std::vector<double> shares;                      ///< [row][S]
  std::vector<double> width_slopes, power_slopes;  ///< ∂ log p/∂ log h, ∂ log p/∂ a
  std::vector<Term> terms;                         ///< of one point, as the two behind
  std::vector<Sight> sights;
  std::vector<std::uint32_t> far;  ///< rows
  std::vector<double> scratch;
};

LearnedKernels::LearnedKernels(const KernelData& data, Executor* executor)
    : data_(data),
      executor_(executor),
      space_(*data.space()),
      d_(static_cast<std::size_t>(space_.manifold().dimension())),
      D_(static_cast<std::size_t>(space_.manifold().ambient())),
      neighbourhoods_(
          (require(data.size() >= 3, fmt::format("learned kernels of {} different points", data.size()),
                   "give three at least"),
           data),
          executor) {
  for (const KernelSpace::Part& part : space_.parts()) {
    most_.insert(most_.end(), static_cast<std::size_t>(part.dimension), 2 * std::log(most_deviation(part)));
  }
  log_wide_ = log_densities_of(*default_base<double>(data.manifold()), data.centres());
}

KernelNetwork LearnedKernels::network(std::uint64_t seed) {
  KernelNetwork network({Neighbourhoods::kFeatures, 32, kOutputs, kKernels + 1}, seed);
  for (std::size_t s = 0; s < kS; ++s)
    network.extra()[s] =
        std::log(kLeastWidth) + static_cast<double>(s) / (kS - 1) * std::log(kMostWidth / kLeastWidth);
  network.extra()[kS] = std::log(kFirstWide / (1 - kFirstWide));
  return network;
}

LearnedKernels::HeldOut LearnedKernels::hold_out(double share, std::size_t most, std::uint64_t seed,
                                                 std::uint64_t step,
                                                 const std::vector<std::size_t>& groups) const {
  const std::size_t n = size();
  // At least one is held out, and two are centres.
  const auto wanted =
      std::clamp<std::size_t>(static_cast<std::size_t>(share * static_cast<double>(n)), 1, n - 2);
  std::vector<std::vector<std::uint32_t>> together;
  if (!groups.empty()) {
    together.resize(*std::max_element(groups.begin(), groups.end()) + 1);
    for (std::size_t i = 0; i < n; ++i) together[groups[i]].push_back(static_cast<std::uint32_t>(i));
    std::erase_if(together, [](const auto& group) { return group.empty(); });
  }
  std::vector<std::uint32_t> order(groups.empty() ? n : together.size());
  std::iota(order.begin(), order.end(), 0u);
  HeldOut held{std::vector<bool>(n), {}};
  Random random(seed, Purpose::batch, step, 0);
  for (std::size_t k = 0; k < order.size() && held.scored.size() < wanted; ++k) {
    std::swap(order[k], order[k + random.below(order.size() - k)]);
    if (groups.empty()) {
      held.scored.push_back(order[k]);
    } else if (held.scored.size() + together[order[k]].size() <= n - 2) {
      held.scored.insert(held.scored.end(), together[order[k]].begin(), together[order[k]].end());
    }
  }
  for (const std::uint32_t i : held.scored) held.out[i] = true;
  if (held.scored.size() > most) held.scored.resize(most);
  if (n > static_cast<std::size_t>(data_.most_neighbours()) + 1)
    while (held.far.size() < kFar)
      if (const auto other = static_cast<std::uint32_t>(random.below(n)); !held.out[other])
        held.far.push_back(other);
  return held;
}

LearnedKernels::Said LearnedKernels::say(const KernelNetwork& network, const Looks& looks) const {
  const std::size_t n = looks.centres.size();
  Said said;
  said.passes.resize((n + kRowsAPiece - 1) / kRowsAPiece);
  said.wide = 1 / (1 + std::exp(-network.extra()[kS]));
  said.centre_weights.resize(n);
  said.weights.resize(n * kS);
  said.log_peaks.resize(n * kS);
  said.squares.resize(n * kS * space_.parts().size());
  said.log_variances.resize(n * kS * d_);
  said.precisions.resize(n * kS * d_);
  // A byte each while threads write: bits of a vector<bool> share bytes.
  std::vector<char> free_width(n * kS), free_power(n * kS);
  std::vector<double> log_centre(n);
  in_pieces(executor_, n, kRowsAPiece, [&](std::size_t begin, std::size_t end) {
    const auto rows = static_cast<Eigen::Index>(end - begin);
    KernelNetwork::Pass& pass = said.passes[begin / kRowsAPiece];
    pass = network.forward(looks.features.middleRows(static_cast<Eigen::Index>(begin), rows));
    for (std::size_t row = begin; row < end; ++row) {
      const double* out = pass.out.data() + (row - begin) * static_cast<std::size_t>(kOutputs);
      const double all = log_sum(out, kS);
      log_centre[row] = std::log(data_.weights()[looks.centres[row]]) + out[3 * kS];
      for (std::size_t s = 0; s < kS; ++s) {
        const double* l = &looks.log_variances[(row * kShapes + shape_of(s)) * d_];
        said.weights[row * kS + s] = std::exp(out[s] - all);
        const double wanted = network.extra()[s] + out[kS + s],
                     offset = std::clamp(wanted, kLeastOffset, kMostOffset);
        const double log_h = looks.log_units[row] + offset;
        const double power = std::clamp(out[2 * kS + s], kLeastPower, kMostPower);
        free_width[row * kS + s] = offset == wanted;
        free_power[row * kS + s] = power == out[2 * kS + s];
        for (std::size_t a = 0; a < d_; ++a) {
          const double log_variance = std::min(2 * log_h + power * l[a], most_[a]);
          said.log_variances[(row * kS + s) * d_ + a] = log_variance;
          said.precisions[(row * kS + s) * d_ + a] = std::exp(-log_variance);
        }
        const double* log_variance = &said.log_variances[(row * kS + s) * d_];
        double log_dets = 0;
        for (std::size_t f = 0; f < space_.parts().size(); ++f) {
          const KernelSpace::Part& part = space_.parts()[f];
          const double log_det = std::accumulate(log_variance, log_variance + part.dimension, 0.0);
          if (is_seen_from_centre(part.family))
            said.squares[(row * kS + s) * space_.parts().size() + f] =
                part.curvature * std::exp(log_det / part.dimension);
          log_dets += log_det;
          log_variance += part.dimension;
        }
        said.log_peaks[row * kS + s] = out[s] - all - 0.5 * (log_dets + static_cast<double>(d_) * kLog2Pi);
      }
    }
  });
  said.free_width.assign(free_width.begin(), free_width.end());
  said.free_power.assign(free_power.begin(), free_power.end());
  const double all = log_sum(log_centre.data(), n);
  for (std::size_t row = 0; row < n; ++row) {
    said.centre_weights[row] = std::exp(log_centre[row] - all);
    for (std::size_t s = 0; s < kS; ++s)
      said.log_peaks[row * kS + s] += log_centre[row] - all + std::log1p(-said.wide);
  }
  return said;
}

/// A kernel's value is factor·e^exponent: on spheres F = s^d a^(−(d+1)/2) M_d(α) and −½q/a, with a = c² +
/// s²q, α = c/(s√a), s² = K det Σ^(1/d); elsewhere the volume and −½q. One exponential a kernel and no
/// logarithm. As E(1 + sZ)₊^d ≤ e^(½d²s²), F is at most e^(½d²s² + (d + ½)(1/a − 1)₊): kernels that count for
/// nothing are known before their moments are.
void LearnedKernels::score(const Said& said, const Looks& looks, std::uint32_t query,
                           const std::vector<std::uint32_t>& far, Scores& to) const {
  const double weight = data_.weights()[query];
  const std::size_t parts = space_.parts().size();
  std::vector<Term>& terms = to.terms;
  terms.clear();
  to.scratch.resize(D_ + (kShapes + 1) * d_);
  double *const v = to.scratch.data(), *const squares = v + D_, *const slopes = squares + kShapes * d_;
  std::vector<Sight>& sights = to.sights;
  sights.resize(parts);
  const double base = log_wide_[query] + std::log(said.wide);
  double most = base;
  const KernelQuery point = neighbourhoods_.centre(query);
  const auto add = [&](std::uint32_t row, double log_times) {
    const KernelQuery from = neighbourhoods_.centre(looks.centres[row]);
    const double* axes_of_part = &looks.axes[row * kShapes * neighbourhoods_.stride()];
    double* to_part = squares;
    for (std::size_t f = 0; f < parts; ++f) {
      const KernelSpace::Part& part = space_.parts()[f];
      sights[f] = sight(part, point, from, v);
      for (std::size_t g = 0; g < kShapes; ++g) {
        const double* axes = axes_of_part + g * neighbourhoods_.stride();
        for (int a = 0; a < part.dimension; ++a, axes += part.ambient) {
          double sum = 0;
          for (int c = 0; c < part.ambient; ++c) sum += axes[c] * v[c];
          to_part[g * d_ + static_cast<std::size_t>(a)] = sum * sum;
        }
      }
      axes_of_part += part.dimension * part.ambient;
      to_part += part.dimension;
    }
    for (std::size_t s = 0; s < kS; ++s) {
      const std::size_t kernel = row * kS + s;
      const double* at = squares + shape_of(s) * d_;
      const double* precision = &said.precisions[kernel * d_];
      const double* square = &said.squares[kernel * parts];
      double exponent = said.log_peaks[kernel] + log_times, most_factor = 0;
      std::size_t first = 0;
      for (std::size_t f = 0; f < parts; ++f) {
        const KernelSpace::Part& part = space_.parts()[f];
        const auto d = static_cast<std::size_t>(part.dimension);
        double q = 0;
        for (std::size_t i = first; i < first + d; ++i) q += at[i] * precision[i];
        if (is_seen_from_centre(part.family)) {
          const double a = sights[f].cosine * sights[f].cosine + square[f] * q, dimension = part.dimension;
          exponent -= 0.5 * q / a;
          most_factor +=
              0.5 * dimension * dimension * square[f] + (a < 1 ? (dimension + 0.5) * (1 / a - 1) : 0);
        } else {
          exponent += sights[f].volume - 0.5 * q;
        }
        first += d;
      }
      if (!(exponent + most_factor > most - kNothing)) continue;
      double factor = 1;
      first = 0;
      for (std::size_t f = 0; f < parts; ++f) {
        const KernelSpace::Part& part = space_.parts()[f];
        const auto d = static_cast<std::size_t>(part.dimension);
        if (is_seen_from_centre(part.family)) {
          double q = 0;
          for (std::size_t i = first; i < first + d; ++i) q += at[i] * precision[i];
          const double c = sights[f].cosine, a = c * c + square[f] * q, dimension = part.dimension;
          const double width = std::sqrt(square[f]), root = std::sqrt(a), alpha = c / (width * root);
          const ScaledMoment moment = scaled_moment(part.dimension, alpha);
          factor *= moment.value * whole_power(width * moment.scale / root, part.dimension) / root;
          const double alpha_slope = -0.5 * alpha * dimension * moment.ratio;
          const double a_slope = (-0.5 * (dimension + 1) + 0.5 * q / a + alpha_slope) / a;
          for (std::size_t i = first; i < first + d; ++i) {
            const double g = at[i] * precision[i];
            slopes[i] = a_slope * square[f] * (q / dimension - g) + 0.5 * g / a + alpha_slope / dimension;
          }
        } else {
          for (std::size_t i = first; i < first + d; ++i) slopes[i] = 0.5 * (at[i] * precision[i] - 1);
        }
        first += d;
      }
      if (!(factor > 0)) continue;
      if (factor > kUsualFactor) most = std::max(most, exponent);
      Term term{kernel, exponent, factor, 0, 0};
      const double *l = &looks.log_variances[(row * kShapes + shape_of(s)) * d_],
                   *log_variance = &said.log_variances[kernel * d_];
      for (std::size_t i = 0; i < d_; ++i) {
        if (log_variance[i] == most_[i]) continue;
        term.width_slope += 2 * slopes[i];
        term.power_slope += l[i] * slopes[i];
      }
      terms.push_back(term);
    }
  };
  std::size_t near = 0;
  for (int k = 1; k <= data_.most_neighbours(); ++k) {
    const std::uint32_t row = looks.rows[data_.neighbour(query, k)];
    if (row == MetricTree::kNone) continue;
    ++near;
    add(row, 0);
  }
  to.far.clear();
  for (const std::uint32_t other : far) {
    const double last = data_.distance(query, data_.most_neighbours());
    if (space_.squared_distance(point.embedded, neighbourhoods_.centre(other).embedded) > last * last)
      to.far.push_back(looks.rows[other]);
  }
  for (const std::uint32_t row : to.far)
    add(row, std::log(static_cast<double>(looks.centres.size() - near) / static_cast<double>(to.far.size())));
  for (const Term& term : terms) most = std::max(most, term.exponent);
  double sum = std::exp(base - most);
  for (Term& term : terms) sum += term.factor *= std::exp(term.exponent - most);
  to.loss -= weight * (most + std::log(sum));
  to.base += weight * std::exp(base - most) / sum;
  to.total += weight;
  for (const Term& term : terms) {
    const double share = weight * term.factor / sum;
    to.shares[term.kernel] += share;
    if (said.free_width[term.kernel]) to.width_slopes[term.kernel] += share * term.width_slope;
    if (said.free_power[term.kernel]) to.power_slopes[term.kernel] += share * term.power_slope;
  }
}

double LearnedKernels::loss(const KernelNetwork& network, const HeldOut& held,
                            std::span<double> gradient) const {
  const Looks looks = neighbourhoods_.look(held.out);
  const Said said = say(network, looks);
  const std::size_t n = looks.centres.size(), kernels = n * kS;
  std::vector<Scores> scores(kScorePieces);
  const auto score_piece = [&](std::size_t piece) {
    Scores& to = scores[piece];
    for (auto* sums : {&to.shares, &to.width_slopes, &to.power_slopes}) sums->resize(kernels);
    const std::size_t m = held.scored.size();
    for (std::size_t q = piece * m / kScorePieces; q < (piece + 1) * m / kScorePieces; ++q)
      score(said, looks, held.scored[q], held.far, to);
  };
  in_pieces(executor_, kScorePieces, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t piece = begin; piece < end; ++piece) score_piece(piece);
  });
  Scores& all = scores.front();
  for (std::size_t piece = 1; piece < kScorePieces; ++piece) {
    all.loss += scores[piece].loss;
    all.base += scores[piece].base;
    all.total += scores[piece].total;
  }
  std::fill(gradient.begin(), gradient.end(), 0.0);
  const std::span<double> extra = gradient.last(kS + 1);
  const double kernel_share = (all.total - all.base) / all.total, eps = said.wide;
  extra[kS] = kernel_share * eps - (1 - kernel_share) * (1 - eps);

  // Back through softmax, π and bounds, then the network; pieces are added in their order.
  std::vector<std::vector<double>> parts(said.passes.size());
  in_pieces(executor_, n, kRowsAPiece, [&](std::size_t begin, std::size_t end) {
    const std::size_t piece = begin / kRowsAPiece;
    const KernelNetwork::Pass& pass = said.passes[piece];
    KernelNetwork::Rows slopes(pass.out.rows(), pass.out.cols());
    parts[piece].assign(gradient.size(), 0.0);
    for (std::size_t row = begin; row < end; ++row) {
      double* to = slopes.data() + (row - begin) * static_cast<std::size_t>(kOutputs);
      double share[kS], total = 0;
      for (std::size_t s = 0; s < kS; ++s) {
        const std::size_t kernel = row * kS + s;
        double sums[3] = {};
        for (const Scores& part : scores) {
          sums[0] += part.shares[kernel];
          sums[1] += part.width_slopes[kernel];
          sums[2] += part.power_slopes[kernel];
        }
        share[s] = sums[0] / all.total;
        total += share[s];
        to[kS + s] = -sums[1] / all.total;
        to[2 * kS + s] = -sums[2] / all.total;
        parts[piece][gradient.size() - kS - 1 + s] += to[kS + s];
      }
      for (std::size_t s = 0; s < kS; ++s) to[s] = said.weights[row * kS + s] * total - share[s];
      to[3 * kS] = said.centre_weights[row] * kernel_share - total;
    }
    network.backward(pass, slopes, parts[piece]);
  });
  for (const std::vector<double>& part : parts)
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] += part[i];
  return all.loss / all.total;
}

KernelParameters LearnedKernels::parameters(const KernelNetwork& network) const {
  const Looks looks = neighbourhoods_.look(std::vector<bool>(size()));
  const Said said = say(network, looks);
  KernelParameters result;
  result.centres.dimension = static_cast<int>(D_);
  result.wide = said.wide;
  for (std::size_t row = 0; row < looks.centres.size(); ++row) {
    for (std::size_t s = 0; s < kS; ++s) {
      const std::size_t kernel = row * kS + s;
      if (said.weights[kernel] < kLeastWeight) continue;
      const auto point = data_.centres()[looks.centres[row]];
      result.centres.values.insert(result.centres.values.end(), point.begin(), point.end());
      result.weights.push_back(said.centre_weights[row] * said.weights[kernel]);
      const double* log_variance = &said.log_variances[kernel * d_];
      const double log_h =
          0.5 * std::accumulate(log_variance, log_variance + d_, 0.0) / static_cast<double>(d_);
      result.bandwidths.push_back(std::exp(log_h));
      const double* axes = &looks.axes[(row * kShapes + shape_of(s)) * neighbourhoods_.stride()];
      for (const KernelSpace::Part& part : space_.parts()) {
        const Eigen::Map<const TangentMatrix> A(axes, part.dimension, part.ambient);
        const Eigen::VectorXd squares =
            (Eigen::Map<const Eigen::ArrayXd>(log_variance, part.dimension) - 2 * log_h).exp();
        const TangentMatrix shape = A.transpose() * squares.asDiagonal() * A;
        result.shapes.insert(result.shapes.end(), shape.data(), shape.data() + shape.size());
        axes += A.size();
        log_variance += part.dimension;
      }
    }
  }
  // Of sum 1 without those that were left out.
  const double sum = std::accumulate(result.weights.begin(), result.weights.end(), 0.0);
  for (double& weight : result.weights) weight /= sum;
  return result;
}

}  // namespace riemflow
