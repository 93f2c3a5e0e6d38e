#include "riemflow/distribution/bivariate_von_mises.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <queue>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/principal_axes.hpp"
#include "riemflow/distribution/uphill.hpp"
#include "riemflow/distribution/von_mises_fisher.hpp"
#include "riemflow/distribution/von_mises_fisher_constants.hpp"

namespace riemflow {
namespace {

using std::numbers::pi;

constexpr double kMostConcentration = 1e8;

/// In [−π, π).
double wrapped_angle(double a) {
  const double r = std::remainder(a, 2 * pi);
  return r < pi ? r : -pi;
}

BivariateVonMisesConstants checked_constants_of(const Eigen::Vector2d& mean, double kappa1, double kappa2,
                                                double lambda) {
  require(mean.allFinite(), "bivariate von Mises mean that is not finite", "pass two angles in radians");
  require(kappa1 >= 0 && kappa2 >= 0 && std::max(kappa1, kappa2) <= kMostConcentration,
          fmt::format("bivariate von Mises concentrations {} and {}", kappa1, kappa2), "use 0 to 1e8");
  require(std::abs(lambda) <= kMostConcentration, fmt::format("bivariate von Mises dependence {}", lambda),
          "use -1e8 to 1e8");
  return bivariate_von_mises_constants(kappa1, kappa2, lambda);
}

/// The parameters, and the mean log-likelihood with its derivatives in (μ, ν, κ₁, κ₂, λ). Means are offsets δ
/// from those that the features f = (1, 1 − cos, sin) of the angles were made about: sin(φ − δ) = ⟨(−sin δ,
/// sin δ, cos δ), f⟩ etc.
struct SineModel {
  Eigen::VectorXd parameters;
  double value = -std::numeric_limits<double>::infinity();
  Eigen::VectorXd gradient;
  Eigen::MatrixXd hessian;

  /// moments: E f(φ) f(ψ)ᵀ. A negative concentration is a positive one about the opposite mean.
  SineModel(const Eigen::Matrix3d& moments, Eigen::VectorXd at)
      : parameters(std::move(at)), gradient(5), hessian(5, 5) {
    for (int a = 0; a < 2; ++a) {
      if (parameters[2 + a] >= 0) continue;
      parameters[2 + a] *= -1;
      parameters[4] *= -1;
      parameters[a] += pi;
    }
    const double kappa1 = parameters[2], kappa2 = parameters[3], lambda = parameters[4];
    if (!(std::max({kappa1, kappa2, std::abs(lambda)}) <= kMostConcentration)) return;
    const auto drop = [](double d) {
      return Eigen::Vector3d(2 * std::pow(std::sin(d / 2), 2), std::cos(d), -std::sin(d));
    };
    const auto sine = [](double d) { return Eigen::Vector3d(-std::sin(d), std::sin(d), std::cos(d)); };
    const Eigen::Vector3d one(1, 0, 0);
    const Eigen::Vector3d d1 = drop(parameters[0]), d2 = drop(parameters[1]);
    const Eigen::Vector3d s1 = sine(parameters[0]), s2 = sine(parameters[1]);
    const Eigen::Vector3d c1 = one - d1, c2 = one - d2;
    const auto mean = [&](const Eigen::Vector3d& f, const Eigen::Vector3d& g) { return f.dot(moments * g); };

    const BivariateVonMisesConstants constants = bivariate_von_mises_constants(kappa1, kappa2, lambda);
    const double w1 = mean(d1, one), w2 = mean(one, d2), p = mean(s1, s2);
    value = -kappa1 * w1 - kappa2 * w2 + lambda * p - constants.log_mass;
    gradient << kappa1 * mean(s1, one) - lambda * mean(c1, s2),
        kappa2 * mean(one, s2) - lambda * mean(s1, c2), constants.means[0] - w1, constants.means[1] - w2,
        p - constants.means[2];
    hessian.setZero();
    hessian(0, 0) = -kappa1 * mean(c1, one) - lambda * p;
    hessian(1, 1) = -kappa2 * mean(one, c2) - lambda * p;
    hessian(0, 1) = lambda * mean(c1, c2);
    hessian(0, 2) = mean(s1, one);
    hessian(0, 4) = -mean(c1, s2);
    hessian(1, 3) = mean(one, s2);
    hessian(1, 4) = -mean(s1, c2);
    const Eigen::Vector3d sign(-1, -1, 1);
    hessian.bottomRightCorner(3, 3) =
        -Eigen::Matrix3d(sign.asDiagonal() * constants.covariance * sign.asDiagonal());
    hessian.triangularView<Eigen::StrictlyLower>() = hessian.transpose();
  }

