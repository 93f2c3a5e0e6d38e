#pragma once
// The log of a training: a JSON object per line, complete at any moment. A log has stages: stretches of one
// objective on one flow. What is trained in several (a pool) names them; iterations count over all.

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "riemflow/fit/fit.hpp"

namespace riemflow {

class TrainingLog {
 public:
  using Warn = std::function<void(const std::string&)>;

  /// Nothing is written for an empty path. Of an existing log the lines up to `iteration` are kept, those of
  /// a run that is resumed from there. warn: once, if the file cannot be written any more. Throws
  /// Error(Fault::cannot_write).
  TrainingLog(const std::string& path, long iteration, Warn warn);
  ~TrainingLog();
  TrainingLog(const TrainingLog&) = delete;
  TrainingLog& operator=(const TrainingLog&) = delete;

  /// After every iteration; every tenth is written, and each validation. Iterations of the progress are those
  /// of its stage: another name, or an iteration that is not after the last, begins the next stage. No name:
  /// one training.
  void add(const std::string& stage, const FitProgress& progress, double seconds);
  /// Over all stages.
  long iteration() const { return before_ + in_stage_; }

 private:
  std::FILE* file_ = nullptr;
  std::string path_, stage_;
  Warn warn_;
  long before_ = 0, in_stage_ = 0;  // iterations: of the stages that are over, of this one
};

struct TrainingEntry {
  double iteration, seconds, loss, evaluations;
  double validation;  ///< NaN: there was none
};

struct TrainingStage {
  std::string name;  ///< empty: the only one
  Objective objective = Objective::likelihood;
  std::vector<TrainingEntry> entries;  ///< at least one; iterations increase from stage to stage too
};

struct TrainingHistory {
  std::vector<TrainingStage> stages;
  bool named = false;      ///< the log names its stages, and was written in one go: seconds increase
  bool truncated = false;  ///< the last line is only a part of one, and was left out
};

/// Throws Error: no_input if it cannot be read, bad_data with file:line where it is not such a log, or holds
/// no iteration.
TrainingHistory read_training_log(const std::string& path);

/// The entry with the lowest validation; null where there is none.
const TrainingEntry* best_validation(const TrainingHistory& history);

}  // namespace riemflow
