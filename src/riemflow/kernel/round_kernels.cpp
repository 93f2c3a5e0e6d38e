#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/von_mises_fisher.hpp"
#include "riemflow/distribution/von_mises_fisher_constants.hpp"
#include "riemflow/distribution/wrapped_normal.hpp"
#include "riemflow/kernel/kernel_families.hpp"
#include "riemflow/kernel/kernels.hpp"

namespace riemflow {
namespace {

using std::numbers::pi;

/// log peak of the von Mises–Fisher densities of S^d, for many κ. Off S² a constant takes 50 µs, so there it
/// is interpolated from nodes a tenth apart in log κ by cubics through values and slopes, d log peak/d log κ
/// = κ E(1 − ⟨μ, x⟩): error below 1e-4/384 of the fourth derivative, 1e-7 for d ≤ 10.
class LogPeaks {
 public:
  LogPeaks(int d, double least, double most) : d_(d), low_(std::log(least)) {
    if (d == 2) return;
    const auto nodes = static_cast<std::size_t>((std::log(most) - low_) / kStep) + 2;
    for (std::size_t i = 0; i < nodes; ++i) nodes_.push_back(exact(std::exp(low_ + kStep * double(i))));
  }

  double operator()(double kappa) const {
    if (d_ == 2) return exact(kappa).value;
    const double place = std::max(0.0, (std::log(kappa) - low_) / kStep);
    const std::size_t i = std::min(static_cast<std::size_t>(place), nodes_.size() - 2);
    const double t = place - static_cast<double>(i), r = 1 - t;
    const Peak &a = nodes_[i], &b = nodes_[i + 1];
    return r * r * (1 + 2 * t) * a.value + t * t * (1 + 2 * r) * b.value +
           kStep * t * r * (r * a.slope - t * b.slope);
  }

 private:
  static constexpr double kStep = 0.1;
  struct Peak {
    double value, slope;
  };
  Peak exact(double kappa) const {
    const VonMisesFisherConstants constants = von_mises_fisher_constants(d_, kappa);
    return {constants.log_peak, kappa * constants.mean_drop};
  }

  int d_;
  double low_;
  std::vector<Peak> nodes_;
};

class RoundKernels final : public Kernels {
  using Family = KernelForm::Family;

 public:
  RoundKernels(std::shared_ptr<const KernelSpace> space, const Points<double>& centres,
               const std::vector<double>& bandwidths)
      : space_(std::move(space)), width_(static_cast<std::size_t>(space_->width())), centres_(centres) {
    embedded_.resize(centres.size() * width_);
    for (std::size_t i = 0; i < centres.size(); ++i) {
      space_->embed(centres[i], &embedded_[i * width_]);
      precisions_.push_back(1 / (bandwidths[i] * bandwidths[i]));
    }
    log_peaks_.resize(centres.size());
    const auto [least, most] = std::minmax_element(precisions_.begin(), precisions_.end());
    for (const KernelSpace::Part& part : space_->parts()) add_peaks(part, *least, *most);
    factors_ = RoundKernels::factors();
  }

  double log_value(const KernelQuery& query, std::size_t i) const override {
    double sum = log_peaks_[i] -
                 0.5 * precisions_[i] * space_->squared_distance(query.embedded, &embedded_[i * width_]);
    for (const KernelSpace::Part& part : space_->parts()) {
      if (!is_hyperbolic(part.family) || part.dimension == 1) continue;
      const double q = KernelSpace::ball_q(part, query.embedded, &embedded_[i * width_]);
      sum += (part.dimension - 1) * (std::log(asinh_ratio(q)) - 0.5 * std::log1p(q));
    }
    return sum;
  }

  void add_gradient(const KernelQuery& query, std::size_t i, double share, double* gradient) const override {
    const double *e = query.embedded, *m = &embedded_[i * width_];
    const double tau = precisions_[i];
    for (const KernelSpace::Part& part : space_->parts()) {
      double* g = gradient + part.row;
      const int column = part.column;
      switch (part.family) {
        case Family::chord:
        case Family::normal:
          for (int j = 0; j < part.ambient; ++j) g[j] -= share * tau * (e[column + j] - m[column + j]);
          break;
        case Family::circles:  // −τ R sin((x − m)/R)
          for (int j = 0; j < part.dimension; ++j) {
            const int k = column + 2 * j;
            g[j] -= share * tau * (e[k + 1] * m[k] - e[k] * m[k + 1]) / part.radius;
          }
          break;
        case Family::none:
          break;
        case Family::hyperbolic: {
          // ρ² = −(4/K) y², y = √q h, dy²/dq = h/√(1+q);  d log(h/√(1+q))/dq = (1/(h√(1+q)) − 1)/2q − ½/(1+q)
          const double q = KernelSpace::ball_q(part, e, m), h = asinh_ratio(q), root = std::sqrt(1 + q);
          const double log_h_slope =
              q < 1e-4 ? -1.0 / 6 + (3.0 / 20 - 1.0 / 36) * q : (1 / (h * root) - 1) / (2 * q);
          const double slope =
              2 * tau / part.curvature * h / root + (part.dimension - 1) * (log_h_slope - 0.5 / (1 + q));
          const double b = e[column + part.dimension], a = m[column + part.dimension];
          for (int j = 0; j < part.dimension; ++j)
            g[j] -= share * slope * 2 * part.curvature *
                    ((e[column + j] - m[column + j]) / (a * b) + q * e[column + j] / b);
          break;
        }
      }
    }
  }

