#pragma once
// What a network of learned kernels learns from at a step: points that are held out, scored by the kernels on
// centres near them and by a sample of all others, which stands for them.

#include <span>
#include <vector>

#include "riemflow/kernel/said_kernels.hpp"

namespace riemflow {

struct KernelLesson {
  struct Point {
    KernelQuery at;
    double weight, log_wide;              ///< log p₀
    std::span<const std::uint32_t> near;  ///< rows
    double square;                        ///< of the distance within which all centres are near
  };

  Looks looks;
  KernelCentres centres;
  std::size_t all = 0;  ///< centres, of which the rows are some or all
  std::vector<Point> points;
  /// Rows, with repetitions, of a sample of the centres; none where every centre is near every point.
  std::span<const std::uint32_t> far;
  /// Whether the rows are all centres. Of others nobody knows Σ v e^c: an estimate by a sample is one that
  /// learning beats, by large c for centres that the sample has not. So c is 0 there, and Σ v is 1.
  bool whole = true;
};

/// Mean −log p of the points, by their weights. gradient (as network.parameters()), unless empty, =.
class KernelTeacher {
 public:
  KernelTeacher(const KernelSpace& space, Executor* executor);

  double loss(const KernelNetwork& network, const KernelLesson& lesson, std::span<double> gradient) const;
  const KernelSpeaker& speaker() const { return speaker_; }

 private:
  struct Said;
  struct Scores;
  struct Term;
  void score(const KernelLesson& lesson, const Said& said, const KernelLesson::Point& point,
             Scores& to) const;

  const KernelSpace& space_;
  Executor* executor_;
  KernelSpeaker speaker_;
  std::size_t d_, D_, width_, stride_;
};

}  // namespace riemflow
