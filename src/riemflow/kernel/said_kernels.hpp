#pragma once
// What a network says of the kernels on centres whose looks it reads (learned_kernels.hpp has the formulas).

#include <span>
#include <vector>

#include "riemflow/core/executor.hpp"
#include "riemflow/core/weights.hpp"
#include "riemflow/kernel/kernel_mixture.hpp"
#include "riemflow/kernel/looks.hpp"

namespace riemflow {

/// Where rows of looks are, and what they weigh: looks.centres[row] is a place in these.
struct KernelCentres {
  const double* x;         ///< [centre][ambient]
  const double* embedded;  ///< [centre][width]
  const double* weights;   ///< v
};

/// Kernels a centre: S.
inline constexpr std::size_t kSaid = 6;

struct SaidKernels {
  /// Of the network: log w, log h and a of each kernel, and c.
  static constexpr int kOutputs = 3 * static_cast<int>(kSaid) + 1;
  /// The covariance that shapes kernel s: widths rise with s, and each covariance has narrow and wide ones.
  static constexpr std::size_t shape_of(std::size_t s) { return s % Looks::kShapes; }

  std::vector<KernelNetwork::Pass> passes;   ///< a piece of rows
  double wide = 0;                           ///< ε
  std::vector<double> log_centres;           ///< log v + c, a row
  std::vector<double> weights;               ///< [row][S]: w
  std::vector<bool> free_width, free_power;  ///< [row][S]: not at a bound
  std::vector<double> log_variances;         ///< [row][S][d]: log Σ_ii along the axes
  std::vector<double> precisions;            ///< e to minus these
  std::vector<double> log_peaks;             ///< [row][S]: log w √det(2πΣ)⁻¹
  std::vector<double> squares;               ///< [row][S][part]: K det Σ^(1/d) on spheres, else 0
};

class KernelSpeaker {
 public:
  /// Rows of a piece of work, and of a pass.
  static constexpr std::size_t kRowsAPiece = 128;

  explicit KernelSpeaker(const KernelSpace& space);

  /// c is 0 where centres do not learn what they weigh.
  SaidKernels say(const KernelNetwork& network, const Looks& looks, const KernelCentres& centres,
                  bool learned_weights, Executor* executor) const;
  /// log Σ v e^c over all rows.
  static double log_sum_of_centres(const SaidKernels& said);
  /// Adds the kernels to `to`, of weights v e^(c − log_all) w. Those of less than least_weight of their
  /// centre are left out.
  void append(const SaidKernels& said, const Looks& looks, const KernelCentres& centres, double log_all,
              double least_weight, KernelParameters& to) const;
  static constexpr double kLeastWeight = 1e-4;

  /// Of log Σ_ii along each axis; infinite on R^d.
  const std::vector<double>& most() const { return most_; }

 private:
  const KernelSpace& space_;
  std::size_t d_, D_, stride_ = 0;  // dimension, ambient, of axes
  std::vector<double> most_;
};

}  // namespace riemflow
