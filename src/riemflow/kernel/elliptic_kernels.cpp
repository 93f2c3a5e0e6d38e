#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "riemflow/core/error.hpp"
#include "riemflow/kernel/elliptic_terms.hpp"
#include "riemflow/kernel/kernels.hpp"

namespace riemflow {
namespace {

using std::numbers::pi;
using Matrix = TangentMatrix;

/// R of W = QR (d × D), R_rc of c ≥ r, row after row, to `to`; |Rv| = |Wv|. Returns what is behind. By
/// reflections that take column k below row k to 0: rows come with the shortest axes, and so the largest
/// numbers, first, which keeps the errors of long axes small.
double* triangular(const double* W, int d, int D, double* to) {
  const auto columns = static_cast<std::size_t>(D);
  static thread_local std::vector<double> R;
  R.assign(W, W + d * D);
  const auto at = [&](int r, int c) -> double& {
    return R[static_cast<std::size_t>(r) * columns + static_cast<std::size_t>(c)];
  };
  for (int k = 0; k < d; ++k) {
    double below = 0;
    for (int r = k + 1; r < d; ++r) below += at(r, k) * at(r, k);
    if (below > 0) {
      // v = column + sign·|column| e_k;  x −= v (2/|v|²)⟨v, x⟩
      const double first = at(k, k), size = std::sqrt(first * first + below);
      const double head = first + std::copysign(size, first), factor = 2 / (head * head + below);
      for (int c = k + 1; c < D; ++c) {
        double along = head * at(k, c);
        for (int r = k + 1; r < d; ++r) along += at(r, k) * at(r, c);
        at(k, c) -= factor * along * head;
        for (int r = k + 1; r < d; ++r) at(r, c) -= factor * along * at(r, k);
      }
      at(k, k) = -std::copysign(size, first);
    }
    to = std::copy_n(&at(k, k), D - k, to);
  }
  return to;
}

class EllipticKernels final : public Kernels {
  using Family = KernelForm::Family;

 public:
  EllipticKernels(std::shared_ptr<const KernelSpace> space, const Points<double>& centres,
                  const std::vector<double>& bandwidths, const std::vector<double>& shapes)
      : space_(std::move(space)), centres_(centres) {
    for (const KernelSpace::Part& part : space_->parts()) {
      Factor_ factor{part, stride_, shape_offset_};
      stride_ += static_cast<std::size_t>(part.dimension * part.ambient);
      shape_offset_ += static_cast<std::size_t>(part.ambient * part.ambient);
      factors_.push_back(factor);
    }
    whiten_.resize(stride_ * centres.size());
    radial_.resize(factors_.size() * centres.size());
    log_constants_.resize(centres.size());
    log_bounds_.resize(centres.size());
    precisions_.assign(centres.size(), INFINITY);
    for (std::size_t i = 0; i < centres.size(); ++i)
      for (std::size_t f = 0; f < factors_.size(); ++f)
        prepare(i, f, bandwidths[i], &shapes[i * shape_offset_ + factors_[f].shape]);
    width_ = static_cast<std::size_t>(space_->width());
    embedded_.resize(centres.size() * width_);
    for (std::size_t i = 0; i < centres.size(); ++i) space_->embed(centres[i], &embedded_[i * width_]);
  }

  double log_value(const KernelQuery& query, std::size_t i) const override {
    std::vector<double>& v = scratch();
    double sum = log_constants_[i];
    for (std::size_t f = 0; f < factors_.size(); ++f) sum += terms(query, i, f, v.data()).log_value;
    return sum;
  }

