#pragma once
// Learned kernels of a data set: what they say of held-out points, and the density with all points that are
// known as centres.

#include <cmath>
#include <memory>
#include <optional>

#include "riemflow/fit/data_set.hpp"
#include "riemflow/fit/fit.hpp"
#include "riemflow/fit/learn_kernels.hpp"

namespace riemflow {

class KernelLearner {
 public:
  /// folds: of the data's known points. ask(): now and then while neighbours are looked for, from any thread;
  /// may throw to give up. All three must outlive it.
  KernelLearner(const DataSet& data, const std::vector<Fold>& folds, Executor& executor,
                const std::function<void()>& ask = {});

  /// Why there can be no learned kernels of these points; empty where there can be.
  static std::string why_not(const DataSet& data, const std::vector<Fold>& folds);

  struct Result {
    std::shared_ptr<const KernelMixture> density;  ///< all points that are known are centres
    /// log p of the held-out points, fold by fold, by densities that do not know them; fewer where it was
    /// ended before.
    std::vector<double> held_out;
    long steps = 0, best_step = 0;
  };
  /// Of many points, those of lifted data among them, patches are learned from (kernel/kernel_patches.hpp),
  /// nothing is kept of one density while the next is made, and lifted points have kernels on one of their
  /// lifts (fit/lifted.hpp).
  bool many() const { return many_; }

  /// The network that comes with the tool, as it is.
  Result untrained() const;
  /// A network trained on the training points, by the held-out ones where there is one fold; with folds one a
  /// fold, and one of all points that are known. options.seconds: of all together; progress: of all steps.
  Result learn(const LearnOptions& options) const;

  /// log p of these rows of the data, first lifts where they are lifted, by a density of a result.
  std::vector<double> log_prob(const KernelMixture& density, const std::vector<std::size_t>& rows) const;

 private:
  /// The points of one density, and of its training.
  struct Centres {
    std::unique_ptr<const KernelData> data;
    std::unique_ptr<const LearnedKernels> kernels;
    std::unique_ptr<const KernelPatches> patches;  ///< or these
    std::vector<std::size_t> groups;
    double seconds = 0;  ///< that they took
  };
  enum class Use { learn, apply };
  /// Of few points those that are kept, of many made anew. fold: its training points; none: all that are
  /// known.
  std::shared_ptr<const Centres> centres_of(std::optional<std::size_t> fold, Use use) const;
  std::shared_ptr<const Centres> few_centres(const std::vector<std::size_t>& rows, int neighbours) const;
  std::shared_ptr<const Centres> many_centres(const std::vector<std::size_t>& rows, Use use) const;
  std::shared_ptr<const KernelMixture> density_of(const Centres& centres, const KernelNetwork& network) const;
  std::function<double(std::size_t)> one_sheet(const KernelData& centres) const;
  Points<double> part(const std::vector<std::size_t>& rows) const {
    return part_of<double>(data_.points, rows);
  }

  const DataSet& data_;
  const std::vector<Fold>& folds_;
  Executor& executor_;
  std::function<void()> ask_;
  std::shared_ptr<const Manifold<double>> manifold_;
  bool many_;
  std::vector<std::shared_ptr<const Centres>> training_;  // a fold; of few points
  std::shared_ptr<const Centres> known_;
};

/// Steps of networks as a training's log has them: the loss smoothed, in the units of the data.
class LearningLog {
 public:
  explicit LearningLog(double log_unit) : unit_(log_unit) {}

  FitProgress progress_of(const LearnStep& step) {
    constexpr double kForgets = 0.02;
    loss_ = progress_.iteration == 0 ? step.loss : loss_ + kForgets * (step.loss - loss_);
    progress_.iteration = step.done;
    progress_.loss = unit_ + loss_;
    progress_.rate = step.rate;
    progress_.validated = !std::isnan(step.validation);
    if (progress_.validated) {
      progress_.validation = unit_ + step.validation;
      if (progress_.best_iteration == 0 || progress_.validation < progress_.best) {
        progress_.best = progress_.validation;
        progress_.best_iteration = step.done;
      }
    }
    return progress_;
  }

 private:
  double unit_, loss_ = 0;
  FitProgress progress_;
};

}  // namespace riemflow
