#pragma once
// Device memory that grows as needed, and what to say where the GPU fails.

#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <vector>

#include "riemflow/core/error.hpp"

namespace riemflow::cuda {

inline void must(cudaError_t code, const char* what) {
  if (code != cudaSuccess)
    throw Error(std::string("the GPU failed: ") + what + ": " + cudaGetErrorString(code),
                "use ‹device› cpu, or fewer runs side by side", Fault::numerical);
}

template <class V>
class DeviceArray {
 public:
  DeviceArray() = default;
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }

  V* data() const { return data_; }
  V* reserve(std::size_t n) {
    if (n > size_) {
      cudaFree(data_);
      data_ = nullptr;
      size_ = 0;
      must(cudaMalloc(&data_, n * sizeof(V)), "allocation");
      size_ = n;
    }
    return data_;
  }
  V* upload(const V* from, std::size_t n, cudaStream_t stream) {
    reserve(n);
    must(cudaMemcpyAsync(data_, from, n * sizeof(V), cudaMemcpyHostToDevice, stream), "copy to the GPU");
    return data_;
  }
  V* upload(const std::vector<V>& from, cudaStream_t stream) { return upload(from.data(), from.size(), stream); }
  void download(V* to, std::size_t n, cudaStream_t stream, std::size_t first = 0) const {
    must(cudaMemcpyAsync(to, data_ + first, n * sizeof(V), cudaMemcpyDeviceToHost, stream), "copy from the GPU");
  }

 private:
  V* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace riemflow::cuda
