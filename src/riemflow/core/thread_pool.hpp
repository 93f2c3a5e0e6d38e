#pragma once
// A fixed set of threads that take numbered pieces of work from a queue.

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace riemflow {

class ThreadPool {
 public:
  /// The calling thread is one of the workers; 0 means one for each core.
  explicit ThreadPool(int threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }

  /// Calls work(piece, worker) for piece = 0..pieces−1, each once, in any order; worker < size() tells which
  /// thread's workspace to use. Returns when all are done; the first exception thrown is rethrown here, and
  /// pieces not yet begun are dropped.
  void run(std::size_t pieces, const std::function<void(std::size_t piece, int worker)>& work);

 private:
  void stop();
  void serve(int worker);
  void take_pieces(int worker);

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable begin_, done_;
  const std::function<void(std::size_t, int)>* work_ = nullptr;
  std::size_t pieces_ = 0;
  std::atomic<std::size_t> next_{0};
  std::size_t round_ = 0;
  int busy_ = 0;
  bool stopping_ = false;
  std::exception_ptr failure_;
};

}  // namespace riemflow
