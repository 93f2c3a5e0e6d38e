#pragma once
// What a caller sees of a fit while it runs, and how it ends one.

#include <string>

#include "riemflow/core/task_observer.hpp"
#include "riemflow/fit/fit.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow {

/// A part of a training with progress of its own.
struct PlannedStage {
  std::string name;  ///< "flow 1, flow matching"; empty where there is but one
  long iterations;   ///< at most
  double seconds;    ///< at most, from here on; infinite: no limit
};

class Observer : public TaskObserver {
 public:
  virtual void begin(const PlannedStage& stage) { (void)stage; }
  /// After every iteration of the stage. note: what is worth showing beside it; may be empty.
  virtual void step(const FitProgress& progress, const std::string& note) { (void)progress, (void)note; }
  virtual void end_stage() {}
  /// After every step of what is no stage but a task, such as the networks of learned kernels: for a log.
  virtual void logged(const std::string& stage, const FitProgress& progress) { (void)stage, (void)progress; }

  /// The best model so far, for a fit that is cut off.
  virtual void checkpoint(const Model& model) { (void)model; }
};

}  // namespace riemflow
