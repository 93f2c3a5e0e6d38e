#pragma once
// Sanitizers make a test ten times slower. Where fewer cases or points take the same paths, kSanitized takes
// fewer; the release run of the same test has them all.

namespace riemflow {

#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace riemflow
