#pragma once
// A Python object that hears of a fit: methods say(text), stage(name, iterations, seconds), step(dict),
// task(name, done, of, note) and end().

#include <mutex>

#include "python/src/computing.hpp"
#include "riemflow/core/stopwatch.hpp"
#include "riemflow/fit/observer.hpp"
#include "riemflow/fit/training_log.hpp"

namespace riemflow::python {

class Listener final : public Observer {
 public:
  /// log: a file for learning curves, as fit's option; empty: none.
  Listener(py::object target, const std::string& log = "");
  ~Listener() override;

  void say(const std::string& sentence) override;
  void begin(const PlannedStage& stage) override;
  void step(const FitProgress& progress, const std::string& note) override;
  void end_stage() override;
  void begin_task(const std::string& name, double units) override;
  void task(double done, double of, const char* note) override;
  void end_task() override;
  bool cancelled() const override { return interrupts_.asked(); }

  Interrupts& interrupts() { return interrupts_; }

 private:
  /// call() with the interpreter's lock; an exception of the callback stops the work and is raised after it.
  template <class Call>
  void tell_python(const Call& call);
  /// Ten times a second at most.
  bool due();

  py::object target_;
  mutable Interrupts interrupts_;
  TrainingLog log_;
  Clock::time_point start_ = Clock::now();
  double told_ = -1;
  std::string stage_, task_;
};

/// work() without the interpreter's lock. Raises what the listener has raised.
template <class Work>
auto computed(Listener& listener, Work&& work) {
  auto result = computed(listener.interrupts(), std::forward<Work>(work));
  listener.interrupts().raise();
  return result;
}

}  // namespace riemflow::python
