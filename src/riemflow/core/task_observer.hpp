#pragma once
// What a caller sees of long work while it runs, and how it ends it.

#include <fmt/format.h>

#include <string>
#include <utility>

namespace riemflow {

/// Does nothing; override what is of interest. All is called from the thread that works, but cancelled(),
/// which may be called from any.
class TaskObserver {
 public:
  virtual ~TaskObserver() = default;

  /// A sentence for people: what was assumed, what was left out, a warning. It may name settings as ‹name›.
  virtual void say(const std::string& sentence) { (void)sentence; }
  template <class... Args>
  void tell(fmt::format_string<Args...> format, Args&&... args) {
    say(fmt::format(format, std::forward<Args>(args)...));
  }

  /// Work that takes its time. units: how much of it there is, whatever they are; 0 where that is not known.
  virtual void begin_task(const std::string& name, double units) { (void)name, (void)units; }
  /// So many of so many units are done; note: the part that is worked on, or empty.
  virtual void task(double done, double of, const char* note) { (void)done, (void)of, (void)note; }
  virtual void end_task() {}

  /// Whether to stop, with what there is.
  virtual bool cancelled() const { return false; }
};

/// A task of an observer while it lives.
class ObservedTask {
 public:
  ObservedTask(TaskObserver& observer, const std::string& name, double units = 0)
      : observer_(observer), units_(units) {
    observer.begin_task(name, units);
  }
  ~ObservedTask() { observer_.end_task(); }
  ObservedTask(const ObservedTask&) = delete;
  ObservedTask& operator=(const ObservedTask&) = delete;

  void reach(double done, double of, const char* note = "") { observer_.task(done, of, note); }
  void advance(double units) { observer_.task(done_ += units, units_, ""); }

 private:
  TaskObserver& observer_;
  double units_, done_ = 0;
};

}  // namespace riemflow
