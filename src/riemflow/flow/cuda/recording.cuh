#pragma once
// A long sequence of launches as one: recorded once, and played again as long as it is the same. Launching costs the host
// 4 µs a kernel, and runs side by side wait for each other there.

#include <cuda_runtime.h>

#include <cstring>
#include <tuple>
#include <vector>

#include "riemflow/flow/cuda/device_array.cuh"

namespace riemflow::cuda {

class Recording {
 public:
  Recording() = default;
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() { forget(); }

  /// Runs what `launch` launches on the stream. arguments: everything that its launches depend on, plain data.
  template <class... Arguments, class Launch>
  void run(cudaStream_t stream, const std::tuple<Arguments...>& arguments, const Launch& launch) {
    std::vector<char> key;
    std::apply([&](const auto&... each) { (append(key, each), ...); }, arguments);
    if (graph_ == nullptr || key != key_) {
      forget();
      cudaGraph_t graph = nullptr;
      must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "recording");
      launch();
      must(cudaStreamEndCapture(stream, &graph), "recording");
      const cudaError_t code = cudaGraphInstantiate(&graph_, graph, 0);
      cudaGraphDestroy(graph);
      must(code, "recording");
      key_ = std::move(key);
    }
    must(cudaGraphLaunch(graph_, stream), "kernel");
  }

 private:
  template <class V>
  static void append(std::vector<char>& key, const V& value) {
    static_assert(std::is_trivially_copyable_v<V>);
    const auto* bytes = reinterpret_cast<const char*>(&value);
    key.insert(key.end(), bytes, bytes + sizeof(V));
  }
  void forget() {
    if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
    graph_ = nullptr;
  }

  cudaGraphExec_t graph_ = nullptr;
  std::vector<char> key_;
};

}  // namespace riemflow::cuda
