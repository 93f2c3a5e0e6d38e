#pragma once
// Numbered pieces of work, taken by the threads of the process. All executors share these threads: there are
// as many as the largest executor asked for, and an executor uses no more of them than it has for a size.

#include <cstddef>
#include <functional>

namespace riemflow {

class Executor {
 public:
  /// The calling thread is one of the workers; 0 means one for each core. Throws Error where the system does
  /// not give so many.
  explicit Executor(int threads = 0);
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  int size() const { return size_; }

  /// Calls work(piece, worker) for piece = 0..pieces−1, each once, in any order; worker < size() tells which
  /// thread's workspace to use. Returns when all are done; the first exception thrown is rethrown here, and
  /// pieces not yet begun are dropped. Cancelled (core/cancel.hpp) is thrown between pieces. Work may run
  /// pieces of its own, and several threads may call this at a time.
  void run(std::size_t pieces, const std::function<void(std::size_t piece, int worker)>& work);

 private:
  int size_;
};

/// Calls work(begin, end) for pieces of `size` that make up 0..n−1: as Executor::run, or one after the
/// other where there is no executor.
void in_pieces(Executor* executor, std::size_t n, std::size_t size,
               const std::function<void(std::size_t begin, std::size_t end)>& work);

}  // namespace riemflow
