#include "riemflow/distribution/mixture_sums.hpp"

#include <algorithm>
#include <cmath>

#include "riemflow/distribution/von_mises_fisher_constants.hpp"

namespace riemflow {
namespace {

/// Points a chunk: 64, or as many as make 64 chunks.
std::size_t chunk_of(std::size_t points) { return std::max<std::size_t>(64, (points + 63) / 64); }

}  // namespace

MixtureSums::MixtureSums(Eigen::Index components, Eigen::Index ambient)
    : mass(Eigen::ArrayXd::Zero(components)),
      drop(Eigen::ArrayXd::Zero(components)),
      resultant(Eigen::ArrayXXd::Zero(components, ambient)) {}

MixtureSums& MixtureSums::operator+=(const MixtureSums& other) {
  mass += other.mass;
  drop += other.drop;
  resultant += other.resultant;
  log_likelihood += other.log_likelihood;
  return *this;
}

MixtureEvaluator::MixtureEvaluator(const MixtureParameters& parameters, Executor* executor) {
  const auto K = static_cast<Eigen::Index>(parameters.size());
  const int ambient = parameters.means.dimension;
  using RowMajor = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  means_ = Eigen::Map<const RowMajor>(parameters.means.values.data(), K, ambient);
  kappa_ = Eigen::Map<const Eigen::ArrayXd>(parameters.kappas.data(), K);
  peak_ = Eigen::Map<const Eigen::ArrayXd>(parameters.weights.data(), K).log();
  mean_drop_.resize(K);
  in_pieces(executor, parameters.size(), 16, [&](std::size_t begin, std::size_t end) {
    for (auto k = static_cast<Eigen::Index>(begin); k < static_cast<Eigen::Index>(end); ++k) {
      const VonMisesFisherConstants constants = von_mises_fisher_constants(ambient - 1, kappa_[k]);
      peak_[k] += constants.log_peak;
      mean_drop_[k] = constants.mean_drop;
    }
  });
}

void MixtureEvaluator::evaluate(const Points<double>& points, std::size_t begin, std::size_t end,
                                std::span<double> values, MixtureSums* sums, const Weights& weights,
                                Points<double>* gradients) const {
  Eigen::ArrayXd s(kappa_.size()), r(kappa_.size());
  for (std::size_t i = begin; i < end; ++i) {
    const std::span<const double> x = points[i];
    s = (means_.col(0) - x[0]).square();
    for (Eigen::Index c = 1; c < means_.cols(); ++c)
      s += (means_.col(c) - x[static_cast<std::size_t>(c)]).square();
    s *= 0.5;
    r = peak_ - kappa_ * s;
    // e^−600 in place of what is smaller: no component's share, and far from the slow denormal numbers.
    const double largest = r.maxCoeff();
    r = (r - largest).max(-600).exp();
    const double sum = r.sum();
    values[i] = largest + std::log(sum);
    if (gradients != nullptr) {
      s = r * kappa_ / sum;
      for (Eigen::Index c = 0; c < means_.cols(); ++c) {
        const auto at = static_cast<std::size_t>(c);
        (*gradients)[i][at] = (s * (means_.col(c) - x[at])).sum();
      }
    }
    if (sums == nullptr) continue;
    const double v = weight_of(weights, i);
    r *= v / sum;
    sums->log_likelihood += v * values[i];
    sums->mass += r;
    sums->drop += r * s;
    for (Eigen::Index c = 0; c < means_.cols(); ++c)
      sums->resultant.col(c) += r * x[static_cast<std::size_t>(c)];
  }
}

void MixtureEvaluator::log_prob(const Points<double>& points, std::span<double> values,
                                Executor* executor) const {
  in_pieces(executor, points.size(), chunk_of(points.size()), [&](std::size_t begin, std::size_t end) {
    evaluate(points, begin, end, values, nullptr, {}, nullptr);
  });
}

void MixtureEvaluator::log_prob_gradient(const Points<double>& points, std::span<double> values,
                                         Points<double>& gradients, Executor* executor) const {
  in_pieces(executor, points.size(), chunk_of(points.size()), [&](std::size_t begin, std::size_t end) {
    evaluate(points, begin, end, values, nullptr, {}, &gradients);
  });
}

MixtureSums MixtureEvaluator::sums(const Points<double>& points, std::span<double> values, Executor* executor,
                                   const Weights& weights) const {
  const std::size_t n = points.size(), chunk = chunk_of(n), pieces = (n + chunk - 1) / chunk;
  std::vector<MixtureSums> parts(pieces, MixtureSums(means_.rows(), means_.cols()));
  in_pieces(executor, n, chunk, [&](std::size_t begin, std::size_t end) {
    evaluate(points, begin, end, values, &parts[begin / chunk], weights, nullptr);
  });
  MixtureSums total(means_.rows(), means_.cols());
  for (const MixtureSums& part : parts) total += part;
  return total;
}

}  // namespace riemflow
