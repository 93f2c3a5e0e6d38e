#pragma once
// How the neighbourhood of each point looks, in numbers without scale: what the network of learned kernels
// (learned_kernels.hpp) reads. Distances and covariances alone, so that it serves every manifold that has
// elliptic kernels, in any dimension.

#include <array>
#include <cstdint>
#include <vector>

#include "riemflow/kernel/kernel_data.hpp"
#include "riemflow/kernel/kernel_network.hpp"

namespace riemflow {

class Neighbourhoods {
 public:
  /// Neighbours whose distances are seen; the one that is the unit of length.
  static constexpr std::array kSeen{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96};
  static constexpr std::size_t kUnit = 5;
  /// Neighbours of the covariances: of 6, which follow a line that bends, and of 24, which know its
  /// direction. With one of 16 volcanoes score 0.15 nats worse.
  static constexpr std::array kShaping{6, 24};
  static constexpr std::size_t kShapes = kShaping.size();
  /// Logarithms of the distances beside the unit; elongations; how dense it is here beside all; how many
  /// points there are; the dimension.
  static constexpr int kFeatures = static_cast<int>(kSeen.size() + kShapes) + 3;

  /// data: which it must outlive.
  explicit Neighbourhoods(const KernelData& data, Executor* executor = nullptr);

  std::size_t size() const { return data_.size(); }
  KernelQuery centre(std::size_t i) const { return {data_.centres()[i].data(), &embedded_[i * width_]}; }

  /// Of the centres that are not `out`, among themselves.
  struct Looks {
    std::vector<std::uint32_t> centres;  ///< a row
    std::vector<std::uint32_t> rows;     ///< a centre; MetricTree::kNone where it is out
    KernelNetwork::Rows features;        ///< [row, kFeatures]
    std::vector<double> log_units;       ///< log of the unit of length, a row
    std::vector<double> log_variances;   ///< [row][shape][d]: l − l̄
    std::vector<double> axes;            ///< [row][shape][stride]: VᵀEᵀ, factor by factor
  };
  Looks look(const std::vector<bool>& out) const;

  /// Numbers of the axes of a shape: Σ d·ambient over the factors.
  std::size_t stride() const { return stride_; }

 private:
  void measure(std::size_t i, const std::vector<bool>& out, std::size_t row, Looks& looks) const;

  const KernelData& data_;
  Executor* executor_;
  const KernelSpace& space_;
  std::size_t d_, width_, kept_;       // dimension, of the embedding, neighbours that data have
  std::size_t placed_, stride_ = 0;    // neighbours whose places are kept
  std::vector<double> embedded_;       // [centre][width]
  std::vector<double> frames_;         // [centre][factor]: Eᵀ, d × ambient
  std::vector<double> log_distances_;  // [centre][kept]
  std::vector<double> places_;         // [centre][placed][d]: neighbours in the frame of the centre
};

}  // namespace riemflow