  void sample(Random& random, std::size_t i, double* x) const override {
    const auto m = centres_[i];
    for (const KernelSpace::Part& part : space_->parts()) {
      const double h = 1 / std::sqrt(precisions_[i]);
      double* to = x + part.row;
      const double* mean = m.data() + part.row;
      switch (part.family) {
        case Family::chord: {
          const Eigen::Map<const Eigen::VectorXd> direction(mean, part.ambient);
          const Eigen::VectorXd drawn =
              draw_von_mises_fisher(random, direction.normalized(), precisions_[i] / part.curvature) /
              std::sqrt(part.curvature);
          std::copy_n(drawn.data(), part.ambient, to);
          break;
        }
        case Family::circles:
          for (int j = 0; j < part.dimension; ++j) {
            const double R = part.radius;
            const Eigen::VectorXd drawn =
                draw_von_mises_fisher(random, Eigen::Vector2d(1, 0), precisions_[i] * (R * R));
            to[j] = std::remainder(mean[j] + R * std::atan2(drawn[1], drawn[0]), 2 * pi * R);
          }
          break;
        case Family::normal:
          for (int j = 0; j < part.dimension; ++j) to[j] = mean[j] + h * random.normal();
          break;
        case Family::none:
          break;
        case Family::hyperbolic: {
          const int d = part.dimension;
          std::vector<Pack<double>> y(static_cast<std::size_t>(d));
          WrappedNormal<double>(d, part.curvature, Eigen::Map<const Eigen::VectorXd>(mean, d),
                                h * h * Eigen::MatrixXd::Identity(d, d))
              .sample(random, y.data(), 0);
          for (int j = 0; j < d; ++j) to[j] = y[static_cast<std::size_t>(j)][0];
          break;
        }
      }
    }
  }

  double log_bound(std::size_t i) const override { return log_peaks_[i]; }
  double precision(std::size_t i) const override { return precisions_[i]; }

  std::vector<simd::DensityFactor> factors() const override {
    using Kind = simd::DensityFactor::Kind;
    std::vector<simd::DensityFactor> result;
    const std::vector<KernelSpace::Part>& parts = space_->parts();
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const int end = p + 1 < parts.size() ? parts[p + 1].column : space_->width();
      if (is_hyperbolic(parts[p].family))
        result.push_back({Kind::round_ball, parts[p].dimension, parts[p].dimension + 1, parts[p].curvature,
                          parts[p].column, 0});
      else
        result.push_back({Kind::round, parts[p].dimension, end - parts[p].column, 0, parts[p].column, 0});
    }
    return result;
  }
  void numbers(std::size_t i, double* rows) const override {
    for (const simd::DensityFactor& factor : factors_) {
      rows = std::copy_n(&embedded_[i * width_] + factor.point, factor.ambient, rows);
      *rows++ = precisions_[i];
    }
  }
  double log_constant(std::size_t i) const override { return log_peaks_[i]; }

 private:
  /// log_peaks += log K(m) of the factor.
  void add_peaks(const KernelSpace::Part& part, double least, double most) {
    const double d = part.dimension;
    bool normal = false;
    double scale = 1;  // squared radius of the spheres
    int copies = 1, sphere = part.dimension;
    switch (part.family) {
      case Family::chord:
        scale = 1 / part.curvature;
        break;
      case Family::circles:
        scale = part.radius * part.radius;
        copies = part.dimension;
        sphere = 1;
        break;
      case Family::normal:
      case Family::hyperbolic:
        normal = true;
        break;
      case Family::none:
        break;
    }
    const LogPeaks peaks(normal ? 2 : sphere, least * scale, most * scale);
    for (std::size_t i = 0; i < precisions_.size(); ++i) {
      log_peaks_[i] += normal ? 0.5 * d * std::log(precisions_[i] / (2 * pi))
                              : copies * (peaks(precisions_[i] * scale) - 0.5 * sphere * std::log(scale));
    }
  }

  std::shared_ptr<const KernelSpace> space_;
  std::size_t width_;
  Points<double> centres_;
  std::vector<double> embedded_, precisions_, log_peaks_;
  std::vector<simd::DensityFactor> factors_;
};

}  // namespace

std::unique_ptr<Kernels> round_kernels(std::shared_ptr<const KernelSpace> space,
                                       const Points<double>& centres, const std::vector<double>& bandwidths) {
  return std::make_unique<RoundKernels>(std::move(space), centres, bandwidths);
}

}  // namespace riemflow
