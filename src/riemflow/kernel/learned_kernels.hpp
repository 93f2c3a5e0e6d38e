#pragma once
// Kernels that a small network says. For each centre it reads how its neighbourhood looks, in numbers without
// scale, and gives S elliptic kernels with their weights, widths and shapes, and the centre's own weight:
//
//   p(x) = (1 − ε) Σ_j π_j Σ_s w_js K(x; m_j, Σ_js) + ε p₀(x)
//   π_j ∝ v_j e^{c_j}, v_j the centre's weight in the data;   w_j = softmax of S outputs
//   Σ_js = V diag(exp(2 log h_js + a_js (l_i − l̄))) Vᵀ,   log h_js = log r_j + b_s + output
//
// r_j is the distance to the eighth neighbour, l and V the logarithms of the variances and the axes of the
// nearest (of 6 for every other kernel, of 24 for the rest), factor by factor on a product; b_s and ε are
// learned for all. The mass is 1 whatever the network says. Distances and covariances are all it sees
// (neighbourhoods.hpp), so that it serves every manifold that has elliptic kernels, in any dimension, and
// points that are scaled together have kernels that are scaled with them.
//
// It is trained on points that are held out: the density of the others, their neighbourhoods without them.

#include <cstdint>
#include <span>
#include <vector>

#include "riemflow/kernel/kernel_data.hpp"
#include "riemflow/kernel/kernel_lesson.hpp"
#include "riemflow/kernel/neighbourhoods.hpp"

namespace riemflow {

class LearnedKernels {
 public:
  static constexpr int kKernels = static_cast<int>(kSaid);
  /// Neighbours that data must have kept: those that a held-out point is scored by, and that the network
  /// sees.
  static constexpr int kNeighbours = 160, kSeenNeighbours = Looks::kSeen.back();

  /// The points of `data`, which it must outlive; three at least. Error otherwise.
  LearnedKernels(const KernelData& data, Executor* executor = nullptr);

  /// One that has learned nothing: round kernels of six widths around the distance to the eighth neighbour.
  static KernelNetwork network(std::uint64_t seed);

  std::size_t size() const { return data_.size(); }
  const std::shared_ptr<const Manifold<double>>& manifold() const { return data_.manifold(); }

  /// Points that are held out; `scored`, some of them, are what the loss is of. far: a random sample, with
  /// repetitions, of the points that are not; none where every point is a neighbour of every other.
  struct HeldOut {
    std::vector<bool> out;
    std::vector<std::uint32_t> scored;
    std::vector<std::uint32_t> far = {};
  };
  /// That share of the points and no more than `most` to score; points of one group (none: each is one)
  /// together. Stream `step` of `seed`.
  HeldOut hold_out(double share, std::size_t most, std::uint64_t seed, std::uint64_t step,
                   const std::vector<std::size_t>& groups = {}) const;

  /// Mean −log p of the points scored, by the weights, of the density of the points that are not held out.
  /// The kernels of the kNeighbours nearest are summed, and those of all others estimated by the `far` ones
  /// among them; without these, smooth data never learn that wide kernels are good for them.
  /// gradient (as network.parameters()) =.
  double loss(const KernelNetwork& network, const HeldOut& held, std::span<double> gradient) const;

  /// With all points as centres.
  KernelParameters parameters(const KernelNetwork& network) const;

 private:
  KernelCentres centres() const {
    return {data_.centres().values.data(), neighbourhoods_.embedded(), data_.weights().data()};
  }

  const KernelData& data_;
  Executor* executor_;
  Neighbourhoods neighbourhoods_;
  KernelTeacher teacher_;
  std::vector<double> log_wide_;  // log p₀ of each point
};

/// The network that comes with the library (data/kernel_network.txt): trained by
/// experiments/kernel_network.cpp on synthetic points of one to seven dimensions, and on no data of
/// anybody's.
const KernelNetwork& universal_kernel_network();

}  // namespace riemflow
