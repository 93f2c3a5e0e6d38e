#include "riemflow/kernel/kernel_network.hpp"

#include <cmath>

#include "riemflow/core/random.hpp"

namespace riemflow {
namespace {

using Rows = KernelNetwork::Rows;
using Row = Eigen::RowVectorXd;

/// silu(x) = x σ(x)
Rows silu(const Rows& x) { return (x.array() / (1 + (-x.array()).exp())).matrix(); }
Rows silu_slope(const Rows& x) {
  const Eigen::ArrayXXd sigma = 1 / (1 + (-x.array()).exp());
  return (sigma * (1 + x.array() * (1 - sigma))).matrix();
}

/// The matrices of a vector of parameters, or of its gradient.
template <class T>
struct Layers {
  using M = std::conditional_t<std::is_const_v<T>, const Rows, Rows>;
  using V = std::conditional_t<std::is_const_v<T>, const Row, Row>;

  Layers(T* at, const KernelNetwork::Sizes& n)
      : W1(at, n.features, n.width),
        b1(W1.data() + W1.size(), n.width),
        W2(b1.data() + b1.size(), n.width, n.width),
        b2(W2.data() + W2.size(), n.width),
        W3(b2.data() + b2.size(), n.width, n.outputs),
        b3(W3.data() + W3.size(), n.outputs) {}

  Eigen::Map<M> W1;
  Eigen::Map<V> b1;
  Eigen::Map<M> W2;
  Eigen::Map<V> b2;
  Eigen::Map<M> W3;
  Eigen::Map<V> b3;
};

}  // namespace

KernelNetwork::KernelNetwork(const Sizes& sizes, std::uint64_t seed) : sizes_(sizes) {
  const auto f = static_cast<std::size_t>(sizes.features), w = static_cast<std::size_t>(sizes.width),
             o = static_cast<std::size_t>(sizes.outputs);
  parameters_.resize((f + 1) * w + (w + 1) * w + (w + 1) * o + static_cast<std::size_t>(sizes.extra));
  Layers<double> layers(parameters_.data(), sizes_);
  Random random(seed, Purpose::initial_parameters, 0, 0);
  for (double& weight : layers.W1.reshaped<Eigen::RowMajor>())
    weight = random.normal() / std::sqrt(static_cast<double>(sizes.features));
  for (double& weight : layers.W2.reshaped<Eigen::RowMajor>())
    weight = random.normal() / std::sqrt(static_cast<double>(sizes.width));
}

KernelNetwork::Pass KernelNetwork::forward(Rows features) const {
  const Layers<const double> layers(parameters_.data(), sizes_);
  Pass pass;
  pass.before1 = (features * layers.W1).rowwise() + layers.b1;
  pass.before2 = (silu(pass.before1) * layers.W2).rowwise() + layers.b2;
  pass.out = (silu(pass.before2) * layers.W3).rowwise() + layers.b3;
  pass.features = std::move(features);
  return pass;
}

void KernelNetwork::backward(const Pass& pass, const Rows& slopes, std::span<double> gradient) const {
  const Layers<const double> layers(parameters_.data(), sizes_);
  Layers<double> to(gradient.data(), sizes_);
  to.W3 += silu(pass.before2).transpose() * slopes;
  to.b3 += slopes.colwise().sum();
  const Rows back2 = (slopes * layers.W3.transpose()).cwiseProduct(silu_slope(pass.before2));
  to.W2 += silu(pass.before1).transpose() * back2;
  to.b2 += back2.colwise().sum();
  const Rows back1 = (back2 * layers.W2.transpose()).cwiseProduct(silu_slope(pass.before1));
  to.W1 += pass.features.transpose() * back1;
  to.b1 += back1.colwise().sum();
}

}  // namespace riemflow
