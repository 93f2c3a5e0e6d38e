#pragma once
// Counter-based random numbers (Philox 4x32-10). A stream is named by what it is for, (seed, purpose,
// iteration, point), and not by who draws from it: results do not depend on threads, tiles or order.

#include <Random123/philox.h>

#include <cmath>
#include <cstdint>
#include <numbers>

namespace riemflow {

/// What a stream is for; streams of different purpose never meet. The numbers name the streams: they stay.
enum class Purpose : std::uint32_t {
  initial_parameters = 0,
  base_sample = 1,
  batch = 2,
  divergence_noise = 3,
  target_sample = 4,
  test = 5,
  split = 6,
  mixture_start = 7,
  pool_member = 8,
  matching_time = 9,
};

class Random {
 public:
  /// `iteration` < 2^32; `point` any.
  Random(std::uint64_t seed, Purpose purpose, std::uint64_t iteration, std::uint64_t point)
      : key_{{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}},
        counter_{{0, static_cast<std::uint32_t>(point),
                  static_cast<std::uint32_t>(point >> 32) ^ (static_cast<std::uint32_t>(purpose) << 24),
                  static_cast<std::uint32_t>(iteration)}} {}

  std::uint32_t bits() {
    if (used_ == 4) {
      block_ = r123::Philox4x32()(counter_, key_);
      ++counter_[0];
      used_ = 0;
    }
    return block_[used_++];
  }
  std::uint64_t bits64() {
    const std::uint64_t high = bits();
    return (high << 32) | bits();
  }

  /// In the open interval (0, 1), 52 bits: never 0, so that log(uniform()) is finite, and never 1.
  double uniform() { return (static_cast<double>(bits64() >> 12) + 0.5) * 0x1p-52; }

  /// Standard normal (Box–Muller; the second of each pair is kept).
  double normal() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    const double radius = std::sqrt(-2 * std::log(uniform()));
    const double angle = 2 * std::numbers::pi * uniform();
    spare_ = radius * std::sin(angle);
    has_spare_ = true;
    return radius * std::cos(angle);
  }

  /// −1 or +1 with equal probability.
  double rademacher() { return (bits() & 1u) != 0 ? 1.0 : -1.0; }

  /// In 0..n−1; the bias of the multiply-shift is below n·2⁻⁶⁴.
  std::uint64_t below(std::uint64_t n) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(bits64()) * n) >> 64);
  }

 private:
  r123::Philox4x32::key_type key_;
  r123::Philox4x32::ctr_type counter_;
  r123::Philox4x32::ctr_type block_{};
  unsigned used_ = 4;
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace riemflow
