#pragma once
// Kernels that a small network says. For each centre it reads how its neighbourhood looks, in numbers without
// scale, and gives S elliptic kernels with their weights, widths and shapes, and the centre's own weight:
//
//   p(x) = (1 − ε) Σ_j π_j Σ_s w_js K(x; m_j, Σ_js) + ε p₀(x)
//   π_j ∝ v_j e^{c_j}, v_j the centre's weight in the data;   w_j = softmax of S outputs
//   Σ_js = V diag(exp(2 log h_js + a_js (l_i − l̄))) Vᵀ,   log h_js = log r_j + b_s + output
//
// r_j is the distance to the eighth neighbour, l and V the logarithms of the variances and the axes of the 16
// nearest, factor by factor on a product; b_s and ε are learned for all. The mass is 1 whatever the network
// says. Distances and covariances are all it sees, so that it serves every manifold that has elliptic
// kernels, in any dimension, and points that are scaled together have kernels that are scaled with them.
//
// It is trained on points that are held out: the density of the others, their neighbourhoods without them.

#include <cstdint>
#include <span>
#include <vector>

#include "riemflow/kernel/kernel_data.hpp"
#include "riemflow/kernel/kernel_network.hpp"

namespace riemflow {

class LearnedKernels {
 public:
  static constexpr int kKernels = 6;  ///< S
  /// Neighbours that data must have kept: those that a held-out point is scored by, and that the network
  /// sees.
  static constexpr int kNeighbours = 192, kSeenNeighbours = 64;

  /// The points of `data`, which it must outlive; three at least. Error otherwise.
  LearnedKernels(const KernelData& data, Executor* executor = nullptr);

  /// One that has learned nothing: round kernels of six widths around the distance to the eighth neighbour.
  static KernelNetwork network(std::uint64_t seed);

  std::size_t size() const { return data_.size(); }

  /// Points that are held out; `scored`, some of them, are what the loss is of.
  struct HeldOut {
    std::vector<bool> out;
    std::vector<std::uint32_t> scored;
  };
  /// That share of the points and no more than `most` to score; points of one group (none: each is one)
  /// together. Stream `step` of `seed`.
  HeldOut hold_out(double share, std::size_t most, std::uint64_t seed, std::uint64_t step,
                   const std::vector<std::size_t>& groups = {}) const;

  /// Mean −log p of the points scored, by the weights, of the density of the points that are not held out, of
  /// whose kernels those of the kNeighbours nearest are summed. gradient (as network.parameters()) =.
  double loss(const KernelNetwork& network, const HeldOut& held, std::span<double> gradient) const;

  /// With all points as centres. Kernels of less than kLeastWeight of their centre are left out.
  KernelParameters parameters(const KernelNetwork& network) const;
  static constexpr double kLeastWeight = 1e-4;

 private:
  struct Looks;
  struct Said;
  struct Scores;
  struct Term;
  Looks look(const std::vector<bool>& out) const;
  Said say(const KernelNetwork& network, const Looks& looks) const;
  void score(const Said& said, const Looks& looks, std::uint32_t query, double weight, Scores& to) const;

  KernelQuery centre(std::size_t i) const { return {data_.centres()[i].data(), &embedded_[i * width_]}; }

  const KernelData& data_;
  Executor* executor_;
  const KernelSpace& space_;
  std::size_t d_, D_, width_;     // dimension, ambient, of the embedding
  std::size_t stride_ = 0;        // numbers of a centre's frames: Σ d·ambient over the factors
  std::vector<double> embedded_;  // [centre][width]
  std::vector<double> frames_;    // [centre][factor]: Eᵀ, d × ambient
  std::vector<double> log_wide_;  // log p₀ of each point
  std::vector<double> most_;      // [d]: of log Σ_ii along an axis; infinite on R^d
};

}  // namespace riemflow
