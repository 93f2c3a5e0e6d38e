#pragma once
// How far a command is that may take long, and how long it will still take.

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "riemflow/core/stopwatch.hpp"

namespace riemflow::app {

/// Says nothing in the first two seconds. Then, on a terminal, one line that rewrites itself ten times a
/// second, "Map: 43 %, 0:12 left (north)"; elsewhere such a line every ten seconds. All to standard error, by
/// a thread of its own: work that tells nothing for a while is seen to go on.
class TaskProgress {
 public:
  /// total: of the units that advance() counts, whatever they are; 0 where it is not known, and then no time
  /// left is shown, but how many are done or, where none are told, the time. quiet: nothing is ever shown.
  TaskProgress(std::string task, double total, bool quiet = false);
  /// Ends the line.
  ~TaskProgress();
  TaskProgress(const TaskProgress&) = delete;
  TaskProgress& operator=(const TaskProgress&) = delete;

  // All from any thread.
  void advance(double units = 1);
  /// Where the units are known only as the work goes on: so many of so many are done.
  void reach(double done, double total);
  /// The part that is worked on, shown in brackets.
  void note(std::string text);

 private:
  void update(double done, double total);
  void show_now_and_then();
  std::string line();

  std::string task_, note_;
  double total_, done_ = 0;
  bool terminal_, shown_ = false;
  std::mutex mutex_;
  Clock::time_point start_ = Clock::now();
  double left_ = -1, left_at_ = 0;  // seconds: what was left, and when after the start; -1: not known
  std::condition_variable over_;
  bool stopped_ = false;
  std::thread shower_;  // none where nothing is shown
};

}  // namespace riemflow::app
