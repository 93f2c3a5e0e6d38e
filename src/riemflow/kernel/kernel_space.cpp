#include "riemflow/kernel/kernel_space.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "riemflow/core/error.hpp"
#include "riemflow/kernel/kernel_families.hpp"

namespace riemflow {

bool has_kernels(const Manifold<double>& manifold) {
  const auto factors = manifold.factors();
  return std::ranges::all_of(factors, [](const Factor<double>& factor) {
    return factor.manifold->kernel_form().family != KernelForm::Family::none;
  });
}

KernelSpace::KernelSpace(std::shared_ptr<const Manifold<double>> manifold)
    : manifold_(std::move(manifold)), smallest_radius_(std::numeric_limits<double>::infinity()) {
  for (const Factor<double>& factor : manifold_->factors()) {
    const int d = factor.manifold->dimension(), ambient = factor.manifold->ambient();
    const KernelForm form = factor.manifold->kernel_form();
    parts_.push_back(
        {form.family, form.curvature, form.radius, d, ambient, factor.row, width_, factor.manifold});
    switch (form.family) {
      case Family::chord:
        smallest_radius_ = std::min(smallest_radius_, 1 / std::sqrt(form.curvature));
        width_ += ambient;
        break;
      case Family::circles:
        width_ += 2 * d;
        break;
      case Family::normal:
        width_ += d;
        break;
      case Family::hyperbolic:
        width_ += d + 1;
        flat_ = false;
        break;
      case Family::none:
        throw Error(
            factor.manifold->name() + " has no kernels: none of the families that there are is its own",
            "fit a flow, or take another manifold");
    }
  }
}

void KernelSpace::embed(std::span<const double> x, double* e) const {
  for (const Part& part : parts_) {
    const double* from = x.data() + part.row;
    double* to = e + part.column;
    switch (part.family) {
      case Family::chord: {
        double square = 0;
        for (int i = 0; i < part.ambient; ++i) square += from[i] * from[i];
        const double scale = 1 / std::sqrt(part.curvature * square);
        for (int i = 0; i < part.ambient; ++i) to[i] = scale * from[i];
        break;
      }
      case Family::circles:
        for (int i = 0; i < part.dimension; ++i) {
          to[2 * i] = part.radius * std::cos(from[i] / part.radius);
          to[2 * i + 1] = part.radius * std::sin(from[i] / part.radius);
        }
        break;
      case Family::normal:
      case Family::hyperbolic:
      case Family::none:  // refused above
        std::copy_n(from, part.dimension, to);
        break;
    }
  }
  if (!flat_) complete(e);
}

void KernelSpace::complete(double* e) const {
  for (const Part& part : parts_) {
    if (!is_hyperbolic(part.family)) continue;
    double square = 0;
    for (int i = 0; i < part.dimension; ++i) square += e[part.column + i] * e[part.column + i];
    e[part.column + part.dimension] =
        std::max(1 + part.curvature * square, std::numeric_limits<double>::epsilon());
  }
}

double KernelSpace::ball_q(const Part& part, const double* a, const double* b) {
  double square = 0;
  for (int i = part.column; i < part.column + part.dimension; ++i) square += (a[i] - b[i]) * (a[i] - b[i]);
  const int gap = part.column + part.dimension;
  return -part.curvature * square / (a[gap] * b[gap]);
}

double KernelSpace::squared_distance(const double* a, const double* b) const {
  double sum = 0;
  if (flat_) {
    for (int i = 0; i < width_; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
  }
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Part& part = parts_[p];
    if (is_hyperbolic(part.family)) {
      const double y = std::asinh(std::sqrt(ball_q(part, a, b)));
      sum -= 4 / part.curvature * y * y;
    } else {
      const int end = p + 1 < parts_.size() ? parts_[p + 1].column : width_;
      for (int i = part.column; i < end; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
  }
  return sum;
}

}  // namespace riemflow
