#include "riemflow/kernel/kernel_lesson.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace riemflow {
namespace {

constexpr int kOutputs = SaidKernels::kOutputs;
/// Kernels that are e^−kNothing of the largest so far are nothing; factors of kernels that are not far away.
constexpr double kNothing = 30, kUsualFactor = 0.1;
/// Pieces of the scored points, as many whatever the threads.
constexpr std::size_t kScorePieces = 8;

double whole_power(double x, int n) {
  double power = 1;
  for (; n > 0; n >>= 1, x *= x)
    if (n & 1) power *= x;
  return power;
}

}  // namespace

/// With what the centres' weights make of it.
struct KernelTeacher::Said : SaidKernels {
  std::vector<double> centre_weights;  ///< π, a row
};

/// A kernel at a point: its value is factor·e^exponent, its slopes those of log K.
struct KernelTeacher::Term {
  std::size_t kernel;  ///< row·kSaid + s
  double exponent, factor, width_slope, power_slope;
};

/// Sums over points scored, each times its weight.
struct KernelTeacher::Scores {
  double loss = 0, base = 0, total = 0;            ///< base: Σ share of p₀
  std::vector<double> shares;                      ///< [row][S]
  std::vector<double> width_slopes, power_slopes;  ///< ∂ log p/∂ log h, ∂ log p/∂ a
  std::vector<Term> terms;                         ///< of one point, as the two behind
  std::vector<Sight> sights;
  std::vector<std::uint32_t> far;  ///< rows
  std::vector<double> scratch;
};

KernelTeacher::KernelTeacher(const KernelSpace& space, Executor* executor)
    : space_(space),
      executor_(executor),
      speaker_(space),
      d_(static_cast<std::size_t>(space.manifold().dimension())),
      D_(static_cast<std::size_t>(space.manifold().ambient())),
      width_(static_cast<std::size_t>(space.width())),
      stride_(Looker(space).stride()) {}

/// A kernel's value is factor·e^exponent: on spheres F = s^d a^(−(d+1)/2) M_d(α) and −½q/a, with a = c² +
/// s²q, α = c/(s√a), s² = K det Σ^(1/d); elsewhere the volume and −½q. One exponential a kernel and no
/// logarithm. As E(1 + sZ)₊^d ≤ e^(½d²s²), F is at most e^(½d²s² + (d + ½)(1/a − 1)₊): kernels that count for
/// nothing are known before their moments are.
void KernelTeacher::score(const KernelLesson& lesson, const Said& said, const KernelLesson::Point& point,
                          Scores& to) const {
  const Looks& looks = lesson.looks;
  const std::size_t parts = space_.parts().size();
  std::vector<Term>& terms = to.terms;
  terms.clear();
  to.scratch.resize(D_ + (Looks::kShapes + 1) * d_);
  double *const v = to.scratch.data(), *const squares = v + D_, *const slopes = squares + Looks::kShapes * d_;
  std::vector<Sight>& sights = to.sights;
  sights.resize(parts);
  const double base = point.log_wide + std::log(said.wide);
  double most = base;
  const auto embedded = [&](std::uint32_t row) {
    return lesson.centres.embedded + looks.centres[row] * width_;
  };
  const auto add = [&](std::uint32_t row, double log_times) {
    const KernelQuery from{lesson.centres.x + looks.centres[row] * D_, embedded(row)};
    const double* axes_of_part = &looks.axes[row * Looks::kShapes * stride_];
    double* to_part = squares;
    for (std::size_t f = 0; f < parts; ++f) {
      const KernelSpace::Part& part = space_.parts()[f];
      sights[f] = sight(part, point.at, from, v);
      for (std::size_t g = 0; g < Looks::kShapes; ++g) {
        const double* axes = axes_of_part + g * stride_;
        for (int a = 0; a < part.dimension; ++a, axes += part.ambient) {
          double sum = 0;
          for (int c = 0; c < part.ambient; ++c) sum += axes[c] * v[c];
          to_part[g * d_ + static_cast<std::size_t>(a)] = sum * sum;
        }
      }
      axes_of_part += part.dimension * part.ambient;
      to_part += part.dimension;
    }
    for (std::size_t s = 0; s < kSaid; ++s) {
      const std::size_t kernel = row * kSaid + s;
      const double* at = squares + SaidKernels::shape_of(s) * d_;
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
      const double *l = &looks.log_variances[(row * Looks::kShapes + SaidKernels::shape_of(s)) * d_],
                   *log_variance = &said.log_variances[kernel * d_];
      for (std::size_t i = 0; i < d_; ++i) {
        if (log_variance[i] == speaker_.most()[i]) continue;
        term.width_slope += 2 * slopes[i];
        term.power_slope += l[i] * slopes[i];
      }
      terms.push_back(term);
    }
  };
  for (const std::uint32_t row : point.near) add(row, 0);
  to.far.clear();
  for (const std::uint32_t row : lesson.far)
    if (space_.squared_distance(point.at.embedded, embedded(row)) > point.square) to.far.push_back(row);
  for (const std::uint32_t row : to.far)
    add(row,
        std::log(static_cast<double>(lesson.all - point.near.size()) / static_cast<double>(to.far.size())));
  for (const Term& term : terms) most = std::max(most, term.exponent);
  double sum = std::exp(base - most);
  for (Term& term : terms) sum += term.factor *= std::exp(term.exponent - most);
  to.loss -= point.weight * (most + std::log(sum));
  to.base += point.weight * std::exp(base - most) / sum;
  to.total += point.weight;
  for (const Term& term : terms) {
    const double share = point.weight * term.factor / sum;
    to.shares[term.kernel] += share;
    if (said.free_width[term.kernel]) to.width_slopes[term.kernel] += share * term.width_slope;
    if (said.free_power[term.kernel]) to.power_slopes[term.kernel] += share * term.power_slope;
  }
}

