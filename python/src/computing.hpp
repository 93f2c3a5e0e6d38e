#pragma once
// Calls that compute: the interpreter is free for other threads meanwhile, and Ctrl-C ends them.

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "python/src/bindings.hpp"
#include "riemflow/core/cancel.hpp"

namespace riemflow::python {

/// Whether Python wants the calling thread to stop. Python handles signals in its main thread alone, so that
/// work in other threads is not interrupted by Ctrl-C.
class Interrupts {
 public:
  /// From any thread, without the interpreter's lock. The thread that made this one looks for signals, twenty
  /// times a second at most.
  bool asked() {
    if (stopped_) return true;
    if (std::this_thread::get_id() != caller_) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now - looked_ < std::chrono::milliseconds(50)) return false;
    looked_ = now;
    const py::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) stop(py::error_already_set());
    return stopped_;
  }
  /// With what is to be raised when the work has ended. Needs the interpreter's lock.
  void stop(py::error_already_set error) {
    if (!error_) error_.emplace(std::move(error));
    stopped_ = true;
  }
  bool stopped() const { return stopped_; }
  /// Whether what stopped it was Ctrl-C and not, say, an exception of a callback. Needs the lock.
  bool by_keyboard() const { return error_ && error_->matches(PyExc_KeyboardInterrupt); }
  /// Raises what has stopped the work, if anything has. Needs the lock.
  void raise() {
    if (!error_) return;
    py::error_already_set error = std::move(*error_);
    error_.reset();
    throw error;
  }

 private:
  std::thread::id caller_ = std::this_thread::get_id();
  std::chrono::steady_clock::time_point looked_ = std::chrono::steady_clock::now();
  std::atomic<bool> stopped_ = false;
  std::optional<py::error_already_set> error_;
};

/// work() without the interpreter's lock.
template <class Work>
auto computed(Interrupts& interrupts, Work&& work) {
  try {
    const py::gil_scoped_release release;
    const CancelScope scope([&] { return interrupts.asked(); });
    return work();
  } catch (const Cancelled&) {
    interrupts.raise();
    throw;
  }
}
template <class Work>
auto computed(Work&& work) {
  Interrupts interrupts;
  return computed(interrupts, std::forward<Work>(work));
}

}  // namespace riemflow::python
