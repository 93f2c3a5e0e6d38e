#include "riemflow/core/executor.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "riemflow/core/cancel.hpp"
#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

/// One call of run. It lives in the calling thread, which works on it too and leaves last.
struct Job {
  const std::function<void(std::size_t, int)>& work;
  std::size_t pieces;
  int free;  ///< places for helpers that nobody took yet; as the rest under the crew's mutex
  const CancelScope* scope = CancelScope::current();
  int helpers = 0, busy = 0;
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure = nullptr;
};

/// The threads of the process. A caller never waits for a thread that works for another: what nobody helps
/// with it does alone.
class Crew {
 public:
  static Crew& of_process() {
    static Crew crew;
    return crew;
  }

  ~Crew() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    begin_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  /// At least so many threads beside the callers.
  void grow(std::size_t helpers) {
    const std::lock_guard lock(mutex_);
    try {
      while (threads_.size() < helpers) threads_.emplace_back([this] { serve(); });
    } catch (const std::system_error&) {
      throw Error("the system gives only " + std::to_string(threads_.size() + 1) + " of " +
                      std::to_string(helpers + 1) + " threads",
                  "use fewer threads, one for each core at most");
    }
  }

  void run(Job& job) {
    if (const int places = job.free; places > 0) {
      {
        const std::lock_guard lock(mutex_);
        jobs_.push_back(&job);
      }
      for (int i = 0; i < places; ++i) begin_.notify_one();
    }
    take_pieces(job, 0);
    {
      std::unique_lock lock(mutex_);
      jobs_.remove(&job);
      done_.wait(lock, [&] { return job.busy == 0; });
    }
    if (job.failure) std::rethrow_exception(job.failure);
  }

 private:
  void take_pieces(Job& job, int worker) {
    try {
      for (std::size_t piece = job.next++; piece < job.pieces; piece = job.next++) {
        give_up_if_asked();
        job.work(piece, worker);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!job.failure) job.failure = std::current_exception();
      job.next = job.pieces;
    }
  }

  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      begin_.wait(lock, [&] { return stopping_ || !jobs_.empty(); });
      if (stopping_) return;
      Job& job = *jobs_.front();
      const int worker = ++job.helpers;
      ++job.busy;
      if (--job.free == 0) jobs_.pop_front();
      lock.unlock();
      {
        const BorrowedScope scope(job.scope);
        take_pieces(job, worker);
      }
      lock.lock();
      if (--job.busy == 0) done_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable begin_, done_;
  std::list<Job*> jobs_;  // that have places left
  std::vector<std::thread> threads_;
  bool stopping_ = false;
};

}  // namespace

Executor::Executor(int threads) {
  require(threads >= 0 && threads <= 4096, "cannot use " + std::to_string(threads) + " threads",
          "give a number from 1 to 4096, or 0 for one on each core");
  size_ = threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  Crew::of_process().grow(static_cast<std::size_t>(size_ - 1));
}

void Executor::run(std::size_t pieces, const std::function<void(std::size_t, int)>& work) {
  Job job{work, pieces, static_cast<int>(std::min<std::size_t>(pieces, static_cast<std::size_t>(size_))) - 1};
  Crew::of_process().run(job);
}

void in_pieces(Executor* executor, std::size_t n, std::size_t size,
               const std::function<void(std::size_t, std::size_t)>& work) {
  const auto piece = [&](std::size_t p, int) { work(p * size, std::min(n, (p + 1) * size)); };
  const std::size_t pieces = (n + size - 1) / size;
  if (executor != nullptr) return executor->run(pieces, piece);
  for (std::size_t p = 0; p < pieces; ++p) piece(p, 0);
}

}  // namespace riemflow
