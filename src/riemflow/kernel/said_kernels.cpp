#include "riemflow/kernel/said_kernels.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace riemflow {
namespace {

/// Of powers a: from somewhat rounder than round to half as long again as the neighbourhood.
constexpr double kLeastPower = -0.3, kMostPower = 1.5;
/// Of log h beside the distance to the eighth neighbour.
constexpr double kLeastOffset = -7, kMostOffset = 3.5;

const double kLog2Pi = std::log(2 * std::numbers::pi);

double log_sum(const double* values, std::size_t n) {
  const double most = *std::max_element(values, values + n);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += std::exp(values[i] - most);
  return most + std::log(sum);
}

}  // namespace

KernelSpeaker::KernelSpeaker(const KernelSpace& space)
    : space_(space),
      d_(static_cast<std::size_t>(space.manifold().dimension())),
      D_(static_cast<std::size_t>(space.manifold().ambient())) {
  for (const KernelSpace::Part& part : space.parts()) {
    stride_ += static_cast<std::size_t>(part.dimension * part.ambient);
    most_.insert(most_.end(), static_cast<std::size_t>(part.dimension), 2 * std::log(most_deviation(part)));
  }
}

SaidKernels KernelSpeaker::say(const KernelNetwork& network, const Looks& looks, const KernelCentres& centres,
                               bool learned_weights, Executor* executor) const {
  const std::size_t n = looks.size();
  SaidKernels said;
  said.passes.resize((n + kRowsAPiece - 1) / kRowsAPiece);
  said.wide = 1 / (1 + std::exp(-network.extra()[kSaid]));
  said.log_centres.resize(n);
  said.weights.resize(n * kSaid);
  said.log_peaks.resize(n * kSaid);
  said.squares.resize(n * kSaid * space_.parts().size());
  said.log_variances.resize(n * kSaid * d_);
  said.precisions.resize(n * kSaid * d_);
  // A byte each while threads write: bits of a vector<bool> share bytes.
  std::vector<char> free_width(n * kSaid), free_power(n * kSaid);
  in_pieces(executor, n, kRowsAPiece, [&](std::size_t begin, std::size_t end) {
    const auto rows = static_cast<Eigen::Index>(end - begin);
    KernelNetwork::Pass& pass = said.passes[begin / kRowsAPiece];
    pass = network.forward(looks.features.middleRows(static_cast<Eigen::Index>(begin), rows));
    for (std::size_t row = begin; row < end; ++row) {
      const double* out = pass.out.data() + (row - begin) * static_cast<std::size_t>(SaidKernels::kOutputs);
      const double all = log_sum(out, kSaid);
      said.log_centres[row] =
          std::log(centres.weights[looks.centres[row]]) + (learned_weights ? out[3 * kSaid] : 0);
      for (std::size_t s = 0; s < kSaid; ++s) {
        const double* l = &looks.log_variances[(row * Looks::kShapes + SaidKernels::shape_of(s)) * d_];
        said.weights[row * kSaid + s] = std::exp(out[s] - all);
        const double wanted = network.extra()[s] + out[kSaid + s],
                     offset = std::clamp(wanted, kLeastOffset, kMostOffset);
        const double log_h = looks.log_units[row] + offset;
        const double power = std::clamp(out[2 * kSaid + s], kLeastPower, kMostPower);
        free_width[row * kSaid + s] = offset == wanted;
        free_power[row * kSaid + s] = power == out[2 * kSaid + s];
        for (std::size_t a = 0; a < d_; ++a) {
          const double log_variance = std::min(2 * log_h + power * l[a], most_[a]);
          said.log_variances[(row * kSaid + s) * d_ + a] = log_variance;
          said.precisions[(row * kSaid + s) * d_ + a] = std::exp(-log_variance);
        }
        const double* log_variance = &said.log_variances[(row * kSaid + s) * d_];
        double log_dets = 0;
        for (std::size_t f = 0; f < space_.parts().size(); ++f) {
          const KernelSpace::Part& part = space_.parts()[f];
          const double log_det = std::accumulate(log_variance, log_variance + part.dimension, 0.0);
          if (is_seen_from_centre(part.family))
            said.squares[(row * kSaid + s) * space_.parts().size() + f] =
                part.curvature * std::exp(log_det / part.dimension);
          log_dets += log_det;
          log_variance += part.dimension;
        }
        said.log_peaks[row * kSaid + s] = out[s] - all - 0.5 * (log_dets + static_cast<double>(d_) * kLog2Pi);
      }
    }
  });
  said.free_width.assign(free_width.begin(), free_width.end());
  said.free_power.assign(free_power.begin(), free_power.end());
  return said;
}

double KernelSpeaker::log_sum_of_centres(const SaidKernels& said) {
  return log_sum(said.log_centres.data(), said.log_centres.size());
}

void KernelSpeaker::append(const SaidKernels& said, const Looks& looks, const KernelCentres& centres,
                           double log_all, double least_weight, KernelParameters& to) const {
  for (std::size_t row = 0; row < looks.size(); ++row) {
    const double centre_weight = std::exp(said.log_centres[row] - log_all);
    for (std::size_t s = 0; s < kSaid; ++s) {
      const std::size_t kernel = row * kSaid + s;
      if (said.weights[kernel] < least_weight) continue;
      const double* x = centres.x + looks.centres[row] * D_;
      to.centres.values.insert(to.centres.values.end(), x, x + D_);
      to.weights.push_back(centre_weight * said.weights[kernel]);
      const double* log_variance = &said.log_variances[kernel * d_];
      const double log_h =
          0.5 * std::accumulate(log_variance, log_variance + d_, 0.0) / static_cast<double>(d_);
      to.bandwidths.push_back(std::exp(log_h));
      const double* axes = &looks.axes[(row * Looks::kShapes + SaidKernels::shape_of(s)) * stride_];
      for (const KernelSpace::Part& part : space_.parts()) {
        const Eigen::Map<const TangentMatrix> A(axes, part.dimension, part.ambient);
        const Eigen::VectorXd squares =
            (Eigen::Map<const Eigen::ArrayXd>(log_variance, part.dimension) - 2 * log_h).exp();
        const TangentMatrix shape = A.transpose() * squares.asDiagonal() * A;
        to.shapes.insert(to.shapes.end(), shape.data(), shape.data() + shape.size());
        axes += A.size();
        log_variance += part.dimension;
      }
    }
  }
}

}  // namespace riemflow
