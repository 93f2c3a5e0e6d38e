#include "riemflow/core/cancel.hpp"

#include <utility>

namespace riemflow {
namespace {

thread_local const CancelScope* scope_of_thread = nullptr;

}  // namespace

CancelScope::CancelScope(std::function<bool()> asked)
    : asked_(std::move(asked)), outer_(std::exchange(scope_of_thread, this)) {}

CancelScope::~CancelScope() { scope_of_thread = outer_; }

const CancelScope* CancelScope::current() { return scope_of_thread; }

BorrowedScope::BorrowedScope(const CancelScope* scope) : outer_(std::exchange(scope_of_thread, scope)) {}

BorrowedScope::~BorrowedScope() { scope_of_thread = outer_; }

void give_up_if_asked() {
  if (scope_of_thread != nullptr && scope_of_thread->asked()) throw Cancelled();
}

}  // namespace riemflow