  SineModel climbed(const Eigen::Matrix3d& moments) const {
    SineModel now = *this;
    if (!std::isfinite(now.value)) return now;
    Eigen::VectorXd step = uphill(now.gradient, now.hessian);
    double before = now.gradient.dot(step);
    for (int round = 0; round < 200; ++round) {
      bool moved = false;
      for (double part = std::min(1.0, 1 / step.head(2).cwiseAbs().maxCoeff()); part > 1e-9 && !moved;
           part /= 2) {
        SineModel there(moments, now.parameters + part * step);
        if (!(there.value >= now.value - 1e-14 * (1 + std::abs(now.value)))) continue;
        moved = true;
        now = std::move(there);
      }
      step = uphill(now.gradient, now.hessian);
      const double rest = now.gradient.dot(step);  // twice what there is to be gained
      if (!moved || rest < 1e-24 || (rest < 1e-16 && rest >= 0.25 * before)) break;
      before = rest;
    }
    return now;
  }
};

}  // namespace

BivariateVonMises::BivariateVonMises(const Eigen::Vector2d& mean, double kappa1, double kappa2, double lambda)
    : mean_(mean),
      kappa1_(kappa1),
      kappa2_(kappa2),
      lambda_(lambda),
      constants_(checked_constants_of(mean, kappa1, kappa2, lambda)) {
  make_steps();
}

std::string BivariateVonMises::name() const {
  const Eigen::Vector2d degrees = mean_ * 180 / pi;
  return fmt::format("bivariate-von-mises:mu={};{},kappa={};{},lambda={}", degrees[0], degrees[1], kappa1_,
                     kappa2_, lambda_);
}

// Steps over the marginal density of |φ − μ|. It is concave in w = 1 − cos, so that between two points it is
// below both tangents. The step of the largest area is halved until there are 256.
void BivariateVonMises::make_steps() {
  struct Candidate {
    double low, high, log_height, log_area;
    bool operator<(const Candidate& other) const { return log_area < other.log_area; }
  };
  const auto candidate = [&](double low, double high) {
    const double u = 2 * std::pow(std::sin(low / 2), 2), v = 2 * std::pow(std::sin(high / 2), 2);
    const MarginalOfAngle l = marginal_of_angle(kappa1_, kappa2_, lambda_, u);
    const MarginalOfAngle r = marginal_of_angle(kappa1_, kappa2_, lambda_, v);
    double top = std::max(l.log_density, r.log_density);
    if (l.slope > 0 && r.slope < 0) {
      const double ahead = (r.log_density - l.log_density - r.slope * (v - u)) / (l.slope - r.slope);
      top = std::max(top, l.log_density + l.slope * std::clamp(ahead, 0.0, v - u));
    }
    top += 1e-14 * (1 + std::abs(top));
    return Candidate{low, high, top, top + std::log(high - low)};
  };
  std::priority_queue<Candidate> queue;
  queue.push(candidate(0, pi));
  while (queue.size() < 256) {
    const Candidate widest = queue.top();
    queue.pop();
    const double middle = (widest.low + widest.high) / 2;
    queue.push(candidate(widest.low, middle));
    queue.push(candidate(middle, widest.high));
  }
  const double shift = queue.top().log_area;
  double sum = 0;
  for (; !queue.empty(); queue.pop()) {
    const Candidate& step = queue.top();
    sum += std::exp(step.log_area - shift);
    steps_.push_back({step.low, step.high, step.log_height, sum});
  }
}

void BivariateVonMises::sample(Random& random, Pack<double>* x, int lane) const {
  double phi = 0;
  for (;;) {
    const double u = random.uniform() * steps_.back().cumulative;
    const auto found =
        std::find_if(steps_.begin(), steps_.end() - 1, [&](const Step& s) { return u < s.cumulative; });
    phi = found->low + random.uniform() * (found->high - found->low);
    const double w = 2 * std::pow(std::sin(phi / 2), 2);
    if (std::log(random.uniform()) <=
        marginal_of_angle(kappa1_, kappa2_, lambda_, w).log_density - found->log_height)
      break;
  }
  phi *= random.rademacher();
  const Eigen::Vector2d pull(kappa2_, lambda_ * std::sin(phi));
  const double a = pull.norm();
  const Eigen::Vector2d direction =
      draw_von_mises_fisher(random, a > 0 ? Eigen::Vector2d(pull / a) : Eigen::Vector2d(1, 0), a);
  x[0][lane] = wrapped_angle(phi + mean_[0]);
  x[1][lane] = wrapped_angle(std::atan2(direction[1], direction[0]) + mean_[1]);
}

BivariateVonMises fit_bivariate_von_mises(const Points<double>& points, const Weights& weights) {
  require_fittable(points, weights, "a bivariate von Mises distribution");
  require(points.dimension == 2,
          fmt::format("bivariate von Mises distribution of points of {} numbers", points.dimension),
          "pass two angles in radians; it is for torus:2", Fault::bad_data);
  const double total = total_weight(weights, points.size());
  Eigen::Vector2d cosines(0, 0), sines(0, 0);
  for (std::size_t i = 0; i < points.size(); ++i)
    for (int a = 0; a < 2; ++a) {
      const double angle = points[i][static_cast<std::size_t>(a)];
      cosines[a] += weight_of(weights, i) / total * std::cos(angle);
      sines[a] += weight_of(weights, i) / total * std::sin(angle);
    }
  const Eigen::Vector2d centre(std::atan2(sines[0], cosines[0]), std::atan2(sines[1], cosines[1]));
  Eigen::Matrix3d moments = Eigen::Matrix3d::Zero();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double phi = points[i][0] - centre[0], psi = points[i][1] - centre[1];
    const Eigen::Vector3d f(1, 2 * std::pow(std::sin(phi / 2), 2), std::sin(phi));
    const Eigen::Vector3d g(1, 2 * std::pow(std::sin(psi / 2), 2), std::sin(psi));
    moments += weight_of(weights, i) / total * f * g.transpose();
  }
  const auto refusal = [&] {
    return Error(fmt::format("the {} points agree in an angle, so nearly that a concentration is beyond {}",
                             points.size(), kMostConcentration),
                 "a bivariate von Mises distribution needs points that differ in both angles: pass more, or "
                 "other ones",
                 Fault::bad_data);
  };
  if (moments(1, 0) < 0.1 / kMostConcentration || moments(0, 1) < 0.1 / kMostConcentration) throw refusal();

