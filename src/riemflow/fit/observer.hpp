#pragma once
// What a caller sees of a fit while it runs, and how it ends one.

#include <fmt/format.h>

#include <string>
#include <utility>

#include "riemflow/fit/fit.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow {

/// A part of a training with progress of its own.
struct PlannedStage {
  std::string name;  ///< "flow 1, flow matching"; empty where there is but one
  long iterations;   ///< at most
  double seconds;    ///< at most, from here on; infinite: no limit
};

/// Does nothing; override what is of interest. All is called from the thread that fits, but cancelled(),
/// which may be called from any.
class Observer {
 public:
  virtual ~Observer() = default;

  /// A sentence for people: what was assumed, what was left out, a warning. It may name settings as ‹name›.
  virtual void say(const std::string& sentence) { (void)sentence; }
  template <class... Args>
  void tell(fmt::format_string<Args...> format, Args&&... args) {
    say(fmt::format(format, std::forward<Args>(args)...));
  }

  virtual void begin(const PlannedStage& stage) { (void)stage; }
  /// After every iteration of the stage. note: what is worth showing beside it; may be empty.
  virtual void step(const FitProgress& progress, const std::string& note) { (void)progress, (void)note; }
  virtual void end_stage() {}

  /// Other work that takes its time. share: of it that is done; NaN where that is not known.
  virtual void begin_task(const std::string& name) { (void)name; }
  virtual void task(double share) { (void)share; }
  virtual void end_task() {}

  /// The best model so far, for a fit that is cut off.
  virtual void checkpoint(const Model& model) { (void)model; }

  /// Whether to stop, with what there is.
  virtual bool cancelled() const { return false; }
};

/// A task of an observer while it lives.
class ObservedTask {
 public:
  ObservedTask(Observer& observer, const std::string& name) : observer_(observer) {
    observer.begin_task(name);
  }
  ~ObservedTask() { observer_.end_task(); }
  ObservedTask(const ObservedTask&) = delete;
  ObservedTask& operator=(const ObservedTask&) = delete;

 private:
  Observer& observer_;
};

}  // namespace riemflow
