#include "riemflow/core/thread_pool.hpp"

#include <algorithm>
#include <system_error>

#include "riemflow/core/cancel.hpp"
#include "riemflow/core/error.hpp"

namespace riemflow {

ThreadPool::ThreadPool(int threads) {
  require(threads >= 0 && threads <= 4096, "cannot use " + std::to_string(threads) + " threads",
          "give a number from 1 to 4096, or 0 for one on each core");
  if (threads == 0) threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  try {
    for (int worker = 1; worker < threads; ++worker) threads_.emplace_back([this, worker] { serve(worker); });
  } catch (const std::system_error&) {
    stop();
    throw Error("the system gives only " + std::to_string(threads_.size() + 1) + " of " +
                    std::to_string(threads) + " threads",
                "use fewer threads, one for each core at most");
  }
}

ThreadPool::~ThreadPool() { stop(); }

void ThreadPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  begin_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::run(std::size_t pieces, const std::function<void(std::size_t, int)>& work) {
  const CancelScope* scope = CancelScope::current();
  const std::function<void(std::size_t, int)> scoped = [&](std::size_t piece, int worker) {
    const BorrowedScope borrowed(scope);
    give_up_if_asked();
    work(piece, worker);
  };
  {
    const std::lock_guard lock(mutex_);
    work_ = &scoped;
    pieces_ = pieces;
    next_ = 0;
    failure_ = nullptr;
    ++round_;
  }
  if (pieces > 1) begin_.notify_all();
  take_pieces(0);
  // Only for those who took a piece: on a busy machine the others may not wake for long.
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
  work_ = nullptr;
  if (failure_) std::rethrow_exception(failure_);
}

void ThreadPool::take_pieces(int worker) {
  try {
    for (std::size_t piece = next_++; piece < pieces_; piece = next_++) (*work_)(piece, worker);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    next_ = pieces_;
  }
}

void ThreadPool::serve(int worker) {
  std::size_t seen = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      begin_.wait(lock, [&] { return stopping_ || round_ != seen; });
      if (stopping_) return;
      seen = round_;
      if (work_ == nullptr) continue;  // woken too late
      ++busy_;
    }
    take_pieces(worker);
    const std::lock_guard lock(mutex_);
    if (--busy_ == 0) done_.notify_one();
  }
}

}  // namespace riemflow