  // From independent angles, and from both kinds of dependence about this centre and about points a quarter
  // turn off.
  const double kappa1 = von_mises_fisher_concentration(1, moments(1, 0));
  const double kappa2 = von_mises_fisher_concentration(1, moments(0, 1));
  std::vector<Eigen::VectorXd> starts{Eigen::VectorXd{{0, 0, kappa1, kappa2, 0}}};
  for (const double quarter1 : {0.0, pi / 2})
    for (const double quarter2 : {0.0, pi / 2})
      for (const double lambda : {-1.0, 1.0})
        starts.push_back(Eigen::VectorXd{{quarter1, quarter2, 1, 1, lambda}});
  std::optional<SineModel> best;
  for (const Eigen::VectorXd& start : starts) {
    const SineModel model = SineModel(moments, start).climbed(moments);
    if (std::isfinite(model.value) && (!best || model.value > best->value + 1e-12)) best = model;
  }
  if (!best || best->parameters.tail(3).cwiseAbs().maxCoeff() > 0.9 * kMostConcentration) throw refusal();
  const Eigen::VectorXd& p = best->parameters;
  return BivariateVonMises({wrapped_angle(centre[0] + p[0]), wrapped_angle(centre[1] + p[1])}, p[2], p[3],
                           p[4]);
}

template class DifferentiableDensity<BivariateVonMises, double>;

}  // namespace riemflow
