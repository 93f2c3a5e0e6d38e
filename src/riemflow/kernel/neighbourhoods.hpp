#pragma once
// Looks (looks.hpp) of centres whose neighbours are kept, so that they are quickly written anew when some
// points are held out.

#include <cstdint>
#include <vector>

#include "riemflow/kernel/kernel_data.hpp"
#include "riemflow/kernel/looks.hpp"

namespace riemflow {

class Neighbourhoods {
 public:
  /// data: which it must outlive.
  explicit Neighbourhoods(const KernelData& data, Executor* executor = nullptr);

  std::size_t size() const { return data_.size(); }
  KernelQuery centre(std::size_t i) const { return {data_.centres()[i].data(), &embedded_[i * width_]}; }
  /// Of all centres, embedded.
  const double* embedded() const { return embedded_.data(); }

  /// Of the centres that are not `out`, among themselves. rows (a centre) =, kNone where it is out.
  Looks look(const std::vector<bool>& out, std::vector<std::uint32_t>& rows) const;

 private:
  const KernelData& data_;
  Executor* executor_;
  const KernelSpace& space_;
  Looker looker_;
  std::size_t d_, width_, kept_;       // dimension, of the embedding, neighbours that data have
  std::size_t placed_;                 // neighbours whose places are kept
  std::vector<double> embedded_;       // [centre][width]
  std::vector<double> frames_;         // [centre][stride]
  std::vector<double> log_distances_;  // [centre][kept]
  std::vector<double> places_;         // [centre][placed][d]
};

}  // namespace riemflow
