#pragma once
// How long work is given up: whoever asks for it says when, and what computes looks now and then.
//
//   const CancelScope scope([&] { return interrupted(); });
//   flow.gradient_of(…);   // throws Cancelled soon after interrupted() is true; nothing of it is kept
//
// A scope holds for the thread that made it and for the threads of an Executor that work for it.

#include <functional>

namespace riemflow {

/// Thrown where work was given up; no fault, so it is no Error.
struct Cancelled {};

class CancelScope {
 public:
  /// asked: called from any thread, often; must be quick. Empty: nothing is given up inside.
  explicit CancelScope(std::function<bool()> asked);
  ~CancelScope();
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;

  /// Of the calling thread; null where there is none.
  static const CancelScope* current();
  bool asked() const { return asked_ && asked_(); }

 private:
  std::function<bool()> asked_;
  const CancelScope* outer_;
};

/// Another thread's scope as the calling thread's, while it works for that.
class BorrowedScope {
 public:
  explicit BorrowedScope(const CancelScope* scope);
  ~BorrowedScope();
  BorrowedScope(const BorrowedScope&) = delete;
  BorrowedScope& operator=(const BorrowedScope&) = delete;

 private:
  const CancelScope* outer_;
};

/// Throws Cancelled if the scope of the calling thread asks for it.
void give_up_if_asked();

}  // namespace riemflow