  void add_gradient(const KernelQuery& query, std::size_t i, double share, double* gradient) const override {
    std::vector<double>& v = scratch();
    for (std::size_t f = 0; f < factors_.size(); ++f) {
      const Terms t = terms(query, i, f, v.data());
      const KernelSpace::Part& part = factors_[f].part;
      const int D = part.ambient, d = part.dimension;
      const double* W = whiten(i, f);
      // pull = Wᵀu, half the gradient of q in what W is applied to
      Eigen::VectorXd pull = Eigen::VectorXd::Zero(D);
      const double* u = v.data() + D;
      for (int r = 0; r < d; ++r)
        for (int c = 0; c < D; ++c) pull[c] += W[r * D + c] * u[r];
      double* g = gradient + part.row;
      const double *e = query.embedded + part.column, *m = &embedded_[i * width_] + part.column;
      switch (part.family) {
        case Family::chord: {
          const double K = part.curvature;
          for (int c = 0; c < D; ++c) g[c] += share * (t.q_slope * 2 * pull[c] + t.c_slope * K * m[c]);
          break;
        }
        case Family::hyperbolic:
          add_hyperbolic_gradient(part, e, m, ball_q(query, i, part), pull, share, g);
          break;
        case Family::circles:
        case Family::normal:
        case Family::none:
          for (int c = 0; c < D; ++c) g[c] -= share * pull[c];
          break;
      }
    }
  }

  void sample(Random& random, std::size_t i, double* x) const override {
    for (std::size_t f = 0; f < factors_.size(); ++f) {
      const KernelSpace::Part& part = factors_[f].part;
      const int D = part.ambient, d = part.dimension;
      const double* m = centres_[i].data() + part.row;
      double* to = x + part.row;
      // v = L z from W = L⁻¹Eᵀ: W Wᵀ = Σ⁻¹, so that v = Wᵀ(W Wᵀ)⁻¹ z
      const Eigen::Map<const Matrix> W(whiten(i, f), d, D);
      Eigen::VectorXd z(d);
      for (double& z_j : z) z_j = random.normal();
      const Eigen::VectorXd v = W.transpose() * (W * W.transpose()).llt().solve(z);
      switch (part.family) {
        case Family::chord: {
          const double R = 1 / std::sqrt(part.curvature);
          const Eigen::VectorXd unit = Eigen::Map<const Eigen::VectorXd>(m, D).normalized();
          const Eigen::VectorXd y = (1 + radial(i, f) * random.normal()) * unit + v / R;
          for (int c = 0; c < D; ++c) to[c] = R * y[c] / y.norm();
          break;
        }
        case Family::hyperbolic: {
          const Eigen::Map<const Eigen::VectorXd> mean(m, d);
          std::vector<Pack<double>> at(static_cast<std::size_t>(d)), step(at.size()), y(at.size());
          // The orthonormal frame along the axes is 1/λ long.
          const double lambda = 2 / (1 + part.curvature * mean.squaredNorm());
          for (int c = 0; c < d; ++c) {
            at[static_cast<std::size_t>(c)] = Pack<double>(m[c]);
            step[static_cast<std::size_t>(c)] = Pack<double>(v[c] / lambda);
          }
          part.manifold->exp(at.data(), step.data(), y.data());
          for (int c = 0; c < d; ++c) to[c] = y[static_cast<std::size_t>(c)][0];
          break;
        }
        case Family::circles:
          for (int c = 0; c < d; ++c) to[c] = std::remainder(m[c] + v[c], 2 * pi * part.radius);
          break;
        case Family::normal:
        case Family::none:
          for (int c = 0; c < d; ++c) to[c] = m[c] + v[c];
          break;
      }
    }
  }

  double log_bound(std::size_t i) const override { return log_bounds_[i]; }
  double precision(std::size_t i) const override { return precisions_[i]; }
  /// On the unit sphere p ≤ peak·(σ/s)^{d+1} exp(−½ w/σ²), σ the largest deviation, w = sin²θ up to the
  /// equator and 1 beyond; sin²θ = D²(1 − D²/4) of the chord, cut at D = 1 so that it rises. Concave in D²,
  /// so that the smallest radius bounds a sum over factors.
  double turn() const override { return space_->smallest_radius(); }

