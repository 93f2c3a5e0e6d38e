#pragma once
// How the neighbourhood of a centre looks, in numbers without scale: what the network of learned kernels
// (learned_kernels.hpp) reads. Distances and covariances alone, so that it serves every manifold that has
// elliptic kernels, in any dimension.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "riemflow/kernel/elliptic_terms.hpp"
#include "riemflow/kernel/kernel_network.hpp"

namespace riemflow {

/// Of some centres, a row each.
struct Looks {
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

  std::vector<std::uint32_t> centres;  ///< their numbers, a row
  KernelNetwork::Rows features;        ///< [row, kFeatures]
  std::vector<double> log_units;       ///< log of the unit of length, a row
  std::vector<double> log_variances;   ///< [row][shape][d]: l − l̄
  std::vector<double> axes;            ///< [row][shape][stride]: VᵀEᵀ, factor by factor

  std::size_t size() const { return centres.size(); }
};

/// Neighbours of a centre, the nearest first, as they are seen from there.
struct SeenNeighbours {
  const double* log_distances;
  std::size_t count;
  const double* places;  ///< [neighbour][d]: in the centre's frame, of the first `placed`
  std::size_t placed;
};

/// Writes looks.
class Looker {
 public:
  /// Neighbours whose places are kept: 24 are among them even where two fifths do not count.
  static constexpr std::size_t kPlaced = 48;

  explicit Looker(const KernelSpace& space);

  /// Numbers of a frame, and of the axes of a shape: Σ d·ambient over the factors.
  std::size_t stride() const { return stride_; }
  /// to (stride) = Eᵀ at x, d × ambient, factor by factor.
  void frame(const double* x, double* to) const;
  /// to (d) = where the neighbour is in the centre's frame. v: room for the ambient dimension.
  void place(const double* frame, const KernelQuery& centre, const KernelQuery& neighbour, double* v,
             double* to) const;

  Looks room_for(std::size_t rows) const;
  /// Writes a row but for what goes with all rows. counts(k): whether neighbour k, from 0, does.
  template <class Counts>
  void write(const SeenNeighbours& seen, const Counts& counts, const double* frame, std::size_t row,
             Looks& looks) const;
  /// What goes with all rows, of a whole of n points whose logarithms of units have this mean.
  void complete(double mean, std::size_t n, Looks& looks) const;

 private:
  using Sums = std::array<TangentMatrix, Looks::kShapes>;  // of products of places, over the shaping ones
  void write(const double* seen_distances, Sums& sums, const double* frame, std::size_t row,
             Looks& looks) const;

  const KernelSpace& space_;
  std::size_t d_, stride_ = 0;
};

template <class Counts>
void Looker::write(const SeenNeighbours& seen, const Counts& counts, const double* frame, std::size_t row,
                   Looks& looks) const {
  constexpr auto& kSeen = Looks::kSeen;
  double distances[kSeen.size()], last = seen.log_distances[seen.count - 1];
  std::size_t filled = 0;
  Sums sums;
  for (TangentMatrix& sum : sums) sum.setZero(static_cast<Eigen::Index>(d_), static_cast<Eigen::Index>(d_));
  int counted = 0;
  for (std::size_t k = 0; k < seen.count && filled < kSeen.size(); ++k) {
    if (!counts(k)) continue;
    ++counted;
    if (counted == kSeen[filled] || filled == 0) last = seen.log_distances[k];
    if (counted == kSeen[filled]) distances[filled++] = last;
    if (counted > Looks::kShaping.back() || k >= seen.placed) continue;
    const double* at = &seen.places[k * d_];
    for (std::size_t g = 0; g < Looks::kShapes; ++g) {
      if (counted > Looks::kShaping[g]) continue;
      double* sum = sums[g].data();
      for (std::size_t a = 0; a < d_; ++a)
        for (std::size_t b = 0; b < d_; ++b) *sum++ += at[a] * at[b];
    }
  }
  std::fill(distances + filled, distances + kSeen.size(), last);
  write(distances, sums, frame, row, looks);
}

}  // namespace riemflow
