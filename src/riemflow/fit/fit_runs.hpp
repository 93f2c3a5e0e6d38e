#pragma once
// Flows of one configuration with seeds S, S + 1, … on one split: side by side on a GPU, one after the other,
// each with all threads, on the CPU.

#include <limits>
#include <optional>
#include <vector>

#include "riemflow/fit/fit_model.hpp"
#include "riemflow/fit/option_values.hpp"

namespace riemflow {

/// Sees the runs together: one stage, whose steps are those of all; of several threads one at a time.
class RunsObserver : public Observer {
 public:
  /// What it sees of one run, counted from 0: sentences, steps, checkpoints; from the thread that trains it.
  virtual Observer& of(std::size_t run) = 0;
  /// The run is over, be it interrupted; from that thread.
  virtual void over(std::size_t run, const FitResult& result) { (void)run, (void)result; }
};

struct RunOutcome {
  std::string about = "";    ///< the provenance of the run's model, in JSON; empty: it did not end
  std::string problem = "";  ///< why it failed
  /// Of training in this call; NaN: it was finished before.
  double seconds = std::numeric_limits<double>::quiet_NaN();

  bool ended() const { return !about.empty(); }
  /// Of `about`; NaN where there is none.
  double number(const char* key) const;
};

/// Throws Error(Fault::usage) for a kind of model that has no use for runs.
void refuse_runs(ModelKind model);

/// The options of each run, from those of the first. Throws Error where the seeds come to an end.
std::vector<FitOptions> options_of_runs(const FitOptions& first, std::size_t runs);

/// What the model of a run, counted from 0, says of the first: its own settings with another seed. Throws
/// Error(Fault::bad_data).
Values settings_of_first(const Model& model, std::size_t run);

/// Throws Error(Fault::bad_data) where two of the checkpoints are not of one configuration.
void refuse_strangers(const std::vector<std::optional<Model>>& checkpoints);

/// Trains those that are not finished; checkpoints: none, or one a run where there is one. A run whose
/// computation fails is left out with its problem, and the others go on. A run that the observer ended is
/// neither ended nor a problem.
std::vector<RunOutcome> fit_runs(const DataSet& data, const std::vector<FitOptions>& runs,
                                 const std::vector<std::optional<Model>>& checkpoints,
                                 RunsObserver& observer);

/// That with the lowest validation loss, of those that ended.
std::optional<std::size_t> best_run(const std::vector<RunOutcome>& outcomes);

}  // namespace riemflow