double KernelTeacher::loss(const KernelNetwork& network, const KernelLesson& lesson,
                           std::span<double> gradient) const {
  const std::size_t n = lesson.looks.size(), kernels = n * kSaid;
  Said said{speaker_.say(network, lesson.looks, lesson.centres, lesson.whole, executor_), {}};
  const double log_all = lesson.whole ? KernelSpeaker::log_sum_of_centres(said) : 0;
  said.centre_weights.resize(n);
  for (std::size_t row = 0; row < n; ++row) {
    said.centre_weights[row] = std::exp(said.log_centres[row] - log_all);
    for (std::size_t s = 0; s < kSaid; ++s)
      said.log_peaks[row * kSaid + s] += said.log_centres[row] - log_all + std::log1p(-said.wide);
  }

  std::vector<Scores> scores(kScorePieces);
  const auto score_piece = [&](std::size_t piece) {
    Scores& to = scores[piece];
    for (auto* sums : {&to.shares, &to.width_slopes, &to.power_slopes}) sums->resize(kernels);
    const std::size_t points = lesson.points.size();
    for (std::size_t q = piece * points / kScorePieces; q < (piece + 1) * points / kScorePieces; ++q)
      score(lesson, said, lesson.points[q], to);
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
  if (gradient.empty()) return all.loss / all.total;
  std::fill(gradient.begin(), gradient.end(), 0.0);
  const std::span<double> extra = gradient.last(kSaid + 1);
  const double kernel_share = (all.total - all.base) / all.total, eps = said.wide;
  extra[kSaid] = kernel_share * eps - (1 - kernel_share) * (1 - eps);

  // Back through softmax, π and bounds, then the network; pieces are added in their order.
  std::vector<std::vector<double>> parts(said.passes.size());
  in_pieces(executor_, n, KernelSpeaker::kRowsAPiece, [&](std::size_t begin, std::size_t end) {
    const std::size_t piece = begin / KernelSpeaker::kRowsAPiece;
    const KernelNetwork::Pass& pass = said.passes[piece];
    KernelNetwork::Rows slopes(pass.out.rows(), pass.out.cols());
    parts[piece].assign(gradient.size(), 0.0);
    for (std::size_t row = begin; row < end; ++row) {
      double* to = slopes.data() + (row - begin) * static_cast<std::size_t>(kOutputs);
      double share[kSaid], total = 0;
      for (std::size_t s = 0; s < kSaid; ++s) {
        const std::size_t kernel = row * kSaid + s;
        double sums[3] = {};
        for (const Scores& part : scores) {
          sums[0] += part.shares[kernel];
          sums[1] += part.width_slopes[kernel];
          sums[2] += part.power_slopes[kernel];
        }
        share[s] = sums[0] / all.total;
        total += share[s];
        to[kSaid + s] = -sums[1] / all.total;
        to[2 * kSaid + s] = -sums[2] / all.total;
        parts[piece][gradient.size() - kSaid - 1 + s] += to[kSaid + s];
      }
      for (std::size_t s = 0; s < kSaid; ++s) to[s] = said.weights[row * kSaid + s] * total - share[s];
      to[3 * kSaid] = lesson.whole ? said.centre_weights[row] * kernel_share - total : 0;
    }
    network.backward(pass, slopes, parts[piece]);
  });
  for (const std::vector<double>& part : parts)
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] += part[i];
  return all.loss / all.total;
}

}  // namespace riemflow
