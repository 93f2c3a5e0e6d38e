#pragma once
// Long work on many points, in pieces that are over soon.

#include <algorithm>
#include <cstddef>

#include "riemflow/core/pack.hpp"
#include "riemflow/core/stopwatch.hpp"

namespace riemflow {

inline constexpr std::size_t kLeastPiece = 512, kMostPiece = 16384;
inline constexpr double kPieceSeconds = 0.5;

/// How many points to compute at a time, so that progress is seen: few first, more as long as they take less
/// than half a second; multiples of kLanes, which all give the same bits.
class Pieces {
 public:
  std::size_t next();

 private:
  std::size_t n_ = 0;
  Clock::time_point begun_ = Clock::now();
};

inline std::size_t Pieces::next() {
  const double seconds = seconds_since(begun_);
  if (n_ == 0)
    n_ = kLeastPiece;
  else if (seconds < kPieceSeconds / 2)
    n_ = std::min(2 * n_, kMostPiece);
  begun_ = Clock::now();
  return n_;
}

}  // namespace riemflow