  std::vector<simd::DensityFactor> factors() const override {
    std::vector<simd::DensityFactor> result;
    for (const Factor_& factor : factors_) {
      const KernelSpace::Part& part = factor.part;
      const bool angles = closes(part.family);
      result.push_back({kind_of(part.family), part.dimension, part.ambient, part.curvature,
                        angles ? part.row : part.column, 0, 2 * pi * part.radius});
    }
    return result;
  }
  /// s^d of the sphere's kernels is among what the factor adds.
  double log_constant(std::size_t i) const override {
    double sum = log_constants_[i];
    for (std::size_t f = 0; f < factors_.size(); ++f)
      if (is_seen_from_centre(factors_[f].part.family))
        sum -= factors_[f].part.dimension * std::log(radial(i, f));
    return sum;
  }
  void numbers(std::size_t i, double* rows) const override {
    for (std::size_t f = 0; f < factors_.size(); ++f) {
      const KernelSpace::Part& part = factors_[f].part;
      const double* m =
          closes(part.family) ? centres_[i].data() + part.row : &embedded_[i * width_] + part.column;
      rows = std::copy_n(m, part.ambient + (is_hyperbolic(part.family) ? 1 : 0), rows);
      if (is_seen_from_centre(part.family)) *rows++ = radial(i, f) * radial(i, f);
      rows = triangular(whiten(i, f), part.dimension, part.ambient, rows);
    }
  }

 private:
  static simd::DensityFactor::Kind kind_of(Family family) {
    using Kind = simd::DensityFactor::Kind;
    switch (family) {
      case Family::chord:
        return Kind::sphere;
      case Family::circles:
        return Kind::torus;
      case Family::hyperbolic:
        return Kind::ball;
      case Family::normal:
      case Family::none:
        break;
    }
    return Kind::euclidean;
  }
  struct Factor_ {
    KernelSpace::Part part;
    std::size_t offset;  ///< of W (d × ambient) among a centre's numbers
    std::size_t shape;   ///< of S among a centre's shapes
  };
  /// log p of a factor less its constant, as a function of q and, on the sphere, c.
  struct Terms {
    double log_value, q_slope, c_slope;
  };

  const double* whiten(std::size_t i, std::size_t f) const {
    return &whiten_[i * stride_ + factors_[f].offset];
  }
  double radial(std::size_t i, std::size_t f) const { return radial_[i * factors_.size() + f]; }
  /// What W is applied to, then u, of one factor.
  std::vector<double>& scratch() const {
    static thread_local std::vector<double> numbers;
    numbers.resize(2 * static_cast<std::size_t>(space_->manifold().ambient()));
    return numbers;
  }

  void prepare(std::size_t i, std::size_t f, double h, const double* shape) {
    const KernelSpace::Part& part = factors_[f].part;
    const int D = part.ambient, d = part.dimension;
    const Matrix frame = frame_at(part, centres_[i].data() + part.row);
    const Eigen::Map<const Matrix> ambient(shape, D, D);
    Eigen::MatrixXd sigma = h * h * (frame.transpose() * ambient * frame);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(0.5 * (sigma + sigma.transpose()));
    Eigen::VectorXd variances = eigen.eigenvalues();
    require(eigen.info() == Eigen::Success && variances.allFinite() && variances[0] > 0,
            fmt::format("the shape of kernel {} is not positive definite", i),
            "pass a symmetric positive definite matrix a kernel");
    if (closes(part.family)) variances = variances.cwiseMin(most_deviation(part) * most_deviation(part));
    Eigen::Map<Matrix> W(&whiten_[i * stride_ + factors_[f].offset], d, D);
    W = variances.cwiseSqrt().cwiseInverse().asDiagonal() * eigen.eigenvectors().transpose() *
        frame.transpose();
    const double most = variances[d - 1], log_det = variances.array().log().sum();
    double log_constant = -0.5 * d * std::log(2 * pi) - 0.5 * log_det, log_bound = log_constant;
    if (is_seen_from_centre(part.family)) {
      const double s = std::exp(0.5 * log_det / d) * std::sqrt(part.curvature);
      radial_[i * factors_.size() + f] = s;
      log_constant += d * std::log(s);
      log_bound = log_constant + normal_moment(d, 1 / s).log_value +
                  (d + 1) * std::log(std::sqrt(most * part.curvature) / s);
    }
    log_constants_[i] += log_constant;
    log_bounds_[i] += log_bound;
    precisions_[i] = std::min(precisions_[i], 1 / most);
  }

