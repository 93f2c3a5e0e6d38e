#pragma once
// Mixtures of normals (kernel/normal_mixture.hpp) of a data set: of few normals, then of twice as many, while
// held-out points like them better. Of each number several are fitted from different starts, and their mean
// is taken: which of many equally likely mixtures EM ends in is chance.

#include <functional>

#include "riemflow/fit/kernel_learner.hpp"

namespace riemflow {

class MixtureLearner {
 public:
  /// folds: of the data's known points; both must outlive it, as the executor. ask(): now and then, from any
  /// thread; may throw to give up.
  MixtureLearner(const DataSet& data, const std::vector<Fold>& folds, Executor& executor,
                 const std::function<void()>& ask = {});

  struct Options {
    std::uint64_t seed = 0;
    /// No number is begun that would take longer than what is left of it; of little time one start each.
    double seconds = std::numeric_limits<double>::infinity();
    /// Beyond this NLL of the held-out points, of so many normals that fine structure alone is missing, more
    /// of them are not tried, unless these gained more than the ones before.
    double hopeless = std::numeric_limits<double>::infinity();
    /// Before each number, counted from 0; false ends it there.
    std::function<bool(std::size_t done, std::size_t of)> progress = nullptr;
  };
  struct Mixture {
    int components;
    KernelLearner::Result learned;
  };
  /// The numbers in their order, the first whatever the time.
  std::vector<Mixture> learn(const Options& options) const;

 private:
  KernelLearner::Result mixture_of(int components, int starts, std::uint64_t seed) const;

  const DataSet& data_;
  const std::vector<Fold>& folds_;
  Executor& executor_;
  std::function<void()> ask_;
  std::shared_ptr<const Manifold<double>> manifold_;
  std::shared_ptr<const Covering> covering_;                 // of lifted data (fit/lifted.hpp)
  std::vector<std::unique_ptr<const KernelData>> training_;  // a fold
  std::unique_ptr<const KernelData> known_;                  // where there are several folds
};

}  // namespace riemflow
