#pragma once
// Several fits on one progress line.

#include <mutex>
#include <vector>

#include "apps/riemflow/fit/progress.hpp"

namespace riemflow::app {

class RunsProgress {
 public:
  /// iterations, seconds: of one run at most; `workers` of the `runs` at a time.
  RunsProgress(std::size_t runs, std::size_t workers, long iterations, double seconds, bool quiet);

  /// From any thread, after every iteration of a run.
  void update(std::size_t run, const FitProgress& progress);
  /// It ended, be it early.
  void end(std::size_t run);

 private:
  /// Side by side: the slowest run and the mean losses; in turns: the sum of the iterations.
  FitProgress together() const;

  struct Seen {
    FitProgress progress;
    bool begun = false, over = false;
  };
  std::mutex mutex_;
  std::vector<Seen> runs_;
  std::size_t workers_;
  long iterations_;
  ProgressLine line_;
};

}  // namespace riemflow::app