  static void add_hyperbolic_gradient(const KernelSpace::Part& part, const double* e, const double* m,
                                      double q, const Eigen::VectorXd& pull, double share, double* g) {
    // v = stretch·p, p = δ − pull·m (distribution/wrapped_normal.hpp); −∇q/2 = −(Dv)ᵀ Wᵀu
    const int d = part.dimension;
    const double c = -part.curvature, b = e[d], a = m[d];
    const double h = asinh_ratio(q), root = std::sqrt(1 + q), stretch = 2 * h / (root * b);
    const double log_h_slope =
        q < 1e-4 ? -1.0 / 6 + (3.0 / 20 - 1.0 / 36) * q : (1 / (h * root) - 1) / (2 * q);
    double along = 0, square = 0, inner = 0;
    for (int k = 0; k < d; ++k) square += (e[k] - m[k]) * (e[k] - m[k]);
    for (int k = 0; k < d; ++k) {
      along += pull[k] * m[k];
      inner += pull[k] * (e[k] - m[k] - c * square / a * m[k]);
    }
    for (int k = 0; k < d; ++k) {
      const double delta = e[k] - m[k], q_k = 2 * c * (delta / (a * b) + q * e[k] / b);
      const double back = stretch * (pull[k] - along * 2 * c * delta / a) +
                          inner * stretch * ((log_h_slope - 0.5 / (1 + q)) * q_k + 2 * c * e[k] / b);
      g[k] += share * ((d - 1) * (log_h_slope - 0.5 / (1 + q)) * q_k - back);
    }
  }

  double ball_q(const KernelQuery& query, std::size_t i, const KernelSpace::Part& part) const {
    return KernelSpace::ball_q(part, query.embedded, &embedded_[i * width_]);
  }

  /// v: what W is applied to (ambient), then u (d).
  Terms terms(const KernelQuery& query, std::size_t i, std::size_t f, double* v) const {
    const KernelSpace::Part& part = factors_[f].part;
    const int D = part.ambient, d = part.dimension;
    const auto [volume, cosine] = sight(part, query, {centres_[i].data(), &embedded_[i * width_]}, v);
    const double* W = whiten(i, f);
    double* u = v + D;
    double q = 0;
    for (int r = 0; r < d; ++r) {
      u[r] = 0;
      for (int c = 0; c < D; ++c) u[r] += W[r * D + c] * v[c];
      q += u[r] * u[r];
    }
    if (!is_seen_from_centre(part.family)) return {volume - 0.5 * q, -0.5, 0};

    // −½ q/a − (d+1)/2 log a + log M_d(α);  a = c² + s²q,  α = c/(s√a),  d log M_d/dα = d·M_{d−1}/M_d
    const double s = radial(i, f), a = cosine * cosine + s * s * q, to_alpha = 1 / (s * std::sqrt(a));
    const double alpha = cosine * to_alpha;
    const NormalMoment moment = normal_moment(d, alpha);
    const double alpha_slope = d * moment.ratio;
    const double a_slope = (0.5 * q / a - 0.5 * (d + 1) - 0.5 * alpha * alpha_slope) / a;
    return {-0.5 * q / a - 0.5 * (d + 1) * std::log(a) + moment.log_value, -0.5 / a + a_slope * s * s,
            a_slope * 2 * cosine + alpha_slope * to_alpha};
  }

  std::shared_ptr<const KernelSpace> space_;
  Points<double> centres_;
  std::vector<Factor_> factors_;
  std::size_t stride_ = 0, shape_offset_ = 0, width_ = 0;
  std::vector<double> embedded_;
  std::vector<double> whiten_;  // W = L⁻¹Eᵀ a centre and factor
  std::vector<double> radial_;  // s, on the unit sphere
  std::vector<double> log_constants_, log_bounds_, precisions_;
};

}  // namespace

std::size_t shape_size(const KernelSpace& space) {
  std::size_t size = 0;
  for (const KernelSpace::Part& part : space.parts())
    size += static_cast<std::size_t>(part.ambient * part.ambient);
  return size;
}

std::unique_ptr<Kernels> elliptic_kernels(std::shared_ptr<const KernelSpace> space,
                                          const Points<double>& centres,
                                          const std::vector<double>& bandwidths,
                                          const std::vector<double>& shapes) {
  return std::make_unique<EllipticKernels>(std::move(space), centres, bandwidths, shapes);
}

}  // namespace riemflow
